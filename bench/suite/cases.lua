-- Reads bench/cases.txt. Returns a list of cases: one for each size and type of a line.

local SIZES = { all = '4 256 4k 64k 1M 16M' }
local UNITS = { [''] = 1, k = 2 ^ 10, M = 2 ^ 20 }
local ELEMENT = { float = 4, double = 8, int = 4, long = 8, byte = 1, half = 2,
                  bfloat16 = 2 }
local LIBRARIES = { 'lua', 'numpy', 'torch' }

local function read_size(text)
  local sizes = {}
  for factor in text:gmatch('[^x]+') do
    local digits, unit = factor:match('^(%d+)([kM]?)$')
    assert(digits, 'a size is expected, got ' .. text)
    sizes[#sizes + 1] = tonumber(digits) * UNITS[unit]
  end
  return sizes[1], sizes[2] or 0, sizes[3] or sizes[2] or 0
end

-- Evaluates the work column. Returns the amount and its unit: B, F, or -.
local function read_work(text, n, m, k, e)
  local expression, unit = text:match('^(.-) ([BF])$')
  if not unit then
    assert(text == '-', 'work is expected, got ' .. text)
    return 0, '-'
  end
  local compute = assert(loadstring('local n, m, k, e = ... return ' .. expression))
  return compute(n, m, k, e), unit
end

local function fields(line)
  local found = {}
  for field in (line .. ' | '):gmatch('(.-)%s+|%s+') do
    found[#found + 1] = field
  end
  return found
end

local function add_cases(list, line, family, setup)
  local row = fields(line)
  assert(#row == 7, '7 columns are expected, got ' .. #row)
  local code = {}
  for k, library in ipairs(LIBRARIES) do
    local text = row[4 + k]
    code[library] = text == '"' and code[LIBRARIES[k - 1]] or text ~= '-' and text or nil
  end
  for element in row[3]:gmatch('%S+') do
    local e = assert(ELEMENT[element], element)
    for size in (SIZES[row[2]] or row[2]):gmatch('%S+') do
      local n, m, k = read_size(size)
      local work, unit = read_work(row[4], n, m, k, e)
      list[#list + 1] = {
        row = row[1] .. ' ' .. element, family = family, element = element, size = size,
        name = ('%s %s %s'):format(row[1], element, size), n = n, m = m, k = k,
        work = work, unit = unit, setup = setup, code = code,
      }
    end
  end
end

return function(filename)
  local list, family, setup, number = {}, nil, nil, 0
  for line in io.lines(filename) do
    number = number + 1
    local ok, message = pcall(function()
      local key, rest = line:match('^(%l+)%s*(.*)$')
      if line == '' or line:find('^#') then
        return
      elseif key == 'family' then
        family = rest
      elseif line == 'setup' then
        setup = {}
      elseif (key == 'lua' or key == 'numpy' or key == 'torch') and not line:find(' | ') then
        setup[key] = rest
      elseif key == 'python' then
        setup.numpy, setup.torch = rest, rest
      else
        add_cases(list, line, family, setup)
      end
    end)
    if not ok then
      error(('%s:%d: %s'):format(filename, number, message), 0)
    end
  end
  return list
end
