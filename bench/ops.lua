-- Times the library on the cases that ops.py times NumPy and PyTorch on. Prints a line
-- "case nanoseconds" for each: the median over rounds of one call.
--
--   tensor bench/ops.lua [threads] [substring of case names]

local tensor = require 'tensor'
local Float = 'torch.FloatTensor'
tensor.setdefaulttensortype(Float)
tensor.setnumthreads(tonumber(arg[1]) or 1)
local wanted = arg[2] or ''

local function measure(name, run)
  if not name:find(wanted, 1, true) then
    return
  end
  -- As many calls as fill about 20 ms, then the median of 7 rounds.
  local calls = 1
  while true do
    local start = tensor.tic()
    for _ = 1, calls do
      run()
    end
    local elapsed = tensor.toc(start)
    if elapsed > 0.02 then
      break
    end
    calls = math.ceil(calls * math.max(2, 0.02 / math.max(elapsed, 1e-9)))
    calls = math.min(calls, 2 ^ 24)
  end
  local rounds = {}
  for round = 1, 7 do
    local start = tensor.tic()
    for _ = 1, calls do
      run()
    end
    rounds[round] = tensor.toc(start) / calls * 1e9
  end
  table.sort(rounds)
  print(('%s %.1f'):format(name, rounds[4]))
  collectgarbage()
end

local small = tensor.Tensor(4):fill(1)
measure('a:add(1) n=4', function() small:add(1) end)
local other = tensor.Tensor(4):fill(1)
measure('a:add(b) n=4', function() small:add(other) end)
measure('a + b n=4', function() return small + other end)
measure('sum(a) n=4', function() return small:sum() end)

local n = 1000000
local a, b, c = tensor.rand(n), tensor.rand(n), tensor.Tensor(n)
measure('add(c, a, b) n=1e6', function() tensor.add(c, a, b) end)
measure('a + b n=1e6', function() return a + b end)
measure('exp(c, a) n=1e6', function() tensor.exp(c, a) end)
measure('tanh(c, a) n=1e6', function() tensor.tanh(c, a) end)
measure('sum(a) n=1e6', function() return a:sum() end)
measure('max(a) n=1e6', function() return a:max() end)
measure('sort(a) n=1e6', function() return tensor.sort(a) end)

local m = tensor.rand(1000, 1000)
local row, column = tensor.Tensor(1, 1000), tensor.Tensor(1000, 1)
measure('sum(m, rows) 1000x1000', function() tensor.sum(row, m, 1) end)
measure('sum(m, columns) 1000x1000', function() tensor.sum(column, m, 2) end)
local copy = tensor.Tensor(1000, 1000)
measure('copy of transpose 1000x1000', function() copy:copy(m:t()) end)
measure('m + transpose 1000x1000', function() tensor.add(copy, m, m:t()) end)
measure('add row, broadcast 1000x1000', function() tensor.add(copy, m, row) end)

for _, size in ipairs {16, 64, 512, 1024} do
  local x, y = tensor.rand(size, size), tensor.rand(size, size)
  local z = tensor.Tensor(size, size)
  measure(('mm %dx%d'):format(size, size), function() tensor.mm(z, x, y) end)
end

local index = tensor.LongTensor(n):random(n)
measure('index n=1e6', function() tensor.index(c, a, 1, index) end)
measure('uniform n=1e6', function() c:uniform() end)
measure('normal n=1e6', function() c:normal() end)
