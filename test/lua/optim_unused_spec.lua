-- tensor.optim: `false` instead of a gradient leaves a parameter as it is.

local tensor = require 'tensor'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'

local V = tensor.DoubleTensor
local optimizers = {
  sgd = { rate = 0.1, momentum = 0.9, decay = 0.1 }, adam = { rate = 0.1, decay = 0.1 },
  adamW = { rate = 0.1, decay = 0.1 }, rmsprop = { rate = 0.1, momentum = 0.9 },
  adagrad = { rate = 0.1 }, adamax = { rate = 0.1 }, nadam = { rate = 0.1 },
  radam = { rate = 0.1, beta2 = 0.7 }, lion = { rate = 0.1, decay = 0.1 },
  adadelta = { decay = 0.1 },
}

-- The steps in which the parameter b has a gradient.
local used = { false, true, true, false, true }

describe('false as a gradient', function()
  for name, options in pairs(optimizers) do
    it('leaves a parameter as it is in ' .. name, function()
      local params, alone = { a = V { 1, 2 }, b = V { 3, 4 } }, { b = V { 3, 4 } }
      local step, step_alone = optim[name](options), optim[name](options)
      local g = V { 0.5, -1 }
      for _, is_used in ipairs(used) do
        local before = params.b:clone()
        step(params, { a = g, b = is_used and g })
        if is_used then
          step_alone(alone, { b = g })
        else
          assert.is_true(before:equal(params.b))
        end
      end
      assert.is_true(params.b:allclose(alone.b, 1e-12, 0))
      assert.are.equal(5, step:steps())
      local all, expected = { a = V { 1, 2 } }, optim[name](options)
      for _ = 1, 5 do expected(all, { a = g }) end
      assert.is_true(all.a:equal(params.a))
    end)
  end

  for name, options in pairs(optimizers) do
    it('in turn updates two parts of the parameters in ' .. name, function()
      local params, step = { a = V { 1, 2 }, b = V { 3, 4 } }, optim[name](options)
      local apart = {}
      for part, p in pairs(params) do
        apart[part] = { params = { p:clone() }, step = optim[name](options) }
      end
      for k = 1, 6 do
        local g = V { 0.5, -k }
        step(params, { a = k % 2 == 1 and g, b = k % 2 == 0 and g })
        local alone = apart[k % 2 == 1 and 'a' or 'b']
        alone.step(alone.params, { g })
        if k == 1 or k == 3 then
          local file = os.tmpname()
          require 'tensor.training'.save(file, { params = params, step = step })
          step = optim[name](options)
          require 'tensor.training'.load(file, { params = params, step = step })
          os.remove(file)
        end
      end
      for part, alone in pairs(apart) do
        assert.is_true(params[part]:allclose(alone.params[1], 1e-12, 0))
      end
      assert.error_matches(function() step({ c = V { 1 } }, { c = V { 1 } }) end,
                           'the state is that of other parameters: params.c is not among those')
    end)
  end

  it('stands for a table of gradients', function()
    local params = { head = { w = tensor.ones(2), b = { tensor.ones(1) } }, body = tensor.ones(1) }
    local step = optim.adamW { rate = 0.1 }
    step(params, { head = false, body = tensor.ones(1) })
    assert.are.same({ 1, 1, 1 }, tensor.cat(params.head.w, params.head.b[1]):totable())
    assert.is_true(params.body[1] < 1)
    assert.are.equal(1, step:steps())
  end)

  it('at one place of a tied parameter keeps the gradient at the other', function()
    local w, options = tensor.ones(2), { rate = 0.5, momentum = 0.9 }
    local step, params = optim.sgd(options), { a = w, b = w }
    step(params, { a = false, b = V { 1, 2 } })
    assert.are.same({ 0.5, 0 }, w:totable())
    assert.are.same({ '.a' }, step.state.paths)
    step(params, { a = V { 0, 0 }, b = false })
    assert.is_true(w:allclose(V { 0.05, -0.9 }))
  end)

  it('of a Blob, a number or a constant is accepted', function()
    local blob = tensor.DoubleBlob(2)
    blob:data():fill(3)
    local params = { blob = blob, number = 2, index = tensor.LongTensor { 1 } }
    optim.sgd { rate = 1 }(params, { blob = false, number = false, index = false })
    assert.are.same({ 3, 3 }, blob:data():totable())
  end)

  it('counts as 0 in lbfgs', function()
    local target = V { 1, -2 }
    local params = { a = V { 5, 5 }, b = V { 7, 7 } }
    local step = optim.lbfgs {}
    for _ = 1, 3 do
      step(params, function(p)
        local difference = p.a - target
        return { a = difference * 2, b = false }, difference:dot(difference)
      end)
    end
    assert.is_true(params.a:allclose(target))
    assert.are.same({ 7, 7 }, params.b:totable())
  end)

  it('returns the norm as a tensor with the option tensors of clipNorm', function()
    local gradients = {tensor.Tensor{3, 0}, {x = tensor.Tensor{{4}}}}
    assert.are.same({5}, optim.clipNorm(gradients, 10, {tensors = true}):totable())
    assert.are.same({5}, optim.clipNorm(gradients, 1, {tensors = true}):totable())
    assert.is_true(math.abs(tree.norm(gradients) - 1) < 1e-6)
    assert.are.same({0}, optim.clipNorm({}, 1, {tensors = true}):totable())
    assert.are.equal(0, optim.clipNorm({}, 1, {}))
    assert.has_error(function() optim.clipNorm(gradients, 1, {tensor = true}) end,
                     'optim.clipNorm: unknown option tensor; the options are tensors')
    assert.has_error(function() optim.clipNorm(gradients, 1, 3) end,
                     'optim.clipNorm: a table of options is expected, got a number; ' ..
                     'the options are tensors')
  end)

  it('does not change the norm of clipNorm', function()
    local gradients = { a = V { 3, 4 }, b = false, c = { false } }
    assert.are.equal(5, optim.clipNorm(gradients, 1))
    assert.is_true(math.abs(tree.norm(gradients) - 1) < 1e-6)
    assert.is_false(gradients.b)
  end)

  it('works in a compiled step', function()
    local function run(wrap)
      local params, step = { a = V { 1, 2 }, b = V { 3 } }, optim.adam { rate = 0.1 }
      local df = tensor.grad(function(p) return tensor.cmul(p.a, p.a):sum() end)
      local f = wrap(function(p)
        local gradients = df(p)
        gradients.b = false
        step(p, gradients)
      end)
      for _ = 1, 4 do f(params) end
      return params
    end
    local plain, compiled = run(function(f) return f end), run(tensor.compile)
    assert.is_true(plain.a:equal(compiled.a))
    assert.are.same({ 3 }, compiled.b:totable())
  end)

  it('is not nil, which is an error', function()
    local message = 'optim.sgd: params.a: a tensor of size [1] is expected as the gradient, got nil'
    assert.has_error(function() optim.sgd { rate = 1 }({ a = V { 1 } }, {}) end, message)
  end)
end)
