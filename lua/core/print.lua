-- The printed form of tensors and storages. It is Torch7's, but for the options that depend on the
-- rule `printing`; large tensors are summarized as in NumPy.

local print = {}

local versions = require 'tensor.versions'
local each = versions.each

local floor, log10, format = math.floor, versions.log10, string.format

local GAP = ' ...'

--- The print options; changed by setoptions.
-- threshold: tensors with more elements than this are summarized
-- edgeitems: number of indices printed at both ends of a summarized dimension
-- precision: number of digits after the decimal point
-- linewidth: maximum columns per line, or 'terminal' for the width of the terminal
-- integers: 'torch7' uses exponents from ten digits on; 'plain' prints all digits
-- nonfinite: 'torch7' prints numbers unaligned if a NaN is among them; 'aligned' always aligns
-- vectors: 'torch7' prints one number per line; 'rows' fills lines if there are more than 20
-- slices: in the order of 'torch7' the first index varies fastest, in 'reading' order the last one
-- sizes: 'torch7' prints a LongStorage as any storage; 'line' prints up to 8 sizes as [2 x 3]
-- These five are 'auto' by default: they follow the rule `printing`.
print.options = {threshold = 1000, edgeitems = 3, precision = 4, linewidth = 80,
                 integers = 'auto', nonfinite = 'auto', vectors = 'auto', slices = 'auto',
                 sizes = 'auto'}

-- The values of the options that are 'auto' by the rule of require 'tensor'.
local modern = {integers = 'plain', nonfinite = 'aligned', vectors = 'rows', slices = 'reading',
                sizes = 'line'}

-- Returns the rule `printing`; set by printing.lua.
function print.rule()
  return 'tensor'
end

local function is_torch7(option)
  local value = print.options[option]
  return value == 'torch7' or value == 'auto' and print.rule() == 'torch7'
end

-- Minimum and maximum of each option, and the words it accepts.
local limits = {
  threshold = {0, math.huge},
  edgeitems = {1, 2^31},
  precision = {0, 17},
  linewidth = {1, 2^31, terminal = true},
}
for name, value in each(modern) do
  limits[name] = {auto = true, torch7 = true, [value] = true}
end

local function sorted(t)
  local names = {}
  for name in each(t) do
    if type(name) == 'string' then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

-- Describes the accepted values of an option for an error message.
local function accepted(limit)
  local parts = sorted(limit)
  for k, word in ipairs(parts) do
    parts[k] = "'" .. word .. "'"
  end
  if limit[1] then
    table.insert(parts, 1, ('a whole number from %.0f to %.0f'):format(limit[1], limit[2]))
  end
  return table.concat(parts, ' or ')
end

--- setoptions(options): changes some options and returns the table of all. After an error none is
-- changed.
function print.setoptions(options)
  if type(options) ~= 'table' then
    local metatable = debug.getmetatable(options)
    error('setprintoptions: a table of options is expected, got '
          .. (metatable and metatable.__typename or type(options)), 2)
  end
  for name, value in each(options) do
    local limit = limits[name]
    if not limit then
      error(('setprintoptions: unknown option %s; the options are %s')
            :format(tostring(name), table.concat(sorted(limits), ', ')), 2)
    end
    local whole = type(value) == 'number' and limit[1] and value == floor(value)
                  and value >= limit[1] and value <= limit[2]
    if not whole and not (type(value) == 'string' and limit[value]) then
      error(('setprintoptions: %s must be %s, got %s')
            :format(name, accepted(limit), tostring(value)), 2)
    end
  end
  for name, value in each(options) do
    print.options[name] = value
  end
  return print.options
end

local ffi = versions.ffi
if ffi then
  -- Declared under private names, so that declarations in user code do not clash.
  ffi.cdef [[
    typedef struct { unsigned short rows, columns, width, height; } tensor_print_window;
    int tensor_print_ioctl(int, unsigned long, ...) __asm__("ioctl");
  ]]
end

