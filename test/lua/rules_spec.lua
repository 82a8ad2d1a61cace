-- The rules that differ between require 'tensor' and require 'torch'. Each rule is tested in both
-- modes; numbers_spec tests the rule `numbers`, pairing_spec the rule `broadcast`.

local tensor = require 'tensor'
local elements = require 'support.elements'
local rules = require 'support.rules'
local fails = require 'support.raises'.texts

-- Checks that t has this class and these elements.
local function equals(class, want, t)
  assert.are.equal(('torch.%sTensor'):format(class), tensor.typename(t))
  assert.are.same(want, t:totable())
end

local function with_rule(name, f)
  tensor.setRule(name, 'torch7')
  finally(function() tensor.setRule(name, 'tensor') end)
  f()
end

local narrow = { 'Byte', 'Char', 'Short', 'Int' }

describe('the switches', function()
  it('set one rule, and return its mode before', function()
    assert.are.equal('tensor', tensor.getRule 'sums')
    assert.are.equal('tensor', tensor.setRule('sums', 'torch7'))
    assert.are.equal('torch7', tensor.setRule('sums', 'tensor'))
    assert.are.equal('tensor', tensor.getRule 'sums')
  end)

  it('set all rules', function()
    local broadcast = tensor.getBroadcast()
    finally(function()
      tensor.setRules 'tensor'
      tensor.setBroadcast(broadcast)
    end)
    for _, mode in ipairs { 'torch7', 'tensor' } do
      tensor.setRules(mode)
      for _, rule in ipairs(tensor.rules()) do
        assert.are.equal(mode, rule.mode, rule.name)
        assert.are.equal(mode, tensor.getRule(rule.name))
        assert.is_truthy(rule.tensor:match '%.$')
        assert.is_truthy(rule.torch7:match '%.$')
      end
      assert.are.equal(mode == 'torch7' and 'torch7' or 'numpy', tensor.getBroadcast())
    end
    assert.are.equal('tensor', tensor.setRule('broadcast', 'torch7'))
    assert.are.equal('torch7', tensor.getBroadcast())
    tensor.setBroadcast 'strict'
    assert.are.equal('tensor', tensor.getRule 'broadcast')
    assert.are.equal('strict', tensor.getBroadcast())
  end)

  it('reject other names and modes', function()
    fails(function() tensor.setRule('sum', 'tensor') end, 'setRule', 'sums', 'got sum')
    fails(function() tensor.getRule() end, 'getRule', 'value expected')
    fails(function() tensor.setRule('sums', 'numpy') end, "'torch7' is expected, got numpy")
    fails(function() tensor.setRules {} end, 'setRules', 'got table')
  end)
end)

