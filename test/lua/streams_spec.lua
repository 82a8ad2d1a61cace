-- The random number streams on the CPU are equal to those of Torch7.

local tensor = require 'tensor'

-- Lines of name, tab, values; see the head of the file.
local streams = require 'support.figures'.read 'random-streams.txt'

local function repeated(n, f, ...)
  local list = {}
  for i = 1, n do list[i] = f(...) end
  return list
end

-- Returns f() by Torch7's rules.
local function by_torch7(f)
  tensor.setRule('arithmetic', 'torch7')
  local result = f()
  tensor.setRule('arithmetic', 'tensor')
  return result
end

-- Functions that compute the numbers of lines whose name is not itself a method call.
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
  ['FloatTensor.rand(5)'] = function() return tensor.FloatTensor.torch.rand(5) end,
  ['float default: rand(5)'] = function()
    tensor.setdefaulttensortype('torch.FloatTensor')
    local u = tensor.rand(5)
    tensor.setdefaulttensortype('torch.DoubleTensor')
    return u
  end,
  ['multinomialAlias'] = function()
    local p = tensor.DoubleTensor { 0.1, 0.2, 0.3, 0.25, 0.15 }
    return by_torch7(function()
      return tensor.multinomialAlias(tensor.LongTensor(20), tensor.multinomialAliasSetup(p))
    end)
  end,
  ['multinomialAliasSetup q'] = function()
    return by_torch7(function()
      return tensor.multinomialAliasSetup(tensor.DoubleTensor { 0.1, 0.2, 0.3, 0.25, 0.15 })[2]
    end)
  end,
  -- As nn initializes its layers.
  ['nn.LookupTable(4,3).weight'] = function() return tensor.Tensor(4, 3):normal():view(12) end,
  ['nn.SpatialConvolution(1,2,3,3) weight,bias'] = function()
    local weight, bias = tensor.Tensor(2, 9), tensor.Tensor(2)
    weight:uniform(-1 / 3, 1 / 3)
    bias:uniform(-1 / 3, 1 / 3)
    return tensor.cat(weight:view(18), bias)
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

-- Parses a method call such as "FloatTensor(10):random(100)".
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
      local is_float = name:match('^FloatTensor') or name:match('^float')
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

  -- Narrower types use vector functions, which round differently.
  it('are doubles, rounded to the type', function()
    local n = 300001
    for _, call in ipairs { { 'normal', 0, 1 }, { 'normal', 3, 0.01 }, { 'normal', -2, 1e4 },
                            { 'exponential', 2.5 }, { 'logNormal', 1, 2 }, { 'cauchy', 0, 1 } } do
      local function fill(class)
        local t = tensor[class](n)
        tensor.manualSeed(7)
        t[call[1]](t, unpack(call, 2))
        return t
      end
      local exact = fill 'DoubleTensor'
      for _, class in ipairs { 'FloatTensor', 'HalfTensor', 'BFloat16Tensor' } do
        local got, want = fill(class), tensor[class](n):copy(exact)
        assert.are.equal(0, tensor.ne(got, want):sum(), class .. ' ' .. call[1])
      end
    end
  end)
end)
