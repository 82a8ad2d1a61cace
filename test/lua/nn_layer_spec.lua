-- Tests nn.layer: parameters of its own, and lists of layers.

local tensor = require 'tensor'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'

describe('nn.layer', function()
  before_each(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)

  it('has parameters of its own, and children in lists', function()
    local initial = tensor.ones(2)
    local children = {
      lin = nn.linear(2, 2), scale = initial, shift = function() return tensor.randn(2) end,
      blocks = {nn.linear(2, 2), nn.batchNorm(2), {act = nn.linear(2, 2), gain = tensor.zeros(1)}},
    }
    local net = nn.layer('scaled', children, function(p, x, options)
      x = tensor.cmul(children.lin(p.lin, x), p.scale) + p.shift
      for k = 1, 2 do x = children.blocks[k](p.blocks[k], x, options) end
      return children.blocks[3].act(p.blocks[3].act, x) + p.blocks[3].gain
    end)
    tensor.manualSeed(1)
    local params = net.init()
    tensor.manualSeed(1)
    local others = net.init()
    assert.is_true(params.shift:equal(others.shift))
    assert.is_true(params.blocks[3].act.weight:equal(others.blocks[3].act.weight))
    params.scale:fill(5)
    assert.are.same({1, 1}, initial:totable())
    assert.are.same({1, 1}, others.scale:totable())
    assert.are.same({0, 0}, net.state.blocks[2].mean:totable())
    assert.is_nil(net.state.blocks[1])
    assert.is_nil(net.state.lin)
    local x = tensor.randn(4, 2)
    local df = tensor.grad(function(p) return net(p, x, {train = true}):mean() end)
    local gradients = df(params)
    assert.are.same({1}, gradients.blocks[3].gain:totable())
    optim.sgd{rate = 1}(params, gradients)
    assert.are.same({-1}, params.blocks[3].gain:totable())
    assert.are_not.same({0, 0}, net.state.blocks[2].mean:totable())
    assert.are.equal([[
nn.scaled{
  blocks = {nn.linear(2, 2), nn.batchNorm(2), {act = nn.linear(2, 2), gain = tensor [1]}},
  lin = nn.linear(2, 2),
  scale = tensor [2],
  shift = function
}]], tostring(net))
  end)

  it('checks its children', function()
    local function forward() end
    local function fails(expected, f, ...)
      local ok, failure = pcall(f, ...)
      assert.is_false(ok)
      assert.are.equal('nn.layer: ' .. expected, (failure:gsub('^%S+:%d+: ', '')))
    end
    fails('a layer, a tensor or a function is expected as the child a.2, got a number',
          nn.layer, 'x', {a = {nn.linear(1, 1), 3}}, forward)
    fails('the names of children are strings or numbers, got a boolean',
          nn.layer, 'x', {[true] = nn.linear(1, 1)}, forward)
    fails('the child a.act must be a function that returns a parameter, got nn.relu; ' ..
          'call it in forward', nn.layer, 'x', {a = {act = nn.relu}}, forward)
    fails('the function of the child b failed: no',
          nn.layer('x', {b = function() error('no', 0) end}, forward).init)
    local cyclic = {}
    cyclic.a = cyclic
    fails('a table of tensors contains itself', nn.layer, 'x', cyclic, forward)
    fails('the function of the child a.b must return a tensor: got nil',
          nn.layer('x', {a = {b = function() end}}, forward).init)
  end)
end)

describe('nn.embedding', function()
  it('has a row without gradient for padding', function()
    local layer = nn.embedding(4, 2, {padding = 2})
    local params = layer.init()
    assert.are.same({0, 0}, params.weight[2]:totable())
    assert.are_not.same({0, 0}, params.weight[1]:totable())
    local df = tensor.grad(function(p, x) return (layer(p, x) * 3):sum() end)
    local gradients = df(params, tensor.LongTensor {{1, 2, 1}, {-3, 2, 4}})
    assert.are.same({{6, 6}, {0, 0}, {0, 0}, {3, 3}}, gradients.weight:totable())
    params.weight[2]:fill(5)
    assert.are.same({{5, 5}}, layer(params, tensor.LongTensor {2}):totable())
    assert.error_matches(function() nn.embedding(4, 2, {padding = 5}) end,
                         'nn.embedding: the padding 5 is not an index from 1 to 4')
  end)
end)

