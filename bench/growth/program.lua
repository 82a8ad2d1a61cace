-- Times operations on vectors of 1 to MOST floats, and programs with 1 to a million small tensors.
-- bench/growth/measure.lua runs it with different numbers of threads.
--
-- Usage: program.lua SECONDS MOST TENSORS
--   SECONDS: the time of a measurement at least; MOST: elements; TENSORS: small tensors at most
-- Prints lines: the kind, elements or tensors; the operation; the count; nanoseconds per call.

local tensor = require 'tensor'
local seconds, most, most_tensors = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
local ROUNDS = 3

-- Returns the least time of a call in nanoseconds.
local function time(run)
  run()
  local calls, best = 1, math.huge
  local round = 0
  while round < ROUNDS do
    local start = tensor.tic()
    for _ = 1, calls do
      run()
    end
    local elapsed = tensor.toc(start)
    if elapsed < seconds then
      calls = math.ceil(calls * math.min(100, 1.2 * seconds / math.max(elapsed, 1e-9)))
    else
      best, round = math.min(best, elapsed / calls), round + 1
    end
    if elapsed > 1 then
      return 1e9 * math.min(best, elapsed / calls)
    end
  end
  return 1e9 * best
end

local function report(kind, operation, count, nanoseconds)
  print(('%s\t%s\t%d\t%.6g'):format(kind, operation, count, nanoseconds))
end

local function measure_elements(n)
  local a, b = tensor.FloatTensor(n):uniform(), tensor.FloatTensor(n):uniform()
  local r = tensor.FloatTensor(n):zero()
  report('elements', 'add', n, time(function() tensor.add(r, a, b) end))
  report('elements', 'exp', n, time(function() tensor.exp(r, a) end))
  report('elements', 'sum', n, time(function() return a:sum() end))
  b = nil -- luacheck: ignore
  collectgarbage()
  -- The matrix is as square as possible.
  local rows = 2 ^ math.floor(math.log(n) / math.log(2) / 2 + 1e-9)
  local columns = math.floor(n / rows)
  local matrix, columns_first = a:narrow(1, 1, rows * columns):view(rows, columns),
                                r:narrow(1, 1, rows * columns):view(columns, rows)
  report('elements', 'transpose', n, time(function() columns_first:copy(matrix:t()) end))
  local vector, product = tensor.FloatTensor(columns):fill(1), tensor.FloatTensor(rows)
  report('elements', 'matrix x vector', n, time(function() product:mv(matrix, vector) end))
  if n <= 1e8 then
    local index = tensor.LongTensor()
    report('elements', 'sort', n, time(function() tensor.sort(r, index, a) end))
  end
end

local function measure_tensors(n)
  local list = {}
  local function make()
    for k = 1, n do
      list[k] = tensor.FloatTensor(16):zero()
    end
  end
  report('tensors', 'zeros(16)', n, time(make))
  report('tensors', 't:add(1)', n, time(function()
    for k = 1, n do
      list[k]:add(1)
    end
  end))
  report('tensors', 't:narrow(1, 2, 8)', n, time(function()
    for k = 1, n do
      list[k]:narrow(1, 2, 8)
    end
  end))
  report('tensors', 'cat of all', n, time(function() return tensor.cat(list, 1) end))
end

for power = 0, math.floor(math.log(most) / math.log(10) + 0.5) do
  measure_elements(10 ^ power)
  collectgarbage()
  collectgarbage()
end
for power = 0, math.floor(math.log(most_tensors) / math.log(10) + 0.5) do
  measure_tensors(10 ^ power)
  collectgarbage()
  collectgarbage()
end
