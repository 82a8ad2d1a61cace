-- Texts in UTF-8, letter by letter.

local letters = {}

-- The values of the second byte after some first ones; others would encode a letter in more bytes
-- than necessary, half of a pair, or a code point above 0x10ffff.
local second_bytes = {[0xe0] = '[\160-\191]', [0xed] = '[\128-\159]', [0xf0] = '[\144-\191]',
                      [0xf4] = '[\128-\143]'}

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
      local rest = text:sub(i + 1, i + count - 1)
      local is_valid = #rest == count - 1 and not rest:find '[^\128-\191]'
                       and (not second_bytes[first] or rest:find('^' .. second_bytes[first]))
      count = is_valid and count or 1
      list[#list + 1] = text:sub(i, i + count - 1)
      i = i + count
   end
   return list
end

--- Returns the number of letters.
function letters.count(text)
   return text:find '[\128-\255]' and #letters.list(text) or #text
end

-- The bytes of letters of two columns: of Chinese, Japanese and Korean, and emoji.
local WIDE = {'^\225\132[\128-\191]$', '^\225\133[\128-\159]$', '^\226\186[\128-\191]$',
              '^\226[\187-\191]', '^\227', '^[\228-\233]', '^\234[\128-\147]', '^\234[\176-\191]',
              '^[\235\236]', '^\237[\128-\158]', '^\239[\164-\171]', '^\239\184[\176-\191]$',
              '^\239\185', '^\239\188', '^\239\189[\128-\160]$', '^\239\191[\160-\166]$',
              '^\240\159[\140-\171]', '^\240[\160-\191]'}

local function columns_of(letter)
   if #letter < 2 then return 1 end
   if #letter == 2 then  -- accents on the letter before
      return letter:find '^\204' and 0 or letter:find '^\205[\128-\175]$' and 0 or 1
   end
   for _, pattern in ipairs(WIDE) do
      if letter:find(pattern) then return 2 end
   end
   return 1
end

--- Returns the number of columns of a text in a terminal.
function letters.width(text)
   if not text:find '[\128-\255]' then return #text end
   local width = 0
   for _, letter in ipairs(letters.list(text)) do width = width + columns_of(letter) end
   return width
end

--- Returns the letter of a code point up to 65535.
function letters.of_code(code)
   if code < 0x80 then return string.char(code) end
   local last = 128 + code % 64
   if code < 0x800 then return string.char(192 + math.floor(code / 64), last) end
   return string.char(224 + math.floor(code / 4096), 128 + math.floor(code / 64) % 64, last)
end

return letters
