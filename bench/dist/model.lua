-- Fits a model of the time of data-parallel training to measured points, and predicts clusters:
--
--   build/prefix/bin/tensor bench/dist/model.lua [rounds]
--
-- Measures points.lua with 1, 2, 3, 4, 6 and 8 ranks of one thread, and takes the minima of several
-- rounds (1). doc/distributed.md explains the
-- model and its limits. p ranks have S = ceil(p / cores) ranks on each core, and L = ceil(log2 p)
-- steps of communication. An allReduce of n bytes takes
--
--   2 L a + 2 L S r + 2 S (p - 1) / p n b + (S - 1) L w
--
-- a: a message; r: the handshake before a message of more than 4 KiB; b: a byte; w: the change to
-- another process of the core. A training step takes S (1 + k log2 p) c more. c: a step of one
-- rank; k: processes of a machine share its caches and memory. a, r, b, w and k are fitted to 2 and
-- 4 ranks. The other ranks test the model.

local tensor = require 'tensor'

local FITTED, TESTED = {1, 2, 4}, {3, 6, 8}
local MODELS = {'lenet', 'lstm', 'transformer'}
local EAGER = 4096
local NETWORKS = {  -- assumed: seconds of a message, and of a byte
  {name = '10 Gbit/s', a = 30e-6, b = 8 / 10e9},
  {name = '25 Gbit/s', a = 15e-6, b = 8 / 25e9},
  {name = '100 Gbit/s', a = 3e-6, b = 8 / 100e9},
}
local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local cores = tensor.getnumcores()

local rounds = tonumber(arg[1] or 1)

local function measure_once(ranks)
  local command = ('OMP_NUM_THREADS=1 %s %s %spoints.lua'):format(
    arg[-1], ranks > 1 and '-n ' .. ranks or '', here)
  local points = {reduce = {}, step = {}}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do
    local bytes, seconds = line:match '^reduce (%d+) ([%d.]+)$'
    if bytes then
      table.insert(points.reduce, {bytes = tonumber(bytes), seconds = tonumber(seconds)})
    end
    local name, size, time = line:match '^step (%l+) (%d+) ([%d.]+)$'
    if name then
      points.step[name] = {bytes = tonumber(size), seconds = tonumber(time)}
    end
  end
  pipe:close()
  assert(points.step.transformer, 'no points with ' .. ranks .. ' ranks')
  return points
end

local function keep_minimum(point, other)
  point.seconds = math.min(point.seconds, other.seconds)
end

local points = {}
for _ = 1, rounds do
  for _, list in ipairs{FITTED, TESTED} do
    for _, ranks in ipairs(list) do
      local made = measure_once(ranks)
      points[ranks] = points[ranks] or made
      for k, point in ipairs(made.reduce) do
        keep_minimum(points[ranks].reduce[k], point)
      end
      for name, point in pairs(made.step) do
        keep_minimum(points[ranks].step[name], point)
      end
    end
  end
end

local function steps(p) return math.ceil(math.log(p) / math.log(2) - 1e-9) end
local function load(p) return math.ceil(p / cores) end
-- The factors of a, r, b and w.
local function factors(p, bytes)
  local L, S = steps(p), load(p)
  return {2 * L, bytes > EAGER and 2 * L * S or 0, 2 * S * (p - 1) / p * bytes, (S - 1) * L}
end
local function reduce_time(p, bytes, fitted)
  local sum = 0
  for k, factor in ipairs(factors(p, bytes)) do
    sum = sum + factor * fitted[k]
  end
  return sum
end

-- Least squares of the relative errors: the sum of the terms / t = 1 for each point.
local rows = {}
for _, ranks in ipairs(FITTED) do
  for _, point in ipairs(points[ranks].reduce) do
    rows[#rows + 1] = (tensor.DoubleTensor(factors(ranks, point.bytes)) / point.seconds):totable()
  end
end
local matrix = tensor.DoubleTensor(rows)
-- The columns differ by orders of magnitude.
local norms = matrix:norm(2, 1)
local fitted = tensor.lstsq(matrix:cdiv(norms:expandAs(matrix)),
                            tensor.DoubleTensor(#rows, 1):fill(1))
fitted = fitted:view(-1):cdiv(norms:view(-1)):totable()

-- The time of a step without communication, as a multiple of that of one rank on a core.
local function slowdown(ranks, name)
  local point = points[ranks].step[name]
  return (point.seconds - reduce_time(ranks, point.bytes, fitted))
         / (load(ranks) * points[1].step[name].seconds)
end
local slowdowns = {}
for _, ranks in ipairs(FITTED) do
  for _, name in ipairs(MODELS) do
    if ranks > 1 then
      slowdowns[#slowdowns + 1] = (slowdown(ranks, name) - 1) * math.log(2) / math.log(ranks)
    end
  end
end
local k = tensor.DoubleTensor(slowdowns):mean()
print(('%d cores; fitted: a %.2f us, r %.2f us, 1 / b %.2f GB/s, w %.2f us, k %.2f'):format(
  cores, fitted[1] * 1e6, fitted[2] * 1e6, 1e-9 / fitted[3], fitted[4] * 1e6, k))

local function errors(ranks, what)
  local list = {}
  if what == 'reduce' then
    for _, point in ipairs(points[ranks].reduce) do
      local predicted = reduce_time(ranks, point.bytes, fitted)
      list[#list + 1] = math.abs(predicted / point.seconds - 1)
    end
  else
    for _, name in ipairs(MODELS) do
      local point = points[ranks].step[name]
      local predicted = reduce_time(ranks, point.bytes, fitted) + load(ranks)
        * (1 + k * math.log(ranks) / math.log(2)) * points[1].step[name].seconds
      list[#list + 1] = math.abs(predicted / point.seconds - 1)
    end
  end
  table.sort(list)
  return list[math.ceil(#list / 2)], list[#list]
end
print 'relative errors:        allReduce          steps'
print 'ranks                 median    most   median    most'
for _, list in ipairs{FITTED, TESTED} do
  for _, ranks in ipairs(list) do
    if ranks > 1 then
      local middle, most = errors(ranks, 'reduce')
      local step_middle, step_most = errors(ranks, 'step')
      print(('%d %-18s %7.2f %7.2f  %7.2f %7.2f'):format(
        ranks, list == TESTED and 'not fitted' or '', middle, most, step_middle, step_most))
    end
  end
end

print '\nEfficiency on a cluster, without overlap and with the best overlap:'
print 'network      model             8            64           256'
for _, network in ipairs(NETWORKS) do
  for _, name in ipairs(MODELS) do
    local point = points[1].step[name]
    local line = ('%-12s %-12s'):format(network.name, name)
    for _, nodes in ipairs{8, 64, 256} do
      -- The comparison of the calls is another message of each step of the tree.
      local messages = 2 * steps(nodes) * network.a
      local latency = messages / 2
      local reduction = 2 * messages + 2 * (nodes - 1) / nodes * point.bytes * network.b
      local worst = point.seconds / (point.seconds + latency + reduction)
      -- At best, the reduction runs during the backward pass, two thirds of the step.
      local visible = math.max(0, reduction - point.seconds * 2 / 3)
      local best = point.seconds / (point.seconds + latency + visible)
      line = line .. ('  %.2f - %.2f'):format(worst, best)
    end
    print(line)
  end
end
