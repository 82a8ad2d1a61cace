-- tensor.nn: recurrent layers, attention, convolutions and pools: values against loops in plain
-- Lua, gradients against differences.

local tensor = require 'tensor'
local elements = require 'support.elements'
local nn = require 'tensor.nn'
local unpack = require 'tensor.versions'.unpack

local function close(expected, found)
  assert.are.same(expected:size():totable(), found:size():totable())
  local largest = (expected - found):abs():max()
  assert.is_true(largest < 1e-12, ('the largest difference is %g'):format(largest))
end

-- Checks the gradients of a layer, or of a function of x.
local function check_gradients(layer, x, options)
  local is_layer = type(layer) == 'table'
  assert.is_true(tensor.gradcheck(function(params, input)
    tensor.manualSeed(7)
    return (is_layer and layer(params, input, options) or layer(input))
  end, {is_layer and layer.init() or {}, x}, {order = 2}))
end

local function sigmoid(x)
  return 1 / (1 + math.exp(-x))
end

local function tanh(x)
  return 2 * sigmoid(2 * x) - 1
end

-- Row `row` of a matrix times a vector, both 1-based tables.
local function dot(matrix, row, vector)
  local sum = 0
  for k, value in ipairs(vector) do
    sum = sum + matrix[row][k] * value
  end
  return sum
end

-- One step of an LSTM: the next h and c.
local function lstm_step(p, x, h, c)
  local n, new_h, new_c = #h, {}, {}
  for j = 1, n do
    local g = {}
    for gate = 0, 3 do
      local row = gate * n + j
      g[gate] = dot(p.weight, row, x) + dot(p.weightHidden, row, h) + p.bias[row]
    end
    new_c[j] = sigmoid(g[1]) * c[j] + sigmoid(g[0]) * tanh(g[2])
    new_h[j] = sigmoid(g[3]) * tanh(new_c[j])
  end
  return new_h, new_c
end

local function gru_step(p, x, h)
  local n, new_h = #h, {}
  for j = 1, n do
    local function input(row) return dot(p.weight, row, x) + p.bias[row] end
    local function hidden(row) return dot(p.weightHidden, row, h) + p.biasHidden[row] end
    local r = sigmoid(input(j) + hidden(j))
    local z = sigmoid(input(n + j) + hidden(n + j))
    local candidate = tanh(input(2 * n + j) + r * hidden(2 * n + j))
    new_h[j] = (1 - z) * candidate + z * h[j]
  end
  return new_h
end

