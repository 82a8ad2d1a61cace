-- tensor.tree: nested tables of tensors.

local tensor = require 'tensor'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'
local fails = require 'support.raises'.text

it('the functions of tensor.tree check their arguments', function()
  local t = tensor.ones(1)
  fails('tree.keys: a table is expected, got a number', tree.keys, 0)
  fails('tree.keys: a table is expected, got nil', tree.keys)
  fails('tree.leaves: a function is expected, got a number', tree.leaves, t, 2)
  fails('tree.map: a function is expected, got a boolean', tree.map, true, t)
  fails('tree.map: a function is expected, got nil', tree.map)
  local p = {w = t, layer = {b = t}}
  local df = tensor.grad(function(q) return q.w:sum() + q.layer.b:sum() end)
  local function nothing() end
  fails('tree.map: argument 4: a table is expected, got a number', function()
    tree.map(nothing, p, df(p))
  end)
  fails('tree.map: argument 3: a table is expected at layer, got a tensor of size [1]', tree.map,
        nothing, p, {w = t, layer = t})
  fails('tree: the tables differ: layer.b is in only one of them', tree.map, nothing, p,
        {w = t, layer = {}})
  fails('tree: the tables differ: layer.c is in only one of them', tree.map, nothing, p,
        {w = t, layer = {b = t, c = t}})
end)

describe('tree.copy', function()
  it('copies all tensors, and converts their elements', function()
    local t = {a = tensor.zeros(2), b = {tensor.LongTensor(1), 'text', 5}}
    local from = {a = tensor.ones(2):float(), b = {tensor.ones(1) * 3, 'other', 6}}
    assert.are.equal(t, tree.copy(t, from))
    assert.are.same({1, 1}, t.a:totable())
    assert.are.same({3}, t.b[1]:totable())
    assert.are.same({'text', 5}, {t.b[2], t.b[3]})
    local x = tensor.zeros(2)
    assert.are.same({1, 1}, tree.copy(x, from.a):totable())
  end)

  it('copies nothing if the tables differ', function()
    local t = {a = tensor.zeros(2), b = {tensor.zeros(2, 3), 1}}
    local a = tensor.ones(2)
    for message, from in pairs{
      ['to.b.1: a tensor of size [2 x 3] is expected, got a tensor of size [3 x 2]'] =
        {a = a, b = {tensor.ones(3, 2), 1}},
      ['to.b.1: a tensor of size [2 x 3] is expected, got a tensor of size [3]'] =
        {a = a, b = {tensor.ones(3), 1}},
      ['to.b.1: a tensor of size [2 x 3] is expected, got a number'] = {a = a, b = {1, 1}},
      ['to.b.2: a number is expected, got a tensor of size [2]'] =
        {a = a, b = {tensor.ones(2, 3), a}},
      ['to.b: 1 is only in the destination'] = {a = a, b = {}},
      ['to: c is only in the source'] = {a = a, b = {tensor.ones(2, 3), 1}, c = a},
      ['to.b: a table is expected, got a number'] = {a = a, b = 1},
    } do
      fails('tree.copy: ' .. message, tree.copy, t, from)
      assert.are.same({0, 0}, t.a:totable())
    end
    fails('tree.copy: to: a table is expected, got nil', tree.copy, t)
    fails('tree.copy: to: a tensor of size [2] is expected, got a table', tree.copy, a, t)
  end)
end)

