-- Layers and losses of networks: values and gradients against PyTorch's, corner cases, errors.
-- Comparisons with plain loops for all types and layouts are in support/cases_networks.lua.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'
local fails = require 'support.raises'.text
local figures_of = require 'support.figures'

local Double, Long, Byte = tensor.DoubleTensor, tensor.LongTensor, tensor.ByteTensor

-- Input number k, from 0, of test/reference/layers.py.
local function input(text, k)
  local i = -1
  return Double(figures_of.sizes(text)):apply(function()
    i = i + 1
    return ((7 * i + 3 * k) % 11 - 5) / 4
  end)
end
-- The class numbers of n rows.
local function classes(n, count)
  return Long(n):copy(tensor.range(0, n - 1):mul(3):remainder(count):add(1))
end

local seen = Byte{ { 1, 0, 1, 1 }, { 1, 1, 0, 0 }, { 0, 0, 0, 1 } }
local weight = Double{ 0.5, 1, 2, 1.5, 1 }
local reversed = Double{ 1, 1.5, 2, 1, 0.5 }

local cases = {
  layerNorm = function(x, w, b) return tensor.layerNorm(x, { 4 }, w, b) end,
  layerNorm2 = function(x, w) return x:layerNorm({ 3, 4 }, w, nil, 0.5) end,
  rmsNorm = function(x, w) return tensor.rmsNorm(x, { 4 }, w) end,
  groupNorm = function(x, w, b) return tensor.groupNorm(x, 2, w, b) end,
  batchNorm = function(x, w, b) return tensor.batchNorm(x, nil, nil, w, b, true) end,
  batchNorm2 = function(x) return x:batchNorm(true) end,
  batchNormRunning = function(x)
    local mean, variance = tensor.zeros(3):double(), tensor.ones(3):double()
    tensor.batchNorm(x, mean, variance, nil, nil, true, 0.25)
    return tensor.stack({ mean, variance }, 1)
  end,
  batchNormEvaluated = function(x, w, b)
    local mean, variance = Double{ 0, 0.25, 0.5 }, Double{ 0.5, 1.5, 2.5 }
    return tensor.batchNorm(x, mean, variance, w, b, false, 0.1, 0.25)
  end,
  embedding = function(w) return tensor.embedding(w, Long{ { 1, 4 }, { 3, -1 } }) end,
  attention = function(q, k, v) return tensor.attention(q, k, v) end,
  attentionCausal = function(q, k, v) return tensor.attention(q, k, v, true) end,
  attentionBytes = function(q, k, v) return tensor.attention(q, k, v, seen, false, 0.5) end,
  attentionAdded = function(q, k, v, m) return tensor.attention(q, k, v, m) end,
  crossEntropy = function(x) return tensor.crossEntropy(x, classes(6, 5)) end,
  crossEntropyWeighted = function(x)
    return tensor.crossEntropy(x, classes(6, 5), weight, 4, 0.25)
  end,
  crossEntropySum = function(x) return x:crossEntropy(classes(6, 5), 4, 0.25, 'sum') end,
  crossEntropyNone = function(x)
    return tensor.crossEntropy(x, classes(6, 5):view(2, 3), weight, -100, 0.1, 'none', 2)
  end,
  nll = function(x) return tensor.nll(x, classes(6, 5), weight) end,
  nllNone = function(x) return tensor.nll(x, classes(6, 5), 2, 'none') end,
  mse = tensor.mse,
  mseNone = function(x, y) return tensor.mse(x, y, 'none') end,
  huber = function(x, y) return tensor.huber(x, y, 0.8) end,
  huberSum = function(x, y) return tensor.huber(x, y, 0.8, 'sum') end,
  binaryCrossEntropy = tensor.binaryCrossEntropy,
  binaryCrossEntropyWeighted = function(x, y)
    return tensor.binaryCrossEntropy(x, y, weight, reversed, 'none')
  end,
}

