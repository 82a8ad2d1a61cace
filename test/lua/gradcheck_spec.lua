-- tensor.gradcheck: gradients against differences, and its errors.

local tensor = require 'tensor'
local D = tensor.DoubleTensor

local function same(x) return x end

describe('tensor.gradcheck', function()
  -- One direction in 10,000 is nearly orthogonal to the error of a gradient, which it hides then.
  before_each(function() tensor.manualSeed(1) end)

  it('accepts right gradients', function()
    local f = function(x, n) return tensor.tanh(x * n) end
    assert.is_true(tensor.gradcheck(f, { D{ 1, 2 }, 0.5 }, { order = 2 }))
    assert.is_true(tensor.gradcheck(function(p) return { p.a:exp(), p.b[1] } end,
                                    { { a = D{ 1, 2 }, b = { D{ 3 } } } }))
  end)
  it('leaves arguments that f overwrites as they are', function()
    local x = D{ 1, 2 }
    assert.is_true(tensor.gradcheck(function(t) return t:tanh() end, { x }, { order = 2 }))
    assert.are.same({ 1, 2 }, x:totable())
  end)
  it('accepts tables with a field n, and tensors of integers', function()
    local index = tensor.LongTensor{ 2, 1 }
    assert.is_true(tensor.gradcheck(function(p)
      return p.n * p.w:index(1, p.index), p.index, p.n * p.n
    end, { { n = 3, w = D{ 1, 2 }, index = index } }, { order = 2 }))
    assert.are.same({ 2, 1 }, index:totable())
  end)
  it('checks its options', function()
    assert.matches('gradcheck: unknown option orders', select(2, pcall(tensor.gradcheck,
      same, { D{ 1 } }, { orders = 2 })))
    for options, expected in pairs{
      [{ order = 3 }] = 'order must be 1 or 2, got 3',
      [{ directions = 0 }] = 'directions must be a whole number of at least 1, got 0',
      [{ directions = 1.5 }] = 'directions must be a whole number of at least 1, got 1.5',
      [{ step = 0 }] = 'step must be finite and above 0, got 0',
      [{ tolerance = math.huge }] = 'tolerance must be finite and at least 0, got inf',
      [{ tolerance = 0 / 0 }] = 'tolerance must be finite and at least 0, got %-?nan',
    } do
      assert.matches('gradcheck: option ' .. expected .. '$',
                     select(2, pcall(tensor.gradcheck, same, { D{ 1 } }, options)))
    end
  end)
  it('refuses functions without a derivative to check', function()
    local values = ' contain no number and no tensor of a floating-point type'
    local function fails(expected, f, args)
      assert.has_error(function() tensor.gradcheck(f, args) end, 'gradcheck: ' .. expected)
    end
    fails('the results' .. values, function() end, { D{ 1 } })
    fails('the results' .. values, function() return 'x', { true } end, { D{ 1 } })
    fails('the results' .. values, function(x) return x:long() end, { D{ 1 } })
    fails('the arguments' .. values, same, {})
    fails('the arguments' .. values, same, { tensor.LongTensor{ 1 } })
    local blob = tensor.DoubleBlob(2)
    fails('the arguments contain a Blob; use its data, a tensor',
          function(b) return b:data() * 2 end, { D{ 1 }, { blob } })
    fails('the results contain a Blob; use its data, a tensor', function() return blob end,
          { D{ 1 } })
  end)
  it('finds wrong ones', function()
    local wrong = tensor.customGradient(function(t) return tensor.cmul(t, t) end,
      function(g, _, t) return { tensor.cmul(g[1], t[1]) } end)
    local ok, message = tensor.gradcheck(wrong, { D{ 1, 2 } })
    assert.is_false(ok)
    assert.matches('the derivative is .*, but differences give [^;]*$', message)
    ok, message = tensor.gradcheck(wrong, { tensor.FloatTensor{ 1, 2 } })
    assert.is_false(ok)
    assert.matches('; the arguments should be DoubleTensors, one is a torch.FloatTensor$', message)
    local of_second = tensor.customGradient(function(t) return tensor.pow(t, 3) end,
      function(g, _, t) return { tensor.cmul(g[1], tensor.stopGradient(t[1] ^ 2) * 3) } end)
    assert.is_true(tensor.gradcheck(of_second, { D{ 1, 2 } }))
    ok, message = tensor.gradcheck(of_second, { D{ 1, 2 } }, { order = 2 })
    assert.is_false(ok)
    assert.matches('^second order: ', message)
  end)
end)

