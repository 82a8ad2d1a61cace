-- autograd.functionalize: modules of nn as functions. A stand-in for nn has modules in Lua, with
-- buffers that each call overwrites.

local close = require 'support.close'.numbers
local tensor = require 'tensor'
local autograd = require 'tensor.autograd'
local util = autograd.util

local counts = {}

local Base = {}
Base.__index = Base
function Base:type() return self.output:type() end
function Base:parameters()
  if self.weight then
    return {self.weight, self.bias}, {self.gradWeight, self.gradBias}
  end
end
function Base:forward(x)
  counts.forward = (counts.forward or 0) + 1
  return self:updateOutput(x)
end

local function class(methods)
  methods.__index = methods
  setmetatable(methods, {__index = Base, __call = function(_, ...)
    local object = setmetatable({output = tensor.Tensor(), gradInput = tensor.Tensor()}, methods)
    object:init(...)
    return object
  end})
  return methods
end

local nn = {}

nn.Linear = class {
  init = function(self, inputs, outputs)
    self.weight, self.bias = tensor.randn(outputs, inputs), tensor.randn(outputs)
    self.gradWeight, self.gradBias = tensor.zeros(outputs, inputs), tensor.zeros(outputs)
  end,
  updateOutput = function(self, x)
    return self.output:resize(x:size(1), self.bias:size(1))
      :copy(self.bias:view(1, -1):expandAs(self.output)):addmm(x, self.weight:t())
  end,
  updateGradInput = function(self, x, g)
    return self.gradInput:resizeAs(x):mm(g, self.weight)
  end,
  accGradParameters = function(self, x, g, scale)
    self.gradWeight:addmm(scale, g:t(), x)
    self.gradBias:add(scale, g:sum(1):view(-1))
  end,
}
-- Its gradient is computed from its output.
nn.Tanh = class {
  init = function() end,
  updateOutput = function(self, x) return self.output:resizeAs(x):copy(x):tanh() end,
  updateGradInput = function(self, x, g)
    self.gradInput:resizeAs(x):copy(self.output):pow(2):mul(-1):add(1)
    return self.gradInput:cmul(g)
  end,
  accGradParameters = function() end,
}
-- Its gradient is computed from random numbers that it keeps.
nn.Dropout = class {
  init = function(self) self.buffers = {noise = tensor.Tensor()} end,
  updateOutput = function(self, x)
    self.buffers.noise:resizeAs(x):bernoulli(0.5):mul(2)
    return self.output:resizeAs(x):cmul(x, self.buffers.noise)
  end,
  updateGradInput = function(self, x, g)
    return self.gradInput:resizeAs(x):cmul(g, self.buffers.noise)
  end,
  accGradParameters = function() end,
}
-- A table of two results.
nn.Both = class {
  init = function() end,
  updateOutput = function(_, x) return {x * 2, x * 3} end,
  updateGradInput = function(_, _, g) return g[1] * 2 + g[2] * 3 end,
  accGradParameters = function() end,
}
nn.MSECriterion = class {
  init = function() end,
  parameters = false, accGradParameters = false,
  updateOutput = function(_, x, y) return (x - y):pow(2):mean() end,
  updateGradInput = function(self, x, y)
    self.gradInput = (x - y) * (2 / x:nElement())
    return self.gradInput
  end,
}
nn.MSECriterion.forward = nn.MSECriterion.updateOutput

