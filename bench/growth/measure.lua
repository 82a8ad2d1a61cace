-- How the cost of operations grows: time per element of 1 to 10^9 elements, time per tensor in
-- programs with 1 to 10^6 small tensors, with 1 and 2 threads, and a model for more threads. Prints
-- tables, and draws growth-elements.svg, growth-tensors.svg and growth-threads.svg.
--
-- Usage: build/prefix/bin/tensor bench/growth/measure.lua OUT [STREAM] [quick | most]
--   OUT: the folder of the pictures; STREAM: the program that measures the bandwidth of memory
--   quick: up to 10^5 elements and 10^3 tensors
--   most: up to 10^9 elements, whose operands take 12 GB; by default only if 16 GiB of memory are
--   free, otherwise up to 10^8
--
-- The model of p threads: t(p) = t(1) * (s + (1 - s) / p), where the serial fraction s follows from
-- the times of 1 and 2 threads. An operation whose bytes pass through memory is not faster than the
-- bandwidth of all cores of this machine allows. A machine with more cores has more of it.

local here = arg[0]:match('^(.*/)') or './'
local tensor = require 'tensor'
local plot = tensor.plot

local out, stream, size = arg[1], arg[2], arg[3]
if stream == 'quick' or stream == 'most' then
  stream, size = nil, stream
end
local quick = size == 'quick'
local most_tensors = quick and 1e3 or 1e6
local seconds = quick and 0.0005 or 0.005

local ENOUGH = 16 * 2 ^ 30 -- free bytes for 10^9 elements

-- Returns the free memory in bytes, with what the system can take back from its caches, or 0.
local function free_memory()
  local file = io.open('/proc/meminfo')
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  return 1024 * tonumber(text:match('MemAvailable:%s*(%d+) kB') or 0)
end

local most = quick and 1e5 or (size == 'most' or free_memory() >= ENOUGH) and 1e9 or 1e8

-- Bytes that an operation moves per element. The others are limited by arithmetic.
local BYTES = {add = 12, sum = 4, transpose = 8, ['matrix x vector'] = 4}
local COLORS = {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0},
                {86, 180, 233}}
local CACHES = 2 ^ 28 -- bytes of operands that certainly exceed the caches

-- Returns {kind = {operation = {count = nanoseconds}}}, and the operations of each kind in order.
local function run(threads)
  local times, order = {elements = {}, tensors = {}}, {elements = {}, tensors = {}}
  local command = ('OMP_NUM_THREADS=%d OPENBLAS_NUM_THREADS=%d %s %sprogram.lua %g %d %d')
                  :format(threads, threads, arg[-1], here, seconds, most, most_tensors)
  local pipe = io.popen(command)
  for line in pipe:lines() do
    local kind, operation, count, time = line:match('^(%l+)\t(.-)\t(%d+)\t(%S+)$')
    if kind then
      if not times[kind][operation] then
        times[kind][operation] = {}
        table.insert(order[kind], operation)
      end
      times[kind][operation][tonumber(count)] = tonumber(time)
    end
  end
  pipe:close()
  return times, order
end

-- Returns the bandwidth of memory with all cores in bytes per nanosecond by STREAM, or 0.
local function stream_rate()
  local pipe = stream and io.popen(stream)
  local copy, add = (pipe and pipe:read('*a') or ''):match('copy (%S+) add (%S+)')
  if pipe then
    pipe:close()
  end
  return copy and math.max(tonumber(copy), tonumber(add)) or 0
end

local function counts_of(times)
  local counts = {}
  for count in pairs(times) do
    counts[#counts + 1] = count
  end
  table.sort(counts)
  return counts
end

-- Returns the highest rate of STREAM and of the operations whose operands exceed the caches.
local function bandwidth(times)
  local rate = stream_rate()
  for operation, bytes in pairs(BYTES) do
    for count, time in pairs(times[operation]) do
      if bytes * count >= CACHES then
        rate = math.max(rate, bytes * count / time)
      end
    end
  end
  return rate
end

-- Prints and draws the time per element or tensor.
local function curves(kind, sets, order, title)
  local figure = plot.figure():set{title = title, xlabel = 'number of ' .. kind, xscale = 'log',
                                   yscale = 'log', ylabel = 'ns / ' .. kind:sub(1, -2),
                                   width = 800, height = 500}
  for index, operation in ipairs(order[kind]) do
    for threads, times in ipairs(sets) do
      local counts, each = counts_of(times[kind][operation]), {}
      local cells = {}
      for k, count in ipairs(counts) do
        each[k] = times[kind][operation][count] / count
        cells[k] = ('%9.4g'):format(each[k])
      end
      print(('%-18s %d thread%s %s'):format(operation, threads, threads == 1 and ' ' or 's',
                                            table.concat(cells, ' ')))
      -- Operations on small tensors use one thread.
      if threads == 1 or kind == 'elements' then
        figure:line(counts, each, {name = threads == 1 and operation or nil,
                                   color = COLORS[index],
                                   style = threads == 1 and 'solid' or 'dashed'})
      end
    end
  end
  figure:save(('%s/growth-%s.svg'):format(out, kind))
end

-- Prints and draws the speed-up of p threads, measured for 2 and by the model for more.
local function model(sets, order, roof)
  local figure = plot.figure():set{title = 'Speed-up: measured with 2 threads, model for more',
                                   xlabel = 'threads', ylabel = 'times as fast as 1 thread',
                                   xscale = 'log', yscale = 'log', width = 800, height = 500}
  local threads = {1, 2, 4, 8, 16, 32, 64}
  print(('\n%-18s %9s %s'):format('operation', 'serial', 'speed-up of 2 (measured), 4, 8, 16, 32, '
                                  .. '64 threads (model)'))
  for _, operation in ipairs(order.elements) do
    local counts = counts_of(sets[1].elements[operation])
    local n = counts[#counts]
    local one, two = sets[1].elements[operation][n], sets[2].elements[operation][n]
    local serial = math.min(math.max(2 * two / one - 1, 0), 1)
    local bytes = (BYTES[operation] or 0) * n
    local least = bytes >= CACHES and bytes / roof or 0
    local speed, cells = {}, {}
    for k, p in ipairs(threads) do
      local time = p == 1 and one or p == 2 and two or one * (serial + (1 - serial) / p)
      speed[k] = one / (p > 2 and math.max(time, least) or time)
      cells[k] = ('%5.1f'):format(speed[k])
    end
    print(('%-18s %8.0f%% %s'):format(operation, 100 * serial, table.concat(cells, ' ', 2)))
    figure:line(threads, speed, {name = operation, marker = 'dot'})
  end
  figure:save(out .. '/growth-threads.svg')
end

local one, order = run(1)
local two = run(2)
local sets = {one, two}
for _, kind in ipairs{'elements', 'tensors'} do
  local counts = counts_of(one[kind][order[kind][1]])
  print(('\nns per %s of 1, 10, ... %g %s'):format(kind:sub(1, -2), counts[#counts], kind))
  curves(kind, sets, order, kind == 'elements' and 'Time per element (dashed: 2 threads)'
                            or 'Time per tensor in programs with many small tensors')
end
local roof = bandwidth(two.elements)
if roof > 0 then
  print(('\nbandwidth of memory with all cores: %.1f GB/s'):format(roof))
end
model(sets, order, roof)
