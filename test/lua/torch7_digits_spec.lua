-- examples/torch7_digits.lua as run by a user, and the gradients of its modules.

local child = require 'support.child'
local tensor = require 'tensor'

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local examples = here .. '../../examples'
package.path = examples .. '/?.lua;' .. package.path
local pairing = tensor.getBroadcast()
local modules = require 'lib.modules'
tensor.setBroadcast(pairing)

local function run(options, before)
  local code = ([[
    arg = {}
    for word in (%q):gmatch '%%S+' do arg[#arg + 1] = word end
    dofile(%q)
  ]]):format(options, examples .. '/torch7_digits.lua')
  return child.run(code, {before = before, seconds = 300})
end

-- Returns the output lines of epochs and of the end, without times.
local function results(output)
  local lines = {}
  for line in output:gmatch '[^\n]+' do
    if line:find '^epoch' or line:find '^test' then lines[#lines + 1] = line end
  end
  return lines
end

describe('examples/torch7_digits.lua', function()
  local first, second = os.tmpname(), os.tmpname()
  teardown(function()
    os.remove(first)
    os.remove(second)
  end)

  local whole
  it('learns', function()
    local output, status = run('-epochs 3 -save ' .. first)
    assert.are.equal(0, status, output)
    whole = results(output)
    assert.are.equal(4, #whole)
    local accuracy = tonumber(whole[4]:match '^test accuracy ([%d.]+) %%$')
    assert.is_true(accuracy >= 94 and accuracy <= 100, output)
  end)

  it('goes on after a break as if there had been none', function()
    local output, status = run('-epochs 1 -save ' .. second)
    assert.are.equal(0, status, output)
    assert.are.equal(whole[1], results(output)[1])
    output, status = run(('-epochs 3 -resume %s -save %s'):format(second, second))
    assert.are.equal(0, status, output)
    assert.are.same({whole[2], whole[3], whole[4]}, results(output))
    local a, b = tensor.load(first), tensor.load(second)
    assert.are.equal(3, b.epoch)
    assert.is_true(a.random:equal(b.random))
    assert.is_true(a.descent.velocity:equal(b.descent.velocity))
    local ours, theirs = a.net:parameters(), b.net:parameters()
    assert.are.equal(6, #ours)
    for k = 1, #ours do assert.is_true(ours[k]:equal(theirs[k])) end
  end)

  it('computes on a device by the names of cutorch', function()
    local output, status = run('-epochs 1 -gpu 1', 'export TENSOR_DEVICE=soft')
    assert.are.equal(0, status, output)
    assert.matches('parameters, torch.CudaTensor', output, 1, true)
    local loss = tonumber(output:match 'epoch 1  loss ([%d.]+)')
    assert.is_true(math.abs(loss - tonumber(whole[1]:match 'loss ([%d.]+)')) < 0.01, output)
  end)

  it('refuses a file that brings functions', function()
    tensor.save(second, {epoch = 0, net = function() end})
    local output, status = run('-resume ' .. second)
    assert.are_not.equal(0, status)
    assert.matches('the file contains a function', output, 1, true)
  end)
end)

describe('the gradients of', function()
  before_each(function() tensor.setBroadcast 'torch7' end)
  after_each(function() tensor.setBroadcast(pairing) end)

  -- Approximates the gradient of f at t by finite differences.
  local function slopes(t, f)
    local flat, result = t:view(t:nElement()), t:clone():zero()
    for i = 1, flat:size(1) do
      local value, step = flat[i], 1e-5
      flat[i] = value + step
      local above = f()
      flat[i] = value - step
      result:view(-1)[i] = (above - f()) / (2 * step)
      flat[i] = value
    end
    return result
  end
  local function check(wanted, got)
    assert.is_true(wanted:isSameSizeAs(got))
    assert.is_true((wanted - got):abs():max() < 1e-6)
  end

  for name, make in pairs {
    Linear = function() return modules.Linear(12, 4), tensor.randn(3, 12) end,
    Convolution = function() return modules.Convolution(2, 3, 2), tensor.randn(2, 2, 4, 5) end,
    MaxPooling = function() return modules.MaxPooling(2), tensor.randn(2, 2, 4, 6) end,
    ReLU = function() return modules.ReLU(), tensor.randn(3, 4) end,
    Sequential = function()
      return modules.Sequential():add(modules.Convolution(1, 2, 3)):add(modules.ReLU())
                                 :add(modules.MaxPooling(2)):add(modules.Linear(2 * 2 * 2, 3)),
             tensor.randn(2, 1, 6, 6)
    end,
  } do
    it(name .. ' are its slopes', function()
      tensor.manualSeed(3)
      local module, input = make()
      module:double()
      local weight = tensor.randn(module:forward(input):size())
      local function f() return module:forward(input):dot(weight) end
      local wanted = slopes(input, f)
      f()
      check(wanted, module:backward(input, weight))
      local parameters, gradients = module:parameters()
      for k = 1, #parameters do check(slopes(parameters[k], f), gradients[k]) end
      local copy = module:clone()
      assert.is_true(copy:forward(input):equal(module:forward(input)))
      assert.are.equal(tensor.type(module), tensor.type(copy))
    end)
  end

  it('CrossEntropy are its slopes', function()
    local criterion, scores = modules.CrossEntropy(), tensor.randn(4, 5)
    local classes = tensor.LongTensor {1, 5, 3, 3}
    local function f() return criterion:forward(scores, classes) end
    local wanted = slopes(scores, f)
    local chosen = scores:gather(2, classes:view(-1, 1))
    local expected = (tensor.exp(scores):sum(2):log() - chosen):mean()
    assert.is_true(math.abs(f() - expected) < 1e-12)
    check(wanted, criterion:backward(scores, classes))
  end)
end)
