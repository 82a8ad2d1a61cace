-- Reads and writes of single elements in JIT-compiled loops: t[i] of a vector, t[{i, j}] and s[i]
-- of a storage. They use FFI pointers, so LuaJIT compiles them together with the loop. Everything
-- else (views such as t[i] of a matrix, other keys, errors, device memory, interpreted code) falls
-- back to the C metamethods.

local classes = require 'tensor.classes'
local versions = require 'tensor.versions'
local each, jit = versions.each, rawget(_G, 'jit')

local assert = assert  -- the program may assign to globals before a class is first used

-- Returns the metamethods of one class. A userdata with the metatable of the class contains a
-- pointer or null.
-- `tick` changes with each instruction that LuaJIT records. LuaJIT treats an upvalue that the code
-- never assigns as constant. So two reads of it differ in compiled code, and are equal in the
-- interpreter, which is faster in C. If LuaJIT did not do this, the C metamethods would be called:
-- the results are the same.
-- LuaJIT starts no trace at a vararg function, so these are always compiled as a part of their
-- caller. Each class loads the functions anew, because LuaJIT treats a function with many closures
-- as variable.
-- luacheck: push ignore 212/...
local function accessors(ffi, class, how, own, shared, tick)
   local cast, floor, rawget, type = ffi.cast, shared.floor, shared.rawget, shared.type
   local tonumber, metatable = shared.tonumber, shared.metatable
   local box, pointer, words, load, store = how.box, how.pointer, how.words, how.load, how.store
   local lowest, highest, integral = how.lowest, how.highest, how.integral
   local operands, tracers = shared.operands, shared.tracers
   local index, newindex = own.index, own.newindex
   local WRITABLE = 3

   -- Returns the storage of a tensor with `count` dimensions and the position of an element in it,
   -- or nothing if there is no such element.
   local function element(t, count, i, j, k, l)
      if metatable(t) ~= class then
         return
      end
      local tensor = cast(box, t).tensor
      if tensor == nil or tensor.dims ~= count then
         return
      end
      local sizes, strides = tensor.sizes, tensor.strides
      if not (i >= 1 and i <= tonumber(sizes[0]) and floor(i) == i) then
         return
      end
      local at = tensor.offset + (i - 1) * strides[0]
      if count > 1 then
         if not (j >= 1 and j <= tonumber(sizes[1]) and floor(j) == j) then
            return
         end
         at = at + (j - 1) * strides[1]
         if count > 2 then
            if not (k >= 1 and k <= tonumber(sizes[2]) and floor(k) == k) then
               return
            end
            at = at + (k - 1) * strides[2]
            if count > 3 then
               if not (l >= 1 and l <= tonumber(sizes[3]) and floor(l) == l) then
                  return
               end
               at = at + (l - 1) * strides[3]
            end
         end
      end
      local storage = tensor.storage
      if storage ~= nil and storage.shrunk == 0 and tracers[0] == 0 then
         return storage, at
      end
   end

   local function readtensor(t, count, i, j, k, l)
      local storage, at = element(t, count, i, j, k, l)
      if storage ~= nil and storage.ready ~= 0 then
         local block = storage.block
         local value = load(cast(pointer, block), cast(words, block), at)
         return value
      end
   end

   local function writetensor(t, value, count, i, j, k, l)
      local storage, at = element(t, count, i, j, k, l)
      if storage ~= nil and storage.ready == WRITABLE and storage.home == nil
         and value >= lowest and value <= highest and (not integral or floor(value) == value)
         and operands[0] == nil then
         store(cast(pointer, storage.block), at, value)
         return true
      end
   end

   -- Returns the length of a list of up to four numbers, and the numbers. Returns nothing for any
   -- other key.
   local function numbers(key)
      if type(key) ~= 'table' then
         return
      end
      local i, j, k, l = rawget(key, 1), rawget(key, 2), rawget(key, 3), rawget(key, 4)
      if type(i) ~= 'number' then
         return
      elseif type(j) ~= 'number' then
         if j == nil and k == nil and l == nil then
            return 1, i
         end
      elseif type(k) ~= 'number' then
         if k == nil and l == nil then
            return 2, i, j
         end
      elseif type(l) ~= 'number' then
         if l == nil then
            return 3, i, j, k
         end
      elseif rawget(key, 5) == nil then
         return 4, i, j, k, l
      end
   end

   local methods = {}

   function methods.indextensor(t, key, ...)
      local before, now = tick, tick
      if type(key) == 'string' then
         local field = class[key]
         if field ~= nil and not shared.cuda then
            return field
         end
      elseif before ~= now then
         local count, i, j, k, l = 1, key
         if type(key) ~= 'number' then
            count, i, j, k, l = numbers(key)
         end
         if count then
            local value = readtensor(t, count, i, j, k, l)
            if value ~= nil then
               return value
            end
         end
      end
      return index(t, key)
   end

   function methods.newindextensor(t, key, value, ...)
      local before, now = tick, tick
      if before ~= now and type(value) == 'number' then
         local count, i, j, k, l = 1, key
         if type(key) ~= 'number' then
            count, i, j, k, l = numbers(key)
         end
         if count and writetensor(t, value, count, i, j, k, l) then
            return
         end
      end
      return newindex(t, key, value)
   end

   local function blockof(s, i)
      if metatable(s) ~= class then
         return
      end
      local storage = cast(box, s).storage
      if storage ~= nil and i >= 1 and i <= tonumber(storage.elements) and floor(i) == i
         and tracers[0] == 0 then
         return storage
      end
   end

   local function readstorage(s, i)
      local storage = blockof(s, i)
      if storage ~= nil and storage.ready ~= 0 then
         local block = storage.block
         local value = load(cast(pointer, block), cast(words, block), i - 1)
         return value
      end
   end

   local function writestorage(s, i, value)
      local storage = blockof(s, i)
      if storage ~= nil and storage.ready == WRITABLE and value >= lowest and value <= highest
         and (not integral or floor(value) == value) and operands[0] == nil then
         store(cast(pointer, storage.block), i - 1, value)
         return true
      end
   end

   function methods.indexstorage(s, key, ...)
      local before, now = tick, tick
      if type(key) == 'string' then
         local field = class[key]
         if field ~= nil and not shared.cuda then
            return field
         end
      elseif before ~= now and type(key) == 'number' then
         local value = readstorage(s, key)
         if value ~= nil then
            return value
         end
      end
      return index(s, key)
   end

   function methods.newindexstorage(s, key, value, ...)
      local before, now = tick, tick
      if before ~= now and type(value) == 'number' and type(key) == 'number'
         and writestorage(s, key, value) then
         return
      end
      return newindex(s, key, value)
   end

   return methods
