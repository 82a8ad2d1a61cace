-- Elements of a type as numbers: how they are read and written at a pointer. Numbers that an
-- integer or a 16-bit float does not hold become what they become everywhere: C converts them.

local ffi = require 'ffi'

-- A tail call of a built-in function would keep the compiler from beginning with one of these.
-- element: of types.lua; readat, writeat: addresses of C functions for one element.
local function access(element, readat, writeat)
   local read = ffi.cast('double (*)(const void *)', readat)
   local write = ffi.cast('void (*)(void *, double)', writeat)
   local how = {pointer = ffi.typeof(element.ctype .. ' *'), lowest = -math.huge,
                highest = math.huge}

   if element.packed then
      function how.load(p, at)
         local number = read(p + at)
         return number
      end
      function how.store(p, at, value)
         write(p + at, value)
      end
      return how
   end

   function how.load(p, at)
      local number = tonumber(p[at])
      return number
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
