-- Times the host's part of calls on a device. With the plugin bench_nothing, which
-- TENSOR_CUDA_PLUGIN names, a call takes the time of the binding and of libTH. Prints a line
-- "case<TAB>microseconds on the device<TAB>microseconds on the CPU" for each case: the least of
-- several rounds.
--
--   TENSOR_CUDA_PLUGIN=build/release/bench/libbench_nothing.so tensor bench/host/calls.lua [device]

local tensor = require 'tensor'
local device = arg[1] or 'gpu'

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

local function least(run, t)
  local calls, best = 3000, math.huge
  for _ = 1, 7 do
    local start = tensor.tic()
    for _ = 1, calls do
      run(t)
    end
    best = math.min(best, tensor.toc(start) / calls)
  end
  return best * 1e6
end

local there, here = operands(device), operands 'cpu'
for _, case in ipairs(cases) do
  local name, run = case[1], case[2]
  print(('%s\t%.2f\t%.2f'):format(name, least(run, there), least(run, here)))
end