describe('tracked numbers', function()
  local x, mask = D{ 0.5, -2 }, tensor.ByteTensor{ 1, 0 }

  -- Compares the gradient of f(number, tensor) with differences, where f returns a tensor.
  local function is_right(f)
    assert.is_true(tensor.gradcheck(f, { 0.25, x:clone() }, { order = 2 }))
  end

  it('are accepted by full, clamp, clampMax, where and maskedFill', function()
    is_right(function(n, t) return tensor.full(2, n * n) + t end)
    is_right(function(n, t) return tensor.full({ 2 }, n * n) + t end)
    is_right(function(n, t) return D.full(2, n * n) + t end)
    is_right(function(n, t) return tensor.clamp(t, n * n) end)
    is_right(function(n, t) return (t * 1):clamp(n * n, 2) end)
    is_right(function(n, t) return tensor.clampMax(t, n * n) end)
    is_right(function(n, t) return (t * 1):clampMax(n * n) end)
    is_right(function(n, t) return tensor.where(mask, t, n * n) end)
    is_right(function(n, t) return tensor.where(mask, n * n, t) end)
    is_right(function(n) return tensor.where(mask, 0, n * n) end)
    is_right(function(n, t) return (t * 1):maskedFill(mask, n * n) end)
    local slope = tensor.grad(function(n)
      return (tensor.where(mask, x:float(), n * n) + tensor.FloatTensor.full(2, n)):sum()
    end)(3)
    assert.are.equal(8, slope)
  end)

  it('are accepted by functions of two tensors', function()
    for _, name in ipairs{ 'hypot', 'logaddexp', 'fmax', 'fmin', 'atan2' } do
      is_right(function(n, t) return tensor[name](t, n * n) end)
      is_right(function(n, t) return tensor[name](n * n, t) end)
      is_right(function(n, t) return (t * 1)[name](t * 1, n * n) end)
    end
    is_right(function(n, t) return tensor.xlogy(t, n * n) end)
    is_right(function(n, t) return tensor.xlogy(n, t * t) end)
    is_right(function(n, t) return tensor.copysign(t, n) end)
    is_right(function(n, t) return tensor.copysign(n, t) end)
    local slope = tensor.grad(function(n) return tensor.igamma(D{ 1, 2 }, n):sum() end)(1)
    assert.is_true(math.abs(slope - 2 * math.exp(-1)) < 1e-12)
  end)

  it('are accepted by fullLike and indexPut', function()
    local index, twice = tensor.LongTensor{ 2 }, tensor.LongTensor{ 2, 2 }
    is_right(function(n, t) return tensor.fullLike(t, n * n) + t end)
    is_right(function(n, t) return tensor.fullLike(t * 1, t, n * n) + t end)
    is_right(function(n, t) return (t * 1):indexPut(mask, n * n) end)
    is_right(function(n, t) return (t * 1):indexPut({ index }, n * n) end)
    is_right(function(n, t) return (t * 1):indexPut({ twice }, n * n, true) end)
  end)

  it('are written to storages', function()
    is_right(function(n, t)
      local y = t * 1
      y:storage()[2] = n * y[1]
      return y
    end)
    is_right(function(n, t)
      local y = t * 1
      y:storage():fill(n * y[1])
      return y
    end)
    local found = tensor.grad(function(t)
      local y, whole = tensor.FloatTensor(3):zero(), tensor.LongTensor(2)
      y:storage()[3] = t[1] * t[2]
      whole:storage()[1] = t[1]
      return y:sum() + whole[1]
    end)(D{ 2, 5 })
    assert.are.same({ 5, 2 }, found:totable())
  end)

  it('whose tensor was replaced are errors', function()
    local freed = D{ 1 }
    getmetatable(freed).__gc(freed)
    for _, other in ipairs{ tensor.FloatStorage(4), tensor.FloatTensor{ 1 }, D(), D{ 1, 2 }, freed,
                            5, false } do
      local function replaced(n)
        n.tensor = other or nil
        return n
      end
      for _, f in ipairs{
        function(n) D(2):storage():fill(replaced(n)) end,
        function(n) D(2):storage()[1] = replaced(n) end,
        function(n) D(2)[1] = replaced(n) end,
        function(n) return D{ 1, replaced(n) } end,
        tensor.compile(function(n) return replaced(n * n) end)
      } do
        assert.is_false((pcall(tensor.grad(f), 3)))
      end
    end
    assert.error_matches(function()
      tensor.grad(function(n)
        n.tensor = 5
        D(2):storage():fill(n)
      end)(3)
    end, "fill: the field 'tensor' of a number .* was replaced")
  end)

  it('are named in the errors of operations that do not accept them', function()
    local function refused(message, f)
      local fine, found = pcall(tensor.grad(function(n)
        local result = f(n)
        return result:sum()
      end), 2)
      assert.is_false(fine)
      assert.matches('^%S*gradcheck_spec.lua:%d+: ' .. message, found)
    end
    local cause = 'a number that depends on the arguments of a gradient'
    refused('linspace: invalid arguments: %(number, tracked number, number%): ' .. cause,
            function(n) local t = tensor.linspace(0, n, 3) return t end)
    refused('range: invalid arguments: %(tracked number, number%): ' .. cause,
            function(n) local t = tensor.range(n, 3) return t end)
    refused('indexFill: ' .. cause,
            function(n) local t = (x * 1):indexFill(1, tensor.LongTensor{ 1 }, n) return t end)
    refused('where: ' .. cause, function(n) local t = (x * 1):where(mask, x, n) return t end)
    refused('maskedFill: ' .. cause, function(n)
      local t = (x * 1):maskedFill(mask, n, 1)
      return t
    end)
    refused('where: ' .. cause, function(n) local t = tensor.where(n:gt(1), x, x * 2) return t end)
    local whole = tensor.LongTensor{ 1, 2 }
    refused('maskedFill: ' .. cause,
            function(n) local t = whole:clone():maskedFill(mask, n) return t end)
  end)
end)
