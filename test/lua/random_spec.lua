-- Random numbers: generators, their algorithms and states, and distributions.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'

local support = require 'support.on_device'
-- If everything runs on a device, the default generator uses another algorithm.
local default_kind = tensor.getGenerator()

describe('generators', function()
  it('are independent of the default one', function()
    local g = tensor.Generator(default_kind)
    tensor.manualSeed(1)
    tensor.manualSeed(g, 1)
    local own, default = {}, {}
    for i = 1, 10 do
      own[i] = tensor.random(g)
      default[i] = tensor.random()
    end
    assert.are.same(default, own)
    assert.are.equal(1, tensor.initialSeed(g))
    assert.are.equal('torch.Generator', tensor.typename(g))
  end)

  it('are taken by tensors, and their states too', function()
    local g = tensor.Generator(default_kind)
    tensor.manualSeed(g, 9)
    local state = tensor.getRNGState(g)
    assert.are.equal('torch.ByteTensor', state:type())
    local a = tensor.DoubleTensor(3, 5):normal(g, 1, 2)
    local u = tensor.rand(g, 4)
    local p = tensor.randperm(g, 20)
    assert.are.equal(state, tensor.setRNGState(g, state))
    assert.is_true(a:equal(tensor.DoubleTensor(3, 5):normal(g, 1, 2)))
    assert.is_true(u:equal(tensor.rand(g, 4)))
    assert.is_true(p:equal(tensor.randperm(g, 20)))
  end)

  it('give the same numbers in any layout and to any number of threads', function()
    for _, method in ipairs { 'uniform', 'normal', 'cauchy', 'bernoulli' } do
      same_on_threads({ 1, 2 }, function()
        local rows, columns = tensor.FloatTensor(400, 301), tensor.FloatTensor(301, 400):t()
        for _, t in ipairs { rows, columns } do
          tensor.manualSeed(3)
          t[method](t)
        end
        assert.is_true(rows:equal(columns))
        return rows
      end)
    end
  end)

  it('keep a state across a refused one', function()
    tensor.manualSeed(4)
    local before = tensor.getRNGState()
    for _, bad in ipairs { tensor.FloatTensor(3), 'x', 5, {} } do
      local ok, message = pcall(tensor.getRNGState, bad)
      assert.is_false(ok)
      assert.matches('torch.ByteTensor', message)
    end
    local given = tensor.ByteTensor()
    assert.are.equal(given, tensor.getRNGState(given))
    assert.is_true(before:equal(given))
    for _, bad in ipairs { tensor.ByteTensor(3), tensor.ByteTensor(), tensor.IntTensor(5056),
                           tensor.ByteTensor(before:nElement()):fill(255), 'x', 3 } do
      assert.has_error(function() tensor.setRNGState(bad) end)
    end
    assert.is_true(before:equal(tensor.getRNGState()))
  end)

  it('are seeded from outside by seed()', function()
    local first = tensor.seed()
    local a = tensor.random()
    assert.are.equal(first, tensor.initialSeed())
    assert.are_not.equal(first, tensor.seed())
    tensor.manualSeed(first)
    assert.are.equal(a, tensor.random())
  end)

  it('reject invalid seeds and parameters', function()
    for _, bad in ipairs { 0 / 0, math.huge, 2 ^ 70, 'x', {} } do
      assert.has_error(function() tensor.manualSeed(bad) end)
    end
    local g = tensor.Generator()
    tensor.manualSeed(g, 7)
    assert.has_error(function() tensor.manualSeed(g, 1.5) end,
                     'manualSeed: the seed must be an integer, got 1.5')
    assert.has_error(function() tensor.manualSeed('5') end)
    assert.are.equal(7, tensor.initialSeed(g))
    tensor.setRule('numbers', 'torch7')
    finally(function() tensor.setRule('numbers', 'tensor') end)
    for _, seed in ipairs { 5.5, '5', '5.9' } do
      tensor.manualSeed(g, seed)
      assert.are.equal(5, tensor.initialSeed(g))
    end
    tensor.setRule('numbers', 'tensor')
    local t = tensor.DoubleTensor(3):fill(7)
    assert.has_error(function() t:normal(0, -1) end)
    assert.has_error(function() t:exponential(0) end)
    assert.has_error(function() t:logNormal(1, -2) end)
    assert.has_error(function() t:geometric(0) end)
    assert.has_error(function() t:geometric(1) end)
    assert.has_error(function() t:bernoulli(2) end)
    assert.has_error(function() t:bernoulli(tensor.DoubleTensor { 0, 1, -0.5 }) end)
    assert.has_error(function() t:random(0) end)
    assert.has_error(function() t:random(5, 4) end)
    assert.has_error(function() tensor.randperm(-1) end)
    assert.are.same({ 7, 7, 7 }, t:totable())
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 0, 0 }, 1):totable() end)
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 1, -1 }, 1):totable() end)
    assert.has_error(function()
      tensor.multinomial(tensor.DoubleTensor { 1, 2 }, 3, false):totable()
    end)
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 1, 2 }, 0, true) end)
  end)