describe('sums and products of integers along dimensions', function()
  -- 150 rows: the sums exceed a Byte and a Char.
  local function rows(class) return tensor[class .. 'Tensor'](150, 2):fill(1) end

  it('are LongTensors', function()
    for _, class in ipairs(narrow) do
      local t = rows(class)
      equals('Long', { { 150, 150 } }, t:sum(1))
      equals('Long', { { 150, 150 } }, tensor.sum(t, 1))
      equals('Long', { 150, 150 }, t:sum(1, false))
      equals('Long', { { 300 } }, t:sum { 1, 2 })
      equals('Long', { { 150, 150 } }, tensor.nansum(t, 1, true))
      equals('Long', { 150, 150 }, t:cumsum(1)[150])
      equals('Long', { 10000, 1000000 }, tensor[class .. 'Tensor'] { 100, 100, 100 }:cumprod()
             :narrow(1, 2, 2))
      equals('Long', { 1000000 }, tensor[class .. 'Tensor'] { 100, 100, 100 }:prod(1))
      equals('Long', { { 150, 150 } }, t:t():clone():t():sum(1))
    end
    equals('Long', { { 0, 0 } }, tensor.ByteTensor(0, 2):sum(1))
    equals('Long', { { 1, 1 } }, tensor.ByteTensor(0, 2):prod(1))
    equals('Long', { 3 }, tensor.LongTensor { 1, 2 }:sum(1))
    equals('Float', { 3 }, tensor.FloatTensor { 1, 2 }:sum(1))
  end)

  it('have the type of a result that is an argument', function()
    for _, mode in ipairs { 'tensor', 'torch7' } do
      rules.set(mode)
      finally(function() rules.set 'tensor' end)
      local t = rows 'Byte'
      equals('Byte', { { 150, 150 } }, tensor.sum(tensor.ByteTensor(), t, 1))
      equals('Long', { { 150, 150 } }, tensor.sum(tensor.LongTensor(), t, 1))
      equals('Byte', { 44 }, tensor.sum(tensor.ByteTensor(), t, { 1, 2 }):view(-1))
      equals('Long', { 300 }, tensor.sum(tensor.LongTensor(), t, { 1, 2 }):view(-1))
      equals('Long', { 150, 150 }, tensor.cumsum(tensor.LongTensor(), t, 1)[150])
      equals('Long', { 300 }, tensor.nansum(tensor.LongTensor(), t, { 1, 2 }):view(-1))
      if mode == 'tensor' then
        equals('Int', { { 150, 150 } }, tensor.sum(tensor.IntTensor(), t, 1))
      else
        fails(function() tensor.sum(tensor.IntTensor(), t, 1) end, 'ByteTensor', 'IntTensor')
      end
      fails(function() tensor.sum(tensor.LongTensor(), tensor.ones(2), 1) end, 'LongTensor')
    end
  end)

  it('have the type of the operand by the rule of Torch7', function()
    with_rule('sums', function()
      local t = rows 'Byte'
      equals('Byte', { { 44 } }, t:sum { 1, 2 })
      equals('Byte', { 64 }, tensor.ByteTensor { 100, 100, 100 }:prod(1))
      equals('Byte', { 150, 150 }, t:cumsum(1)[150])
    end)
  end)
end)

describe('quotients of integers by /', function()
  it('are fractions, in the default type', function()
    for _, e in ipairs(elements) do
      if e.integral then
        equals('Double', { 0.5, 1.5 }, e.Tensor { 1, 3 } / 2)
        equals('Double', { 0.4, 1.2 }, e.Tensor { 1, 3 } / 2.5)
        equals('Double', { 3, 1 }, 3 / e.Tensor { 1, 3 })
        equals('Double', { 0.5, 0.75 }, e.Tensor { 1, 3 } / e.Tensor { 2, 4 })
      end
    end
    equals('Double', { 0.5 }, tensor.IntTensor { 1 } / tensor.LongTensor { 2 })
    equals('Float', { 0.5 }, tensor.IntTensor { 1 } / tensor.FloatTensor { 2 })
    equals('Double', { math.huge }, tensor.IntTensor { 1 } / 0)
    finally(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)
    tensor.setdefaulttensortype 'torch.FloatTensor'
    equals('Float', { 0.5 }, tensor.IntTensor { 1 } / 2)
    tensor.setdefaulttensortype 'torch.IntTensor'
    equals('Double', { 0.5 }, tensor.IntTensor { 1 } / 2)
  end)

  it('are truncated by methods, and by the rule of Torch7', function()
    equals('Int', { 0, 1 }, tensor.IntTensor { 1, 3 }:div(2))
    equals('Int', { 0, 1 }, tensor.cdiv(tensor.IntTensor { 1, 3 }, tensor.IntTensor { 2, 2 }))
    with_rule('division', function()
      equals('Int', { 0, 1 }, tensor.IntTensor { 1, 3 } / 2)
      equals('Int', { 3, 1 }, 3 / tensor.IntTensor { 1, 3 })
      fails(function() return tensor.IntTensor { 1 } / 0 end, 'divided by 0')
    end)
  end)
end)

