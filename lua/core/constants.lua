-- The string constants of Lua functions. LuaJIT lists them. In the other Luas this module reads the
-- result of string.dump, and skips all else in it: instructions, and the names that only debuggers
-- use.

local has_util, util = pcall(require, 'jit.util')

local LUA_51, LUA_53, LUA_54 = 0x51, 0x53, 0x54

-- Calls visit with each string constant in the text that string.dump returned.
local function read_dump(dump, visit)
   local version, at = dump:byte(5), 7  -- after the signature, the version and the format
   if version ~= LUA_51 and version ~= LUA_53 and version ~= LUA_54 then
      error 'tensor.compile: string.dump has an unknown format'
   end

   local function skip(bytes)
      at = at + bytes
   end
   local function byte()
      at = at + 1
      return dump:byte(at - 1)
   end
   local is_little_endian
   local function unsigned(width)
      local n = 0
      for k = 1, width do
         n = n * 256 + dump:byte(is_little_endian and at + width - k or at + k - 1)
      end
      skip(width)
      return n
   end
   -- Seven bits in a byte; the last byte has the highest bit.
   local function variable()
      local n = 0
      repeat
         local part = byte()
         n = n * 128 + part % 128
      until part >= 128
      return n
   end

   -- The widths of C's types, and a number that shows the order of bytes.
   local int, size, instruction, integer, number
   if version == LUA_51 then
      is_little_endian = byte() == 1
      int, size, instruction, number = byte(), byte(), byte(), byte()
      skip(1)
   else
      skip(6)  -- bytes that damage to line ends would change
      if version == LUA_53 then
         int, size = byte(), byte()
      end
      instruction, integer, number = byte(), byte(), byte()
      is_little_endian = dump:byte(at) ~= 0
      skip(integer + number + 1)
   end

   local function count()
      return version == LUA_54 and variable() or unsigned(int)
   end
   local function text()
      local bytes  -- counts a zero at the end, which only Lua 5.1 stores; 0: no text
      if version == LUA_51 then
         bytes = unsigned(size)
      else
         bytes = version == LUA_54 and variable() or byte()
         bytes = version == LUA_53 and bytes == 255 and unsigned(size) or bytes
      end
      local first = at
      skip(version == LUA_51 and bytes or math.max(bytes - 1, 0))
      return dump:sub(first, first + bytes - 2)
   end

   local function constant()
      local kind = byte()
      if kind == 4 or kind == 20 then
         visit(text())
      elseif kind == 19 or kind == 3 then
         skip(kind == 3 == (version == LUA_54) and integer or number)
      elseif kind == 1 and version ~= LUA_54 then
         skip(1)
      end
   end

   local function debug_names()
      if version == LUA_51 then
         skip(count() * int)
         for _ = 1, count() do
            text()
            skip(2 * int)
         end
         for _ = 1, count() do
            text()
         end
      else
         for _ = 1, version == LUA_54 and 4 or 3 do  -- all lists are empty
            count()
         end
      end
   end

   local function prototype()
      text()  -- the chunk's name
      count()
      count()
      skip(version == LUA_51 and 4 or 3)
      skip(count() * instruction)
      for _ = 1, count() do
         constant()
      end
      if version ~= LUA_51 then
         skip(count() * (version == LUA_54 and 3 or 2))  -- upvalues
      end
      for _ = 1, count() do
         prototype()
      end
      debug_names()
   end
   prototype()
end

local function each_string(f, visit)
   if not has_util then
      return read_dump(string.dump(f, true), visit)  -- true: without names, from Lua 5.3 on
   end
   for k = -1, -math.huge, -1 do
      local constant = util.funck(f, k)
      if constant == nil then
         return
      elseif type(constant) == 'string' then
         visit(constant)
      elseif type(constant) == 'proto' then
         each_string(constant, visit)
      end
   end
end

--- each_string(f, visit): calls visit with every string constant of a function of Lua and of the
-- functions inside it.
return {each_string = each_string}