local function check(line, figures, found)
  local want = figures_of.numbers(figures)
  local got = tensor.isTensor(found) and found:contiguous():view(-1):totable() or { found }
  assert.are.equal(#want, #got)
  for k, x in ipairs(want) do
    assert.is_true(math.abs(x - got[k]) <= 1e-12 * (1 + math.abs(x)),
                   ('%s: element %d is %.17g, not %.17g'):format(line, k, got[k], x))
  end
end

describe('layers and losses', function()
  it('and their gradients agree with PyTorch', function()
    local count = 0
    for line in io.lines('test/data/layers.txt') do
      local head, rest = line:match '^([^#\t]+)(\t.*)$'
      if head then
        local name, inputs = head:match '^%w+', {}
        for sizes in head:sub(#name + 1):gmatch '[%dx]+' do
          inputs[#inputs + 1] = input(sizes, #inputs)
        end
        local parts = {}
        for part in rest:gmatch '\t([^\t]*)' do parts[#parts + 1] = part end
        local result = cases[name](unpack(inputs))
        check(name, parts[1], result)
        if #parts > 1 then
          local g = 1
          if tensor.isTensor(result) then
            local i = -1
            g = result:clone():apply(function()
              i = i + 1
              return ((5 * i) % 7 - 3) / 2
            end)
          end
          local gradients = tensor.vjp(cases[name], inputs, { g })
          for k = 2, #parts do check(name .. ' gradient', parts[k], gradients[k - 1]) end
        end
        count = count + 1
      end
    end
    assert.are.equal(25, count)
  end)

  it('take a number as a list of one size', function()
    local x, w, r = Double(3, 4):uniform(), Double(4):uniform(), Double()
    local want = tensor.layerNorm(x, { 4 }, w):totable()
    assert.are.same(want, tensor.layerNorm(x, 4, w):totable())
    assert.are.same(want, x:layerNorm(4, w):totable())
    assert.are.same(want, tensor.layerNorm(r, x, 4, w):totable())
    assert.are.same(x:rmsNorm({ 4 }):totable(), x:rmsNorm(4):totable())
    assert.is_false(pcall(tensor.layerNorm, x, 3))
    assert.is_false(pcall(tensor.layerNorm, x, 3.5))
  end)

  it('of long rows do not depend on the number of threads', function()
    tensor.manualSeed(5)
    local x, w = tensor.FloatTensor(70, 2000):normal(), tensor.FloatTensor(2000):normal()
    local q = tensor.FloatTensor(3, 150, 8):normal()
    local k = tensor.FloatTensor(3, 600, 8):normal()
    local numbers = Long(70):random(1, 2000)
    local function all(a, b, c, d)
      return tensor.layerNorm(a, { 2000 }, b), tensor.batchNorm(a, true),
             tensor.attention(c, d, d, true), tensor.crossEntropy(a, numbers)
    end
    same_on_threads({ 1, 2 }, function()
      local results = { all(x, w, q, k) }
      local g = {}
      for i = 1, 3 do g[i] = results[i]:clone():fill(0.5) end
      g[4] = 1
      local gradients = tensor.vjp(all, { x, w, q, k }, g)
      return results[1], results[2], results[3], unpack(gradients)
    end)
  end)

  it('of long rows of 16-bit floats have the gradients of doubles', function()
    for _, kind in ipairs { 'half', 'bfloat16' } do
      for _, n in ipairs { 100, 300 } do
        local t, g = Double(4, n):uniform(-2, 2), Double(4, n):uniform(-2, 2)
        t, g = t[kind](t), g[kind](g)
        local function normalize(x) return tensor.layerNorm(x, { n }) end
        local got = tensor.vjp(normalize, { t }, { g })[1]:double()
        local want = tensor.vjp(normalize, { t:double() }, { g:double() })[1]
        assert.is_true((got - want):abs():max() < 0.05)
      end
    end
  end)

  it('of floats far from 0, or beside an outlier, are those of doubles', function()
    -- The CPU subtracts a mean that is rounded to float.
    local tolerance = require('support.settings').device and 1e-5 or 5e-3
    for _, n in ipairs { 30, 300, 3000 } do
      local x = tensor.FloatTensor(5, n):normal():add(10000)
      x[2][1] = -1e7
      x[3][n] = 1e7
      local want = tensor.layerNorm(x:double(), { n })
      assert.is_true((tensor.layerNorm(x, { n }):double() - want):abs():max() < tolerance)
      for _, value in ipairs { 0 / 0, math.huge } do
        x[4][1] = value
        local got = tensor.layerNorm(x, { n })
        assert.are.equal(n, tensor.isnan(got[4]):sum())
        assert.are.equal(0, tensor.isnan(got[5]):sum())
      end
    end
  end)

  it('of 16-bit floats compute in float', function()
    local x = Double(4, 300):normal():half():double()
    for _, class in ipairs{ 'Half', 'BFloat16' } do
      local t = x:type('torch.' .. class .. 'Tensor')
      local tolerance = class == 'Half' and 2e-3 or 2e-2
      local want = tensor.layerNorm(t:double(), { 300 })
      assert.is_true((tensor.layerNorm(t, { 300 }):double() - want):abs():max() < 2 * tolerance)
      want = tensor.attention(t:double(), t:double(), t:double())
      assert.is_true((tensor.attention(t, t, t):double() - want):abs():max() < 2 * tolerance)
      -- A sum in 16 bits would overflow, or stop at 2048.
      local big = t:clone():fill(100)
      assert.are.equal(10000 * 1200, tensor.mse(big, big:clone():zero(), 'sum'))
    end
  end)
end)

describe('attention', function()
  it('gives 0 where a row sees nothing', function()
    local q, k, v = tensor.randn(3, 2), tensor.randn(2, 2), tensor.randn(2, 4)
    local r = tensor.attention(q, k, v, true)
    assert.are.same({ 0, 0, 0, 0 }, r[1]:totable())
    assert.is_true((r[2] - v[1]):abs():max() < 1e-12)
    local gradients = tensor.vjp(function(...) return tensor.attention(...) end,
                                 { q, k, v, Byte{ { 0, 0 }, { 1, 1 }, { 0, 0 } } }, { r })
    assert.are.same({ 0, 0 }, gradients[1][1]:totable())
    assert.are.equal(0, tensor.attention(q, k:narrow(1, 1, 2), v, Byte(3, 2):zero()):abs():max())
  end)

  it('passes on NaN', function()
    local q, k, v = tensor.randn(2, 2), tensor.randn(3, 2), tensor.randn(3, 1)
    q[1][1] = 0 / 0
    local r = tensor.attention(q, k, v)
    assert.is_true(r[1][1] ~= r[1][1])
    assert.is_true(r[2][1] == r[2][1])
  end)

  it('is that of the whole matrix for many blocks', function()
    tensor.manualSeed(3)
    local q, k = Double(2, 130, 5):normal(), Double(2, 530, 5):normal()
    local v = Double(2, 530, 3):normal()
    q:mul(8)  -- the largest weights change from block to block
    local function composed(a, b, c)
      return tensor.bmm(tensor.softmax(tensor.bmm(a, b:transpose(2, 3)) / math.sqrt(5), 3), c)
    end
    local want = composed(q, k, v)
    assert.is_true((tensor.attention(q, k, v) - want):abs():max() < 1e-12)
    local g = want:clone():normal()
    local expected = tensor.vjp(composed, { q, k, v }, { g })
    local got = tensor.vjp(function(...) return tensor.attention(...) end, { q, k, v }, { g })
    for i = 1, 3 do assert.is_true((got[i] - expected[i]):abs():max() < 1e-11) end
    -- Views of other memory layouts.
    local packed = Double(130, 2, 3, 5):normal()
    local function part(i) return packed:select(3, i):transpose(1, 2) end
    want = composed(part(1), part(2), part(3))
    assert.is_true((tensor.attention(part(1), part(2), part(3)) - want):abs():max() < 1e-12)
  end)
end)

-- The CPU converts operands of 16 bits by blocks of 64 rows and 256 columns.
describe('attention of 16-bit floats', function()
  -- Devices round the weights to 16 bits, so that results of normal elements differ more.
  local function limit(type)
    if not require('support.settings').device then return 1e-5 end
    return type == 'half' and 2 ^ -9 or 2 ^ -6
  end
  -- The largest difference from the result in double, which is rounded once.
  local function difference(type, q, k, v, mask, causal)
    local added = mask and mask:type() ~= 'torch.ByteTensor'
    local r = tensor.attention(q, k, v, mask, causal)
    assert.are.equal(q:type(), r:type())
    local want = tensor.attention(q:double(), k:double(), v:double(),
                                  added and mask:double() or mask, causal)
    local error = (r:double() - want):abs() - tensor.abs(want) * 2 ^ (type == 'half' and -11 or -8)
    return error:max()
  end
  for _, type in ipairs{ 'half', 'bfloat16' } do
    it('of many blocks, with masks, views and a cache: ' .. type, function()
      tensor.manualSeed(5)
      local function random(...)
        local t = Double(...):normal()
        return t[type](t)
      end
      local q, k, v = random(3, 130, 24), random(3, 530, 24), random(3, 530, 17)
      local bytes, added = Byte(130, 530):random(0, 1), random(130, 530)
      for _, mask in ipairs{ false, bytes, added } do
        for _, causal in ipairs{ false, true } do
          assert.is_true(difference(type, q, k, v, mask or nil, causal) < limit(type))
        end
      end
      -- The heads of a row of activations, and one query after 1 to 300 tokens of a cache.
      local packed = random(70, 3, 4, 16)
      local function part(i) return packed:select(2, i):transpose(1, 2) end
      assert.is_true(difference(type, part(1), part(2), part(3), nil, true) < limit(type))
      local keys, values = random(4, 300, 16), random(4, 300, 16)
      for _, count in ipairs{ 1, 2, 255, 256, 257, 300 } do
        local query = random(1, 4, 16):transpose(1, 2)
        assert.is_true(difference(type, query, keys:narrow(2, 1, count), values:narrow(2, 1, count),
                                  nil, true) < limit(type))
      end
    end)
  end

  it('does not overflow in 16 bits, and passes on NaN', function()
    local q = tensor.HalfTensor(2, 100):fill(60)
    local r = tensor.attention(q, q, q)
    assert.are.equal(60, r[1][1])
    local v = q:clone()
    v[1][3] = 0 / 0
    r = tensor.attention(q, q, v)
    assert.is_true(r[2][3] ~= r[2][3])
    assert.are.equal(60, r[2][4])
  end)

  it('does not depend on the number of threads', function()
    local q = Double(8, 200, 32):normal():half()
    same_on_threads({ 1, 3 }, function() return tensor.attention(q, q, q, true) end)
  end)
end)

describe('batchNorm', function()
  it('updates the running mean and variance, through which no gradient goes', function()
    local x = tensor.randn(6, 2)
    local mean, variance = tensor.zeros(2), tensor.ones(2)
    local gradient = tensor.grad(function(t)
      local m, v = mean:clone(), variance:clone()
      local y = tensor.batchNorm(t, m, v, nil, nil, true)
      return tensor.sum(y) + m:sum() + v:sum()
    end)(x)
    assert.is_true(gradient:abs():max() < 1e-10)
    tensor.batchNorm(x, mean, variance, true)
    assert.is_true((mean - x:mean(1):view(2) * 0.1):abs():max() < 1e-12)
    assert.is_true((variance - (x:var(1):view(2) * 0.1 + 0.9)):abs():max() < 1e-12)
  end)
end)

describe('binaryCrossEntropy', function()
  it('keeps the digits of small losses', function()
    local x, y = Double{ 20, -20, math.huge, -math.huge }, Double{ 1, 0, 0, 1 }
    local w, small = x:clone():fill(0.5), math.exp(-20)
    for _, type in ipairs{ 'FloatTensor', 'DoubleTensor' } do
      local logits = x:type('torch.' .. type)
      local r = tensor.binaryCrossEntropy(logits, y, nil, 'none')
      local weighted = tensor.binaryCrossEntropy(logits, y, w, w * 6, 'none')
      for k, factor in ipairs{ 1.5, 0.5 } do
        assert.near(1, r[k] / small, 1e-6)
        assert.near(factor, weighted[k] / small, 1e-6)
        assert.are.same({ math.huge, math.huge }, { r[k + 2], weighted[k + 2] })
      end
    end
    local by_weight = tensor.grad(function(v) return tensor.binaryCrossEntropy(x, y, v, 'sum') end)
    assert.near(1, by_weight(w)[2] / small, 1e-6)
  end)
end)

describe('the arguments of layers and losses', function()
  local x = tensor.randn(2, 4)
  it('are checked', function()
    fails('does not end in the dimensions [3]', tensor.layerNorm, x, { 3 })
    fails('the weight has size [3]; [4] is expected', tensor.layerNorm, x, { 4 }, tensor.ones(3))
    fails('epsilon must not be negative', tensor.rmsNorm, x, { 4 }, -1)
    fails('4 channels cannot be divided into 3 groups', tensor.groupNorm, x, 3)
    fails('2 or more dimensions', tensor.batchNorm, tensor.ones(3), true)
    fails('go together', tensor.batchNorm, x, tensor.ones(4))
    fails('without training', tensor.batchNorm, x)
    fails('more than one value for each channel', tensor.batchNorm, x:narrow(1, 1, 1), true)
    fails('a probability from 0 to 1', tensor.dropout, x, 2)
    fails('a matrix is expected', tensor.embedding, tensor.ones(3), Long{ 1 })
    fails('out of range', tensor.embedding, x, Long{ 3 })
    fails('do not fit', tensor.attention, x, tensor.ones(3, 5), x)
    fails('does not broadcast', tensor.attention, x, x, x, tensor.ones(3, 2))
    fails('a ByteTensor or a DoubleTensor is expected', tensor.attention, x, x, x,
          tensor.ones(2, 2):int())
    fails('class 5 is out of range of 4 classes', tensor.crossEntropy, x, Long{ 1, 5 })
    fails('class numbers of size [2] are expected', tensor.crossEntropy, x, Long{ 1 })
    fails('a vector of 4 classes is expected', tensor.nll, x, Long{ 1, 2 }, tensor.ones(2))
    fails('a label smoothing from 0 to 1', tensor.crossEntropy, x, Long{ 1, 2 }, 1, 2)
    fails('the target has size [3]', tensor.mse, x, tensor.ones(3))
    fails('delta must be positive', tensor.huber, x, x, 0)
    fails('does not broadcast', tensor.binaryCrossEntropy, x, x, tensor.ones(3))
    fails('invalid arguments', tensor.crossEntropy, x, Long{ 1, 2 }, 'average')
    fails("with respect to 'weight' is not implemented", tensor.vjp, function(w)
      return tensor.crossEntropy(x, Long{ 1, 2 }, w)
    end, { tensor.ones(4) }, { 1 })
  end)

  it('may be nil where they are optional', function()
    assert.is_true(tensor.layerNorm(x, { 4 }, nil, nil, 0.5):equal(tensor.layerNorm(x, { 4 }, 0.5)))
    fails('invalid arguments', tensor.layerNorm, nil, { 4 })
    fails('invalid arguments', tensor.rmsNorm, x, nil)
  end)
end)

describe('layers of networks', function()
  local nn = require 'tensor.nn'
  local inf = math.huge

  it('add masks of floating-point elements, also with dropout', function()
    tensor.manualSeed(3)
    local q, k = tensor.randn(2, 4), tensor.randn(3, 4)
    local v, mask = tensor.eye(3), Double { { 0, 0.5, -inf }, { -inf, -inf, -inf } }
    for _, causal in ipairs { false, true } do
      local expected = nn.scaledDotProduct(q, k, v, { mask = mask, causal = causal })
      local got = nn.scaledDotProduct(q, k, v, { mask = mask, causal = causal, dropout = 1e-12,
                                                 train = true })
      assert.is_true((got - expected):abs():max() < 1e-9)
      assert.are.same({ 0, 0, 0 }, got[2]:totable())
      for _, dropout in ipairs { 0, 1e-12 } do
        local options = { mask = mask, causal = causal, dropout = dropout, train = true }
        local df = tensor.grad(function(p)
          return nn.scaledDotProduct(p.q, p.k, v, options):pow(2):sum()
        end)
        local found = df { q = q, k = k }
        assert.are.same({ 0, 0, 0, 0 }, found.q[2]:totable())
        assert.is_true(found.q:isfinite():all() and found.k:isfinite():all())
      end
    end
  end)

  it('hide what is hidden by causality and by the mask, also by the rules of Torch7', function()
    -- The mask has as many elements as rows x columns.
    local q, mask = tensor.randn(2, 1, 2, 4), tensor.ByteTensor(2, 1, 1, 2):fill(1)
    mask[2][1][1][2] = 0
    local before = tensor.getBroadcast()
    finally(function() tensor.setBroadcast(before) end)
    for _, mode in ipairs { 'torch7', 'numpy' } do
      tensor.setBroadcast(mode)
      local function f(dropout)
        return nn.scaledDotProduct(q, q, q, { causal = true, mask = mask, dropout = dropout,
                                              train = true })
      end
      assert.is_true((f(1e-12) - f(0)):abs():max() < 1e-9)
    end
  end)

  it('work on batches without elements', function()
    assert.are.same({ 0, 12 }, nn.flatten(tensor.zeros(0, 3, 4)):size():totable())
    assert.are.same({ 2, 0, 4 }, nn.rotary(tensor.zeros(2, 0, 4)):size():totable())
  end)

  it('in a list have no holes', function()
    local done, message = pcall(nn.sequential, { nn.linear(2, 3), nil, nn.linear(3, 1) })
    assert.is_false(done)
    assert.matches('member 2: a layer or a function is expected, got nil', message, 1, true)
  end)

  it('normalize batches of other types with their running statistics', function()
    local norm, other = nn.batchNorm(3), nn.batchNorm(3)
    local p, x = norm.init(), tensor.randn(8, 3):mul(2):add(1)
    local floats = require 'tensor.tree'.map(function(t) return t:float() end, other.init())
    norm(p, x, { train = true })
    assert.are.equal('torch.FloatTensor', other(floats, x:float(), { train = true }):type())
    assert.are.equal('torch.DoubleTensor', other.state.mean:type())
    for _, name in ipairs { 'mean', 'variance' } do
      assert.is_true((norm.state[name] - other.state[name]):abs():max() < 1e-6)
    end
    local y = other(floats, x:float())
    assert.are.equal('torch.FloatTensor', y:type())
    assert.is_true((norm(p, x) - y:double()):abs():max() < 1e-5)
  end)

  it('keep running statistics of 16-bit batches in float', function()
    local tree = require 'tensor.tree'
    for _, name in ipairs { 'bfloat16', 'half' } do
      local norm = nn.batchNorm(2, { momentum = 0.01 })
      local function convert(t) return t[name](t) end
      local p, x = norm.init(), convert(tensor.randn(64, 2):mul(2):add(3))
      local exact = nn.batchNorm(2, { momentum = 0.01 })
      local q = tree.map(convert, p)
      for _ = 1, 600 do
        norm(q, x, { train = true })
        exact(p, x:double(), { train = true })
      end
      for _, field in ipairs { 'mean', 'variance' } do
        assert.are.equal('torch.DoubleTensor', norm.state[field]:type())
        assert.is_true((norm.state[field] - exact.state[field]):abs():max() < 1e-4, name)
      end
      local function slopes(layer, params, t, train)
        local df = tensor.grad(function(r) return layer(r, t, { train = train }):pow(2):sum() end)
        return df(params)
      end
      for _, train in ipairs { true, false } do
        local g, expected = slopes(norm, q, x, train), slopes(exact, p, x:double(), train)
        assert.are.equal(x:type(), norm(q, x, { train = train }):type())
        assert.are.equal(x:type(), g.weight:type())
        assert.is_true(g.weight:double():allclose(expected.weight, 0.02, 0.02), name)
      end
      norm.state.mean, norm.state.variance = convert(norm.state.mean), convert(norm.state.variance)
      assert.are.equal(x:type(), norm({}, x, { train = true }):type())
    end
  end)

  it('turn rows in compiled functions', function()
    local f = tensor.compile(function(x) return nn.rotary(x) + 0 end)
    local x = tensor.randn(3, 4)
    for _ = 1, 3 do assert.is_true(f(x):equal(nn.rotary(x))) end
    assert.matches('done %d times', f:explain())
  end)
end)

it('crossEntropy has all digits for large logits', function()
  local one = tensor.LongTensor { 1 }
  for _, class in ipairs { tensor.FloatTensor, tensor.DoubleTensor, tensor.BFloat16Tensor } do
    for _, large in ipairs { 0, 100, 2 ^ 20, -2 ^ 100 } do
      local t = class { { large, large } }
      local slope, loss = tensor.grad(function(x) return tensor.crossEntropy(x, one) end)(t)
      assert.are.same({ { -0.5, 0.5 } }, slope:totable())
      assert.is_near(math.log(2), loss, 1e-15)
    end
  end
  tensor.manualSeed(1)
  local t, numbers = tensor.randn(20, 30) * 1e4, tensor.randint(1, 30, { 20 }):long()
  local function slope(x, f) return tensor.grad(f)(x):double() end
  local exact = slope(t:float():double(), function(x)
    return tensor.nll(tensor.logSoftmax(x), numbers)
  end)
  local got = slope(t:float(), function(x) return tensor.crossEntropy(x, numbers) end)
  assert.is_true((exact - got):abs():max() < 1e-8)
end)
