-- Text for models of characters: the documentation of this repository.

local tensor = require 'tensor'

local text = {}

local PAGES = {'tensors', 'indexing', 'operations', 'memory', 'files', 'statistics', 'gpu',
               'linear-algebra', 'random', 'broadcasting', 'arranging', 'plotting'}

--- read(folder): reads pages of the documentation. Returns their characters as a LongTensor of
-- numbers from 1; the list of the characters by number; and a function that converts a string to
-- such a LongTensor.
function text.read(folder)
  local parts = {}
  for k, name in ipairs(PAGES) do
    local file = assert(io.open(('%s/%s.md'):format(folder, name)))
    parts[k] = file:read('*a')
    file:close()
  end
  local whole = table.concat(parts, '\n')
  local seen, characters, numbers = {}, {}, {}
  for character in whole:gmatch('.') do
    seen[character] = true
  end
  for character in pairs(seen) do
    characters[#characters + 1] = character
  end
  table.sort(characters)
  for k, character in ipairs(characters) do
    numbers[character:byte()] = k
  end
  local function encode(string)
    local codes = tensor.LongTensor(#string)
    for k = 1, #string do
      codes[k] = numbers[string:byte(k)]
    end
    return codes
  end
  return encode(whole), characters, encode
end

--- Returns `count` random parts of the text, each of `length` characters, as rows of a LongTensor.
function text.parts(codes, count, length)
  local windows = codes:unfold(1, length, 1)
  return windows:index(1, tensor.LongTensor(count):random(1, windows:size(1)))
end

--- sample(logits, temperature): draws the number of a character from a vector of scores. A
-- temperature below 1 prefers the likely ones.
function text.sample(logits, temperature)
  return tensor.multinomial(tensor.softmax(logits / temperature, 1), 1)[1]
end

return text
