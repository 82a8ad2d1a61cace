-- Tests bidirectional LSTM and GRU: values and gradients against PyTorch's, states, errors.

local tensor = require 'tensor'
local nn = require 'tensor.nn'
local tree = require 'tensor.tree'

-- The figures of test/reference/recurrent.py, by name.
local figures = require 'support.figures'.read 'recurrent.txt'

local function elements(t, k)
  local i = -1
  return t:apply(function()
    i = i + 1
    return ((7 * i + 3 * k) % 11 - 5) / 8
  end)
end

local function loss_of(t)
  local factors = tensor.range(0, t:nElement() - 1):mul(5):remainder(7):add(-3):div(4)
  return tensor.cmul(t:reshape(t:nElement()), factors):sum()
end

local fields = {weight_ih = 'weight', weight_hh = 'weightHidden', bias_ih = 'bias',
                bias_hh = 'biasHidden'}

describe('a bidirectional layer', function()
  before_each(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)

  local function check(name, t)
    local expected = tensor.Tensor(figures[name])
    local distance = (t:reshape(t:nElement()) - expected):abs():max()
    assert.is_true(distance < 1e-12, name .. ': ' .. distance)
  end

  for _, name in ipairs{'lstm', 'gru'} do
    it(name .. ' has the values and gradients of PyTorch', function()
      local net = nn[name](3, 2, {layers = 2, bidirectional = true})
      local params, k, count = net.init(), 1, 0
      for part = 1, 2 do
        for _, p in ipairs{params[part], params[part].reverse} do
          for _, field in ipairs{'weight', 'weightHidden', 'bias', 'biasHidden'} do
            if p[field] then
              elements(p[field], k)
              k = k + 1
            end
          end
        end
      end
      local x = elements(tensor.Tensor(3, 2, 3), 0)
      local function states_of(states, field)
        return tensor.stack({states[1][field], states[1].reverse[field], states[2][field],
                             states[2].reverse[field]}, 1)
      end
      local y, states = net(params, x)
      check(name .. ' y', y)
      local gradients = tensor.grad(function(p)
        local output, last = net(p.params, p.x)
        local loss = loss_of(output) + loss_of(states_of(last, 'h'))
        return name == 'lstm' and loss + loss_of(states_of(last, 'c')) or loss
      end)({params = params, x = x})
      check(name .. ' h', states_of(states, 'h'))
      if name == 'lstm' then check(name .. ' c', states_of(states, 'c')) end
      check(name .. ' x', gradients.x)
      for key in pairs(figures) do
        local part, reverse, field = key:match('^' .. name .. ' (%d)(%S*) (%S+)$')
        if part then
          local g = gradients.params[tonumber(part)]
          check(key, (reverse ~= '' and g.reverse or g)[fields[field]])
          count = count + 1
        end
      end
      assert.are.equal(name == 'lstm' and 12 or 16, count)
    end)
  end

  it('continues each direction from its state', function()
    local net = nn.lstm(3, 2, {bidirectional = true})
    local params, x = net.init(), tensor.randn(4, 2, 3)
    local state = {h = tensor.randn(2, 2), c = tensor.randn(2, 2),
                   reverse = {h = tensor.randn(2, 2), c = tensor.randn(2, 2)}}
    local y, states = net(params, x, {state = {state}})
    local one = nn.lstm(3, 2)
    local ahead, last = one({params[1]}, x, {state = {state}})
    local back, first = one({params[1].reverse}, x:flip(1), {state = {state.reverse}})
    assert.is_true(y:equal(tensor.cat(ahead, back:flip(1), 3)))
    assert.is_true(states[1].h:equal(last[1].h))
    assert.is_true(states[1].reverse.c:equal(first[1].c))
    -- The state that a call returned may be that of the next call.
    assert.are.equal(4, (net(params, x, {state = states})):size(3))
    assert.are.equal(2 * (8 * 3 + 8 * 2 + 8), tree.count(params))
  end)

  it('checks parameters and states', function()
    local net = nn.gru(3, 2, {bidirectional = true})
    local params, x = net.init(), tensor.randn(4, 2, 3)
    local function fails(expected, ...)
      local ok, failure = pcall(net, ...)
      assert.is_false(ok)
      assert.are.equal(expected, (failure:gsub('^%S+:%d+: ', '')))
    end
    fails('nn.gru: layer 1, reverse: a table is expected as the state, got nil', params, x,
          {state = {{h = tensor.zeros(2, 2)}}})
    fails('nn.gru: layer 1, reverse: a table of parameters is expected, got nil',
          nn.gru(3, 2).init(), x)
  end)
end)