local TIOCGWINSZ = 0x5413

--- Returns the number of columns of the terminal, or nil if stdout is not a terminal.
function print.terminal_width()
  if ffi and ffi.os == 'Linux' then
    local window = ffi.new 'tensor_print_window'
    if ffi.C.tensor_print_ioctl(1, TIOCGWINSZ, window) == 0 and window.columns > 0 then
      return window.columns
    end
  end
  return nil
end

local function linewidth()
  local width = print.options.linewidth
  if width ~= 'terminal' then
    return width
  end
  return print.terminal_width() or 80
end

-- Number of decimal digits before the point: at most 0 for values below 1, and 1 for zero.
local function exponent(value)
  return value == 0 and 1 or floor(log10(value)) + 1
end

-- Collects what determines the common number format: range, finiteness, integrality. add is called
-- for each value.
local function summary()
  local integral, finite, has_nan = true, true, false
  local torch7 = is_torch7 'nonfinite'
  local min, max = math.huge, 0
  local self = {}

  function self.add(value)
    value = tonumber(value)
    local size = value < 0 and -value or value
    local number = value == value and size ~= math.huge
    if number or torch7 then
      if size < min then min = size end
      if size > max then max = size end
    end
    has_nan = has_nan or value ~= value
    if not number then
      finite = false
    elseif integral and value ~= floor(value) then
      integral = false
    end
  end

  -- Like format, if `min` and `max` are known (the smallest and largest absolute value).
  local function of_numbers()
    local precision = print.options.precision
    local first, last = exponent(min), exponent(max)
    -- printf writes exponents from 100 on with three digits. Torch7 adds no column for infinity
    -- among integers.
    local huge = last > 100 and not (integral and last == math.huge)
    local longexponent = huge or first < -98 or last < -98
    local scientific = 7 + precision + (longexponent and 1 or 0)
    local width, letter, scale = scientific, 'e', 1
    if integral then
      local plain = not is_torch7 'integers' and last <= 19
      if last <= 9 or plain then
        return format(plain and '%%%d.0f' or '%%%dd', last + 1), last + 1, 1
      end
    elseif last - first <= 4 then
      if last > 5 or last < 0 then
        -- For smaller numbers the scale would be denormal, and the division inexact.
        if last > -306 then
          width, letter, scale = 3 + precision, 'f', 10^(last - 1)
        end
      else
        width, letter = (last == 0 and 1 or last) + 2 + precision, 'f'
      end
    end
    return format('%%%d.%d%s', width, precision, letter), width, scale
  end

  -- Returns the format of a number, its width (nil: depends on the number), and the common scale
  -- factor.
  function self.format()
    if finite or torch7 and not has_nan then
      return of_numbers()
    elseif torch7 then
      return '%f', nil, 1
    elseif min == math.huge then
      return '%4.0f', 4, 1
    end
    local fmt, width, scale = of_numbers()
    local wide = math.max(width, 4)
    fmt = fmt:gsub('%d+', tostring(wide), 1):gsub('d$', '.0f')
    return fmt, wide, scale
  end
  return self
end

local function text(fmt, value)
  if type(value) == 'cdata' or versions.is_integer(value) then
    return format((fmt:gsub('%.0f', 'd')), value)
  elseif value ~= value then
    -- C libraries differ in how they print the sign of NaN.
    return format('%' .. (fmt:match '^%%(%d+)' or '') .. 's', 'nan')
  end
  return format(fmt, value)
end

-- Returns the indices of a dimension to print. Its field gap is the position after which indices
-- are omitted.
local function shownindices(size, summarise)
  local edge = print.options.edgeitems
  local indices, gap = {}, nil
  if summarise and size > 2 * edge then
    gap = edge
    for i = 1, edge do
      indices[i], indices[edge + i] = i, size - edge + i
    end
  else
    for i = 1, size do
      indices[i] = i
    end
  end
  indices.gap = gap
  return indices
end