describe('operands of different types', function()
  local function of(class, ...) return tensor[class .. 'Tensor'] { ... } end

  it('are converted to their common type', function()
    -- The table is symmetric.
    local common = {
      { 'Byte', 'Char', 'Short' }, { 'Byte', 'Short', 'Short' }, { 'Char', 'Int', 'Int' },
      { 'Int', 'Long', 'Long' }, { 'Byte', 'Half', 'Half' }, { 'Long', 'BFloat16', 'BFloat16' },
      { 'Long', 'Float', 'Float' }, { 'Int', 'Double', 'Double' }, { 'Half', 'BFloat16', 'Float' },
      { 'Half', 'Float', 'Float' }, { 'BFloat16', 'Double', 'Double' },
      { 'Float', 'Double', 'Double' },
    }
    for _, row in ipairs(common) do
      local a, b = of(row[1], 3, 4), of(row[2], 1, 2)
      equals(row[3], { 4, 6 }, a + b)
      equals(row[3], { 4, 6 }, b + a)
      equals(row[3], { 3, 8 }, tensor.cmul(a, b))
      equals('Byte', { 0, 0 }, tensor.lt(a, b))
      equals('Byte', { 1, 1 }, b:lt(a))
      equals(row[1], { 3, 4 }, a)
      equals(row[2], { 1, 2 }, b)
    end
  end)

  it('are converted to the type of a result', function()
    equals('Float', { 4, 6 }, of('Float', 3, 4):add(of('Int', 1, 2)))
    equals('Double', { 4, 6 }, tensor.add(tensor.Tensor(), of('Float', 3, 4), of('Int', 1, 2)))
    equals('Double', { 3, 8 }, tensor.Tensor():cmul(of('Int', 3, 4), of('Byte', 1, 2)))
    local t = of('Int', 3, 4)
    fails(function() t:add(of('Float', 1, 2)) end, 'an IntTensor and a FloatTensor')
    fails(function() tensor.add(t, t, of('Float', 1, 2)) end, 'expected arguments')
    equals('Int', { 3, 4 }, t)
  end)

  it('are converted to the type of the result of a sum or a mean', function()
    local r, x = tensor.DoubleTensor(), of('Float', 1, 2)
    for _, name in ipairs { 'sum', 'nansum', 'mean' } do
      equals('Double', { name == 'mean' and 1.5 or 3 }, tensor[name](r, x, 1))
    end
    equals('Double', { 1, 3 }, tensor.cumsum(r, x, 1))
    equals('Double', { 0.5 }, tensor.var(r, of('Half', 1, 2), 1))
    equals('Long', { 3 }, tensor.sum(tensor.LongTensor(), of('Byte', 1, 2), 1))
    fails(function() tensor.sum(tensor.LongTensor(), x, 1) end,
          'a LongTensor and a FloatTensor do not go together')
    fails(function() tensor.mean(tensor.LongTensor(), x, 1) end,
          'a LongTensor and a FloatTensor do not go together')
  end)

  it('are converted in every operation', function()
    equals('Double', { 11 }, of('Float', 3, 4):view(1, 2) * of('Double', 1, 2))
    assert.are.equal(11, of('Int', 3, 4) * of('Float', 1, 2))
    equals('Double', { 1, 2, 3.5 }, tensor.cat(of('Int', 1, 2), of('Double', 3.5), 1))
    equals('Double', { 1, 2, 3.5 }, tensor.cat({ of('Byte', 1), of('Int', 2), of('Double', 3.5) }))
    equals('Float', { 1, 8 }, tensor.where(of('Byte', 1, 0), of('Float', 1, 2), of('Int', 7, 8)))
    equals('Float', { 1.5, 4 }, of('Float', 1, 2):indexCopy(1, of('Long', 2), of('Int', 4))
           :indexAdd(1, of('Long', 1), of('Half', 0.5)))
    local x, y = of('Double', 0.5, 2), of('Byte', 0, 1)
    equals('Double', tensor.binaryCrossEntropy(x, y:double(), nil, 'none'):totable(),
           tensor.binaryCrossEntropy(x, y, nil, 'none'))
    fails(function() of('Float', 1, 2):index(1, of('Byte', 1)) end, 'a LongTensor is expected')
    fails(function() tensor.cat({ of('Int', 1), 'x' }) end, 'position 2 of the table, got string')
  end)

  it('do not change, also where they are views', function()
    local whole = tensor.range(1, 6):int():view(2, 3)
    local t = whole:t()
    equals('Double', { { 2, 5 }, { 3, 6 }, { 4, 7 } }, t + tensor.ones(1, 2))
    equals('Int', { { 1, 2, 3 }, { 4, 5, 6 } }, whole)
  end)

  it('are errors by the rule of Torch7', function()
    with_rule('types', function()
      local a, b = of('Int', 1, 2), of('Float', 1, 2)
      fails(function() return a + b end, 'an IntTensor and a FloatTensor do not go together')
      fails(function() tensor.cat({ a, b }) end, 'an IntTensor is expected at position 2')
      fails(function() b:add(a) end, 'add')
    end)
  end)

  it('have derivatives', function()
    local gradient = tensor.grad(function(x)
      return (x * tensor.LongTensor { { 2 }, { 3 } } + tensor.IntTensor { 1, 1 }):sum()
    end)
    equals('Float', { { 4, 6 } }, gradient(tensor.FloatTensor { { 1, 2 } }))
    local mixed = tensor.grad(function(x) return (x + tensor.ones(2)):sum() end)
    equals('Float', { 1, 1 }, mixed(tensor.FloatTensor { 1, 2 }))
  end)

  it('are converted in compiled functions', function()
    local f = tensor.compile(function(a, b) return (a + b) / 2 end)
    local a, b = of('Int', 1, 2), of('Float', 2, 3)
    for _ = 1, 3 do equals('Float', { 1.5, 2.5 }, f(a, b)) end
    tensor.setRule('division', 'torch7')
    finally(function() tensor.setRule('division', 'tensor') end)
    equals('Int', { 1, 2 }, f(a, a))
    tensor.setRule('division', 'tensor')
    equals('Double', { 1, 2 }, f(a, a))
  end)
end)