describe('tree.norm', function()
  local p = {tensor.Tensor{3, 0}, {x = tensor.Tensor{{4}}, n = tensor.LongTensor{7}}, 'text', 5}

  it('is the norm of all elements of floating-point tensors', function()
    assert.are.equal(5, tree.norm(p))
    assert.are.equal(3, tree.norm(p[1]))
    assert.are.equal(0, tree.norm{tensor.LongTensor{7}, tensor.Tensor()})
    assert.are.equal(5, tree.norm{tensor.Tensor{3}:float(), tensor.Tensor{4}:half()})
  end)

  it('has gradients', function()
    local df = tensor.grad(function(q) return tree.norm(q) * 10 end)
    local g, loss = df(p)
    assert.are.equal(50, loss)
    assert.are.same({6, 0}, g[1]:totable())
    assert.are.same({{8}}, g[2].x:totable())
    assert.are.same({0}, g[2].n:totable())
    assert.are.equal(0, g[4])  -- numbers do not count
    g = df{tensor.zeros(2), tensor.zeros(1)}
    assert.are.same({0, 0}, g[1]:totable())
  end)

  it('counts tracked numbers as numbers', function()
    tensor.grad(function(q)
      assert.are.equal(3, #tree.leaves(q))
      assert.are.equal(q[4], tree.map(function(t) return t end, q)[4])
      return tree.norm(q)
    end)(p)
  end)
end)

-- Gradients of functions that contain steps of optimizers.
it('tree.clone refuses objects that can be called', function()
  local nn = require 'tensor.nn'
  local expected = 'tree.clone: a table of tensors is expected, got %s, which only its '
                   .. 'constructor can make'
  fails(expected:format 'nn.batchNorm', tree.clone, nn.batchNorm(2))
  fails(expected:format 'nn.sequential', tree.clone, {params = {}, net = nn.sequential{nn.relu}})
  fails(expected:format 'optim.sgd', tree.clone, optim.sgd{rate = 1})
  assert.is_true(tree.clone(nn.batchNorm(2).state).variance:equal(tensor.ones(2)))
end)

describe('tracked numbers in tensor.optim', function()
  local x = tensor.Tensor{1, 2}
  local function stepped(name, rate)
    local p = {tensor.ones(2)}
    optim[name]{rate = 1}(p, {x}, rate)
    return p[1]:sum()
  end

  it('are rates of a step', function()
    for _, name in ipairs{'sgd', 'adam', 'adamW', 'rmsprop', 'adagrad', 'nadam', 'radam', 'lion'} do
      local g, loss = tensor.grad(function(rate) return stepped(name, rate) end)(0.5)
      local slope = stepped(name, 1.5) - stepped(name, 0.5)
      assert.is_true(math.abs(g - slope) < 1e-9 * math.abs(slope))
      assert.is_true(math.abs(loss - stepped(name, 0.5)) < 1e-12)
    end
    assert.are.equal(-3, (tensor.grad(function(rate)
      local p = {tensor.ones(2)}
      optim.sgd{rate = function() return rate end}(p, {x})
      return p[1]:sum()
    end)(0.5)))
  end)

  it('are norms of clipNorm', function()
    local function clipped(limit)
      return function(g)
        g = g:clone()
        local norm = optim.clipNorm({g}, limit)
        return tensor.dot(g, x) + norm
      end
    end
    assert.is_true(tensor.gradcheck(clipped(1), {tensor.Tensor{3, 4}}))
    assert.is_true(tensor.gradcheck(clipped(9), {tensor.Tensor{3, 4}}))
  end)

  it('are errors elsewhere', function()
    local function refused(expected, f)
      fails(expected, tensor.grad(f), 0.5)
    end
    refused('optim.sgd: option rate must be a number or function, got a tracked number',
            function(n) optim.sgd{rate = n} end)
    refused('optim.clipNorm: a limit of at least 0 is expected, got a tracked number',
            function(n) optim.clipNorm({x:clone()}, n) end)
    local function lbfgs(gradient, loss, rate)
      return optim.lbfgs{rate = rate}({tensor.ones(2)}, function() return {gradient}, loss end)
    end
    refused('optim.lbfgs: a number or a tensor of one element is expected as the loss, got a '
            .. 'tracked number', function(n) lbfgs(x, n, 1) end)
    refused('optim.lbfgs: the rate must be a number, got a tracked number',
            function(n) lbfgs(x, 1, function() return n end) end)
    refused('optim.lbfgs: the gradients depend on the arguments of tensor.grad',
            function(n) lbfgs(x * n, 1, 1) end)
  end)
end)

it('flatten and unflatten have the names of paths', function()
  local a, b, c = tensor.ones(1), tensor.ones(2), tensor.ones(3)
  local t = {enc = {{w = a}, {}, {w = b, [1] = c}}, n = 5}
  local flat = tree.flatten(t)
  assert.are.same({['enc.1.w'] = a, ['enc.3.w'] = b, ['enc.3.1'] = c, n = 5}, flat)
  assert.are.equal(a, flat['enc.1.w'])
  t.enc[2] = nil
  assert.are.same(t, tree.unflatten(flat))
  flat = tree.flatten(t, '/', 0)
  assert.are.same({['enc/0/w'] = a, ['enc/2/w'] = b, ['enc/2/0'] = c, n = 5}, flat)
  assert.are.same(t, tree.unflatten(flat, '/', 0))
  assert.are.same({['01'] = {a}, ['1.5'] = b}, tree.unflatten({['01/1'] = a, ['1.5'] = b}, '/'))
  assert.are.same({{a}}, tree.unflatten{['1.1'] = a})
  assert.are.same({}, tree.unflatten{})

  fails('tree.flatten: a table is expected, got a tensor of size [1]', tree.flatten, a)
  fails('tree.flatten: a separator of one or more characters is expected, got an empty string',
        tree.flatten, t, '')
  fails('tree.unflatten: a separator of one or more characters is expected, got a number',
        tree.unflatten, t, 0)
  fails('tree.flatten: the number of the first element must be 0 or 1, got 2', tree.flatten, t, '.',
        2)
  fails('tree.flatten: two values have the name "a.b"', tree.flatten, {['a.b'] = a, a = {b = a}})
  fails('tree.flatten: a table of tensors is expected, got nn.linear; its parameters are what '
    .. 'net.init() returns', tree.flatten, {require 'tensor.nn'.linear(1, 1)})
  fails('tree.unflatten: "a" is a value, so it has no field "b"', tree.unflatten,
        {a = a, ['a.b'] = b})
  for key, shown in pairs{[0] = '0', [-1] = '-1', [1.5] = '1.5'} do
    fails('tree.flatten: the numbers of elements are whole and 1 or more, got ' .. shown,
          tree.flatten, {a = {[key] = a}})
  end
  fails('tree.unflatten: a name is expected, got 1', tree.unflatten, {a})
  local cyclic = {}
  cyclic.a = cyclic
  fails('tree: a table of tensors contains itself', tree.flatten, cyclic)
end)

it('files of tensors by name have the names of flatten', function()
  local nn = require 'tensor.nn'
  local net = nn.sequential{nn.linear(2, 3), nn.relu, nn.linear(3, 1)}
  local params, others = net.init(), net.init()
  for _, ending in ipairs{'.safetensors', '.npz'} do
    local file = os.tmpname() .. ending
    tensor.save(file, tree.flatten(params, '.', 0))
    local flat = tensor.load(file)
    assert.is_true(flat['2.weight']:equal(params[3].weight))
    tree.copy(tree.flatten(others, '.', 0), flat)
    os.remove(file)
    assert.is_true(others[1].weight:equal(params[1].weight))
    local hint = '; names are strings: tensor.tree.flatten makes them for a nested table'
    fails('a tensor is expected for enc, got table' .. hint, tensor.save, file, {enc = params})
  end
  fails('invalid tensor name: 1; names are strings: tensor.tree.flatten makes them for a nested '
    .. 'table', tensor.save, os.tmpname() .. '.safetensors', params)
end)
