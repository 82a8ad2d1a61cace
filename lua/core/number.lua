-- Reads and writes elements at a pointer as Lua numbers. C converts numbers that an integer or a
-- 16-bit float cannot represent.
--
-- LuaJIT represents nil, strings, tables and other values as NaNs with a payload, and the FFI does
-- not check what it loads: a NaN from a file could become any Lua value, at once or after
-- arithmetic. So every element that becomes a Lua number goes through lua_pushnumber or through
-- `load`, which tests the bits as an integer before it loads them as a number.

local ffi = require 'ffi'

-- The program may assign to globals before a class is first used.
local math, tonumber = math, tonumber

-- is_nan[the upper 16 bits of an element]; infinity: these bits of infinity. If only lower bits of
-- a NaN differ from infinity, LuaJIT takes it for a number, also after arithmetic.
-- Compiled code tests a bool of the FFI without a snapshot. An `if` on numbers has one, and LuaJIT
-- would then leave the loop of `apply` at each element once the function is a new closure.
local function nan_table(infinity)
   local is_nan = ffi.new 'bool[0x10000]'
   for bits = infinity + 1, 0x7fff do
      is_nan[bits], is_nan[bits + 0x8000] = true, true
   end
   return is_nan
end
local nan_tables = {float = nan_table(0x7f80), double = nan_table(0x7ff0)}
local item_words = {float = 2, double = 4}

-- element: a row of types.lua. readat, writeat: addresses of C functions for one element.
-- how.load(p, words, at): p and words are one address, as how.pointer and as how.words.
-- A tail call of a built-in function would keep the compiler from starting a trace at one of these.
local function access(element, readat, writeat)
   local read = ffi.cast('double (*)(const void *)', readat)
   local write = ffi.cast('void (*)(void *, double)', writeat)
   local pointer = ffi.typeof(element.ctype .. ' *')
   local how = {pointer = pointer, words = pointer, lowest = -math.huge, highest = math.huge}

   if element.packed then
      function how.load(p, _, at)
         local number = read(p + at)
         return number
      end
      function how.store(p, at, value)
         write(p + at, value)
      end
      return how
   end

   local is_nan = nan_tables[element.ctype]
   if is_nan then
      local count = item_words[element.ctype]
      local upper = ffi.abi 'le' and count - 1 or 0
      how.words = ffi.typeof 'uint16_t *'
      function how.load(p, words, at)
         if is_nan[words[at * count + upper]] then
            -- The compiler may test before a store of a number at the same place: C reads the
            -- stored number afterwards.
            local number = read(p + at)
            return number
         end
         local number = p[at]
         return number
      end
   else
      function how.load(p, _, at)
         local number = tonumber(p[at])
         return number
      end
   end

   if not element.integral then
      function how.store(p, at, value)
         p[at] = value
      end
      return how
   end

   -- Within these the FFI converts as C does, cutting towards 0.
   local bits = element.ctype == 'int64_t' and 63 or 31
   local lowest, highest = -2 ^ bits, 2 ^ bits - (bits == 63 and 1024 or 1)
   how.integral = true
   -- The numbers that the type holds. The conversion of any other number depends on the mode.
   local size = 8 * ffi.sizeof(element.ctype)
   local signed = element.ctype:sub(1, 1) ~= 'u'
   how.lowest = signed and -2 ^ (size - 1) or 0
   how.highest = size == 64 and highest or 2 ^ (signed and size - 1 or size) - 1
   function how.store(p, at, value)
      if value >= lowest and value <= highest then
         p[at] = value
      else
         write(p + at, value)
      end
   end
   return how
end

return access