describe('numbers in place of operands', function()
  it('broadcast', function()
    local mask = tensor.ByteTensor { { 1, 0 }, { 0, 1 } }
    equals('Double', { { 9, 0 }, { 0, 9 } }, tensor.where(mask, 9, 0))
    equals('Float', { { 1, 0 }, { 0, 2 } }, tensor.where(mask, tensor.FloatTensor { 1, 2 }, 0))
    equals('Int', { { 7, 1 }, { 2, 7 } }, tensor.where(mask, 7, tensor.IntTensor { { 1 }, { 2 } }))
    equals('Float', { { 9, 0 }, { 0, 9 } }, tensor.FloatTensor():where(mask, 9, 0))
    fails(function() tensor.where(mask, tensor.IntTensor(2, 2), 0.5) end, '0.5 does not fit')
    fails(function() tensor.where(1, 9, 0) end, 'where', 'expected arguments')
    local gradient = tensor.grad(function(x) return tensor.where(x:gt(1), x, 0):sum() end)
    equals('Double', { 0, 1 }, gradient(tensor.Tensor { 0, 2 }))
  end)

  it('are rejected if no operand is a tensor', function()
    local t = tensor.Tensor { 1, 2 }
    fails(function() tensor.cmax(t, 1, 2) end, 'cmax', 'expected arguments')
    equals('Double', { 1, 2 }, t)
  end)

  it('limit elements beside tensors', function()
    local t = tensor.Tensor { 1, 5, 9 }
    local low, high = tensor.Tensor { 2, 2, 2 }, tensor.Tensor { 3, 6, 6 }
    equals('Double', { 2, 5, 6 }, tensor.clamp(t, low, high))
    equals('Double', { 2, 5, 6 }, tensor.clamp(t, 2, high))
    equals('Double', { 2, 5, 6 }, tensor.clamp(t, low, 6))
    equals('Double', { 2, 5, 6 }, t:clone():clamp(low, 6))
    equals('Double', { 1, 5, 9 }, t)
    equals('Double', { { 1, 4, 4 }, { 1, 5, 8 } },
           tensor.clamp(t, tensor.zeros(1), tensor.Tensor { { 4 }, { 8 } }))
    equals('Double', { 2, 5, 6 }, t:clamp(low, high))
    equals('Double', { 2, 5, 6 }, t)
    fails(function() t:clamp(low, tensor.zeros(2, 3)) end, 'clamp')
    local gradient = tensor.grad(function(x) return tensor.clamp(x, low, high):sum() end)
    equals('Double', { 0, 1, 0 }, gradient(tensor.Tensor { 1, 5, 9 }))
  end)
end)