-- Softmax attention of lists of vectors. may(i, j): whether row i sees column j.
local function attend(q, k, v, may)
  local result = {}
  for i = 1, #q do
    local weights, sum = {}, 0
    for j = 1, #k do
      weights[j] = may(i, j) and math.exp(dot(k, j, q[i]) / math.sqrt(#q[i])) or 0
      sum = sum + weights[j]
    end
    result[i] = {}
    for d = 1, #v[1] do
      result[i][d] = 0
      for j = 1, #k do
        result[i][d] = result[i][d] + weights[j] / sum * v[j][d]
      end
    end
  end
  return result
end

describe('tensor.nn', function()
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(3)
  end)

  it('lstm and gru run over the steps of each layer', function()
    local x = tensor.randn(4, 2, 3)
    for _, name in ipairs{'lstm', 'gru'} do
      local net = nn[name](3, 5, {layers = 2})
      local params = net.init()
      local y, states = net(params, x)
      local expected, last = tensor.zeros(4, 2, 5), tensor.zeros(2, 2, 5)
      for b = 1, 2 do
        local h, c = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}, {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}
        for t = 1, 4 do
          local input = x[t][b]:totable()
          for l = 1, 2 do
            local p = {}
            for key, value in pairs(params[l]) do
              p[key] = value:totable()
            end
            if name == 'lstm' then
              h[l], c[l] = lstm_step(p, input, h[l], c[l])
            else
              h[l] = gru_step(p, input, h[l])
            end
            input = h[l]
          end
          expected[t][b]:copy(tensor.Tensor(input))
        end
        for l = 1, 2 do
          last[l][b]:copy(tensor.Tensor(h[l]))
        end
      end
      close(expected, y)
      close(last[1], states[1].h)
      close(last[2], states[2].h)

      -- The same in two parts, and by cells.
      local first, middle = net(params, x:narrow(1, 1, 1))
      local rest = net(params, x:narrow(1, 2, 3), {state = middle})
      close(y, tensor.cat(first, rest, 1))
      local cell, state, h = nn[name .. 'Cell'](3, 5), nil, nil
      for t = 1, 4 do
        h, state = cell(params[1], x[t], {state = state})
      end
      close(states[1].h, h)
      close(states[1].h, state.h)

      check_gradients(net, x)
      check_gradients(nn[name](3, 2, {layers = 2, dropout = 0.5}), x, {train = true})
      check_gradients(cell, x[1])
    end
    assert.has_error(function() nn.lstm(3, 5, {layers = 0}) end,
      'nn.lstm: layers: a whole number of at least 1 is expected, got 0')
  end)

  it('recurrent layers check the state before the first step', function()
    local x = tensor.ones(2, 5, 3)
    local function fails(expected, net, input, state)
      assert.has_error(function() net(net.init(), input, {state = state}) end, 'nn.' .. expected)
    end
    local zeros = tensor.zeros(5, 4)
    local lstm, gru = nn.lstm(3, 4, {layers = 2}), nn.gru(3, 4)
    fails('lstm: a list of 2 states is expected, one for each layer; got 0', lstm, x,
          {h = zeros, c = zeros})
    fails('lstm: a list of 2 states is expected, one for each layer; got 1', lstm, x,
          {{h = zeros, c = zeros}})
    fails('lstm: layer 2: the state c must be a tensor of size [5 x 4], got nil', lstm, x,
          {{h = zeros, c = zeros}, {h = zeros}})
    fails('gru: layer 1: the state h must be a tensor of size [5 x 4], got a tensor of size '
          .. '[1 x 4]', gru, x, {{h = tensor.zeros(1, 4)}})
    fails('gru: layer 1: a table is expected as the state, got a tensor of size [5 x 4]', gru, x,
          {zeros})
    fails('gru: a list of 1 states is expected, one for each layer; got a tensor of size [5 x 4]',
          gru, x, zeros)
    fails('gruCell: the state h must be a tensor of size [5 x 4], got nil', nn.gruCell(3, 4), x[1],
          {zeros})
    fails('lstmCell: the state c must be a tensor of size [5 x 4], got a tensor of size [4 x 5]',
          nn.lstmCell(3, 4), x[1], {h = zeros, c = zeros:t()})
  end)

  it('scaledDotProduct is the softmax of products, causal or masked', function()
    local q, k, v = tensor.randn(2, 3, 4), tensor.randn(2, 5, 4), tensor.randn(2, 5, 2)
    local mask = tensor.ByteTensor(1, 3, 5):bernoulli(0.5)
    mask:select(3, 1):fill(1)
    for _, case in ipairs{
      {{}, function() return true end},
      {{causal = true}, function(i, j) return j <= i + 2 end},
      {{mask = mask}, function(i, j) return mask[1][i][j] == 1 end},
    } do
      local found = nn.scaledDotProduct(q, k, v, case[1])
      for b = 1, 2 do
        close(tensor.Tensor(attend(q[b]:totable(), k[b]:totable(), v[b]:totable(), case[2])),
              found[b])
      end
    end
  end)

  it('scaledDotProduct drops weights in training', function()
    local q, k, v = tensor.randn(1, 2, 3, 4), tensor.randn(1, 2, 5, 4), tensor.ones(1, 2, 5, 1)
    local mask = tensor.ByteTensor(3, 5):fill(1)
    mask[1]:narrow(1, 2, 4):zero()
    tensor.manualSeed(7)
    local options = {dropout = 0.5, train = true, mask = mask, causal = true}
    local r = nn.scaledDotProduct(q, k, v, options)
    -- The only weight of the first row is 1, or is dropped.
    assert.is_true(r[1][1][1][1] == 2 or r[1][1][1][1] == 0)
    assert.is_true(nn.scaledDotProduct(q, k, v, {mask = mask}):allclose(tensor.ones(1, 2, 3, 1)))
  end)

  it('scaledDotProduct with dropout is 0 where a row sees nothing', function()
    local q, k, v = tensor.randn(2, 1, 4, 3), tensor.randn(2, 1, 3, 3), tensor.randn(2, 1, 3, 2)
    local byte = tensor.ByteTensor
    for _, case in ipairs{
      {mask = byte{{1, 1, 1}, {0, 0, 0}, {1, 0, 1}, {0, 1, 0}}}, {mask = byte{0, 0, 0}},
      {mask = byte{{{{1, 0, 1}}}, {{{0, 0, 0}}}}}, {causal = true},
      {causal = true, mask = byte{{1, 1, 1}, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}}},
    } do
      local expected = nn.scaledDotProduct(q, k, v, case)
      -- This probability selects the form with dropout, but drops nothing.
      case.dropout, case.train = 1e-15, true
      close(expected, nn.scaledDotProduct(q, k, v, case))
      assert.is_true(tensor.gradcheck(function(a, b, c)
        return nn.scaledDotProduct(a, b, c, case)
      end, {q, k, v}, {order = 2}))
    end
  end)

  it('scaledDotProduct checks its arguments alike with and without dropout', function()
    local q, k, v = tensor.randn(2, 3, 4), tensor.randn(2, 5, 4), tensor.randn(2, 5, 6)
    local function refused(expected, ...)
      local arguments, mask = {...}, select(4, ...)
      for _, options in ipairs{{mask = mask}, {mask = mask, dropout = 0.5, train = true}} do
        arguments[4] = options
        local ok, found = pcall(nn.scaledDotProduct, unpack(arguments, 1, 4))
        assert.is_false(ok)
        assert.is_truthy(found:find('attention: ' .. expected, 1, true), found)
      end
    end
    for _, size in ipairs{{30}, {15}, {5, 3}, {7, 2, 3, 5}, {1, 1, 3, 5}, {2, 3, 4}, {0}} do
      for _, class in ipairs{'DoubleTensor', 'ByteTensor'} do
        refused('a mask of size', q, k, v, tensor[class](unpack(size)):fill(1))
      end
    end
    refused('the mask is a FloatTensor', q, k, v, tensor.zeros(3, 5):float())
    refused('the mask is a LongTensor', q, k, v, tensor.LongTensor(3, 5):fill(1))
    for _, mask in ipairs{1, true, {}} do
      refused('invalid arguments', q, k, v, mask)
    end
    refused('q of size [2 x 3 x 4], k of size [2 x 5 x 6]', q, v, k)
    refused('q of size [4]', q[1][1], k, v)
    refused('q of size', q, k, v:narrow(2, 1, 4))
    refused('q and k have no columns', tensor.Tensor(2, 3, 0), tensor.Tensor(2, 5, 0), v)
    refused('invalid arguments', q, k)
    for _, size in ipairs{{3, 5}, {1, 5}, {3, 1}, {2, 1, 1}, {5}, {1}, {2, 3, 5}} do
      local mask = tensor.zeros(unpack(size))
      local options = {mask = mask, dropout = 1e-15, train = true}
      close(nn.scaledDotProduct(q, k, v), nn.scaledDotProduct(q, k, v, options))
    end
    assert.has_error(function() nn.scaledDotProduct(q, k, v, 5) end,
                     'nn.scaledDotProduct: a table of options is expected, got a number; '
                     .. 'the options are causal, dropout, mask, train')
    assert.has_error(function() nn.scaledDotProduct(q, k, v, {casual = true}) end,
      'nn.scaledDotProduct: unknown option casual; the options are causal, dropout, mask, train')
    assert.has_error(function() nn.scaledDotProduct(q, k, v, {causal = 1}) end,
      'nn.scaledDotProduct: option causal must be a boolean, got a number')
    assert.has_error(function() nn.scaledDotProduct(q, k, v, {train = true, dropout = 2}) end,
      'nn.scaledDotProduct: dropout: a probability from 0 to 1 is expected, got 2')
  end)

  it('rotary turns pairs of elements by angles of their rows', function()
    local x = tensor.randn(2, 3, 2, 4)
    local y = nn.rotary(x, {base = 100, first = 5})
    for row = 1, 2 do
      for i = 1, 2 do
        local angle = (row + 4) * 100 ^ (-(i - 1) / 2)
        local a, b = x[2][3][row][i], x[2][3][row][i + 2]
        close(tensor.Tensor{a * math.cos(angle) - b * math.sin(angle),
                            b * math.cos(angle) + a * math.sin(angle)},
              tensor.Tensor{y[2][3][row][i], y[2][3][row][i + 2]})
      end
    end
    assert.is_true(nn.rotary(tensor.ones(1, 6)):equal(tensor.ones(1, 6)))
    assert.is_true(tensor.gradcheck(nn.rotary, {tensor.randn(3, 2)}, {order = 2}))
    assert.has_error(function() nn.rotary(tensor.randn(2, 3)) end,
      'nn.rotary: rows of an even size are expected, got 2x3')
  end)

  it('scaledDotProduct with dropout is 0 without columns', function()
    local q, k, v = tensor.randn(1, 4, 3), tensor.Tensor(1, 0, 3), tensor.Tensor(1, 0, 2)
    for _, options in ipairs{{}, {causal = true}, {mask = tensor.ByteTensor(4, 0)},
                             {causal = true, mask = tensor.ByteTensor(4, 0)},
                             {mask = tensor.ByteTensor(4, 1)}} do
      options.dropout, options.train = 0.5, true
      close(tensor.zeros(1, 4, 2), nn.scaledDotProduct(q, k, v, options))
    end
  end)

  it('attention splits the width among its heads', function()
    local layer, x, memory = nn.attention(4, 2), tensor.randn(2, 3, 4), tensor.randn(2, 5, 4)
    local params = layer.init()
    local function expected(from, mask)
      local rows = from:size(2)
      local result = tensor.zeros(2, 3, 4)
      local w, bias = params.input.weight, params.input.bias
      for b = 1, 2 do
        local q = x[b] * w:narrow(1, 1, 4):t() + bias:narrow(1, 1, 4)
        local kv = from[b] * w:narrow(1, 5, 8):t() + bias:narrow(1, 5, 8)
        for head = 0, 1 do
          local function part(t, first)
            return t:narrow(2, first + 2 * head, 2):totable()
          end
          local y = attend(part(q, 1), part(kv, 1), part(kv, 5), function(i, j)
            return mask == nil or mask[b][head + 1][i][j] == 1
          end)
          result[b]:narrow(2, 1 + 2 * head, 2):copy(tensor.Tensor(y))
        end
      end
      assert.are.equal(rows, from:size(2))
      return nn.linear(4, 4)(params.output, result)
    end
    close(expected(x), layer(params, x))
    close(expected(memory), layer(params, x, {memory = memory}))
    local mask = tensor.ByteTensor(2, 2, 3, 3):bernoulli(0.5)
    mask:select(4, 2):fill(1)
    close(expected(x, mask), layer(params, x, {mask = mask}))
    local causal = tensor.ones(3, 3):tril():byte():view(1, 1, 3, 3):expand(2, 2, 3, 3)
    close(expected(x, causal), nn.attention(4, 2, {causal = true})(params, x))

    check_gradients(layer, x)
    check_gradients(layer, x, {memory = memory})
    check_gradients(nn.attention(4, 2, {causal = true, dropout = 0.3}), x, {train = true})
    assert.has_error(function() nn.attention(5, 2) end,
                     'nn.attention: the width 5 is not a multiple of 2 heads')
  end)

  it('causal attention with dropout runs in scopes', function()
    local layer, x = nn.attention(4, 2, {causal = true, dropout = 0.3}), tensor.randn(2, 9, 4)
    local params, outputs = layer.init(), {}
    for k = 1, 2 do
      tensor.scope(function()
        tensor.manualSeed(3)
        outputs[k] = tensor.keep(layer(params, x, {train = true}))
      end)
    end
    close(outputs[1], outputs[2])
  end)

  it('transformerBlock adds attention and a network of one hidden layer', function()
    local block, x = nn.transformerBlock(4, 2, {causal = true, hidden = 6}), tensor.randn(2, 3, 4)
    local p = block.init()
    local norm = nn.layerNorm(4)
    local y = x + nn.attention(4, 2, {causal = true})(p.attention, norm(p.norm1, x))
    local hidden = tensor.gelu(nn.linear(4, 6)(p.up, norm(p.norm2, y)))
    close(y + nn.linear(6, 4)(p.down, hidden), block(p, x))
    check_gradients(block, x)
    check_gradients(nn.transformerBlock(4, 1, {dropout = 0.4}), x, {train = true})
    -- The first output does not depend on later inputs.
    local other = x:clone()
    other:narrow(2, 2, 2):add(1)
    close(block(p, x):select(2, 1), block(p, other):select(2, 1))
  end)

  it('conv2d is a cross-correlation with stride, padding, dilation and groups', function()
    local x = tensor.randn(2, 4, 6, 7)
    for _, o in ipairs{
      {size = {3, 2}, stride = {1, 1}, padding = {0, 0}, dilation = {1, 1}, groups = 1},
      {size = {3, 2}, stride = {2, 3}, padding = {1, 2}, dilation = {2, 1}, groups = 2},
      {size = {2, 3}, stride = {1, 2}, padding = {0, 1}, dilation = {1, 2}, groups = 4},
      {size = {1, 1}, stride = {1, 1}, padding = {0, 0}, dilation = {1, 1}, groups = 1},
    } do
      local layer = nn.conv2d(4, 8, o.size, {stride = o.stride, padding = o.padding,
                                             dilation = o.dilation, groups = o.groups})
      local params = layer.init()
      local y = layer(params, x)
      local expected = y:clone()
      local each, out = 4 / o.groups, 8 / o.groups
      local function pixel(b, c, row, column)
        local inside = row >= 1 and row <= 6 and column >= 1 and column <= 7
        return inside and x[b][c][row][column] or 0
      end
      for b = 1, 2 do
        for k = 1, 8 do
          local group = math.floor((k - 1) / out)
          for i = 1, y:size(3) do
            for j = 1, y:size(4) do
              local sum = params.bias[k]
              for c = 1, each do
                for u = 1, o.size[1] do
                  for v = 1, o.size[2] do
                    local row = (i - 1) * o.stride[1] + (u - 1) * o.dilation[1] + 1 - o.padding[1]
                    local column = (j - 1) * o.stride[2] + (v - 1) * o.dilation[2] + 1
                      - o.padding[2]
                    sum = sum + params.weight[k][c][u][v] * pixel(b, group * each + c, row, column)
                  end
                end
              end
              expected[b][k][i][j] = sum
            end
          end
        end
      end
      for d = 1, 2 do
        local extent = (o.size[d] - 1) * o.dilation[d] + 1
        local count = math.floor((x:size(2 + d) + 2 * o.padding[d] - extent) / o.stride[d]) + 1
        assert.are.equal(count, y:size(2 + d))
      end
      close(expected, y)
      check_gradients(layer, x)
    end
    assert.has_error(function() nn.conv2d(3, 4, 3, {groups = 2}) end,
                     'nn.conv2d: 3 inputs and 4 outputs are not multiples of 2 groups')
    assert.has_error(function() nn.conv2d(1, 1, {3}) end,
      'nn.conv2d: size: a whole number of at least 1 or a pair of them is expected')
    local large = nn.conv2d(4, 1, 9)
    local done, message = pcall(large, large.init(), x)
    assert.is_false(done)
    assert.is_truthy(tostring(message):find('is larger than the padded input', 1, true))
  end)

  it('maxPool2d and avgPool2d reduce windows', function()
    local x = tensor.randn(2, 3, 5, 7)
    for _, o in ipairs{{size = {2, 2}, stride = {2, 2}, padding = {0, 0}},
                       {size = {3, 2}, stride = {2, 1}, padding = {1, 0}}} do
      local options = {stride = o.stride, padding = o.padding}
      local max_pool, avg_pool = nn.maxPool2d(o.size, options), nn.avgPool2d(o.size, options)
      local largest, mean = max_pool(x), avg_pool(x)
      local a, b = largest:clone(), mean:clone()
      for n = 1, 2 do
        for c = 1, 3 do
          for i = 1, largest:size(3) do
            for j = 1, largest:size(4) do
              local best, sum = -math.huge, 0
              for u = 1, o.size[1] do
                for v = 1, o.size[2] do
                  local row = (i - 1) * o.stride[1] + u - o.padding[1]
                  local column = (j - 1) * o.stride[2] + v - o.padding[2]
                  if row >= 1 and row <= 5 and column >= 1 and column <= 7 then
                    best = math.max(best, x[n][c][row][column])
                    sum = sum + x[n][c][row][column]
                  end
                end
              end
              a[n][c][i][j], b[n][c][i][j] = best, sum / (o.size[1] * o.size[2])
            end
          end
        end
      end
      close(a, largest)
      close(b, mean)
      check_gradients(max_pool, x)
      check_gradients(avg_pool, x)
    end
    assert.are.same({2, 3, 2, 3}, nn.maxPool2d(2)(x):size():totable())
  end)
