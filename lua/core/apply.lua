-- apply, map and map2: call a Lua function for every element. Elements are accessed through
-- pointers, so LuaJIT compiles loop and function together. With the JIT off, the interpreter runs
-- the same loops; without the FFI, C loops are used.

local classes = require 'tensor.classes'
local raise = require 'tensor.raise'
local types = require 'tensor.types'
local versions = require 'tensor.versions'

-- The program may assign to globals before a class is first used.
local assert, floor = assert, math.floor

-- Returns the source of a loop over `count` operands; dense: their elements are contiguous. w is
-- the C struct of the walk: the address of each row, and a byte that is not 0 while the memory may
-- be used at that address. The function may have moved elements to a device or written them there.
-- LuaJIT compiles a loop best if it calls a single function. So each element type has its own
-- loops, and so has each function that is called for many elements.
local function loop(count, dense)
   local accesses, begin, rows, values, checks = {}, {}, {}, {}, {}
   for k = 0, count - 1 do
      local function add(list, text)
         list[#list + 1] = (text:gsub('#', k))
      end
      add(accesses, 'local load#, rowof# = operand(#)')
      add(begin, [[
         local step#, ready# = tonumber(w.operand[#].step), w.operand[#].ready]])
      add(rows, 'local p#, words# = rowof#(w, #)')
      add(values, dense and 'load#(p#, words#, i)' or 'load#(p#, words#, i * step#)')
      add(checks, ('if ready#[0] %s then settle(walk, #) p#, words# = rowof#(w, #) end')
                  :format(k == 0 and '~= WRITABLE' or '== MOVED'))
   end
   return ([[
      local operand, store, settle, nextrow, converted, type, WRITABLE, MOVED = ...
      ACCESSES
      return function(w, walk, f)
         local last = tonumber(w.inner) - 1
         BEGIN
         for _ = 1, tonumber(w.rows) do
            ROWS
            for i = 0, last do
               local value = f(VALUES)
               CHECKS
               if type(value) == 'number' then
                  store(p0, AT, value, COUNT)
               elseif value then
                  store(p0, AT, converted(value, COUNT), COUNT)
               end
            end
            nextrow(w, COUNT)
         end
      end]]):gsub('%u%u+', {
         ACCESSES = table.concat(accesses, '\n'), BEGIN = table.concat(begin, '\n'),
         ROWS = table.concat(rows, '\n'),
         VALUES = table.concat(values, ', '), CHECKS = table.concat(checks, '\n'),
         AT = dense and 'i' or 'i * step0', COUNT = count})
end

local names = {'apply', 'map', 'map2'}  -- by the number of operands

-- Returns a function that stores a number in an element of integers, by the rule `numbers`: as
-- check_element of generic/state.cc.
local function checked_store(tensor, element, how)
   local store, lowest, highest = how.store, how.lowest, how.highest
   local function refuse(value, count)
      if value - value ~= 0 or tensor.getRule 'numbers' ~= 'torch7' then
         raise(('%s: %.14g does not fit into elements of type %s: convert the tensor, as '
                .. 't:double() does'):format(names[count], value, element.name))
      end
   end
   return function(p, at, value, count)
      if value >= lowest and value <= highest and floor(value) == value then
         p[at] = value
      else
         refuse(value, count)
         store(p, at, value)
      end
   end
end

-- Returns a function that returns the address of an operand's row.
local function row_of(how)
   local cast, pointer, words = versions.ffi.cast, how.pointer, how.words
   return function(w, k)
      local a = w.operand[k]
      local address = a.block + a.at
      return cast(pointer, address), cast(words, address)
   end
end

-- Returns further functions that the loops call.
local function helpers(tensor, element, how)
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

   -- Returns the number in a string, by Torch7's rule.
   local function converted(value, count)
      local number = type(value) == 'string' and tonumber(value)
      if number and tensor.getRule 'numbers' == 'torch7' then
         return number
      end
      raise(('%s: the function must return a number or nothing, got %s')
            :format(names[count], type(value)))
   end

   local store = how.integral and checked_store(tensor, element, how) or how.store
   return store, nextrow, converted
end

-- A function has its own loops from MANY elements on. At most MOST_SETS such sets are kept, so that
-- most of LuaJIT's 1000 traces are left to the program. With more functions in turn, each call
-- compiles a loop.
local MANY, MOST_SETS = 1000, 250

local function install(tensor)
   local ffi = versions.ffi
   local access = ffi and require 'tensor.number'
   local cast = ffi and ffi.cast or function() end
   local keep = tensor.keep

   -- Private. Closing a walk early would leave dangling pointers in a loop.
   local native = tensor._apply
   tensor._apply = nil
   if not native then
      return  -- already installed
   end

   local walk = ffi and ffi.typeof [[struct {
      struct {
         char *block; const uint8_t *ready; int64_t at, step, *stride; void *storage;
         int64_t offset; int32_t type;
      } operand[3];
      int64_t inner, rows; int32_t count, outer; int64_t *size, *index;
   } *]]
   local getinfo, open, close, pcall = debug.getinfo, native.open, native.close, pcall
   local source = getinfo(1, 'S').source  -- errors do not get a position in these files
   local texts = {}
   for count = 1, 3 do
      texts[count] = {[true] = loop(count, true), [false] = loop(count, false)}
   end

   -- Returns the access to elements of a type, with `rowof`.
   local accesses = {}
   local function access_of(element)
      local how = accesses[element]
      if not how then
         how = access(element, native.accessors(keep(tensor[element.name .. 'Tensor']())))
         how.rowof = row_of(how)
         accesses[element] = how
      end
      return how
   end

   -- Returns a function that selects the loop for a function and a walk.
   local function chooser(element)
      local store, nextrow, converted = helpers(tensor, element, access_of(element))
      local common, own, made = {}, {}, 0

      local function compile(w, dense)
         local function operand(k)
            local how = access_of(types[w.operand[k].type + 1])
            return how.load, how.rowof
         end
         -- Bits of SyncedMemory::host_ready: WRITABLE has both set, MOVED has neither.
         return assert(versions.load(texts[w.count][dense], source))(
            operand, store, native.settle, nextrow, converted, type, 3, 0)
      end

      -- LuaJIT does not compile functions that create closures.
      local function choose(f, w)
         local count, dense = w.count, true
         local variant = count  -- a number for each list of element types
         for k = 0, count - 1 do
            dense = dense and w.operand[k].step == 1
            variant = 16 * variant + w.operand[k].type
         end
         variant = dense and variant or -variant
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
         set[variant] = set[variant] or compile(w, dense)
         return set[variant]
      end
      return choose
   end

   if not ffi then
      local function walk_by_c(_, object, f)
         native.each(object, f)
      end
      function chooser()
         return function() return walk_by_c end
      end
   end

   -- Returns f as a function.
   local function check(name, f)
      if not versions.is_callable(f) then
         error(('%s: a function is expected, got %s'):format(name, tensor.type(f)), 3)
      end
      return versions.as_function(f)
   end

   -- Returns `other` broadcast to the shape of `first`, by the rules of all operations.
   local function aligned(name, first, other)
      if not tensor.isTensor(other) then
         error(('%s: a tensor is expected, got %s'):format(name, tensor.type(other)), 3)
      end
      return other:isSameSizeAs(first) and other or native.align(first, other, name)
   end

   classes.extend('Tensor', function(class, element)
      -- A class may get its methods in a scope, which they outlive.
      local like = keep(tensor[element.name .. 'Tensor']())
      local choose = chooser(element)

      -- Further operands follow self and have its shape.
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

      --- t:apply(f): replaces each element by f(element). If f returns nothing, the element stays.
      -- Elements are processed in order, so f receives values that earlier calls have written.
      function class.apply(self, f)
         if type(f) ~= 'function' then
            f = check('apply', f)
         end
         return (each(f, self))
      end

      --- t:map(u, f): replaces each element by f(element of t, element of u). u may have another
      -- element type.
      function class.map(self, other, f)
         f = check('map', f)
         return (each(f, self, aligned('map', self, other)))
      end

      --- t:map2(u, v, f): replaces each element by f(element of t, element of u, element of v).
      function class.map2(self, other, third, f)
         f = check('map2', f)
         return (each(f, self, aligned('map2', self, other), aligned('map2', self, third)))
      end
   end)
end

return install
