-- Times the host's part of calls on a device. With the plugin bench_nothing, which
-- TENSOR_CUDA_PLUGIN names, a call takes the time of the binding and of libTH.
--
--   TENSOR_CUDA_PLUGIN=build/release/bench/libbench_nothing.so tensor bench/host/calls.lua \
--     [device=gpu] [calls=1000] [all] [above=1] [only=text]
--
-- Prints a line for each case: the case, microseconds on the device, microseconds on the CPU. They
-- are the least of several rounds of `calls` calls. `all` prints all operations of the op table
-- instead, the slowest first, and the number of those that take more than `above` microseconds for
-- each launch and copy: see operations.lua. `only` selects operations by a text in their names.

local tensor = require 'tensor'

local options = { device = 'gpu', calls = '1000', above = '1', only = '' }
for _, word in ipairs(arg) do
  local name, value = word:match '^(%l+)=?(.*)$'
  if name ~= 'all' and not options[name or ''] then
    io.stderr:write('calls.lua: ', word, ' is not an option\n')
    os.exit(2)
  end
  options[name] = value
end
local device, calls = options.device, tonumber(options.calls)

-- Returns the microseconds of a call of run().
local function least(run)
  local best = math.huge
  for _ = 1, 15 do
    local start = tensor.tic()
    for _ = 1, calls do
      run()
    end
    best = math.min(best, tensor.toc(start) / calls)
  end
  return best * 1e6
end

if options.all then
  local folder = arg[0]:match '^(.-)[^/]*$'
  dofile(folder .. 'operations.lua')(folder .. '../../', device, tonumber(options.above),
                                     options.only, least)
  return
end

local function operands(place)
  local function on(t)
    return t:to(place)
  end
  return {
    a = on(tensor.FloatTensor(4):fill(1)),
    b = on(tensor.FloatTensor(4):fill(2)),
    m = on(tensor.FloatTensor(2, 2):fill(1)),
    n = on(tensor.FloatTensor(2, 2):fill(2)),
    i = on(tensor.LongTensor{1, 1}),
    mask = on(tensor.ByteTensor{0, 0, 0, 0}),
    ints = on(tensor.IntTensor{4, 4, 4, 4}),
  }
end

local cases = {
  {'a:add(1)', function(t) t.a:add(1) end},
  {'a:add(b)', function(t) t.a:add(t.b) end},
  {'a + b', function(t) return t.a + t.b end},
  {'exp(a)', function(t) return t.a:exp() end},
  {'a:sum()', function(t) return t.a:sum() end},
  {'m:sum(1)', function(t) return t.m:sum(1) end},
  {'m * n', function(t) return t.m * t.n end},
  {'m:t() + n', function(t) return t.m:t() + t.n end},
  {'m:index(1, i)', function(t) return t.m:index(1, t.i) end},
  {'m:gather(1, i)', function(t) return t.m:gather(1, t.i:view(1, 2)) end},
  {'a:maskedFill(mask, 0)', function(t) t.a:maskedFill(t.mask, 0) end},
  {'m:indexAdd(1, i, n)', function(t) t.m:indexAdd(1, t.i, t.n) end},
  {'ints:cdiv(ints)', function(t) t.ints:cdiv(t.ints) end},
  {'a:sort()', function(t) return t.a:sort() end},
  {'a:cumsum(1)', function(t) return t.a:cumsum(1) end},
  {'a:uniform()', function(t) t.a:uniform() end},
}

local there, here = operands(device), operands 'cpu'
for _, case in ipairs(cases) do
  local name, run = case[1], case[2]
  local function on(t)
    return least(function() return run(t) end)
  end
  print(('%s\t%.2f\t%.2f'):format(name, on(there), on(here)))
end
