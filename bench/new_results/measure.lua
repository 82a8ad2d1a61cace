-- Compares the time of new results, tensor.cmul(a, b), with NumPy's a * b, for vectors of floats of
-- 4 KiB to 64 MiB with one thread: in a new process, after the cases of the benchmark, and beside
-- many Lua objects. Prints a table of medians of three processes each.
--
-- Usage: luajit bench/new_results/measure.lua [PYTHON] [quick] [minimum]
--   PYTHON: one that has NumPy; without it, only our times are measured
--   minimum: minima of five processes, for a machine that runs other programs, too

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local python, options = require 'arguments'(arg, 'quick', 'minimum')
local quick, minimum = options.quick, options.minimum

local OURS = 'OMP_NUM_THREADS=1 build/prefix/bin/tensor ' .. here .. 'program.lua'
local STATES = {'fresh', 'worked', '100000', '1000000', '1000000,scope'}
local TITLES = {fresh = 'new process', worked = 'after other work', ['100000'] = '10^5 objects',
                ['1000000'] = '10^6 objects', ['1000000,scope'] = '10^6, in scopes'}
local SIZES = quick and {4096, 2 ^ 20} or {}
if not quick then
  for k = 12, 26, 2 do
    SIZES[#SIZES + 1] = 2 ^ k
  end
end
local rounds, seconds = quick and 1 or minimum and 5 or 3, quick and 0.05 or 0.3

-- Runs a program for sizes. Calls visit(bytes, nanoseconds, peak, live) for each line.
local function run(command, state, sizes, visit)
  local pipe = io.popen(('%s %g %s %s'):format(command, seconds, state, table.concat(sizes, ' ')))
  for line in pipe:lines() do
    local numbers = {}
    for number in line:gmatch('%S+') do
      numbers[#numbers + 1] = tonumber(number)
    end
    visit(unpack(numbers))
  end
  pipe:close()
end

-- Returns the median, or the minimum.
local function middle(list)
  table.sort(list)
  return list[minimum and 1 or math.ceil(#list / 2)]
end

local function shown(bytes)
  return bytes < 2 ^ 20 and ('%d KiB'):format(bytes / 1024) or ('%d MiB'):format(bytes / 2 ^ 20)
end

local function microseconds(list)
  return #list > 0 and ('%12.2f'):format(middle(list) / 1000) or ('%12s'):format('-')
end

print(('%-18s %8s %12s %12s %7s %9s %9s'):format('state', 'size', 'ours, us', 'NumPy, us', 'ratio',
                                                'peak, MB', 'allowed'))
for _, state in ipairs(STATES) do
  local ours, numpy, peak, allowed = {}, {}, {}, {}
  for _, bytes in ipairs(SIZES) do
    ours[bytes], numpy[bytes], peak[bytes] = {}, {}, {}
  end
  local function add_ours(bytes, time, most, live)
    table.insert(ours[bytes], time)
    table.insert(peak[bytes], most / 1000)
    allowed[bytes] = (2 * live + 64 * 1024) / 1000
  end
  for _ = 1, rounds do
    -- The other cases take some seconds, so one process does all sizes after them.
    if state == 'worked' then
      run(OURS, state, SIZES, add_ours)
    end
    for _, bytes in ipairs(SIZES) do
      if state ~= 'worked' then
        run(OURS, state, {bytes}, add_ours)
      end
      if python then
        run(python .. ' ' .. here .. 'program.py', state, {bytes}, function(_, time)
          table.insert(numpy[bytes], time)
        end)
      end
    end
  end
  for _, bytes in ipairs(SIZES) do
    local ratio = #numpy[bytes] > 0 and middle(ours[bytes]) / middle(numpy[bytes])
    print(('%-18s %8s %s %s %7s %9.0f %9.0f'):format(
      TITLES[state], shown(bytes), microseconds(ours[bytes]), microseconds(numpy[bytes]),
      ratio and ('%.2f'):format(ratio) or '-', middle(peak[bytes]), allowed[bytes]))
  end
end
