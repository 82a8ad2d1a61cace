-- Texts in UTF-8, letter by letter.

local letters = {}

--- Returns the letters of a text. A byte that is not valid UTF-8 is a letter of its own.
function letters.list(text)
   local list, i = {}, 1
   while i <= #text do
      local first, count = text:byte(i), 1
      if first >= 0xf0 and first < 0xf5 then
         count = 4
      elseif first >= 0xe0 and first < 0xf0 then
         count = 3
      elseif first >= 0xc2 and first < 0xe0 then
         count = 2
      end
      if not text:sub(i + 1, i + count - 1):find '^[\128-\191]*$' or i + count - 1 > #text then
         count = 1
      end
      list[#list + 1] = text:sub(i, i + count - 1)
      i = i + count
   end
   return list
end

--- Returns the number of letters.
function letters.count(text)
   return text:find '[\128-\255]' and #letters.list(text) or #text
end

--- Returns the letter of a code point up to 65535.
function letters.of_code(code)
   if code < 0x80 then return string.char(code) end
   local last = 128 + code % 64
   if code < 0x800 then return string.char(192 + math.floor(code / 64), last) end
   return string.char(224 + math.floor(code / 4096), 128 + math.floor(code / 64) % 64, last)
end

return letters
