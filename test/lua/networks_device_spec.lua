-- Networks of images on a device: no operation of a training step falls back to the CPU, and the
-- results are the CPU's.

local tensor = require 'tensor'
local nn, optim, tree = require 'tensor.nn', require 'tensor.optim', require 'tensor.tree'
local support = require 'support.on_device'

local device = support.device
support.around(before_each, after_each)

-- Numbers that do not repeat in a row, a few of them negative.
local function pattern(...)
  local t, i = tensor.FloatTensor(...), 0
  return t:apply(function()
    i = i + 1
    return (i * 7 % 23 - 9) / 16
  end)
end

local function close(got, want, tolerance, what)
  local difference = (got:double():to 'cpu' - want:double()):abs():max()
  assert.is_true(difference <= tolerance * (1 + want:double():abs():max()),
                 ('%s differs by %g'):format(what, difference))
end

local function without_fallbacks(run)
  tensor.resetStats()
  local results = { run() }
  tensor.synchronize()
  assert.are.same({}, tensor.stats().fallbacks)
  return unpack(results)
end

local function lenet()
  return nn.sequential{
    nn.conv2d(1, 6, 5, { padding = 2 }), tensor.relu, nn.maxPool2d(2),
    nn.conv2d(6, 16, 5), nn.batchNorm(16), tensor.relu, nn.avgPool2d(2),
    function(x) return x:reshape(x:size(1), 16 * 5 * 5) end,
    nn.linear(400, 40), tensor.relu, nn.linear(40, 10),
  }
end

-- Trains for two steps. Returns the losses and the parameters.
local function train(place)
  tensor.manualSeed(3)
  local model, optimizer = lenet(), optim.sgd { rate = 0.05, momentum = 0.9 }
  local params = tree.map(function(t) return t:float():to(place) end, model.init())
  local x, classes = pattern(6, 1, 28, 28):to(place), tensor.LongTensor { 3, 1, 4, 1, 5, 9 }
  classes = classes:to(place)
  local gradient = tensor.grad(function(p, images)
    return nn.crossEntropy(model(p, images, { train = true }), classes)
  end, { tensors = true })
  local losses = {}
  for step = 1, 2 do
    local gradients, loss = gradient(params, x)
    optimizer(params, gradients)
    losses[step] = loss
  end
  return losses, params
end

