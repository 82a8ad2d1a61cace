-- Random numbers: Torch7's streams, and the generators' states.

local tensor = require 'tensor'

-- Lines of name, tab, values; see the head of the file.
local streams = {}
for line in io.lines('test/data/random-streams.txt') do
  local name, values = line:match('^([^#\t][^\t]*)\t(.+)$')
  if name then
    local list = {}
    for value in values:gmatch('%S+') do list[#list + 1] = assert(tonumber(value)) end
    streams[name] = list
  end
end

local function repeated(n, f, ...)
  local list = {}
  for i = 1, n do list[i] = f(...) end
  return list
end

-- What makes the numbers of a line: for those whose name is not itself a call of a method.
local made = {
  ['torch.random()'] = function() return repeated(20, tensor.random) end,
  ['torch.random(5,8)'] = function() return repeated(20, tensor.random, 5, 8) end,
  ['torch.uniform(-2,3)'] = function() return repeated(20, tensor.uniform, -2, 3) end,
  ['torch.normal()'] = function() return repeated(20, tensor.normal) end,
  ['torch.exponential(1)'] = function() return repeated(20, tensor.exponential, 1) end,
  ['torch.cauchy(0,1)'] = function() return repeated(20, tensor.cauchy, 0, 1) end,
  ['torch.logNormal(1,2)'] = function() return repeated(20, tensor.logNormal, 1, 2) end,
  ['torch.geometric(0.9)'] = function() return repeated(20, tensor.geometric, 0.9) end,
  ['torch.bernoulli()'] = function() return repeated(20, tensor.bernoulli) end,
  ['randperm(1)'] = function() return tensor.randperm(1) end,
  ['rand(5)'] = function() return tensor.rand(5) end,
  ['randn(6)'] = function() return tensor.randn(6) end,
  ['randn(16)'] = function() return tensor.randn(16) end,
  ['float default: randperm(10)'] = function()
    tensor.setdefaulttensortype('torch.FloatTensor')
    local p = tensor.randperm(10)
    tensor.setdefaulttensortype('torch.DoubleTensor')
    return p
  end,
  ['bernoulli(tensor)'] = function()
    return tensor.DoubleTensor(6):bernoulli(tensor.DoubleTensor { 0, 0.2, 0.4, 0.6, 0.8, 1 })
  end,
  ['multinomial 50 with replacement'] = function()
    return tensor.multinomial(tensor.DoubleTensor { 0.1, 0.2, 0.3, 0.25, 0.15 }, 50, true)
  end,
  ['multinomial 50 without replacement of 60'] = function()
    return tensor.multinomial(tensor.range(1, 60):div(1830), 50, false)
  end,
  ['multinomial float 5 without replacement'] = function()
    return tensor.multinomial(tensor.FloatTensor { 0.1, 0.2, 0.3, 0.25, 0.15 }, 5, false)
  end,
  ['multinomial 2 rows x 10 with replacement'] = function()
    return tensor.multinomial(tensor.DoubleTensor { { 0.1, 0.9 }, { 0.5, 0.5 } }, 10, true):view(20)
  end,
  ['generator-after'] = function()
    local g = tensor.Generator()
    tensor.manualSeed(g, 123)
    for _ = 1, 3 do tensor.random(g) end
    tensor.normal(g, 0, 1)
    return { tensor.normal(g, 0, 1), tensor.random(g), tensor.uniform(g), tensor.normal(g, 0, 1) }
  end,
  ['mixed: normal cached value across calls'] = function()
    return { tensor.normal(0, 1), tensor.random(), tensor.normal(0, 1), tensor.normal(0, 1) }
  end,
  ['get/setRNGState round trip'] = function()
    tensor.normal(0, 1)
    local state = tensor.getRNGState()
    local a, b = tensor.normal(0, 1), tensor.random()
    tensor.setRNGState(state)
    return { a, b, tensor.normal(0, 1), tensor.random(), state:nElement() }
  end,
  ['random() number 620..640 (state refresh)'] = function()
    repeated(619, tensor.random)
    return repeated(21, tensor.random)
  end,
}
for name, seed in pairs { ['1'] = 1, ['2^31'] = 2 ^ 31, ['2^32'] = 2 ^ 32, ['-1'] = -1 } do
  made['seed ' .. name] = function(count)
    tensor.manualSeed(seed)
    local list = { tensor.initialSeed() }
    for i = 2, count do list[i] = tensor.random() end
    return list
  end
end

-- "FloatTensor(10):random(100)" calls the method.
local function method_of(name)
  local class, size, method, args = name:match('^(%w+Tensor)%((%d+)%):(%w+)%((.*)%)$')
  if not class then return nil end
  local values = {}
  for value in args:gmatch('[^,]+') do values[#values + 1] = tonumber(value) end
  return function()
    local t = tensor[class](tonumber(size))
    return t[method](t, unpack(values))
  end
end

-- Transcendental functions may differ in the last place.
local function near(got, want)
  return got == want or math.abs(got - want) <= 1e-12 * math.abs(want)
end

describe('the streams of Torch7', function()
  for name, want in pairs(streams) do
    it(name, function()
      local make = made[name] or method_of(name)
      assert.is_truthy(make, 'no way to make ' .. name)
      tensor.manualSeed(123)
      local got = make(#want)
      if tensor.isTensor(got) then got = got:totable() end
      local is_float = name:match('^FloatTensor')
      for i, x in ipairs(want) do
        local same = is_float and math.abs(got[i] - x) <= 1.2e-7 * math.abs(x) or near(got[i], x)
        assert.is_true(same, ('%d: %.17g instead of %.17g'):format(i, got[i], x))
      end
      assert.are.equal(#want, #got)
    end)
  end

  it('are all there', function()
    for name in pairs(made) do assert.is_table(streams[name], name) end
  end)
end)

describe('generators', function()
  it('are independent of the default one', function()
    local g = tensor.Generator()
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
    local g = tensor.Generator()
    tensor.manualSeed(g, 9)
    local state = tensor.getRNGState(g)
    assert.are.equal('torch.ByteTensor', state:type())
    local a = tensor.DoubleTensor(3, 5):normal(g, 1, 2)
    local u = tensor.rand(g, 4)
    local p = tensor.randperm(g, 20)
    tensor.setRNGState(g, state)
    assert.is_true(a:equal(tensor.DoubleTensor(3, 5):normal(g, 1, 2)))
    assert.is_true(u:equal(tensor.rand(g, 4)))
    assert.is_true(p:equal(tensor.randperm(g, 20)))
  end)

  it('give the same numbers in any layout and to any number of threads', function()
    local threads = tensor.getnumthreads()
    for _, method in ipairs { 'uniform', 'normal', 'cauchy', 'bernoulli' } do
      local seen
      for n = 1, 2 do
        tensor.setnumthreads(n)
        for _, t in ipairs { tensor.FloatTensor(400, 301), tensor.FloatTensor(301, 400):t() } do
          tensor.manualSeed(3)
          t[method](t)
          seen = seen or t:clone()
          assert.is_true(seen:equal(t))
        end
      end
    end
    tensor.setnumthreads(threads)
  end)

  it('keep a state across a refused one', function()
    tensor.manualSeed(4)
    local before = tensor.getRNGState()
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

  it('refuse seeds and parameters that are none', function()
    for _, bad in ipairs { 0 / 0, math.huge, 2 ^ 70, 'x', {} } do
      assert.has_error(function() tensor.manualSeed(bad) end)
    end
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
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 0, 0 }, 1) end)
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 1, -1 }, 1) end)
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 1, 2 }, 3, false) end)
    assert.has_error(function() tensor.multinomial(tensor.DoubleTensor { 1, 2 }, 0, true) end)
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
    assert.are.equal('mt19937', tensor.getGenerator())
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

  it('fill tensors with what numbers are', function()
    for _, draw in ipairs { 'random', 'uniform', 'normal', 'cauchy' } do
      tensor.manualSeed(g, 3)
      local t = tensor.DoubleTensor(5, 7)
      t[draw](t, g)
      tensor.manualSeed(g, 3)
      t:apply(function(x) assert.are.equal(x, tensor[draw](g)) end)
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
    -- A state brings its kind along.
    local other = tensor.Generator()
    local before = tensor.getRNGState(other)
    tensor.setRNGState(other, state)
    assert.are.equal('philox', tensor.getGenerator(other))
    assert.is_true(a:equal(tensor.randn(other, 5)))
    tensor.setRNGState(other, before)
    assert.are.equal('mt19937', tensor.getGenerator(other))
    assert.has_error(function() tensor.setRNGState(other, tensor.ByteTensor(40):fill(1)) end)
  end)

  it('may be the default one', function()
    tensor.manualSeed(7)
    local first = tensor.random()
    tensor.random()
    tensor.setGenerator('philox')
    assert.are.equal('philox', tensor.getGenerator())
    assert.are.equal(7, tensor.initialSeed())
    assert.is_true(tensor.rand(6):equal(tensor.rand(g, 6)))
    tensor.setGenerator('mt19937')
    assert.are.equal(first, tensor.random())
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
end)
