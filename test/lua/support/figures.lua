-- Figures of other programs in test/data: lines of a name, a tab and numbers. Lines that begin with
-- '#' are comments.

local tensor = require 'tensor'

local figures = {}

local words = { ['-0'] = -1 / math.huge, nan = 0 / 0, inf = math.huge, ['-inf'] = -math.huge }

--- Returns the numbers in a text as a list.
function figures.numbers(text)
  local list = {}
  for word in text:gmatch '%S+' do list[#list + 1] = words[word] or assert(tonumber(word), word) end
  return list
end

--- Returns the sizes in a text such as '2x3' as a LongStorage.
function figures.sizes(text)
  local list = {}
  for size in text:gmatch '%d+' do list[#list + 1] = tonumber(size) end
  return tensor.LongStorage(list)
end

--- Returns the figures of a file, lists by name.
function figures.read(file)
  local lists = {}
  for line in io.lines('test/data/' .. file) do
    local name, numbers = line:match '^([^#\t][^\t]*)\t(.*)$'
    if name then lists[name] = figures.numbers(numbers) end
  end
  return lists
end

-- A DoubleTensor of 6 x 9 elements f(i), i from 0.
local function built(f)
  local t = tensor.DoubleTensor(54)
  for i = 1, 54 do t[i] = f(i - 1) end
  return t:view(6, 9)
end

--- Returns x, n and y of test/reference/functions.py and statistics.py.
function figures.operands()
  local x = built(function(i) return ((7 * i) % 23 - 11) / 4 end)
  local n = built(function(i) return (5 * i) % 7 + 1 end):long()
  return x, n, x:clone():maskedFill(n:eq(3), 0 / 0)
end

--- Returns the elements of a tensor, or a number, as a list.
function figures.list_of(t)
  return tensor.isTensor(t) and t:contiguous():view(t:nElement()):totable() or { t }
end

--- Checks the elements of a tensor, or a number.
function figures.same(got, want, tolerance)
  got = figures.list_of(got)
  if #got ~= #want then error(('%d elements instead of %d'):format(#got, #want), 2) end
  for i, w in ipairs(want) do
    local g = got[i]
    local fits = g == w or (g ~= g and w ~= w)
                 or math.abs(g - w) <= tolerance * math.max(1, math.abs(w))
    if not fits then error(('element %d is %.17g instead of %.17g'):format(i, g, w), 2) end
  end
end

return figures