describe('products by *', function()
  local mask, t = tensor.ByteTensor { 1, 0, 1 }, tensor.IntTensor { 1, 2, 3 }
  it('of ByteTensors are errors', function()
    for _, f in ipairs { function() return mask * mask end, function() return mask * t end,
                         function() return t * mask end,
                         function() return mask:view(1, 3) * mask:view(3, 1) end } do
      fails(f, 'cmul', 'cbitand')
    end
    equals('Byte', { 2, 0, 2 }, mask * 2)
    assert.are.equal(14, t * t)
  end)
  it('are dot products by the rule of Torch7', function()
    with_rule('products', function() assert.are.equal(2, mask * mask) end)
  end)
end)

describe('median, mode and kthvalue', function()
  local t = tensor.Tensor { { 3, 1, 2 }, { 6, 5, 2 } }
  it('give numbers for all elements', function()
    assert.are.equal(2, t:median())
    assert.are.equal(2, tensor.mode(t))
    assert.are.equal(5, t:kthvalue(5))
    assert.are.equal(2, t[1]:median())
    assert.are.equal(3, tensor.ByteTensor { 3 }:mode())
    local values, indices = t:median(2)
    equals('Double', { { 2 }, { 5 } }, values)
    equals('Long', { { 3 }, { 2 } }, indices)
    fails(function() t:kthvalue(7) end, 'kthvalue', 'k is 7; expected from 1 to 6')
    fails(function() t:kthvalue(0, 2) end, 'kthvalue', 'k is 0; expected from 1 to 3')
    fails(function() tensor.Tensor():median() end, 'median', 'no elements')
    fails(function() tensor.Tensor():mode() end, 'mode', 'no elements')
  end)
  it('give values and indices of rows by the rule of Torch7', function()
    with_rule('medians', function()
      for name, want in pairs { median = { { 2 }, { 5 } }, mode = { { 1 }, { 2 } } } do
        local values, indices = t[name](t)
        equals('Double', want, values)
        assert.are.equal('torch.LongTensor', tensor.typename(indices))
      end
      equals('Double', { { 1 }, { 2 } }, (t:kthvalue(1)))
    end)
  end)
end)

