-- require 'autograd': the names of torch-autograd, above tensor.grad.

local child = require 'support.child'
local close = require 'support.close'.numbers
local tensor = require 'tensor'
local autograd = require 'tensor.autograd'
local util, loss = autograd.util, autograd.loss

describe('autograd', function()
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(5)
  end)

  describe('grad', function()
    local function f(p, x) return (tensor.cmul(p.a[1], x)):sum() * p.b, 'more' end

    it('returns the gradients and the results', function()
      local p = {a = {tensor.Tensor{1, 2}}, b = 3}
      for _, grad in ipairs {autograd, autograd.grad} do
        local df = grad(f, {optimize = true, profile = 'off'})
        local g, value, more = df(p, tensor.Tensor{4, 5})
        close(tensor.Tensor{12, 15}, g.a[1])
        close(14, g.b)
        close(42, value)
        assert.are.equal('more', more)
      end
    end)

    it('has the options of torch-autograd', function()
      local p, x = {a = {tensor.Tensor{1, 2}}, b = 3}, tensor.Tensor{4, 5}
      close(tensor.Tensor{3, 6}, (autograd(f, {gradArg = 2})(p, x)))
      assert.are.equal(1, select('#', autograd(f, {withForward = false})(p, x)))
      assert.are.equal(f, autograd(f, {withGradients = false}))
      local function square(t, factor) return tensor.cmul(t, t) * factor, 'more' end
      local df = autograd(square, {partialGrad = true})
      local g, y, more = df(x, 2, tensor.Tensor{1, 10})
      close(tensor.Tensor{16, 200}, g)
      close(tensor.Tensor{32, 50}, y)
      assert.are.equal('more', more)
      df = autograd(square, {partialGrad = true, gradArg = 2, withForward = false})
      assert.are.equal(1, select('#', df(x, 2, tensor.Tensor{1, 10})))
      close(266, (df(x, 2, tensor.Tensor{1, 10})))
      assert.has_error(function() df(x) end,
        'autograd: with partialGrad the last argument must be the gradient of the result, got '
        .. 'torch.DoubleTensor')
      assert.error_matches(function() autograd(f, {debugHook = print}) end,
                           'the option debugHook is not supported')
    end)

    it('keeps the tensors of stable gradients', function()
      local df = autograd(f, {stableGradients = true})
      local first = df({a = {tensor.Tensor{1, 2}}, b = 3}, tensor.Tensor{4, 5})
      local t = first.a[1]
      local second = df({a = {tensor.Tensor{1, 2}}, b = 5}, tensor.Tensor{4, 5})
      assert.is_true(rawequal(t, second.a[1]))
      close(tensor.Tensor{20, 25}, t)
      -- A tensor of another shape is new.
      df({a = {tensor.Tensor{1}}, b = 5}, tensor.Tensor{4})
      close(tensor.Tensor{20, 25}, t)
    end)

    it('can be nested', function()
      local inner = autograd(function(x) return x ^ 3 end)
      assert.are.equal(12, (autograd(function(x) return (inner(x)) end)(2)))
    end)

    it('accepts the switches, and refuses what is missing', function()
      assert.is_false(autograd.optimizing())
      autograd.optimize(true)
      assert.is_true(autograd.optimizing())
      autograd.optimize(false)
      autograd.protected(true)
      autograd.protected(false)
      assert.error_matches(function() return autograd.overload end, 'tensor.customGradient')
      assert.error_matches(function() return autograd.model.AlexNet end, 'AlexNet is not supported')
      assert.error_matches(function() return autograd.nn.AutoModule end, 'is not supported')
      assert.is_nil(autograd.unknown)
    end)
  end)

  it('has the losses', function()
    local out, target = tensor.randn(4), tensor.Tensor{0, 1, 0, 1}
    local p = tensor.sigmoid(out)
    local sums = {multinomial = 0, binary = 0, squares = 0, exp = 0, margin = 0}
    for k = 1, 4 do
      sums.multinomial = sums.multinomial - out[k] * target[k]
      sums.binary = sums.binary - math.log(target[k] == 1 and p[k] or 1 - p[k])
      sums.squares = sums.squares + (out[k] - target[k]) ^ 2
      sums.exp = sums.exp + math.exp(out[k])
      for j = 1, 4 do
        if target[k] == 1 and target[j] == 0 then
          sums.margin = sums.margin + math.max(0, 2 - (out[k] - out[j]))
        end
      end
    end
    close(sums.multinomial, loss.logMultinomialLoss(out, target))
    close(sums.binary, loss.logBCELoss(p, target))
    close(sums.binary, loss.logBCELoss(p - 0.125, target, 0.125))
    local value, transformed = loss.crossEntropy(out, target)
    close(sums.multinomial + 2 * math.log(sums.exp), value)
    close(1, transformed:exp():sum())
    value, transformed = loss.binaryCrossEntropy(out, target)
    assert.is_true(math.abs(value - sums.binary) < 1e-4)
    assert.is_true((transformed - p):abs():max() < 1e-5)
    value, transformed = loss.leastSquares(out, target)
    close(sums.squares, value)
    assert.are.equal(out, transformed)
    close(sums.margin, (loss.margin(out, target, 2)))
    assert.are.equal(0, (loss.margin(out, tensor.zeros(4))))
    -- The gradients of all.
    for name, f in pairs(loss) do
      local start = name == 'logBCELoss' and p or out
      assert.is_true(tensor.gradcheck(function(x) return (f(x, target)) end, {start}), name)
    end
  end)

  describe('util', function()
    it('has functions of tensors', function()
      local hot = util.oneHot(tensor.Tensor{2, 1, 3})
      close(tensor.Tensor{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, hot)
      assert.are.equal(4, util.oneHot(tensor.LongTensor{2, 1}, 4):size(2))
      local t = tensor.Tensor{{1, 2}, {3, 4}, {5, 6}}
      close(tensor.Tensor{{{5, 6}, {1, 2}}}, util.lookup(t, tensor.LongTensor{{3, 1}}))
      close(math.log(math.exp(1) + math.exp(3)), util.logSumExp(tensor.Tensor{1, 3}))
      close(1e4 + math.log(2), util.logSumExp(tensor.Tensor{1e4, 1e4}))
      close(tensor.Tensor{0.5}, util.sigmoid(tensor.zeros(1)))
      assert.are.equal(t, util.dropout(t))
      local dropped = util.dropout(tensor.ones(1000), 0.75)
      assert.are.same({0, 4}, dropped:unique():totable())
      close(tensor.zeros(3), util.dropout(tensor.ones(3), 1))
      close(tensor.zeros(3, 2), util.zerosLike(t))
      assert.are.equal('torch.FloatTensor', util.zerosLike(tensor.FloatTensor(1), t):type())
      assert.is_true(util.newTensorLike(t):isSameSizeAs(t))
      local long = tensor.LongTensor(5, 2)
      for _, like in ipairs {util.newTensorLike(long), util.zerosLike(long), util.fill(long, 1)} do
        assert.are.same({5, 2}, like:size():totable())
        assert.are.equal('torch.LongTensor', like:type())
      end
      close(tensor.Tensor{{7, 7}}, util.fill(tensor.Tensor(1, 2), 7))
      close(tensor.Tensor{{1, 2, 1, 2}}, util.cat(t:narrow(1, 1, 1), t:narrow(1, 1, 1)))
      close(tensor.Tensor{{1, 2}, {1, 2}}, util.cat({t:narrow(1, 1, 1), t:narrow(1, 1, 1)}, 1))
      close(tensor.Tensor{3, 4}, util.cat {3, 4})
      local cast = util.cast({t, {a = t, b = 'text'}}, 'float')
      assert.are.equal('torch.FloatTensor', cast[2].a:type())
      assert.are.equal('text', cast[2].b)
      local transposed = t:t()
      assert.is_false(transposed:isContiguous())
      assert.is_true(util.makeContiguous(transposed):isContiguous())
      close(transposed, util.makeContiguous(transposed))
      assert.are.equal(t, util.typeAsIfNeeded(t, tensor.Tensor()))
      local converted = util.typeAsIfNeeded(t, tensor.FloatTensor())
      assert.are.equal('torch.FloatTensor', converted:type())
      close(t, converted)
    end)

    it('has default values of options', function()
      assert.is_true(util.defaultBool(nil, true))
      assert.is_false(util.defaultBool(false, true))
      assert.is_true(util.defaultBool(true, false))
    end)

    it('has functions of tables', function()
      assert.are.same({1, 2, 3, 4}, util.sortedFlatten {b = {3, 4}, a = {x = 1, y = 2}})
      assert.are.same({10, 9}, util.sortedFlatten {[9] = 10, [10] = 9})
      assert.are.same({'one', 'two', 'a'}, util.sortedFlatten {'one', 'two', a = 'a'})
      local inner = {1}
      assert.are.equal(inner, util.sortedFlatten({inner}, nil, true)[1])
      local t = {}
      util.nestedSet(t, {'a', 2, 'b'}, 5)
      assert.are.equal(5, t.a[2].b)
      assert.are.equal(5, util.nestedGet(t, {'a', 2, 'b'}))
      assert.is_nil(util.nestedGet(t, {'c', 2}))
      local copy = util.deepCopy(t)
      copy.a[2].b = 6
      assert.are.equal(5, t.a[2].b)
    end)

    it('compares numbers that depend on parameters', function()
      local seen = {}
      autograd(function(x)
        local n = x:sum()
        seen = {util.lt(n, 4), util.le(3, n), util.gt(n, 3), util.ge(2, n), util.eq(n, 3)}
        return n
      end)(tensor.Tensor{1, 2})
      assert.are.same({true, true, false, false, true}, seen)
    end)
  end)

  it('checks gradients', function()
    tensor.manualSeed(1)  -- a direction may hide an error
    local check = autograd.gradcheck {randomizeInput = false}
    local w, x = tensor.randn(3), tensor.randn(3)
    assert.is_true(check(function(p, t) return p.w:dot(t) ^ 2 end, {w = w}, x))
    local wrong = tensor.customGradient(function(t) return t * 2 end,
                                        function(g) return {g[1] * 3} end)
    local printed, print_before = nil, print
    _G.print = function(text) printed = text end
    local ok = check(function(p) return wrong(p):sum() end, w)
    _G.print = print_before
    assert.is_false(ok)
    assert.matches('^gradcheck: the derivative is', printed)
    local before = w:clone()
    assert.is_true(autograd.gradcheck(function(p) return p:sum() end, w))
    assert.is_false(before:equal(w))
  end)

  describe('optim', function()
    it('updates each tensor with a state of its own', function()
      local params = {b = tensor.Tensor{1}, a = {tensor.Tensor{2, 3}, tensor.Tensor{4}}}
      local df = autograd(function(p, factor)
        return (p.b:sum() + p.a[1]:sum() * 2 + p.a[2]:sum() * 3) * factor, 'more'
      end)
      local step, states = autograd.optim.sgd(df, {learningRate = 0.5, momentum = 0.5}, params)
      local g, value, more = step(1)
      close(1 + 10 + 12, value)
      close(tensor.Tensor{1}, g.b)
      assert.are.equal('more', more)
      close(tensor.Tensor{0.5}, params.b)
      close(tensor.Tensor{1, 2}, params.a[1])
      close(tensor.Tensor{2.5}, params.a[2])
      assert.are.equal(3, #states)
      assert.are_not.equal(states[1], states[2])
    end)

    it('uses the package optim if there is one', function()
      local seen = {}
      local loaded, names = package.loaded.optim, autograd.optim
      package.loaded.optim = {
        mine = function(f, x, state)
          local _, gradient = f()
          seen[#seen + 1] = state
          x:add(-state.rate, gradient)
        end,
      }
      local params = {tensor.Tensor{1}, tensor.Tensor{2}}
      local step = names.mine(autograd(function(p) return p[1]:sum() + p[2]:sum() end),
                              {rate = 0.25}, params)
      step()
      package.loaded.optim = loaded
      close(tensor.Tensor{0.75}, params[1])
      close(tensor.Tensor{1.75}, params[2])
      assert.are_not.equal(seen[1], seen[2])
    end)

    it('refuses unknown functions and parameters without elements', function()
      assert.error_matches(function() return autograd.optim.unknown end, 'optim.unknown')
      assert.error_matches(function() autograd.optim.adam(print, {}, {1}) end,
                           'parameter 1 is a number')
    end)
  end)

  describe('model.NeuralNetwork', function()
    it('learns', function()
      local f, params, layers = autograd.model.NeuralNetwork {
        inputFeatures = 2, hiddenFeatures = {8, 2}, activations = 'Tanh', classifier = true,
      }
      assert.are.equal(2, #params)
      assert.are.equal(3, #layers)
      local x = tensor.Tensor{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
      local y = util.oneHot(tensor.LongTensor{1, 2, 2, 1}):double()
      local step = autograd.optim.adam(autograd(function(p)
        return (loss.leastSquares(f(p, x), y))
      end), {learningRate = 0.05}, params)
      local value
      for _ = 1, 200 do
        value = select(2, step())
      end
      assert.is_true(value < 0.01, tostring(value))
      close(f(params, x)[2], f(params, x[2]))
    end)

    it('has dropout and batch normalization', function()
      local f, params = autograd.model.NeuralNetwork {
        inputFeatures = 3, hiddenFeatures = {4, 2}, dropoutProb = 0.5, batchNormalization = true,
      }
      assert.are.equal(4, #params)
      local x = tensor.randn(6, 3)
      assert.is_false(f(params, x):equal(f(params, x)))
      local g = autograd(function(p) return f(p, x):sum() end)(params)
      assert.is_true(g[1][1]:isSameSizeAs(params[1][1]))
      assert.error_matches(function() autograd.model.NeuralNetwork {activations = 'X'} end,
                           'unknown activation X')
    end)
  end)

  describe('require', function()
    it('finds ours after require torch', function()
      assert.are.equal('true\ttrue\t6\n', child.run [[
        require 'torch'
        local autograd = require 'autograd'
        print(autograd == require 'tensor.autograd',
              require 'autograd.util' == autograd.util,
              (autograd(function(x) return x * x end)(3)))]])
    end)

    it('prefers an installed package', function()
      assert.are.equal('theirs\tfalse\n', child.run [[
        require 'torch'
        package.preload.autograd = function() return 'theirs' end
        print(require 'autograd', (pcall(require, 'autograd.util')))]])
    end)

    it('reports that nn is missing', function()
      if package.searchpath and package.searchpath('nn', package.path) then
        return
      end
      assert.matches('autograd.nn.Linear: the package nn could not be loaded', child.run [[
        require 'torch'
        print(pcall(function() return require 'autograd'.nn.Linear end))]], 1, true)
    end)
  end)
end)