end)

describe('many samples without replacement', function()
  -- Enough categories and samples for another algorithm than that of few.
  local CATEGORIES = 1024

  -- Categories with the probabilities 0, 1, 0 and 3 in turn.
  local function probabilities()
    return tensor.Tensor { 0, 1, 0, 3 }:repeatTensor(CATEGORIES / 4)
  end

  it('are distinct, possible, and begin as few samples do', function()
    local p = probabilities()
    tensor.manualSeed(3)
    local all = tensor.multinomial(p, CATEGORIES / 2)
    tensor.manualSeed(3)
    local few = tensor.multinomial(p, 60)
    assert.are.same(few:totable(), all:narrow(1, 1, 60):totable())
    assert.are.same(tensor.range(2, CATEGORIES, 2):totable(), all:sort():totable())
  end)

  it('have the probabilities of the remaining categories', function()
    local rows, samples, heavy = 16, CATEGORIES / 8, 0
    tensor.manualSeed(5)
    local drawn = tensor.multinomial(probabilities():repeatTensor(rows, 1), samples)
    for row = 1, rows do
      assert.are.equal(samples, tensor.unique(drawn[row]):nElement())
      heavy = heavy + tensor.remainder(drawn[row], 4):eq(0):sum()
    end
    -- Light ones remain with probability x, heavy ones with x^3, where x + x^3 = 1.5.
    assert.is_true(math.abs(heavy - rows * samples * 0.7225) < 60)
  end)

  it('are right if the probabilities differ by many orders of magnitude', function()
    local p = tensor.pow(0.9, tensor.range(1, 2000):double())
    local drawn = tensor.multinomial(p, 2000)
    assert.are.same(tensor.range(1, 2000):totable(), drawn:sort():totable())
    assert.is_true(drawn:narrow(1, 1, 100):double():mean() < 200)
  end)
end)