describe('a call of a layer', function()
  local net = nn.sequential {nn.batchNorm(2), nn.dropout(0.5)}
  local params, x = net.init(), tensor.ones(3, 2)

  it('refuses values of train that are neither true nor false', function()
    for _, value in ipairs {1, 0, 'yes'} do
      assert.error_matches(function() net(params, x, {train = value}) end,
                           'nn.sequential: the option train must be a boolean')
    end
    assert.error_matches(function() net(params, x, {training = true}) end,
                         "a call has no option 'training': the option for training is train")
    assert.are.same({0, 0}, net.state[1].mean:totable())
    net(params, x, {train = false})
    assert.are.same({0, 0}, net.state[1].mean:totable())
  end)

  it('refuses options that no layer knows', function()
    local attention = nn.sequential {nn.attention(2, 1), nn.sequential {nn.transformerBlock(2, 1)}}
    local p, y = attention.init(), tensor.ones(1, 3, 2)
    for option, hint in pairs {
      causal = 'it is an option of the constructor of attention and transformerBlock',
      is_causal = 'causal is an option of the constructor', attn_mask = 'use mask',
      key_padding_mask = 'use mask', dropout = 'it is an option of the constructor',
      trian = 'the options are train, mask, memory and state',
    } do
      for _, net_of in ipairs {attention, nn.attention(2, 1), nn.transformerBlock(2, 1)} do
        assert.error_matches(function() net_of(p, y, {[option] = true}) end,
                             "nn.%w+: a call has no option '" .. option .. "': " .. hint)
      end
    end
    local gru = nn.gru(2, 2)
    for _, option in ipairs {'states', 'hidden', 'h0', 'hx'} do
      assert.error_matches(function() gru(gru.init(), y, {[option] = {}}) end,
                           "nn.gru: a call has no option '" .. option .. "': use state")
    end
    attention(p, y, {train = false, mask = tensor.ByteTensor(3, 3):fill(1), memory = y, state = {}})
  end)

  it('passes other options to layers of the program', function()
    local found, linear = {}, nn.linear(2, 2)
    local inner = nn.layer('inner', {}, function() end)
    local own = nn.layer('own', {linear = linear, inner = inner}, function(p, y, options)
      found = options
      inner(p.inner, y, options)
      return linear(p.linear, y, options)
    end)
    local outer = nn.sequential {nn.linear(2, 2), nn.sequential {own}}
    outer(outer.init(), x, {causal = true, train = true})
    assert.are.same({causal = true, train = true}, found)
    assert.error_matches(function() outer(outer.init(), x, {train = 1}) end,
                         'nn.sequential: the option train must be a boolean, got a number')
    assert.error_matches(function() outer(outer.init(), x, {training = true}) end,
                         'the option for training is train')
  end)

  it('accepts options that a layer of the program copies, and then checks again', function()
    local linear = nn.linear(2, 2)
    local own = nn.layer('own', {linear = linear}, function(p, y, options)
      if options.step == 0 then error 'no step' end
      local copy = {}
      for key, value in pairs(options) do copy[key] = value end
      return linear(p.linear, y, copy)
    end)
    local options = {step = 3, train = true}
    for step = 1, 0, -1 do
      options.step = step
      assert.are.equal(step == 1, (pcall(own, own.init(), x, options)))
      assert.error_matches(function() linear(linear.init(), x, options) end,
                           "nn.linear: a call has no option 'step'")
    end
  end)

  it('refuses methods of other libraries', function()
    for _, name in ipairs {'parameters', 'train', 'eval', 'to', 'state_dict', 'zero_grad'} do
      assert.error_matches(function() net[name](net) end, 'nn.sequential has no method ' .. name
        .. ': .*[ny]')
    end
    local step = optim.sgd {rate = 1}
    assert.error_matches(function() step:zero_grad() end,
                         'optim.sgd has no method zero_grad: each call of the function of')
    assert.error_matches(function() step:state_dict() end, 'step.state is the state')
  end)

  it('refuses more arguments', function()
    assert.error_matches(function() net(params, x, {}, 5) end,
                         'nn.sequential: too many arguments: .*; at most 3 are expected')
  end)
end)