end)

it('max pools of rows of any length give the first NaN, or the first largest element', function()
  local random = elements.generator(3)
  local nan = 0 / 0
  for _, class in ipairs { 'HalfTensor', 'FloatTensor', 'DoubleTensor' } do
    for width = 9, 160, 7 do
      local kernel, stride = math.floor(random() * 4) + 1, math.floor(random() * 3) + 1
      local dilation, height = math.floor(random() * 2) + 1, 5
      local padding = math.floor(random() * (math.floor(kernel / 2) + 1))
      local t = tensor[class](1, height, width)
      for i = 1, height do
        for j = 1, width do
          t[{ 1, i, j }] = random() < 0.02 and nan or math.floor(random() * 6)
        end
      end
      local values, indices = tensor.maxPool2d(t, { 2, kernel }, { 1, stride }, { 0, padding },
                                               { 1, dilation })
      for i = 1, values:size(2) do
        for j = 1, values:size(3) do
          local best
          for di = 0, 1 do
            for k = 0, kernel - 1 do
              local column = (j - 1) * stride - padding + k * dilation + 1
              if column >= 1 and column <= width then
                local at = (i - 1 + di) * width + column
                local x, most = t[{ 1, i + di, column }], best and best[1]
                if not best or most == most and (x <= most) == false then best = { x, at } end
              end
            end
          end
          local got = values[{ 1, i, j }]
          assert.is_true(got == best[1] or got ~= got and best[1] ~= best[1])
          assert.are.equal(best[2], indices[{ 1, i, j }])
        end
      end
    end
  end
end)