describe('generators of Philox', function()
  local g
  before_each(function()
    g = tensor.Generator('philox')
    tensor.manualSeed(g, 7)
  end)

  it('are made, and asked what they are', function()
    assert.are.equal('philox', tensor.getGenerator(g))
    assert.are.equal('mt19937', tensor.getGenerator(tensor.Generator()))
    assert.are.equal('mt19937', tensor.getGenerator(tensor.Generator('mt19937')))
    assert.are.equal('torch.Generator', tensor.typename(g))
    assert.has_error(function() tensor.Generator('mrg') end)
    assert.has_error(function() tensor.setGenerator('mrg') end)
    assert.has_error(function() tensor.setGenerator() end)
    assert.has_error(function() tensor.setGenerator(g) end)
  end)

  it('give the words that their authors publish', function()
    tensor.manualSeed(g, 0)
    for _, word in ipairs { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } do
      assert.are.equal(word, tensor.random(g))
    end
  end)

  it('are seeded as the others', function()
    assert.are.equal(7, tensor.initialSeed(g))
    local a = tensor.rand(g, 5)
    tensor.manualSeed(g, 7)
    assert.is_true(a:equal(tensor.rand(g, 5)))
    assert.are.equal(tensor.seed(g), tensor.initialSeed(g))
    assert.are.equal('philox', tensor.getGenerator(g))
  end)

  it('use 64 bits of a seed, where MT19937 uses 32', function()
    for _, kind in ipairs { 'philox', default_kind } do
      local low, high = tensor.Generator(kind), tensor.Generator(kind)
      tensor.manualSeed(low, 5)
      tensor.manualSeed(high, 2 ^ 32 + 5)
      local same = tensor.random(low) == tensor.random(high)
      assert.are.equal(kind == 'mt19937', same)
    end
  end)

  it('fill tensors with what numbers are', function()
    for _, draw in ipairs { 'random', 'uniform', 'normal', 'cauchy' } do
      tensor.manualSeed(g, 3)
      local t = tensor.DoubleTensor(5, 7)
      t[draw](t, g)
      tensor.manualSeed(g, 3)
      t:apply(function(x)
        local number = tensor[draw](g)
        local tolerance = support.is_gpu and 1e-13 * math.abs(number) or 0
        assert.is_true(math.abs(x - number) <= tolerance)
      end)
    end
  end)

  it('keep and restore states of their own', function()
    tensor.normal(g)
    local state = tensor.getRNGState(g)
    assert.are.equal(40, state:nElement())
    local a, p = tensor.randn(g, 5), tensor.randperm(g, 9)
    tensor.setRNGState(g, state)
    assert.is_true(a:equal(tensor.randn(g, 5)))
    assert.is_true(p:equal(tensor.randperm(g, 9)))
    -- A state contains the algorithm of its generator.
    local other = tensor.Generator()
    local before = tensor.getRNGState(other)
    tensor.setRNGState(other, state)
    assert.are.equal('philox', tensor.getGenerator(other))
    assert.is_true(a:equal(tensor.randn(other, 5)))
    -- It may have any layout.
    tensor.setRNGState(other, state:view(5, 8):t():contiguous():t())
    assert.is_true(a:equal(tensor.randn(other, 5)))
    tensor.setRNGState(other, before)
    assert.are.equal('mt19937', tensor.getGenerator(other))
    assert.has_error(function() tensor.setRNGState(other, tensor.ByteTensor(40):fill(1)) end)
  end)

  it('are saved and loaded like the others', function()
    local training = require 'tensor.training'
    local name, twister = os.tmpname(), tensor.Generator()
    for _, generator in ipairs { g, twister } do
      -- The elements after the first eight are any number, also that of a line's end.
      for seed = 1, 20 do
        tensor.manualSeed(generator, seed)
        for _ = 1, 605 + seed do tensor.random(generator) end
        for _, mode in ipairs { 'binary', 'ascii' } do
          local text = tensor.serialize({ generator, tensor.ones(2), 'end' }, mode)
          local list = tensor.deserialize(text, mode)
          assert.are.same({ 1, 1, 'end' }, { list[2][1], list[2][2], list[3] })
          assert.are.equal(tensor.getGenerator(generator), tensor.getGenerator(list[1]))
          assert.is_true(tensor.rand(generator, 5):equal(tensor.rand(list[1], 5)))
        end
      end
    end
    local parts = { params = { tensor.ones(1) }, random = { philox = g, twister = twister } }
    training.save(name, parts)
    local expected = { tensor.rand(g, 5), tensor.rand(twister, 5) }
    training.load(name, parts)
    assert.is_true(expected[1]:equal(tensor.rand(g, 5)))
    assert.is_true(expected[2]:equal(tensor.rand(twister, 5)))
    os.remove(name)
  end)

  it('may be the default one', function()
    tensor.setGenerator('mt19937')
    tensor.manualSeed(7)
    local first = tensor.random()
    tensor.random()
    tensor.setGenerator('philox')
    assert.are.equal('philox', tensor.getGenerator())
    assert.are.equal(7, tensor.initialSeed())
    assert.is_true(tensor.rand(6):equal(tensor.rand(g, 6)))
    tensor.setGenerator('mt19937')
    assert.are.equal(first, tensor.random())
    tensor.setGenerator(default_kind)
  end)
end)