-- Returns all elements as nested tables of numbers. For a LongTensor whose digits are all printed,
-- numbers beyond 2^53 are 64-bit integers.
local function listed(t)
  if is_torch7 'integers' or t:type() ~= 'torch.LongTensor' then
    return t:double():totable()
  elseif not ffi then
    return t:totable()  -- 64-bit integers in Lua versions that have them
  end
  -- Work on a copy: getting a data pointer moves the memory to the CPU.
  local copy = t:clone()
  local data, at = copy:data(), 0
  local function level(d)
    local values = {}
    for i = 1, copy:size(d) do
      if d < copy:dim() then
        values[i] = level(d + 1)
      else
        local value = data[at]
        local number = tonumber(value)
        values[i] = math.abs(number) < 2^53 and number or value
        at = at + 1
      end
    end
    return values
  end
  return level(1)
end

-- Returns the printed elements as nested tables. `first`: the dimension of the whole tensor that
-- corresponds to dimension 1 of t.
local function elements(t, dims, first)
  local cut = false
  for d = first, #dims do
    cut = cut or dims[d].gap
  end
  if not cut then
    return listed(t)
  end
  local indices, values = dims[first], {}
  if first < #dims then
    for k, i in ipairs(indices) do
      values[k] = elements(t:select(1, i), dims, first + 1)
    end
    return values
  end
  local edge = indices.gap
  values = listed(t:narrow(1, 1, edge))
  local tail = listed(t:narrow(1, indices[edge + 1], edge))
  for k = 1, edge do
    values[edge + k] = tail[k]
  end
  return values
end

local function addall(numbers, values)
  for _, value in ipairs(values) do
    if type(value) == 'table' then
      addall(numbers, value)
    else
      numbers.add(value)
    end
  end
end

local LONG = 20  -- a vector with more elements is printed in rows

