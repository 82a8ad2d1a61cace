-- The options of the printed form of tensors and storages. lib/TH/io/print.cc makes the text. It is
-- Torch7's, but for the options that depend on the rule `printing`.

local print = {}

local core = require 'tensor.core'
local versions = require 'tensor.versions'
local each = versions.each

-- The program may assign to globals before it prints a tensor.
local debug, error, ipairs, table, tostring, type = debug, error, ipairs, table, tostring, type
local floor, format = math.floor, string.format

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
  return versions.sorted_keys(t, {string = true})
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
            :format(name, accepted(limit), versions.shown(value)), 2)
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

local function printed(object)
  if core._isfreed(object) then
    return ('[freed %s]'):format(core.typename(object))
  end
  local options = print.options
  return core._printed(object, object:type(), options.threshold, options.edgeitems, linewidth(),
                       options.precision, is_torch7 'integers', is_torch7 'nonfinite',
                       is_torch7 'vectors', is_torch7 'slices')
end

--- Returns the printed form of a tensor, which ends with a newline.
print.tensor = printed

-- A LongStorage of at most this many numbers, none negative, is printed in one line.
local SIZES = 8

-- Returns sizes in one line, or nil.
local function line_of_sizes(s)
  if core.typename(s) ~= 'torch.LongStorage' or core._isfreed(s) or s:size() > SIZES
     or is_torch7 'sizes' then
    return nil
  end
  local sizes = s:totable()
  for k, size in ipairs(sizes) do
    -- totable rounds larger integers, unless Lua has 64-bit integers.
    if size < 0 or size >= 2^53 and not versions.is_integer(size) then
      return nil
    end
    sizes[k] = format('%d', size)
  end
  return '[' .. table.concat(sizes, ' x ') .. ']'
end

--- Returns the printed form of a storage, which ends with a newline unless it is one line of sizes.
function print.storage(s)
  return line_of_sizes(s) or printed(s)
end

return print