describe('autograd.functionalize', function()
  local modules
  setup(function()
    package.preload['stand-in-nn'] = function() return nn end
  end)
  teardown(function()
    package.preload['stand-in-nn'], package.loaded['stand-in-nn'] = nil, nil
  end)
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(5)
    counts = {}
    modules = autograd.functionalize 'stand-in-nn'
  end)

  it('makes a function of a module and its parameters', function()
    local f, params = modules.Linear(3, 2)
    assert.are.equal(2, #params)
    local x = tensor.randn(4, 3)
    local function own(p, t) return tensor.addmm(p[2], t, p[1]:t()) end
    close(own(params, x), f(params, x))
    local function squared(layer)
      return function(p, t)
        local y = layer(p, t)
        return tensor.cmul(y, y):sum()
      end
    end
    for argument = 1, 2 do
      local expected = autograd(squared(own), {gradArg = argument})(params, x)
      local found = autograd(squared(f), {gradArg = argument})(params, x)
      for k, t in ipairs(util.sortedFlatten(expected)) do
        close(t, util.sortedFlatten(found)[k])
      end
    end
    -- With other parameters. Those of the module stay.
    local others, before = {tensor.randn(2, 3), tensor.randn(2)}, params[1]:clone()
    close(own(others, x), f(others, x))
    close(autograd(squared(own))(others, x)[1], autograd(squared(f))(others, x)[1])
    close(before, f.module.weight)
    close(tensor.zeros(2, 3), f.module.gradWeight)
    assert.error_matches(function() f({tensor.randn(3, 3), others[2]}, x) end, 'parameter 1')
    assert.error_matches(function() f({}, x) end, 'got nil')
    assert.error_matches(function() f(params, 5) end, 'must be a tensor or a table of tensors')
  end)

  it('may call a module several times', function()
    local f = modules.Tanh()
    local function cascade(act)
      return function(x) return tensor.cmul(act(act(x * 2) + x), act(x)):sum() end
    end
    local x = tensor.randn(5)
    close((autograd(cascade(tensor.tanh))(x)), (autograd(cascade(f))(x)))
    assert.are.equal(3, counts.forward)
    -- A result may be overwritten.
    local function overwrite(act)
      return function(t)
        local y = act(t)
        local z = act(y)
        return tensor.cmul(y:mul(2), z):sum()
      end
    end
    close((autograd(overwrite(tensor.tanh))(x)), (autograd(overwrite(f))(x)))
  end)

  it('keeps the random numbers of each call', function()
    local f = modules.Dropout()
    local first, second
    local g = autograd(function(x)
      first, second = f(x), f(x)
      return first:sum() + second:sum() * 3
    end)(tensor.ones(50))
    close(first + second * 3, g)
  end)

  it('copies no state where each module is called once', function()
    local state = require 'tensor.autograd.state'
    local capture, copies = state.capture, 0
    state.capture = function(...)
      copies = copies + 1
      return capture(...)
    end
    local f = modules.Tanh()
    local df = autograd(function(x) return f(x):sum() end)
    local x = tensor.randn(3)
    for _ = 1, 3 do
      df(x)
      f(x)
    end
    local without = copies
    autograd(function(t) return f(f(t)):sum() end)(x)
    state.capture = capture
    assert.are.equal(0, without)
    assert.is_true(copies > 0)
  end)

  it('accepts tables of results', function()
    local f = modules.Both()
    local x = tensor.randn(3)
    close(tensor.Tensor(3):fill(3), (autograd(function(t) return f(t)[2]:sum() end)(x)))
    close(tensor.Tensor(3):fill(5), (autograd(function(t)
      local y = f(t)
      return y[1]:sum() + y[2]:sum()
    end)(x)))
  end)

  it('makes a function of a criterion', function()
    local f = modules.MSECriterion()
    local x, y = tensor.randn(4), tensor.randn(4)
    close((x - y):pow(2):mean(), f(x, y))
    close((x - y) * 1.5, (autograd(function(t) return f(t, y) * 3 end)(x)))
  end)

  it('refuses second derivatives and other objects', function()
    local f = modules.Tanh()
    local df = autograd(function(x) return f(x):sum() end)
    local second = autograd(function(x) return (df(x)):sum() end)
    assert.error_matches(function() second(tensor.randn(3)) end,
                         'second derivatives of .* are not available')
    assert.error_matches(function() autograd.functionalize({}) end, 'a module of nn')
    assert.error_matches(function() return modules.Unknown end, 'has no such class')
    assert.error_matches(function()
      return autograd.functionalize('no-such-package').Linear
    end, 'the package no%-such%-package could not be loaded')
  end)
end)