describe('on a device', function()
  it('a LeNet trains without fallbacks, as on the CPU', function()
    local want, want_params = train 'cpu'
    local got, params = without_fallbacks(function() return train(device) end)
    for step = 1, 2 do close(got[step], want[step], 1e-5, 'loss ' .. step) end
    local list, want_list = tree.leaves(params), tree.leaves(want_params)
    assert.are.equal(#want_list, #list)
    for k, t in ipairs(list) do
      assert.are.equal(device, t:device())
      close(t, want_list[k], 1e-4, 'parameter ' .. k)
    end
  end)

  -- More elements than one block processes: images, rows of channels, and one channel.
  for _, size in ipairs { { 140, 7, 9, 9 }, { 600, 500 }, { 20011, 1 } } do
    for _, kind in ipairs { 'float', 'double', 'half' } do
      it(('batchNorm of %s with %d dimensions is the CPU\'s'):format(kind, #size), function()
        local x, g = pattern(tensor.LongStorage(size)), pattern(tensor.LongStorage(size))
        -- Means that are larger than the deviations.
        for k = 1, size[2] do x:select(2, k):add(k % 7) end
        local w, b = pattern(size[2]), pattern(size[2]):mul(2)
        local function run(place)
          local operands = {}
          for k, t in ipairs { x, w, b, g } do operands[k] = t[kind](t:clone()):to(place) end
          local mean, variance = operands[3] * 2, operands[3]:clone():abs():add(1)
          local all = {}
          for _, training in ipairs { true, false } do
            local function f(t, weight, bias)
              return (tensor.batchNorm(t, mean, variance, weight, bias, training))
            end
            local y = f(operands[1], operands[2], operands[3])
            local slopes = tensor.vjp(f, { operands[1], operands[2], operands[3] },
                                      { operands[4] })
            for _, t in ipairs { y, mean:clone(), variance:clone(), unpack(slopes) } do
              all[#all + 1] = t
            end
          end
          -- The gradient of the input alone, for moments that do not depend on it.
          local function evaluate(t)
            return (tensor.batchNorm(t, mean, variance, operands[2], operands[3], false))
          end
          all[#all + 1] = tensor.vjp(evaluate, { operands[1] }, { operands[4] })[1]
          return all
        end
        local want = run 'cpu'
        local got = without_fallbacks(function() return run(device) end)
        local again = run(device)
        local tolerance = kind == 'half' and 2e-3 or kind == 'float' and 1e-5 or 1e-12
        for k, t in ipairs(got) do
          assert.are.equal(device, t:device())
          close(t, want[k], tolerance, 'tensor ' .. k)
          assert.is_true(t:equal(again[k]))
        end
      end)
    end
  end

  -- {function, sizes of tensors, further arguments}
  local calls = {
    { 'conv1d', { { 2, 4, 50 }, { 8, 4, 5 }, { 8 } }, 2, 1 },
    { 'conv2d', { { 3, 8, 13, 12 }, { 8, 8, 3, 3 }, { 8 } }, 1, 1 },
    { 'conv2d', { { 2, 6, 9, 8 }, { 6, 1, 3, 3 }, { 6 } }, 1, 1, 1, 6 },
    { 'conv2d', { { 2, 8, 12, 12 }, { 16, 8, 1, 1 }, { 16 } }, 2 },
    { 'conv3d', { { 1, 3, 5, 6, 7 }, { 5, 3, 2, 3, 3 }, { 5 } }, 1, 1, 2 },
    { 'convTranspose1d', { { 2, 5, 20 }, { 5, 6, 4 }, { 6 } }, 2, 1 },
    { 'convTranspose2d', { { 2, 8, 9, 10 }, { 8, 6, 3, 3 }, { 6 } }, 2, 1, 1 },
    { 'convTranspose3d', { { 1, 3, 3, 4, 5 }, { 3, 5, 2, 2, 3 }, { 5 } }, 2 },
    { 'maxPool1d', { { 2, 3, 11 } }, 3, 2, 1 }, { 'maxPool2d', { { 2, 3, 9, 8 } }, 2 },
    { 'maxPool3d', { { 1, 2, 5, 6, 4 } }, 2 },
    { 'avgPool1d', { { 2, 3, 11 } }, 3, 2, 1 }, { 'avgPool2d', { { 2, 3, 9, 8 } }, 2 },
    { 'avgPool3d', { { 1, 2, 5, 6, 4 } }, 2 },
    { 'adaptiveMaxPool2d', { { 2, 3, 7, 8 } }, 3 }, { 'adaptiveAvgPool2d', { { 2, 3, 7, 8 } }, 3 },
    { 'interpolate', { { 2, 3, 4, 5 } }, 9, 'linear' }, { 'upsample', { { 2, 3, 4, 5 } }, 2 },
    { 'conv2', { { 9, 8 }, { 3, 2 } } }, { 'conv2', { { 4, 13, 12 }, { 6, 4, 3, 5 } }, 'V' },
    { 'xcorr2', { { 4, 13, 12 }, { 6, 4, 3, 5 } }, 'F' },
    { 'conv2', { { 3, 7, 6 }, { 3, 2, 3 } }, 'F' },
    { 'xcorr3', { { 3, 5, 6, 7 }, { 5, 3, 2, 2, 3 } }, 'V' },
    { 'conv3', { { 4, 5, 6 }, { 2, 2, 3 } } },
  }
  for _, call in ipairs(calls) do
    local name, sizes = call[1], call[2]
    it(name .. ' and its gradients do not fall back', function()
      local function run(place)
        local operands = {}
        for k, size in ipairs(sizes) do
          operands[k] = pattern(tensor.LongStorage(size)):to(place)
        end
        local function f(...)
          local list = { ... }
          for k = 3, #call do list[#list + 1] = call[k] end
          return (tensor[name](unpack(list)))
        end
        local result = f(unpack(operands))
        local g = pattern(result:size()):to(place)
        local all = tensor.vjp(f, operands, { g })
        all[#all + 1] = result
        return all
      end
      local want = run 'cpu'
      local got = without_fallbacks(function() return run(device) end)
      for k, t in ipairs(got) do
        assert.are.equal(device, t:device())
        close(t, want[k], 1e-5, 'tensor ' .. k)
      end
    end)
  end
end)