describe('other rules', function()
  it('randint gives indices', function()
    assert.are.equal('torch.LongTensor', tensor.typename(tensor.randint(1, 7, 5)))
    assert.are.equal('torch.LongTensor', tensor.typename(tensor.randint(7, { 5 })))
    assert.are.equal('torch.HalfTensor',
                     tensor.typename(tensor.randint(tensor.HalfTensor(), 1, 7, 5)))
    tensor.manualSeed(3)
    local want = tensor.randint(-3, 1000, 20):totable()
    with_rule('indices', function()
      tensor.manualSeed(3)
      equals('Double', want, tensor.randint(-3, 1000, 20))
    end)
  end)

  it('randperm gives indices', function()
    local order = tensor.randperm(5)
    assert.are.equal('torch.LongTensor', tensor.typename(order))
    assert.are.same({ 1, 2, 3, 4, 5 }, tensor.range(1, 5):index(1, order):sort():totable())
    assert.are.equal('torch.FloatTensor', tensor.typename(tensor.randperm(tensor.FloatTensor(), 5)))
    tensor.manualSeed(3)
    local want = tensor.randperm(20):totable()
    with_rule('indices', function()
      tensor.manualSeed(3)
      equals('Double', want, tensor.randperm(20))
    end)
  end)

  it('sizes are compared by value', function()
    local a, b = tensor.ones(2, 3), tensor.zeros(2, 3)
    assert.is_true(a:size() == b:size())
    assert.is_true(a:size() ~= b:t():size())
    assert.is_true(a:size() ~= tensor.ones(2):size())
    assert.is_true(tensor.LongStorage() == tensor.LongStorage())
    assert.is_true(#a == #b)
    assert.is_false(tensor.DoubleStorage { 1 } == tensor.DoubleStorage { 1 })
    assert.is_false(a:size() == tensor.DoubleStorage { 2, 3 })
    assert.is_false(a == tensor.ones(2, 3))
    local size = a:size()
    with_rule('sizes', function()
      assert.is_false(a:size() == b:size())
      assert.is_true(size == size)
    end)
  end)

  it('tables have no holes', function()
    fails(function() tensor.Tensor { 1, nil, 3 } end, 'position 2 of ')  -- # is 3 in Lua 5.4
    fails(function() tensor.Tensor { 1, [3] = 3 } end, 'position 2 of the table is nil')
    fails(function() tensor.IntTensor { [1] = 1, [1000] = 3 } end, 'position 2', 'position 1000')
    fails(function() tensor.Tensor { { 1 }, { 2, [5] = 3 } } end, 'position 2')
    fails(function() tensor.Tensor { [5] = 3 } end, 'position 1')
    equals('Double', { 1, 2 }, tensor.Tensor { 1, 2, n = 2 })
    assert.are.equal(0, tensor.Tensor { n = 0 }:dim())
    with_rule('tables', function()
      equals('Int', { 1 }, tensor.IntTensor { [1] = 1, [1000] = 3 })
    end)
  end)

  it('bernoulli does not overwrite probabilities', function()
    local p = tensor.Tensor { 0, 1 }
    for _, t in ipairs { p, p:float(), p:byte() } do
      fails(function() tensor.bernoulli(t) end, 'bernoulli: t:bernoulli() fills t',
            'tensor.emptyLike(p):bernoulli(p) draws')
      assert.are.same({ 0, 1 }, t:totable())
    end
    assert.are.same({ 0, 1 }, tensor.emptyLike(p):bernoulli(p):totable())
    assert.are.same({ 1, 1 }, tensor.bernoulli(tensor.Tensor(2), 1):totable())
    assert.are.equal(1, tensor.bernoulli(1))
    local t = tensor.Tensor(1000):fill(7):bernoulli()
    assert.is_true(t:mean() > 0.3 and t:mean() < 0.7)
    with_rule('arguments', function()
      tensor.bernoulli(t:fill(7))
      assert.is_true(t:mean() > 0.3 and t:mean() < 0.7)
    end)
  end)

  it('repeatTensor does not truncate into a result of another type', function()
    local result = tensor.ByteTensor()
    fails(function() result:repeatTensor(tensor.Tensor { 1.7, 300 }, 1) end)
    assert.are.equal(0, result:dim())
    assert.are.same({ 3, 3 }, tensor.Tensor():repeatTensor(tensor.ByteTensor { 3 }, 2):totable())
    with_rule('types', function()
      assert.are.same({ 1, 44 }, result:repeatTensor(tensor.Tensor { 1.7, 300 }, 1):totable())
    end)
  end)

  it('normal does not overwrite means', function()
    local means = tensor.Tensor { 10, 20 }
    fails(function() tensor.normal(means, 1) end, 'normal: t:normal(mean) fills t',
          'tensor.emptyLike(means):normal(means, stdv) draws')
    assert.are.same({ 10, 20 }, means:totable())
    assert.are.same({ 10, 20 }, tensor.emptyLike(means):normal(means, 1e-9):round():totable())
    assert.are.same({ 5, 5 }, tensor.normal(means, 5, 1e-9):round():totable())
    assert.is_true(means:normal(5):sum() ~= 10)
    with_rule('arguments', function()
      assert.are.equal(means, tensor.normal(means, 7))
    end)
  end)

  it('unused arguments and addresses are errors', function()
    local t = tensor.ones(2)
    fails(function() t:clone(1, 2) end, 'clone: too many arguments')
    fails(function() tensor.setnumthreads(0) end, 'number of threads')
    fails(function() tensor.ones(2, 3):t(9) end, 't: ')
    fails(function() tensor.Tensor(t, 9) end, 'nothing is expected after a tensor')
    with_rule('arguments', function()
      equals('Double', { 1, 1 }, t:clone(1, 2))
      assert.are.equal(1, tensor.ones(3):select(5, 1))
      local r = tensor.Tensor()
      assert.are.equal(r, tensor.clamp(r, tensor.Tensor { 1, 7 }, 5))
      equals('Double', { 5, 7 }, r)
      local m = tensor.ones(2, 3)
      for _, view in ipairs { tensor.Tensor(m, 9), m:new(9), tensor.Tensor():set(m, 9),
                              m:t(9):t(), m:transpose(1, 2, 9):t(), m:narrow(1, 1, 2, nil),
                              m:viewAs(m, nil) } do
        assert.are.same({ 2, 3 }, view:size():totable())
        assert.are.equal(m:storage(), view:storage())
      end
      assert.are.same({ 3 }, m:select(1, 1, 9):size():totable())
      assert.are.same({ 2, 1, 3 }, m:unfold(2, 3, 3, 9):size():totable())
      assert.is_true(m:isSameSizeAs(m, 9))
      local sizes = tensor.LongStorage { 2, 3 }
      local row, new = m:narrow(1, 1, 1), tensor.Tensor
      for _, same in ipairs { m:view(2, 3, nil), m:view(sizes, nil), new():view(m, 2, 3, nil),
                              row:expand(2, 3, nil), row:expand(sizes, nil), row:expandAs(m, nil),
                              m:t():permute(2, 1, nil), new(m:storage(), 1, sizes, nil),
                              new(sizes, nil), new():set(m:storage(), 1, sizes, nil),
                              new():resize(sizes, nil),
                              new():resize(sizes, tensor.LongStorage { 3, 1 }, 9),
                              new({ { 1, 2, 3 }, { 4, 5, 6 } }, 9) } do
        assert.are.same({ 2, 3 }, same:size():totable())
      end
      assert.is_true(m:isSize(sizes, 9))
      assert.is_nil(tensor.cdata(nil))
      assert.is_nil(tensor.data(nil))
      assert.are.equal('123', tensor.CharStorage():string(123):string())
    end)
  end)

  it('unknown fields are errors', function()
    local t = tensor.ones(2)
    fails(function() return t.fooBar end, "no field or method 'fooBar'")
    for _, key in ipairs { 'fooBar', true, false } do fails(function() return t[key] end) end
    with_rule('fields', function()
      for _, key in ipairs { 'fooBar', true, false } do assert.is_nil(t[key]) end
      assert.is_nil(t[nil])
      fails(function() return t[print] end, 'indexed by numbers')
      fails(function() t[true] = 1 end, 'indexed by numbers')
    end)
  end)

  it('files give no functions', function()
    local text = tensor.serialize(function() return 7 end)
    fails(function() tensor.deserialize(text) end, 'function')
    with_rule('files', function() assert.are.equal(7, tensor.deserialize(text)()) end)
  end)

  it('arithmetic that was wrong is right', function()
    assert.are.equal(113, tensor.remainder(tensor.Tensor { -1e20 }, 501)[1])
    fails(function() tensor.pow(tensor.LongTensor { 2 }, -1) end, 'pow')
    with_rule('arithmetic', function()
      assert.are.equal(0, tensor.pow(tensor.LongTensor { 2 }, -1)[1])
    end)
  end)
end)
