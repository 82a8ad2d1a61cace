-- Gradients, optimizers, layers, files and data with tensors that have cutorch's class names. Runs
-- on the software device, like cutorch_spec.

local tensor = require 'tensor'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local tree = require 'tensor.tree'
local types = require 'tensor.types'
local support = require 'support.cutorch'
local files = require 'support.files'

local torch, cutorch = support.torch, support.cutorch

-- The CUDA classes of floating-point elements.
local FLOATS = {'torch.CudaTensor', 'torch.CudaDoubleTensor', 'torch.CudaHalfTensor',
                'torch.CudaBFloat16Tensor'}

local function assert_near(expected, t, what)
  local difference = (t:double() - torch.DoubleTensor(expected)):abs():max()
  assert.is_true(difference < 0.05, ('%s: %g'):format(what or t:type(), difference))
end

describe('packages with tensors of cutorch', function()
  support.around(before_each, after_each)

  it('know the element type of each class', function()
    for _, element in ipairs(types) do
      for _, class in ipairs {'torch.' .. element.name .. 'Tensor',
                              types.class_name(element, 'Tensor', true)} do
        local t = torch.getmetatable(class).new(1)
        assert.are.equal(class, t:type())
        assert.are.equal(element, types.by_class[class])
        assert.are.equal(element.integral or false, types.is_integral[class])
        assert.are.equal(not element.integral, types.is_floating[class])
        local info = element.integral and tensor.iinfo or tensor.finfo
        assert.are.equal(element.name, info(t).type)
        assert.are.equal(element.name, info(class).type)
        assert.are.equal(class, tensor.resultType(t, t))
      end
    end
    assert.are.equal('torch.CudaHalfTensor', types.beside('torch.CudaTensor', 'torch.HalfTensor'))
    assert.are.equal('torch.CudaHalfTensor', types.beside('torch.ByteTensor',
                                                          'torch.CudaHalfTensor'))
    assert.are.equal('torch.HalfTensor', types.beside('torch.ByteTensor', 'torch.HalfTensor'))
    assert.are.equal('torch.CudaTensor', tensor.resultType(torch.CudaByteTensor(1), 'Float'))
  end)

  for _, class in ipairs(FLOATS) do
    local function new(values) return torch.getmetatable(class).new(values) end

    it('update parameters of ' .. class, function()
      local function f(t) return t:dot(t), t * 2 end
      local x = new {3, 4}
      optim.sgd(f, x, {learningRate = 0.1})
      assert_near({2.4, 3.2}, x)
      for _, name in ipairs {'adam', 'adamW', 'rmsprop', 'adagrad', 'lbfgs'} do
        local t = new {3, 4}
        optim[name](f, t, {learningRate = 0.1})
        assert.are.equal(class, t:type())
        assert.is_true(t[1] < 3 and t[2] < 4, name)
      end
      local step, params = optim.sgd {rate = 0.1, momentum = 0.9}, {w = new {3, 4}}
      for _ = 1, 2 do
        step(params, {w = params.w * 2})
      end
      -- The gradients are 6, then 4.8; the velocities 6, then 10.2.
      assert_near({1.38, 1.84}, params.w)
      for _, t in pairs(step.state[1]) do assert.are.equal('gpu:1', t:device()) end
    end)

    it('clip gradients of ' .. class, function()
      local g = {new {3, 4}}
      assert.is_true(math.abs(optim.clipNorm(g, 1) - 5) < 0.01)
      assert_near({0.6, 0.8}, g[1])
      optim.clipValue(g, 0.7)
      assert_near({0.6, 0.7}, g[1])
      assert.is_true(math.abs(tree.norm {new {3}, new {4}} - 5) < 0.01)
    end)

    it('have gradients by ' .. class, function()
      local x = new {3, 4}
      local function f(t) return tensor.cmul(t, t):sum() end
      local g = tensor.grad(f)(x)
      assert.are.equal(class, g:type())
      assert_near({6, 8}, g)
      assert_near({3, 4}, tensor.vjp(function(t) return t * 3 end, {x}, {new {1, 4 / 3}})[1])
      assert_near({{6, 0}, {0, 8}}, tensor.jacobian(function(t) return tensor.cmul(t, t) end, x))
      local both = tensor.grad(function(p) return f(p.w) + f(p.b) end) {
        w = x, b = torch.FloatTensor {1, 2}}
      assert_near({6, 8}, both.w)
      assert_near({2, 4}, both.b)
      local n = tensor.grad(function(a) return x:maskedFill(x:gt(3), a):sum() end)(2)
      assert.are.equal(1, n)
    end)
  end

  -- Calls visit(t) for the tensors of a state, but not for numbers of steps.
  local function each_tensor(state, visit)
    for key, value in pairs(state) do
      if type(value) == 'table' then
        each_tensor(value, visit)
      elseif tensor.isTensor(value) and key ~= 'step' then
        visit(value)
      end
    end
  end

  it('continue on another device with the state of the host or of a GPU', function()
    for _, class in ipairs {'torch.FloatTensor', 'torch.HalfTensor'} do
      for name, construct in pairs {
        sgd = function() return optim.sgd {rate = 0.1, momentum = 0.9} end,
        adam = function() return optim.adam {rate = 0.1} end,
        lbfgs = function() return optim.lbfgs {rate = 0.1, iterations = 2} end,
      } do
        local function run(from, to)
          local step = construct()
          local params = {w = torch.DoubleTensor {3, 4}:type(class):to(from)}
          local function df(p) return {w = tensor.mul(p.w, 2)}, tensor.norm(p.w) end
          for k = 1, 3 do
            if k == 3 then params.w = params.w:clone():to(to) end
            step(params, name == 'lbfgs' and df or (df(params)))
          end
          assert.are.equal(to, params.w:device(), name)
          local count = 0
          each_tensor(step.state, function(t)
            count = count + 1
            assert.are.equal(to, t:device(), name)
          end)
          assert.is_true(count > 0)
          return params.w
        end
        local expected = run('cpu', 'cpu')
        assert.are.equal(class, expected:type())
        local w = run('cpu', 'gpu:1')
        assert.are.equal(types.beside('torch.CudaTensor', class), w:type())
        assert_near(expected:totable(), w, name)
        w = run('gpu:1', 'cpu')
        assert.are.equal(class, w:type())
        assert_near(expected:totable(), w, name)
      end
    end
  end)

  it('restore checkpoints of the host and the GPU', function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    for _, classes in ipairs {{'torch.FloatTensor', 'torch.CudaTensor'},
                              {'torch.CudaTensor', 'torch.FloatTensor'}} do
      local from, to = torch.getmetatable(classes[1]), torch.getmetatable(classes[2])
      training.save(path, {w = from.new {3, 4}})
      local parts = {w = to.new {0, 0}}
      training.load(path, parts)
      assert.are.equal(classes[2], parts.w:type())
      assert_near({3, 4}, parts.w)
    end
    assert.has_error(function() training.load(path, {w = torch.CudaDoubleTensor {0, 0}}) end)
  end)

  it('treat integers as constants', function()
    local x = torch.CudaLongTensor {3, 4}
    assert.has_error(function() tensor.grad(function(t) return t:sum() end)(x) end)
    assert.has_error(function() tensor.jacobian(function(t) return t end, x) end)
    assert.are.equal(0, tree.norm {x})
  end)

  it('hide elements by masks on the device', function()
    local q = torch.randn(1, 2, 4):cuda()
    for _, mask in ipairs {torch.CudaByteTensor {{1, 0}, {1, 1}}, torch.ByteTensor {{1, 0}, {1, 1}},
                           torch.CudaTensor {{0, -math.huge}, {0, 0}}} do
      local expected = nn.scaledDotProduct(q, q, q, {mask = mask})
      local got = nn.scaledDotProduct(q, q, q, {mask = mask, dropout = 1e-12, train = true})
      assert.are.equal('torch.CudaTensor', got:type())
      assert.is_true((got - expected):abs():max() < 1e-5, mask:type())
    end
    local causal = nn.scaledDotProduct(q, q, q, {causal = true, dropout = 1e-12, train = true})
    assert.is_true((causal[1][1] - q[1][1]):abs():max() < 1e-5)
  end)

  it('normalize images on the device', function()
    local x = torch.CudaByteTensor(1, 1, 1, 2):fill(3)
    local y = data.normalize(1, 4)(x)
    assert.are.equal('torch.CudaDoubleTensor', y:type())
    assert.are.same({0.5, 0.5}, y:view(2):totable())
    torch.setdefaulttensortype 'torch.CudaTensor'
    assert.are.equal('torch.CudaTensor', data.normalize(1, 4)(x):type())
    assert.are.equal('torch.CudaTensor', data.normalize(1, 4)(x:byte()):type())
  end)

  it('are saved in all formats', function()
    local t = torch.CudaTensor {{0, 1}, {1, 0}}
    for _, extension in ipairs {'npy', 'csv', 'png'} do
      local path = os.tmpname()
      local filename = path .. '.' .. extension
      tensor.save(filename, t)
      local back = tensor.load(filename)
      assert.are.same({0, 1, 1, 0}, back:double():view(4):totable(), extension)
      os.remove(path)
      os.remove(filename)
    end
    local path = os.tmpname()
    local filename = path .. '.safetensors'
    tensor.save(filename, {t = t, n = torch.CudaLongTensor {7}})
    local back = tensor.load(filename)
    os.remove(path)
    os.remove(filename)
    assert.are.same({{0, 1}, {1, 0}}, back.t:totable())
    assert.are.equal('torch.LongTensor', back.n:type())
  end)

  it('load tables if the default type is on the device', function()
    torch.setdefaulttensortype 'torch.CudaTensor'
    local path = os.tmpname()
    files.write(path, '1.5,2\n')
    local t = tensor.load(path, {format = 'csv'})
    os.remove(path)
    assert.are.equal('torch.FloatTensor', t:type())
    assert.are.same({{1.5, 2}}, t:totable())
  end)

  it('prepare batches in threads', function()
    torch.setdefaulttensortype 'torch.CudaTensor'
    cutorch.setDevice(cutorch.getDeviceCount())
    local x = torch.range(1, 4):view(4, 1)
    -- A function of Lua would bring cutorch to the thread, with its environment.
    local batches = data.batches({x}, {size = 2, shuffle = false, threads = 1,
                                       transform = tensor.neg})
    local sums = {}
    for t in batches(1) do
      assert.are.equal('torch.CudaTensor', t:type())
      sums[#sums + 1] = t:sum()
    end
    batches:stop()
    assert.are.same({-3, -7}, sums)
  end)

  it('compute with integers and positions', function()
    local i, j = tensor.unravelIndex(torch.CudaLongTensor {2, 3}, {2, 2})
    assert.are.same({{1, 2}, {2, 1}}, {i:totable(), j:totable()})
    assert.are.same({2, 3}, tensor.ravelMultiIndex({i, j}, {2, 2}):totable())
    local s = tensor.summary(torch.CudaByteTensor {1, 3})
    assert.are.equal(2, s.mean)
    assert.are.equal('torch.CudaByteTensor', s.type)
    assert.are.equal('Byte', tensor.describe {a = torch.CudaByteTensor {1, 3}}[1].type)
    assert.are.same({1.5}, tensor.fuse 'a * b' (torch.CudaHalfTensor {3}, 0.5):totable())
  end)

  it('choose a device for a function that yields', function()
    local last = cutorch.getDeviceCount()
    local thread = coroutine.wrap(function()
      return cutorch.withDevice(last, function(n)
        return cutorch.getDevice(), coroutine.yield(n), cutorch.getDevice()
      end, 7)
    end)
    assert.are.equal(7, thread())
    assert.are.equal(1, cutorch.getDevice())
    assert.are.same({last, 'x', last}, {thread 'x'})
    assert.are.equal(1, cutorch.getDevice())
    local failing = coroutine.wrap(function() cutorch.withDevice(last, error, 'oops') end)
    assert.has_error(failing, 'oops')
    assert.are.equal(1, cutorch.getDevice())
  end)
end)
