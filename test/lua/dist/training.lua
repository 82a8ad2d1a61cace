-- Run by dist_spec with several ranks: gradients, sums in a fixed order, parameters, checkpoints.
-- Prints the bits of a sum, which must not depend on the number of ranks.

local torch = require 'tensor'
local dist = require 'tensor.dist'
local tree = require 'tensor.tree'

local file = arg[1]
local rank, size = dist.init{timeout = 60}
torch.manualSeed(rank)

-- averageGradients, in buckets of every size, against a gather. Tensors of 256 KiB and more are
-- reduced in their own memory.
local function gradients()
  return {w = torch.FloatTensor(7, 5):uniform(), b = {torch.DoubleTensor(9):uniform()},
          h = torch.HalfTensor(6):uniform(), v = torch.FloatTensor(4, 3):uniform():t(),
          large = torch.FloatTensor(70000):uniform(), half = torch.HalfTensor(140000):uniform(),
          turned = torch.FloatTensor(300, 250):uniform():t(), empty = torch.FloatTensor()}
end
for _, options in ipairs{{}, {bytes = 1}, {bytes = 150}, {deterministic = true}} do
  local grads = gradients()
  local expected = tree.map(function(t)
    return t:nElement() == 0 and t or dist.allGather(t):double():mean(1):squeeze(1)
  end, grads)
  assert(dist.averageGradients(grads, options) == grads)
  tree.map(function(t, e)
    if t:nElement() > 0 then
      local tolerance = t:type() == 'torch.HalfTensor' and 1e-3 or 1e-6
      assert((t:double() - e):abs():max() <= tolerance)
    end
  end, grads, expected)
  dist.check(grads)
end

-- dist.grad averages tensor.grad, also through views, shared parameters and unused ones.
local params = dist.synchronize{w = torch.DoubleTensor(6, 4):uniform(),
                                b = torch.DoubleTensor(6):uniform(),
                                unused = torch.DoubleTensor(3):uniform()}
local function loss(p, x)
  local h = torch.tanh(p.w * x + p.b)
  return (h * 2 + p.b:narrow(1, 1, 6)):pow(2):sum() + p.w[2]:sum()
end
local x = torch.DoubleTensor(4):uniform()
for _, options in ipairs{{}, {bytes = 1}, {deterministic = true}} do
  local averaged, own_loss = dist.grad(loss, options)(params, x)
  local own, expected_loss = torch.grad(loss)(params, x)
  assert(own_loss == expected_loss)
  dist.averageGradients(own)
  tree.map(function(a, b) assert((a - b):abs():max() < 1e-12) end, averaged, own)
  dist.check(averaged)
end

-- Sums of any number of chunks have the same bits for any number of ranks.
local text = {}
for _, count in ipairs{4, 5, 7, 8, 11} do
  local grads, mean = dist.averageChunks(count, function(k)
    torch.manualSeed(100 + k)
    return {a = torch.FloatTensor(3, 5):uniform(), b = torch.DoubleTensor(2):normal()},
           math.sin(k)
  end)
  text[#text + 1] = ('%.9g %.17g %.17g'):format(grads.a:sum(), grads.b:sum(), mean)
  dist.check(grads)
end

-- Parts of the data are disjoint and complete.
for _, n in ipairs{0, 1, 5, 16} do
  local first, last = dist.shard(n)
  local parts = dist.allGather{first, last}
  local expected = 1
  for r = 1, size do
    assert(parts[r][1] == expected and parts[r][2] >= expected - 1)
    expected = parts[r][2] + 1
  end
  assert(expected == n + 1)
end
assert(dist.shard(torch.range(1, 2 * size))[1] == 2 * rank - 1)

-- AllReduceSGD of torch-distlearn.
local sgd = require 'tensor.compat.allreducesgd'()
local g, p = {torch.FloatTensor{rank}}, {torch.FloatTensor{rank}}
assert(sgd.sumGradients(g) == g and g[1][1] == size * (size + 1) / 2)
g[1]:fill(rank)
sgd.sumAndNormalizeGradients(g)
assert(math.abs(g[1][1] - (size + 1) / 2) < 1e-6)
-- A rank that has no more data takes part with zeros, and the others do not count it. Then the
-- parameters of the rank with most steps win.
if rank == size then
  g[1]:fill(8)
  sgd.sumAndNormalizeGradients(g)
  assert(g[1][1] == 8)
end
sgd.synchronizeParameters(p)
assert(p[1][1] == size)
dist.check(p)

-- A checkpoint that another number of ranks wrote. Arguments: file, and 'load' or 'save'.
local parts = {params = {torch.DoubleTensor(3)}}
if arg[2] == 'save' then
  torch.manualSeed(5)
  parts.params[1]:uniform()
  dist.save(file, parts, {step = 7})
else
  local info = dist.load(file, parts)
  assert(info.step == 7)
  dist.check(parts.params)
end
text[#text + 1] = ('%.17g %.17g'):format(parts.params[1]:sum(), torch.uniform())
local ok, problem = pcall(dist.load, file .. '.none', parts)
assert(not ok and problem:find('.none', 1, true))

if rank == 1 then
  print(table.concat(text, '\n'))
end