end
-- luacheck: pop

-- The program may assign to globals before a class is first used. After `accessors`, which must not
-- have upvalues.
local debug, load, rawget, rawset = debug, versions.load, rawget, rawset

-- Returns the type of a C struct of which only some fields are named: {offset, bytes, declaration}.
local function struct(ffi, fields, ...)
   table.sort(fields, function(a, b) return a[1] < b[1] end)
   local text, reached = {'struct {'}, 0
   for k, field in ipairs(fields) do
      if field[1] > reached then
         text[#text + 1] = ('char between%d[%d];'):format(k, field[1] - reached)
      end
      text[#text + 1] = field[3] .. ';'
      reached = field[1] + field[2]
   end
   text[#text + 1] = '}'
   return ffi.typeof(table.concat(text, ' '), ...)
end

-- Returns the number of the upvalue with this name, or nil.
local function upvalue(f, name)
   local k = 1
   repeat
      local found = debug.getupvalue(f, k)
      if found == name then
         return k
      end
      k = k + 1
   until not found
end

local function install(tensor)
   -- The program may have removed parts of debug.
   if not jit or not jit.status() or not jit.attach or not tensor._apply
      or not (debug.getmetatable and debug.getupvalue and debug.setupvalue
              and debug.upvaluejoin) then
      return
   end
   local access = require 'tensor.number'
   local native, ffi = tensor._apply, require 'ffi'
   local at = native.layout()
   local storage = struct(ffi, {
      {at.elements, 8, 'int64_t elements'}, {at.shrunk, 1, 'uint8_t shrunk'},
      {at.ready, 1, 'uint8_t ready'}, {at.home, 8, 'void *home'}, {at.block, 8, 'void *block'}})
   local view = struct(ffi, {
      {at.sizes, 8, 'int64_t *sizes'}, {at.strides, 8, 'int64_t *strides'},
      {at.dims, 4, 'int dims'}, {at.offset, 8, 'int64_t offset'},
      {at.storage, 8, '$ *storage'}}, storage)
   -- The contents of a userdata. The texts differ, because busted caches types by their text.
   local boxes = {Tensor = ffi.typeof('struct { $ *tensor; } *', view),
                  Storage = ffi.typeof('struct { $ *storage; } *', storage)}
   local shared = {operands = ffi.cast('void **', at.operands),
                   tracers = ffi.cast('int *', at.tracers), cuda = false,
                   floor = math.floor, rawget = rawget, type = type, tonumber = tonumber,
                   metatable = debug.getmetatable}
   local code = string.dump(accessors)
   -- The metamethods of all classes share one upvalue `tick`: that of the first one.
   local first, place

   local cuda = tensor._cuda
   function tensor._cuda(...)
      shared.cuda = true
      return cuda(...)
   end

   local function share(method)
      local k = upvalue(method, 'tick')
      if first then
         debug.upvaluejoin(method, k, first, place)
      else
         first, place = method, k
      end
   end

   -- Makes the metamethods of a class when one of its objects is first indexed, because most
   -- programs use few classes.
   local function prepare(element, new, kind, class, own)
      local how = access(element, native.accessors(new()))
      how.box = boxes[kind]
      local methods = assert(load(code))(ffi, class, how, own, shared, 0)
      own.compiled = {__index = methods['index' .. kind:lower()],
                      __newindex = methods['newindex' .. kind:lower()]}
      for name, method in each(own.compiled) do
         share(method)
         if rawget(class, name) == own[name] then
            rawset(class, name, method)
         end
      end
   end

   local names = {'__index', '__newindex'}
   for kind in each(boxes) do
      classes.extend(kind, function(class, element)
         local own = {index = rawget(class, '__index'), newindex = rawget(class, '__newindex')}
         local new = tensor[element.name .. 'Tensor']
         for _, name in each(names) do
            own[name] = function(...)
               if not own.compiled then
                  prepare(element, new, kind, class, own)
               end
               return own.compiled[name](...)
            end
            rawset(class, name, own[name])
         end
      end)
   end
   -- The end of a recording is not observed: LuaJIT of 2022 crashes when it reports one in a
   -- coroutine that has returned.
   local tick, setupvalue = 0, debug.setupvalue
   jit.attach(function()
      tick = tick + 1
      if first then
         setupvalue(first, place, tick)
      end
   end, 'record')
end

return install