describe('distributions', function()
  it('have the moments they should', function()
    tensor.manualSeed(17)
    local t = tensor.DoubleTensor(50000)
    local function moments(mean, deviation)
      assert.is_true(math.abs(t:mean() - mean) < 0.03 * math.max(1, deviation), t:mean())
      assert.is_true(math.abs(t:std() - deviation) < 0.05 * deviation, t:std())
    end
    t:uniform(2, 4)
    moments(3, 2 / math.sqrt(12))
    assert.is_true(t:min() >= 2 and t:max() < 4)
    t:normal(1, 3)
    moments(1, 3)
    t:exponential(2)
    moments(0.5, 0.5)
    t:bernoulli(0.3)
    moments(0.3, math.sqrt(0.21))
    t:logNormal(0, 0.5)
    moments(math.exp(0.125), math.sqrt((math.exp(0.25) - 1) * math.exp(0.25)))
    t:random(1, 6)
    moments(3.5, math.sqrt(35 / 12))
    local p = tensor.randperm(1000)
    assert.are.equal(500500, p:sum())
    assert.are.same({ 1, 1000 }, { p:min(), p:max() })
  end)

  it('have them with large parameters', function()
    tensor.manualSeed(2)
    local t = tensor.DoubleTensor(32768)
    -- The standard error of the variance is 0.008.
    local function check(mean, variance)
      t:add(-mean):div(math.sqrt(variance))
      assert.is_true(math.abs(t:var() - 1) < 0.04 and math.abs(t:mean()) < 0.03)
    end
    for _, mean in ipairs { 2 ^ 19, 2 ^ 21, 1e13, 9e15 } do
      t:poisson(mean)
      check(mean, mean)
    end
    for _, row in ipairs { { 1e14, 0.01 }, { 9e15, 0.01 }, { 1e15, 0.5 }, { 1e12, 0.9 },
                           { 2 ^ 53, 20 / 2 ^ 53 }, { 1e15, 1e-9 }, { 1e14, 2e-13 } } do
      local n, p = row[1], row[2]
      t:binomial(n, p)
      check(n * p, n * p * (1 - p))
    end
  end)
end)

it('alias tables of weights are those of the probabilities', function()
  for weights, type in pairs { [{ 1, 3 }] = 'Double', [{ 1e300, 3e300 }] = 'Double',
                               [{ 0.1, 0.3 }] = 'Float', [{ 2e38, 0, 2e38 }] = 'Float',
                               [{ 20000, 60000 }] = 'Half', [{ 3, 1, 4 }] = 'BFloat16' } do
    local class = tensor[type .. 'Tensor']
    local p = class(weights):double()
    p:div(p:sum())
    local expected = tensor.multinomialAliasSetup(class(p:totable()))
    local got = tensor.multinomialAliasSetup(class(weights))
    assert.are.same(expected[1]:totable(), got[1]:totable())
    assert.is_true(tensor.allclose(expected[2]:double(), got[2]:double(), 0.01, 0))
  end
  local drawn = tensor.LongTensor(20000)
  tensor.multinomialAlias(drawn, tensor.multinomialAliasSetup(tensor.DoubleTensor { 1, 3 }))
  assert.is_near(0.75, drawn:eq(2):sum() / 20000, 0.02)
  tensor.setRule('arithmetic', 'torch7')
  finally(function() tensor.setRule('arithmetic', 'tensor') end)
  local tables = tensor.multinomialAliasSetup(tensor.DoubleTensor { 1, 3 })
  assert.are.same({ 1, 1 }, tables[2]:totable())
end)

it('beta numbers with tiny parameters are 0 or 1', function()
  tensor.manualSeed(1)
  for _, tiny in ipairs { 1e-250, 1e-310 } do
    local t = tensor.Tensor(1000):beta(tiny, 3 * tiny)
    assert.are.same({ 0, 1 }, { t:min(), t:max() })
    assert.is_near(0.25, t:mean(), 0.05)
    assert.are.same({ 0 }, tensor.Tensor(1):beta(tiny, 1):totable())
  end
end)

