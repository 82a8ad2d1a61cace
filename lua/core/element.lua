-- t[i], t[i][j], t[{i, j}] and s[i] of one element in compiled loops: read and written through
-- pointers, so that LuaJIT compiles them together with the loop. Everything else (other keys,
-- errors, device memory, interpreted code) falls back to the C metamethods.

local each = require 'tensor.versions'.each
local types = require 'tensor.types'

-- Returns the access functions of one class. A userdata with the metatable of a class contains a
-- pointer of that class or null, because Lua code cannot set metatables of userdata.
--
-- tick: has another value at each instruction that LuaJIT records. LuaJIT treats an upvalue that is
-- never assigned as a constant. So two readings of tick differ in compiled code and are equal in
-- interpreted code, which uses the faster C functions.
-- chained: while a function is recorded, a number if the result is only indexed, once; else false.
--
-- Functions with `...` never start a trace; they are always inlined into their caller's trace.
-- LuaJIT generates slower code for a function with many closures, so each class loads its own copy.
-- luacheck: push ignore 212/...
local function accessors(ffi, class, how, own, shared, tick, chained)
   local cast, floor, rawget, type, tonumber = ffi.cast, math.floor, rawget, type, tonumber
   local error, metatable = error, debug.getmetatable
   local box, pointer, words, load, store = how.box, how.pointer, how.words, how.load, how.store
   local lowest, highest, integral = how.lowest, how.highest, how.integral
   local operands, watchers = shared.operands, shared.watchers
   local index, newindex = own.index, own.newindex
   local WRITABLE = 3

   -- Returns the storage of a tensor with `count` dimensions and the position of the element in it.
   -- Returns nothing if the tensor has another number of dimensions or an index is out of range.
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
      if storage ~= nil and storage.shrunk == 0 and watchers[0] == 0 then
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

   -- Returns the count of the numbers in a table, 1 to 4, and the numbers. Returns nothing for any
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

   -- A part replaces the view t[i], t[i][j] or t[i][j][k] if it is only indexed: it contains only
   -- the indices. LuaJIT does not allocate these objects, because they never escape. The tensor is
   -- in `kept` meanwhile, at the slot `chained`; nothing else protects it from the collector. Code
   -- that runs in between, such as operators, may use the same slot. Then the earlier tensor moves
   -- to `aside`, a weak table: the program itself must keep it. After an error in between, the
   -- entry stays until it is overwritten.
   local kept, stamps = shared.kept, shared.stamps
   local aside, asides, ASIDES = shared.aside, shared.asides, 255
   local part

   local function partof(t, slot, count, i, j, k)
      local key = count == 1 and i or count == 2 and j or k
      if metatable(t) ~= class then
         return
      end
      local tensor = cast(box, t).tensor
      if tensor == nil or tensor.dims <= count then
         return
      end
      if key >= 1 and key <= tonumber(tensor.sizes[count - 1]) and floor(key) == key then
         local stamp = stamps[0] + 1
         stamps[0] = stamp
         if kept[slot] then
            local entry = asides[0] % ASIDES + 1
            asides[0] = entry
            aside[entry], asides[entry] = kept[slot], stamps[slot]
         end
         stamps[slot] = stamp
         kept[slot] = t
         return part(slot, count, stamp, i, j, k)
      end
   end

   local function tensorof(p)
      local slot, stamp = p.slot, p.stamp
      local t = kept[slot]
      if stamps[slot] == stamp and t then
         kept[slot] = false
         return t
      end
      for entry = 1, ASIDES do
         if asides[entry] == stamp and aside[entry] then
            return aside[entry]
         end
      end
      error('the indexing of a tensor was interrupted by another', 3)
   end

   local function viewof(p, t)
      local view = index(t, p.i)
      if p.count > 1 then
         view = index(view, p.j)
      end
      if p.count > 2 then
         view = index(view, p.k)
      end
      return view
   end

   local ofparts = {}

   function ofparts.__index(p, key, ...)
      local before, now, slot = tick, tick, chained
      local t = tensorof(p)
      if before ~= now and type(key) == 'number' then
         local count, i, j = p.count, p.i, p.j
         local value
         if count == 1 then
            value = readtensor(t, 2, i, key)
         elseif count == 2 then
            value = readtensor(t, 3, i, j, key)
         else
            value = readtensor(t, 4, i, j, p.k, key)
         end
         if value ~= nil then
            return value
         end
         local view
         if slot and count == 1 then
            view = partof(t, slot, 2, i, key, 0)
         elseif slot and count == 2 then
            view = partof(t, slot, 3, i, j, key)
         end
         if view then
            return view
         end
      end
      return viewof(p, t)[key]
   end

   function ofparts.__newindex(p, key, value, ...)
      local before, now = tick, tick
      local t = tensorof(p)
      if before ~= now and type(key) == 'number' and type(value) == 'number' then
         local count = p.count
         local done
         if count == 1 then
            done = writetensor(t, value, 2, p.i, key)
         elseif count == 2 then
            done = writetensor(t, value, 3, p.i, p.j, key)
         else
            done = writetensor(t, value, 4, p.i, p.j, p.k, key)
         end
         if done then
            return
         end
      end
      viewof(p, t)[key] = value
   end

   part = ffi.metatype(how.part, ofparts)

   local methods = {part = ofparts}

   function methods.indextensor(t, key, ...)
      local before, now, slot = tick, tick, chained
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
            elseif slot and type(key) == 'number' then
               local view = partof(t, slot, 1, key, 0, 0)
               if view then
                  return view
               end
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
         and watchers[0] == 0 then
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

