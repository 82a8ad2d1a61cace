-- Copies lists of numbers to elements and back, in loops that LuaJIT compiles. These take about a
-- nanosecond for each element, and Lua's C functions take ten. generic/table.cc calls the loops for
-- long lists, and processes the elements that they leave.

local types = require 'tensor.types'
local versions = require 'tensor.versions'
local jit = rawget(_G, 'jit')

-- The program may assign to globals before a loop is first used.
local assert, dump, floor, rawget, type = assert, string.dump, math.floor, rawget, type

-- Returns the loops of one element type. how: the access of number.lua. Each type loads this
-- function anew, because LuaJIT compiles a loop for the functions that it calls first.
local function loops(how, cast, floor, rawget, type)  -- luacheck: ignore 431
   local pointer, words, load, store = how.pointer, how.words, how.load, how.store
   local lowest, highest, integral = how.lowest, how.highest, how.integral

   -- Writes list[first + 1], ..., list[first + n] to the elements at an address. Returns the number
   -- of elements before the first value that is not a number or does not fit into an integer.
   local function write(list, address, first, n)
      local p = cast(pointer, address)
      for i = 1, n do
         local value = rawget(list, first + i)
         if type(value) ~= 'number' or integral
            and not (value >= lowest and value <= highest and floor(value) == value) then
            return i - 1
         end
         store(p, i - 1, value)
      end
      return n
   end

   -- Sets list[first + 1], ..., list[first + n] to the elements at an address. Returns n.
   local function read(list, address, first, n)
      local p, w = cast(pointer, address), cast(words, address)
      for i = 1, n do
         list[first + i] = load(p, w, i - 1)
      end
      return n
   end

   return {write = write, read = read}
end

local function install(tensor)
   local register = tensor._listloops
   tensor._listloops = nil
   if not (register and jit and versions.ffi and tensor._apply) then
      return
   end
   local access, accessors, cast = require 'tensor.number', tensor._apply.accessors,
                                   versions.ffi.cast
   local code, made, status = dump(loops), {}, jit.status
   local constructors = {}
   for number, element in ipairs(types) do
      constructors[number] = tensor[element.name .. 'Tensor']
   end

   --- (name, number of the element type, list, address, first, n): runs a loop if LuaJIT compiles.
   -- Returns the number of elements that it has processed.
   register(function(name, number, list, address, first, n)
      if not status() then
         return 0
      end
      if not made[number] then
         local how = access(types[number], accessors(constructors[number]()))
         made[number] = assert(versions.load(code))(how, cast, floor, rawget, type)
      end
      return made[number][name](list, address, first, n)
   end)
end

return install
