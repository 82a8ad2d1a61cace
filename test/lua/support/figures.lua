-- Figures of other programs in test/data: lines of a name, a tab and numbers. Lines that begin with
-- '#' are comments.

local figures = {}

local words = { ['-0'] = -1 / math.huge, nan = 0 / 0, inf = math.huge, ['-inf'] = -math.huge }

--- Returns the numbers in a text as a list.
function figures.numbers(text)
  local list = {}
  for word in text:gmatch '%S+' do list[#list + 1] = words[word] or assert(tonumber(word), word) end
  return list
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

return figures