-- Small numbers are found by inversion, part by part, from one uniform number each.
it('poisson and binomial count the probabilities below a uniform number', function()
  local n = 40000
  tensor.manualSeed(3)
  local u = tensor.DoubleTensor(n):uniform(0, 1):totable()
  local rates = tensor.DoubleTensor(n):fill(0.5)
  rates:narrow(1, 20001, 20000):fill(3)
  local function check(name, first, following, ...)
    tensor.manualSeed(3)
    local got = tensor[name](...):totable()
    for i = 1, n do
      local p, count = first(i), 0
      local sum = p
      while u[i] > sum do
        count = count + 1
        p = following(p, count, i)
        sum = sum + p
      end
      if got[i] ~= count then return i, got[i], count end
    end
  end
  local rate, base = rates:totable(), tensor.exp(-rates):totable()
  assert.is_nil(check('poisson', function(i) return base[i] end,
                      function(p, k, i) return p * rate[i] / k end, rates))
  local q = tensor.exp(tensor.log1p(tensor.Tensor {-0.25}) * 6)[1]
  assert.is_nil(check('binomial', function() return q end,
                      function(p, k) return p * (0.25 / 0.75) * math.max(6 - (k - 1), 0) / k end,
                      tensor.DoubleTensor(n):fill(6), tensor.DoubleTensor(n):fill(0.25)))
end)

it('integers that the element type does not hold are errors', function()
  for _, name in ipairs { 'poisson', 'binomial' } do
    local arguments = name == 'poisson' and { 1000 } or { 1000, 0.9 }
    local ok, message = pcall(tensor.ByteTensor(3)[name], tensor.ByteTensor(3), unpack(arguments))
    assert.is_false(ok)
    assert.matches('a ByteTensor does not hold %d+', message)
    local t = tensor.ShortTensor(3)
    t[name](t, unpack(arguments))
    assert.is_true(t:min() > 500)
  end
  local few, many = tensor.ByteTensor(1000), tensor.IntTensor(1000)
  assert.has_error(function() few:geometric(0.999) end)
  tensor.manualSeed(5)
  few:geometric(0.95)
  tensor.manualSeed(5)
  assert.is_true(few:int():equal(many:geometric(0.95)))
  assert.are.equal(0, tensor.ByteTensor(0):geometric(0.999):nElement())
  tensor.setRule('arithmetic', 'torch7')
  finally(function() tensor.setRule('arithmetic', 'tensor') end)
  few:geometric(0.999)
end)

it('random integers that a type of 16 bits does not hold exactly are errors', function()
  for name, most in pairs { Half = 2048, BFloat16 = 256 } do
    local class = tensor[name .. 'Tensor']
    local t = class(2000)
    for _, range in ipairs { { most + 1 }, { -most - 1, 0 }, { 1, 1e6 } } do
      local ok, message = pcall(t.random, t, unpack(range))
      assert.is_false(ok)
      assert.matches(name .. 'Tensor does not hold all integers from ', message)
    end
    assert.has_error(function() class.torch.randint(0, most + 2, 3) end)
    assert.has_error(function() class.torch.randint(most + 2, { 3 }) end)
    t:random(-most, -most + 2)
    assert.are.same({ -most, -most + 2 }, { t:min(), t:max() })
    t:random(most - 2, most)
    assert.are.same({ most - 2, most }, { t:min(), t:max() })
    tensor.setRule('arithmetic', 'torch7')
    t:random(most + 1)
    tensor.setRule('arithmetic', 'tensor')
  end
end)

it('single random integers are integers, where Lua has them', function()
  local math_type = rawget(math, 'type')
  if not math_type then return pending 'from Lua 5.3 on' end
  for name, arguments in pairs { random = { 10 }, bernoulli = { 0.5 }, geometric = { 0.5 },
                                 binomial = { 5, 0.5 }, poisson = { 3 } } do
    assert.are.equal('integer', math_type(tensor[name](unpack(arguments))), name)
  end
  assert.are.equal('float', math_type(tensor.uniform(2, 2)))
end)

it('nil stands for a default of a random number, too', function()
  local t = tensor.Tensor(1)
  for name, arguments in pairs { uniform = { nil, 3 }, normal = { nil, 2 }, cauchy = { 1, nil } } do
    tensor.manualSeed(1)
    local want = t[name](t, unpack(arguments, 1, 2))[1]
    tensor.manualSeed(1)
    assert.are.equal(want, tensor[name](unpack(arguments, 1, 2)), name)
  end
end)