-- Returns a C struct that names only some fields: {offset, bytes, declaration}.
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

-- Calls change(trace, function, pc) at every instruction that LuaJIT records. LuaJIT has a single
-- handler, so ours calls the one that was attached before, such as that of the option -jdump. The
-- start and end of traces are not watched: LuaJIT of 2022 crashes when it reports an end in a
-- coroutine that has returned.
local function watch(change)
   local function handlers()
      return debug.getregistry()._VMEVENTS or {}
   end
   local before, previous = {}, nil
   for event, f in each(handlers()) do
      before[event] = f
   end
   local function handler(...)
      change(...)
      if previous then
         previous(...)
      end
   end
   jit.attach(handler, 'record')
   for event, f in each(handlers()) do
      if f == handler then
         previous = before[event]
      end
   end
end

local function install(tensor)
   -- A program may have removed functions of debug before.
   if not jit or not jit.status() or not jit.attach or not tensor._apply
      or not (debug.getmetatable and debug.getregistry and debug.getupvalue and debug.setupvalue
              and debug.upvaluejoin) then
      return
   end
   local has_util, util = pcall(require, 'jit.util')
   if not has_util then
      return
   end
   local access, is_chained = require 'tensor.number', require 'tensor.chained' (util)
   local entries = {}
   local native, ffi = tensor._apply, require 'ffi'
   local at = native.layout()
   local storage = struct(ffi, {
      {at.elements, 8, 'int64_t elements'}, {at.shrunk, 1, 'uint8_t shrunk'},
      {at.ready, 1, 'uint8_t ready'}, {at.home, 8, 'void *home'}, {at.block, 8, 'void *block'}})
   local view = struct(ffi, {
      {at.sizes, 8, 'int64_t *sizes'}, {at.strides, 8, 'int64_t *strides'},
      {at.dims, 4, 'int dims'}, {at.offset, 8, 'int64_t offset'},
      {at.storage, 8, '$ *storage'}}, storage)
   -- The contents of a userdata. The declarations differ, because busted compares types by text.
   local boxes = {Tensor = ffi.typeof('struct { $ *tensor; } *', view),
                  Storage = ffi.typeof('struct { $ *storage; } *', storage)}
   local shared = {operands = ffi.cast('void **', at.operands),
                   watchers = ffi.cast('int *', at.watchers), cuda = false, kept = {},
                   stamps = ffi.new 'double[1022]', asides = ffi.new 'double[256]',
                   aside = setmetatable({}, {__mode = 'v'})}
   for slot = 1, 1021 do
      shared.kept[slot] = false
   end
   local code = string.dump(accessors)
   -- All classes share the upvalues of the first.
   local first, upvalues = nil, {}

   local cuda = tensor._cuda
   function tensor._cuda(...)
      shared.cuda = true
      return cuda(...)
   end

   local function share(method)
      for _, name in ipairs {'tick', 'chained'} do
         local k = upvalue(method, name)
         if k and not upvalues[name] then
            first = first or method
            upvalues[name] = k
         elseif k then
            debug.upvaluejoin(method, k, first, upvalues[name])
         end
      end
      entries[method] = true
   end

   -- A class gets its functions when one of its objects is first indexed: most programs use few.
   local function prepare(element, new, kind, class, own)
      local how = access(element, native.accessors(new()))
      how.box = boxes[kind]
      how.part = ffi.typeof(('struct { int slot, count; double stamp, i, j, k; char %s%s; }')
                              :format(element.name, kind))
      local methods = loadstring(code)(ffi, class, how, own, shared, 0, false)
      share(methods.part.__index)
      share(methods.part.__newindex)
      own.compiled = {__index = methods['index' .. kind:lower()],
                      __newindex = methods['newindex' .. kind:lower()]}
      for name, method in each(own.compiled) do
         share(method)
         if rawget(class, name) == own[name] then
            rawset(class, name, method)
         end
      end
   end

   for _, element in ipairs(types) do
      for kind in each(boxes) do
         local class = tensor.getmetatable(('torch.%s%s'):format(element.name, kind))
         local own = {index = rawget(class, '__index'), newindex = rawget(class, '__newindex')}
         local new = tensor[element.name .. 'Tensor']
         for _, name in ipairs {'__index', '__newindex'} do
            own[name] = function(...)
               if not own.compiled then
                  prepare(element, new, kind, class, own)
               end
               return own.compiled[name](...)
            end
            rawset(class, name, own[name])
         end
      end
   end
   local tick, setupvalue = 0, debug.setupvalue
   local caller, caller_pc
   watch(function(_, f, pc)
      tick = tick + 1
      if not first then
         return
      end
      setupvalue(first, upvalues.tick, tick)
      if pc < 0 then  -- a function of C
         return
      elseif not entries[f] then
         caller, caller_pc = f, pc
      elseif caller then
         setupvalue(first, upvalues.chained, is_chained(caller, caller_pc))
         caller = nil
      end
   end)
end

return install