-- Appends lines that begin with the index of their first number.
local function in_rows(out, values, fmt, width, scale)
  local digits = #tostring(#values)
  local perline = math.max(1, floor((linewidth() - digits - 1) / (width + 1)))
  -- A multiple of 5, so that the indices at the beginning of the lines are easy to read.
  perline = perline < 5 and perline or perline - perline % 5
  for first = 1, #values, perline do
    local cells = {}
    for k = first, math.min(first + perline - 1, #values) do
      cells[#cells + 1] = text(fmt, scale == 1 and values[k] or values[k] / scale)
    end
    out[#out + 1] = format('%' .. digits .. 'd: %s\n', first, table.concat(cells, ' '))
  end
end

-- Appends one number per line, or rows.
local function vector(out, values, gap, numbers)
  local fmt, width, scale = numbers.format()
  if scale ~= 1 then
    out[#out + 1] = format('%g *\n', scale)
  end
  if width and #values > LONG and not gap and not is_torch7 'vectors' then
    return in_rows(out, values, fmt, width, scale)
  end
  for k, value in ipairs(values) do
    out[#out + 1] = text(fmt, scale == 1 and value or value / scale) .. '\n'
    if k == gap then
      out[#out + 1] = GAP .. '\n'
    end
  end
end

-- Returns the largest width of a number, if the format has no fixed width.
local function widest(rows, fmt)
  local width = 1
  for _, row in ipairs(rows) do
    for _, value in ipairs(row) do
      width = math.max(width, #text(fmt, value))
    end
  end
  return width
end

-- Appends rows, split into groups of columns if a line is too short.
local function matrix(out, rows, rowdim, coldim, numbers, indent)
  local fmt, width, scale = numbers.format()
  width = width or widest(rows, fmt)
  local perline = math.max(1, floor((linewidth() - #indent) / (width + 1)))
  local count = #coldim
  local rowindent = scale == 1 and indent or indent .. ' '
  for first = 1, count, perline do
    local last = math.min(first + perline - 1, count)
    -- As in Torch7, only the first line of the matrix is indented, be it a heading or a scale
    -- factor.
    local heading = first == 1 and indent or ''
    if perline < count then
      out[#out + 1] = format('%s%sColumns %d to %d\n', first == 1 and '' or '\n', heading,
                             coldim[first], coldim[last])
      heading = indent
    end
    if scale ~= 1 then
      out[#out + 1] = format('%s%g *\n', heading, scale)
    end
    for r, row in ipairs(rows) do
      local cells = {}
      for c = first, last do
        cells[#cells + 1] = text(fmt, scale == 1 and row[c] or row[c] / scale)
        if c == coldim.gap then
          cells[#cells + 1] = GAP
        end
      end
      out[#out + 1] = rowindent .. table.concat(cells, ' ') .. '\n'
      if r == rowdim.gap then
        out[#out + 1] = rowindent .. GAP .. '\n'
      end
    end
  end
end

-- Appends the matrices of the last two dimensions.
local function slices(out, values, dims, numbers)
  local outer = #dims - 2
  local position = {}
  -- The dimensions from the one that varies fastest on.
  local fastest, slowest, step = outer, 1, -1
  if is_torch7 'slices' then
    fastest, slowest, step = 1, outer, 1
  end
  for d = 1, outer do
    position[d] = 1
  end
  while true do
    local rows, label = values, {}
    for d = 1, outer do
      rows, label[d] = rows[position[d]], format('%d', dims[d][position[d]])
    end
    out[#out + 1] = '(' .. table.concat(label, ',') .. ',.,.) = \n'
    matrix(out, rows, dims[outer + 1], dims[outer + 2], numbers, ' ')
    local d = fastest
    while d ~= slowest + step and position[d] == #dims[d] do
      position[d], d = 1, d + step
    end
    if d == slowest + step then
      return
    end
    out[#out + 1] = position[d] == dims[d].gap and '\n...\n\n' or '\n'
    position[d] = position[d] + 1
  end
end

--- Returns the printed form of a tensor, which ends with a newline.
function print.tensor(t)
  local ndim = t:dim()
  if ndim == 0 then
    return format('[%s with no dimension]\n', t:type())
  end
  local out, sizes, dims = {}, {}, {}
  for d = 1, ndim do
    sizes[d] = format('%d', t:size(d))
  end
  local count = t:nElement()
  if count > 0 then
    for d = 1, ndim do
      dims[d] = shownindices(t:size(d), count > print.options.threshold)
    end
    local values, numbers = elements(t, dims, 1), summary()
    addall(numbers, values)
    if ndim == 1 then
      vector(out, values, dims[1].gap, numbers)
    elseif ndim == 2 then
      matrix(out, values, dims[1], dims[2], numbers, '')
    else
      slices(out, values, dims, numbers)
    end
  end
  out[#out + 1] = format('[%s of size %s]\n', t:type(), table.concat(sizes, 'x'))
  return table.concat(out)
end

-- A LongStorage of at most this many numbers, none negative, is printed in one line.
local SIZES = 8

-- Returns sizes in one line, or nil.
local function line_of_sizes(s)
  if s:type() ~= 'torch.LongStorage' or s:size() > SIZES or is_torch7 'sizes' then
    return nil
  end
  local sizes = s:totable()
  for k, size in ipairs(sizes) do
    if size < 0 then
      return nil
    end
    sizes[k] = format('%d', size)
  end
  return '[' .. table.concat(sizes, ' x ') .. ']'
end

--- Returns the printed form of a storage, which ends with a newline unless it is one line of sizes.
function print.storage(s)
  local line = line_of_sizes(s)
  if line then
    return line
  end
  local out, size = {}, #s
  if size > 0 then
    local indices = shownindices(size, size > print.options.threshold)
    local values, numbers = {}, summary()
    for k, i in ipairs(indices) do
      values[k] = tonumber(s[i])
    end
    addall(numbers, values)
    vector(out, values, indices.gap, numbers)
  end
  out[#out + 1] = format('[%s of size %d]\n', s:type(), size)
  return table.concat(out)
end

return print
