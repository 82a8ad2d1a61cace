-- tensor.nn: values against loops in plain Lua, gradients against differences, training.

local tensor = require 'tensor'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'

local function close(expected, found, tolerance)
  if tensor.isTensor(expected) then
    expected = expected:totable()
  end
  if tensor.isTensor(found) then
    found = found:totable()
  end
  if type(expected) == 'table' then
    assert.are.equal(#expected, #found)
    for k, value in ipairs(expected) do
      close(value, found[k], tolerance)
    end
  else
    local limit = (tolerance or 1e-9) * (1 + math.abs(expected))
    assert.is_true(math.abs(expected - found) <= limit,
                   ('%.15g, not %.15g'):format(found, expected))
  end
end

-- Checks the gradients of a layer with respect to its parameters and its input.
local function check_gradients(layer, x, options)
  local params = layer.init()
  assert.is_true(tensor.gradcheck(function(p, input)
    tensor.manualSeed(7)
    return (layer(p, input, options))
  end, {params, x}, {order = 2}))
end

describe('tensor.nn', function()
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(3)
  end)

  it('linear multiplies by the weight and adds the bias', function()
    local layer = nn.linear(3, 2)
    local params = layer.init()
    local w, b, x = params.weight:totable(), params.bias:totable(), tensor.randn(4, 3)
    local expected = {}
    for i, row in ipairs(x:totable()) do
      expected[i] = {}
      for o = 1, 2 do
        expected[i][o] = b[o]
        for k = 1, 3 do
          expected[i][o] = expected[i][o] + w[o][k] * row[k]
        end
      end
    end
    close(expected, layer(params, x))
    close(expected[1], layer(params, x[1]))
    close({{expected[1], expected[2]}, {expected[3], expected[4]}},
          layer(params, x:view(2, 2, 3)))
    assert.is_true(params.weight:abs():max() <= 1 / math.sqrt(3))
    check_gradients(layer, tensor.randn(2, 2, 3))
    check_gradients(nn.linear(3, 2, {bias = false}), tensor.randn(3))
  end)

  it('groupNorm normalizes groups of channels', function()
    local layer = nn.groupNorm(2, 4)
    local x = tensor.randn(3, 4, 5)
    local y = layer(layer.init(), x):view(6, 10)
    close(tensor.zeros(6, 1), y:mean(2), 1e-9)
    close(tensor.ones(6, 1), y:var(2, true), 1e-4)
    check_gradients(layer, x)
    assert.has_error(function() nn.groupNorm(3, 4) end,
      'nn.groupNorm: the width 4 is not a multiple of 3 groups')
  end)

  it("convolutions with the padding 'same' give a result of the size of the input", function()
    local layer = nn.conv1d(1, 1, 2, {padding = 'same', bias = false})
    local params = {weight = tensor.DoubleTensor{{{1, 10}}}}
    assert.are.same({{{21, 32, 3}}}, layer(params, tensor.DoubleTensor{{{1, 2, 3}}}):totable())
    assert.are.same({{21, 32, 3}}, layer(params, tensor.DoubleTensor{{1, 2, 3}}):totable())
    for _, dilation in ipairs{1, 3} do
      local options = {padding = 'same', dilation = {dilation, 1}, groups = 2}
      layer = nn.conv2d(2, 4, {4, 3}, options)
      local x = tensor.randn(2, 2, 5, 6)
      local added = 3 * dilation
      local padded = x:pad{0, 0, 0, 0, math.floor(added / 2), math.ceil(added / 2), 1, 1}
      local plain = nn.conv2d(2, 4, {4, 3}, {dilation = {dilation, 1}, groups = 2})
      params = layer.init()
      local y = layer(params, x)
      assert.are.same({2, 4, 5, 6}, y:size():totable())
      close(plain(params, padded), y)
      check_gradients(layer, x)
    end
    assert.has_error(function() nn.conv2d(1, 1, 3, {padding = 'same', stride = {1, 2}}) end,
                     "nn.conv2d: the padding 'same' needs a stride of 1")
    assert.has_error(function() nn.conv2d(1, 1, 3, {padding = 'valid'}) end,
                     "nn.conv2d: padding: numbers or 'same' are expected, got 'valid'")
    assert.has_error(function() nn.convTranspose2d(1, 1, 3, {padding = 'same'}) end,
                     'nn.convTranspose2d: option padding must be a number or table, got a string')
  end)

  it('linear, embedding and dropout check their arguments', function()
    assert.has_error(function() nn.linear(0, 2) end,
      'nn.linear: inputs: a whole number of at least 1 is expected, got 0')
    assert.has_error(function() nn.embedding(3) end,
      'nn.embedding: width: a whole number of at least 1 is expected, got nil')
    assert.has_error(function() nn.dropout(2) end,
      'nn.dropout: a probability from 0 to 1 is expected, got 2')
    assert.has_error(function() nn.sequential(nn.linear(2, 2), nn.relu) end,
      'nn.sequential: the members are one list: nn.sequential{a, b}')
    assert.has_error(function() nn.linear(2, 2):forward(tensor.ones(1, 2)) end,
      'nn.linear: a layer is called as net(params, x), with params = net.init()')
    assert.has_error(function() nn.sequential{nn.relu, 'relu'} end,
      'nn.sequential: member 2: a layer or a function is expected, got string')
  end)

  it('layers check their options and inputs', function()
    for expected, make in pairs{
      ['linear: unknown option bais; the options are bias, init'] =
        function() nn.linear(2, 2, {bais = false}) end,
      ['lstm: unknown option numLayers; the options are bidirectional, dropout, layers'] =
        function() nn.lstm(2, 2, {numLayers = 2}) end,
      ['conv2d: option bias must be a boolean, got a number'] =
        function() nn.conv2d(1, 1, 3, {bias = 0}) end,
      ['maxPool1d: a table of options is expected, got a number; the options are ceilMode, '
       .. 'dilation, padding, stride'] =
        function() nn.maxPool1d(2, 2) end,
      ['attention: unknown option hidden; the options are bias, causal, dropout'] =
        function() nn.attention(4, 2, {hidden = 3}) end,
      ['sequential: a list of layers is expected, got nn.linear'] =
        function() nn.sequential(nn.linear(2, 2)) end,
    } do
      assert.has_error(make, 'nn.' .. expected)
    end
    for _, name in ipairs{'xavier', 'kaiming'} do
      assert.has_error(function() nn.initializer[name]('unform') end,
                       "nn.initializer: the distribution is 'normal' or 'uniform', got unform")
    end
    for name, make in pairs{
      lstm = function(dropout) nn.lstm(2, 2, {dropout = dropout}) end,
      gru = function(dropout) nn.gru(2, 2, {dropout = dropout}) end,
      attention = function(dropout) nn.attention(4, 2, {dropout = dropout}) end,
      transformerBlock = function(dropout) nn.transformerBlock(4, 2, {dropout = dropout}) end,
    } do
      for _, dropout in ipairs{-1, 2} do
        assert.has_error(function() make(dropout) end,
          ('nn.%s: dropout: a probability from 0 to 1 is expected, got %d'):format(name, dropout))
      end
    end

    local net = nn.sequential{nn.linear(3, 2), nn.relu, nn.linear(2, 2)}
    local params, x = net.init(), tensor.ones(4, 3)
    local function failure(f, ...)
      return select(2, pcall(f, ...)):match '^%S*nn_spec.lua:%d+: (.*)$'
    end
    local arguments = 'the arguments are a table of parameters, an input and a table of options; '
    assert.are.equal('nn.sequential: ' .. arguments .. 'got a tensor of size [4 x 3], nil and nil',
                     failure(net, x))
    assert.are.equal('nn.sequential: ' .. arguments
      .. 'got a table, a tensor of size [4 x 3] and a boolean', failure(net, params, x, true))
    assert.are.equal('nn.sequential: the parameters of member 3, nn.linear, are missing',
                     failure(net, {params[1], {}}, x))
    assert.are.equal('nn.linear: a tensor whose last dimension has size 3 is expected, '
      .. 'got a tensor of size [2 x 3 x 4]', failure(net, params, tensor.ones(2, 3, 4)))
    assert.are.equal('nn.linear: the parameter weight must be a tensor, got nil',
                     failure(nn.linear(3, 2), {}, x))
    local sequence = tensor.ones(1, 1, 3)
    assert.are.equal('nn.lstm: layer 1: a table of parameters is expected, got nil',
                     failure(nn.lstm(3, 2), {}, sequence))
    local gru, cell = nn.gru(3, 2), nn.lstmCell(3, 2)
    local weights = gru.init()
    weights[1].biasHidden = nil
    assert.are.equal('nn.gru: layer 1: the parameter biasHidden must be a tensor, got nil',
                     failure(gru, weights, sequence))
    assert.are.equal('nn.lstmCell: the parameter weight must be a tensor, got a number',
                     failure(cell, {weight = 1}, tensor.ones(1, 3)))
    local lstm = nn.lstm(3, 2)
    assert.are.equal('nn.lstm: a tensor of 3 dimensions whose last dimension has size 3 is '
      .. 'expected, got a tensor of size [4 x 3]', failure(lstm, lstm.init(), x))
  end)

  it('lstm and gru of no steps return the states before the first step', function()
    local x = tensor.zeros(0, 2, 3)
    for _, name in ipairs{'lstm', 'gru'} do
      local net = nn[name](3, 5, {layers = 2})
      local params = net.init()
      local y, states = net(params, x)
      assert.are.same({0, 2, 5}, y:size():totable())
      assert.are.equal(2, #states)
      assert.is_true(states[2].h:equal(tensor.zeros(2, 5)))
      local _, before = net(params, tensor.randn(4, 2, 3))
      local _, after = net(params, x, {state = before})
      assert.is_true(after[1].h:equal(before[1].h))
      local slope = tensor.grad(function(p)
        local last = select(2, net(p, x, {state = before}))
        return net(p, x):sum() + last[1].h:sum() + p[1].bias:sum()
      end)
      local slopes = slope(params)
      assert.is_true(slopes[1].bias:equal(tensor.ones(#slopes[1].bias)))
      assert.are.equal(0, slopes[1].weight:norm())
      assert.are.equal(0, slopes[2].weightHidden:norm())
    end
  end)

  it('embedding selects rows', function()
    local layer = nn.embedding(5, 2)
    local params = layer.init()
    local x = tensor.LongTensor{{1, 5, 1}, {2, 2, 3}}
    local y = layer(params, x)
    assert.are.same({2, 3, 2}, y:size():totable())
    for i = 1, 2 do
      for k = 1, 3 do
        close(params.weight[x[i][k]], y[i][k])
      end
    end
    assert.is_true(tensor.gradcheck(function(p) return layer(p, x) end, {params}))
  end)

  it('dropout drops elements in training only', function()
    local layer, x = nn.dropout(0.25), tensor.ones(100, 100)
    assert.are.equal(x, layer({}, x))
    local y = layer({}, x, {train = true})
    close(0.75, y:gt(0):double():mean(), 0.02)
    close(4 / 3, y:max())
    assert.are.equal(0, nn.dropout(1)({}, x, {train = true}):sum())
    check_gradients(layer, tensor.randn(4, 5), {train = true})
  end)

  it('layerNorm and rmsNorm normalize the last dimension', function()
    local x = tensor.randn(2, 3, 4)
    local norm, rms = nn.layerNorm(4), nn.rmsNorm(4)
    local p, q = norm.init(), rms.init()
    p.weight:uniform(1, 2)
    p.bias:uniform(1, 2)
    q.weight:uniform(1, 2)
    local y, z = norm(p, x), rms(q, x)
    for i = 1, 2 do
      for j = 1, 3 do
        local mean, square = 0, 0
        for k = 1, 4 do
          mean, square = mean + x[i][j][k] / 4, square + x[i][j][k] ^ 2 / 4
        end
        for k = 1, 4 do
          local deviation = math.sqrt(square - mean ^ 2 + 1e-5)
          close((x[i][j][k] - mean) / deviation * p.weight[k] + p.bias[k], y[i][j][k])
          close(x[i][j][k] / math.sqrt(square + 1e-5) * q.weight[k], z[i][j][k])
        end
      end
    end
    check_gradients(norm, x)
    check_gradients(rms, x)
    check_gradients(nn.layerNorm(4, {affine = false}), x)
  end)

  it('layerNorm and rmsNorm normalize several last dimensions as one', function()
    local x = tensor.randn(2, 3, 4)
    for _, name in ipairs{'layerNorm', 'rmsNorm'} do
      local layer, joined = nn[name]({3, 4}), nn[name](12)
      local params = layer.init()
      params.weight:uniform(1, 2)
      assert.are.same({3, 4}, params.weight:size():totable())
      local flat = {weight = params.weight:view(12), bias = params.bias and params.bias:view(12)}
      local y = layer(params, x)
      assert.is_true(y:allclose(joined(flat, x:view(2, 12)):view(2, 3, 4), 1e-12))
      check_gradients(layer, x)
      assert.are.equal(('nn.%s({3, 4})'):format(name), tostring(layer))
      assert.is_nil(next(nn[name]({3, 4}, {affine = false}).init()))
      for _, sizes in ipairs{{}, {3, 0}, {'a'}} do
        assert.error_matches(function() nn[name](sizes) end,
                             name .. ': width: a whole number of at least 1 is expected')
      end
    end
  end)

  it('batchNorm normalizes a channel and keeps running statistics', function()
    local layer, x = nn.batchNorm(2, {momentum = 0.25}), tensor.randn(3, 2, 4):add(2)
    local params = layer.init()
    params.weight[2], params.bias[2] = 3, 1
    local y = layer(params, x, {train = true})
    local expected = layer.state.mean:clone()
    for c = 1, 2 do
      local values = x:select(2, c):contiguous():view(-1)
      local mean, biased, var = values:mean(), values:var(true), values:var()
      close(((values - mean) / math.sqrt(biased + 1e-5) * params.weight[c] + params.bias[c]),
            y:select(2, c):contiguous():view(-1))
      close(0.25 * mean, expected[c])
      close(0.75 + 0.25 * var, layer.state.variance[c])
    end
    local state = layer.state
    local z = layer(params, x)
    close((x[2][1][3] - state.mean[1]) / math.sqrt(state.variance[1] + 1e-5), z[2][1][3])
    check_gradients(layer, x)
    check_gradients(layer, x, {train = true})
    local before = tree.clone(state)
    layer.init()
    assert.are.same(before.mean:totable(), layer.state.mean:totable())
    assert.are.same(before.variance:totable(), layer.state.variance:totable())
  end)

  it('sequential calls layers and functions, and collects their state', function()
    local net = nn.sequential{nn.linear(3, 4), nn.batchNorm(4), tensor.tanh,
                              nn.sequential{nn.linear(4, 2)}}
    local params = net.init()
    assert.are.equal(3 * 4 + 4 + 8 + 10, tree.count(params))
    local x = tensor.randn(5, 3)
    local y = nn.linear(4, 2)(params[4][1], tensor.tanh(
      nn.batchNorm(4)(params[2], nn.linear(3, 4)(params[1], x))))
    close(y, net(params, x))
    assert.are.equal(8, tree.count(net.state))
    assert.is_nil(nn.sequential{nn.linear(1, 1), nn.relu}.state)
  end)

  it('softmax and logSoftmax are over the last dimension unless another one is given', function()
    local x = tensor.randn(2, 3, 4)
    local e = tensor.exp(x)
    close(tensor.cdiv(e, e:sum(3)), nn.softmax(x))
    close(tensor.cdiv(e, e:sum(2)), nn.softmax(x, 2))
    close(tensor.log(nn.softmax(x)), nn.logSoftmax(x))
    local net = nn.sequential{nn.linear(4, 3), nn.softmax}
    close(tensor.ones(2, 3, 1), net(net.init(), x):sum(3))
    local fine, message = pcall(nn.softmax, 1)
    assert.is_false(fine)
    assert.matches('nn.softmax: a tensor of 1 or more dimensions is expected', message, 1, true)
  end)

  it('unknown names are errors with a hint', function()
    for hint, read in pairs{
      ["tensor.nn has no function or field 'softMax': did you mean softmax?"] =
        function() return nn.softMax end,
      ["'Linear': did you mean linear?"] = function() return nn.Linear end,
      ["'CrossEntropyLoss': instead of CrossEntropyLoss, use crossEntropy(logits, classes)"] =
        function() return nn.CrossEntropyLoss end,
      ["tensor.optim has no function or field 'Adam': did you mean adam?"] =
        function() return optim.Adam end,
      ["tensor.data has no function or field 'ImageFolder': instead of ImageFolder, use pictures"] =
        function() return data.ImageFolder end,
    } do
      local fine, message = pcall(read)
      assert.is_false(fine)
      assert.matches(hint, message, 1, true)
    end
    assert.is_nil(nn._unknown)
  end)

  it('functions of a module can be compiled', function()
    local before = tensor.getRule 'fields'
    for _, rule in ipairs{'torch7', 'tensor', before} do
      tensor.setRule('fields', rule)
      local f = tensor.compile(function(x) return type(x) == 'userdata' and nn.relu(x) end)
      for _ = 1, 4 do
        close(tensor.Tensor{0, 2}, f(tensor.Tensor{-1, 2}))
      end
      assert.matches('1 operations in 1 expression', f:explain())
    end
  end)

  it('losses have the values of their formulas', function()
    local x, y = tensor.randn(3, 4), tensor.rand(3, 4)
    local classes = tensor.LongTensor{4, 1, 2}
    local cross, binary, square, huber = 0, 0, 0, 0
    for i = 1, 3 do
      local sum = 0
      for k = 1, 4 do
        local p, d = 1 / (1 + math.exp(-x[i][k])), math.abs(x[i][k] - y[i][k])
        sum = sum + math.exp(x[i][k])
        binary = binary - y[i][k] * math.log(p) - (1 - y[i][k]) * math.log(1 - p)
        square = square + d ^ 2
        huber = huber + (d < 0.5 and d ^ 2 / 2 or 0.5 * (d - 0.25))
      end
      cross = cross + math.log(sum) - x[i][classes[i]]
    end
    close(cross / 3, nn.crossEntropy(x, classes))
    close(cross / 3, nn.nll(tensor.logSoftmax(x, 2), classes))
    close(cross / 3, nn.crossEntropy(x:view(1, 3, 4), classes:view(1, 3)))
    close(binary / 12, nn.binaryCrossEntropy(x, y))
    close(square / 12, nn.mse(x, y))
    close(huber / 12, nn.huber(x, y, 0.5))
    close(1000, nn.binaryCrossEntropy(tensor.Tensor{1000}, tensor.Tensor{0}))
    assert.has_error(function() nn.crossEntropy(x, tensor.LongTensor{1}) end,
                     'nn.crossEntropy: class numbers of size [3] are expected for a tensor of size '
                     .. '[3 x 4], got a tensor of size [1]: classes lie along the last dimension')
    for _, loss in ipairs{nn.binaryCrossEntropy, nn.mse, nn.huber} do
      assert.is_true(tensor.gradcheck(loss, {x, y}))
    end
    assert.is_true(tensor.gradcheck(function(t) return nn.crossEntropy(t, classes) end, {x}))
  end)

  it('functions without parameters and constructors check their arguments', function()
    local function fails(expected, f, ...)
      local ok, found = pcall(f, ...)
      assert.is_false(ok)
      assert.is_truthy(found:find('nn.' .. expected, 1, true), found)
    end
    fails('transformerBlock: width: a whole number of at least 1 is expected, got nil',
          nn.transformerBlock)
    fails('transformerBlock: width: a whole number of at least 1 is expected, got 8',
          nn.transformerBlock, '8', 2)
    fails('transformerBlock: heads: a whole number', nn.transformerBlock, 8)
    fails('transformerBlock: the width 8 is not a multiple of 3 heads', nn.transformerBlock, 8, 3)
    fails('transformerBlock: hidden: a whole number', nn.transformerBlock, 8, 2, {hidden = 1.5})
    local x = tensor.ones(2, 4)
    for _, value in ipairs{5, {}, tensor.ones(2)} do
      fails('rotary: a tensor of 2 or more dimensions is expected, got a ', nn.rotary, value)
    end
    fails('rotary: a table of options is expected, got a number', nn.rotary, x, 5)
    fails('rotary: option base must be a number, got a string', nn.rotary, x, {base = 'x'})
    for value, text in pairs{[5] = 'a number', [{}] = 'a table', [false] = 'a boolean'} do
      fails('flatten: a tensor of 1 or more dimensions is expected, got ' .. text, nn.flatten,
            value)
      for name, f in pairs(nn.initializer) do
        fails('initializer: a tensor ', f(name == 'constant' and 1 or nil), value)
      end
    end
    fails('layer: a table of layers and a function are expected, got a number and nil', nn.layer,
          'x', 5)
    fails('layer: a table of layers and a function are expected, got a table and nil', nn.layer,
          'x', {})
    fails('layer: a layer, a tensor or a function is expected as the child a.1, got a number',
          nn.layer, 'x', {a = {1}}, print)
  end)

  it('initializers have the spread that their papers state', function()
    local t = tensor.Tensor(100, 20, 5)
    local init = nn.initializer
    close(math.sqrt(2 / (100 + 500)), init.xavier()(t):std(), 0.01)
    close(math.sqrt(2 / 600), init.xavier('uniform')(t):std(), 0.01)
    assert.is_true(t:abs():max() <= math.sqrt(6 / 600))
    close(math.sqrt(2 / 100), init.kaiming()(t):std(), 0.01)
    close(2, init.normal(2, 0.5)(t):mean(), 0.02)
    assert.is_true(init.uniform(3, 4)(t):min() >= 3)
    close(7, init.constant(7)(t):max())
    local wide = init.orthogonal(2)(tensor.Tensor(3, 5))
    close(tensor.eye(3) * 4, wide * wide:t())
    local tall = init.orthogonal()(tensor.Tensor(5, 3))
    close(tensor.eye(3), tall:t() * tall)
    assert.has_error(function() init.kaiming()(tensor.Tensor(3)) end,
      'nn.initializer: a tensor of 2 or more dimensions is expected, got a tensor of size [3]')
    for _, f in ipairs {function() return init.xavier('normal', '2x') end,
                        function() return init.kaiming(nil, '2x') end,
                        function() return init.orthogonal('2x') end} do
      assert.has_error(f, 'nn.initializer: a number is expected as the gain, got a string')
    end
  end)

  it('layers refuse other inputs than tensors', function()
    for name, layer in pairs {
      conv2d = nn.conv2d(1, 2, 3), conv1d = nn.conv1d(1, 2, 3, {padding = 'same'}),
      batchNorm = nn.batchNorm(3), rmsNorm = nn.rmsNorm(3), linear = nn.linear(3, 2),
      embedding = nn.embedding(3, 2), dropout = nn.dropout(0.5), gruCell = nn.gruCell(3, 2),
    } do
      for _, x in ipairs {'text', 3, {tensor.ones(3)}} do
        local message = ('nn.%s: a tensor is expected, got a %s'):format(name, type(x))
        assert.error_matches(function() layer(layer.init(), x) end, message, nil, true)
        local net = nn.sequential{layer}
        assert.error_matches(function() net(net.init(), x, {train = true}) end, message, nil, true)
      end
    end
    local net = nn.sequential{function(x) return x[1] + x[2] end, nn.linear(3, 2)}
    assert.are.equal(2, net(net.init(), {tensor.ones(1, 3), tensor.ones(1, 3)}):size(2))
    local x = tensor.ones(2, 3, 4)
    for _, options in ipairs {{}, {memory = x}} do
      assert.error_matches(function() nn.attention(4, 2)({}, x, options) end,
                           'nn.attention: input: a table of parameters is expected, got nil')
    end
  end)

  it('learns exclusive or', function()
    local x = tensor.Tensor{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
    local classes = tensor.LongTensor{1, 2, 2, 1}
    local net = nn.sequential{nn.linear(2, 8), nn.tanh, nn.linear(8, 2)}
    local params, step = net.init(), optim.adam{rate = 0.05}
    local df = tensor.grad(function(p) return nn.crossEntropy(net(p, x), classes) end)
    local loss
    for _ = 1, 200 do
      local gradients
      gradients, loss = df(params)
      step(params, gradients)
    end
    assert.is_true(loss < 0.02, tostring(loss))
  end)
end)
