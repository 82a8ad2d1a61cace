-- apply, map and map2: a Lua function on every element, through pointers, so that LuaJIT compiles
-- loop and function together. With the JIT off the same loops run in the interpreter; without
-- an FFI C loops.

local types = require 'tensor.types'
local versions = require 'tensor.versions'

-- The text of a loop for so many operands, whose elements lie next to each other, if dense. w is
-- what C knows of the walk, which holds the memory: where rows of elements begin, and a byte that
-- says whether they may be used there still. The function may have had them moved to a device, or
-- written there. The compiler follows one function a loop best: so types, and functions that are
-- given many elements, have loops of their own.
local function loop(count, dense)
   local begin, rows, values, checks = {}, {}, {}, {}
   for k = 0, count - 1 do
      local function add(list, text)
         list[#list + 1] = (text:gsub('#', k))
      end
      add(begin, [[
         local step#, ready# = tonumber(w.operand[#].step), w.operand[#].ready]])
      add(rows, 'local p#, words# = rowof(w, #)')
      add(values, dense and 'load(p#, words#, i)' or 'load(p#, words#, i * step#)')
      add(checks, k == 0 and 'if ready#[0] ~= WRITABLE then p#, words# = settled(w, walk, #) end'
                  or 'if ready#[0] == MOVED then p#, words# = settled(w, walk, #) end')
   end
   return ([[
      local load, store, rowof, settled, nextrow, refuse, type, WRITABLE, MOVED = ...
      return function(w, walk, f)
         local last = tonumber(w.inner) - 1
         BEGIN
         for _ = 1, tonumber(w.rows) do
            ROWS
            for i = 0, last do
               local value = f(VALUES)
               CHECKS
               if type(value) == 'number' then
                  store(p0, AT, value)
               elseif value ~= nil then
                  refuse(value, COUNT)
               end
            end
            nextrow(w, COUNT)
         end
      end]]):gsub('%u%u+', {
         BEGIN = table.concat(begin, '\n'), ROWS = table.concat(rows, '\n'),
         VALUES = table.concat(values, ', '), CHECKS = table.concat(checks, '\n'),
         AT = dense and 'i' or 'i * step0', COUNT = count})
end

-- What the loops call.
local function helpers(ffi, how, native)
   local cast, pointer, words = ffi.cast, how.pointer, how.words

   local function rowof(w, k)
      local a = w.operand[k]
      local address = a.block + a.at
      return cast(pointer, address), cast(words, address)
   end

   -- The row of a block that has been moved to the CPU again.
   local function settled(w, walk, k)
      native.settle(walk, k)
      return rowof(w, k)
   end

   local function nextrow(w, count)
      for d = 0, w.outer - 1 do
         w.index[d] = w.index[d] + 1
         local back = w.index[d] == w.size[d]
         for k = 0, count - 1 do
            local a = w.operand[k]
            a.at = a.at + a.stride[d]
            if back then
               a.at = a.at - w.size[d] * a.stride[d]
            end
         end
         if not back then
            return
         end
         w.index[d] = 0
      end
   end

   local names = {'apply', 'map', 'map2'}
   local function refuse(value, count)
      error(('%s: the function must return a number or nothing, got %s')
            :format(names[count], type(value)), 0)
   end

   return rowof, settled, nextrow, refuse
end

-- The loops for each function that is given many elements: not more than so many sets.
local MANY, MOST_SETS = 1000, 50

local function install(tensor)
   local ffi = versions.ffi
   local access = ffi and require 'tensor.number'
   local cast = ffi and ffi.cast or function() end

   -- Nobody else's to call: what is closed too early may move under a loop.
   local native = tensor._apply
   tensor._apply = nil
   if not native then
      return  -- the methods are there already
   end

   local walk = ffi and ffi.typeof [[struct {
      struct {
         char *block; const uint8_t *ready; int64_t at, step, *stride; void *storage;
         int64_t offset;
      } operand[3];
      int64_t inner, rows; int32_t count, outer; int64_t *size, *index;
   } *]]
   local getinfo, open, close, pcall = debug.getinfo, native.open, native.close, pcall
   local source = getinfo(1, 'S').source  -- no error is blamed on it
   local texts = {}
   for count = 1, 3 do
      texts[count] = {[true] = loop(count, true), [false] = loop(count, false)}
   end

   -- What gives the loop of a type for a function and a walk.
   local function chooser(element)
      local like = tensor[element.name .. 'Tensor']()
      local how = access(element, native.accessors(like))
      local rowof, settled, nextrow, refuse = helpers(ffi, how, native)
      local common, own, made = {}, {}, 0

      local function choose(f, w)
         local count, dense = w.count, true
         for k = 0, count - 1 do
            dense = dense and w.operand[k].step == 1
         end
         local set = common
         if w.inner * w.rows >= MANY then
            local info = getinfo(f, 'S')
            local key = info.linedefined .. info.source
            set = own[key]
            if not set then
               if made == MOST_SETS then
                  own, made = {}, 0
               end
               set, made = {}, made + 1
               own[key] = set
            end
         end
         local place = dense and count or -count
         if not set[place] then
            -- WRITABLE is both bits of SyncedMemory::host_ready, and MOVED is none.
            set[place] = versions.load(texts[count][dense], source)(
               how.load, how.store, rowof, settled, nextrow, refuse, type, 3, 0)
         end
         return set[place]
      end
      return like, choose
   end

   if not ffi then
      local function walk_by_c(_, object, f)
         native.each(object, f)
      end
      function chooser(element)
         return tensor[element.name .. 'Tensor'](), function() return walk_by_c end
      end
   end

   local function check(name, f, first, second, third)
      if type(f) ~= 'function' then
         error(('%s: a function is expected, got %s'):format(name, tensor.type(f)), 3)
      end
      for _, other in ipairs {second, third} do
         if tensor.typename(other) ~= tensor.typename(first) then
            error(('%s: a %s is expected, got %s%s')
                  :format(name, tensor.typename(first), tensor.type(other),
                          tensor.isTensor(other) and ': convert it' or ''), 3)
         end
      end
   end

   -- In the first one's sizes, as shapes pair everywhere.
   local function aligned(name, first, other)
      return other:isSameSizeAs(first) and other or native.align(first, other, name)
   end

   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
      local like, choose = chooser(element)

      -- What follows self are further operands, in its sizes.
      local function each(f, self, ...)
         local object = open(like, self, ...)
         if not object then
            return self
         end
         local w = cast(walk, object)
         local ok, message = pcall(choose(f, w), w, object, f)
         close(object)
         if not ok then
            error(message, 0)
         end
         return self
      end

      --- t:apply(f): each element becomes f(element), or stays where f returns nothing; one after
      -- the other, so that f is given what calls before have written to the same memory.
      function class.apply(self, f)
         if type(f) ~= 'function' then
            check('apply', f, self)
         end
         return (each(f, self))
      end

      --- t:map(u, f): each element becomes f(element of t, element of u).
      function class.map(self, other, f)
         check('map', f, self, other)
         return (each(f, self, aligned('map', self, other)))
      end

      --- t:map2(u, v, f): each element becomes f(elements of t, u and v).
      function class.map2(self, other, third, f)
         check('map2', f, self, other, third)
         return (each(f, self, aligned('map2', self, other), aligned('map2', self, third)))
      end
   end
end

return install
