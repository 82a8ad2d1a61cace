-- The cutorch API: scripts that use only cutorch run on a device, here the software device. CMake
-- runs this spec with TENSOR_DEVICE=soft:2, which provides two GPUs.

local child = require 'support.child'
local elements = require 'support.elements'
local tensor = require 'tensor'
local support = require 'support.cutorch'

local torch, cutorch = support.torch, support.cutorch

local function cuda(name, kind)
  return ('torch.Cuda%s%s'):format(name == 'Float' and '' or name, kind)
end
-- An example that needs two GPUs. The software device has them.
local has_one = require('support.on_device').is_gpu and cutorch.getDeviceCount() == 1
local on_two = has_one and pending or it
local function values(t) return t:float():view(t:nElement()):totable() end

describe('cutorch', function()
  support.around(before_each, after_each)

  it('is a global, too, and the same module again', function()
    assert.are.equal(cutorch, require 'cutorch')
    assert.are.equal(cutorch, rawget(_G, 'cutorch'))
  end)

  it('has images that are scaled as on the CPU', function()
    local t = torch.ByteTensor{{5, 3, 3, 5, 8, 9}}
    for _, name in ipairs {'Byte', 'Long', 'Half', 'Float', 'Double'} do
      local class = cuda(name, 'Tensor')
      local on_cpu = t:type(('torch.%sTensor'):format(name))
      local on_device = t:type(class)
      for _, case in ipairs {{1, 1}, {9, 2}, {3, 1, 'nearest'}} do
        local got = tensor.image.scale(on_device, case[1], case[2], case[3])
        local expected = tensor.image.scale(on_cpu, case[1], case[2], case[3])
        assert.are.equal(class, got:type())
        assert.is_true((got:double() - expected:double()):abs():max() <
                       (name == 'Half' and 0.02 or 1e-5), class)
      end
    end
  end)

  it('hides the methods that torch hides', function()
    assert.is_nil(torch.CudaTensor(2).flatten)
    assert.is_nil(torch.FloatTensor(2).flatten)
    assert.are.same({4}, torch.flatten(torch.CudaTensor(2, 2)):size():totable())
    assert.is_function(torch.CudaTensor(2).argmax)
  end)

  it('sets tensors to new memory on the device', function()
    local t = torch.CudaTensor(2, 3):fill(1)
    for _, sizes in ipairs {{4, 5}, {torch.LongStorage {2, 2}}, {0}} do
      assert.are.equal('torch.CudaTensor', t:clone():set(unpack(sizes)):type())
    end
  end)

  describe('classes', function()
    for _, e in ipairs(elements) do
      local name = e.name
      it('make and name ' .. name .. 'Tensors on the device', function()
        local class = cuda(name, 'Tensor')
        local Tensor = torch[class:match '%.(.*)']
        local t = Tensor(2, 3):fill(2)
        for _, made in ipairs {t, Tensor(torch.LongStorage {2, 3}):fill(2),
                               Tensor {{2, 2, 2}, {2, 2, 2}},
                               Tensor.new(2, 3):fill(2), t.new(2, 3):fill(2), Tensor(t),
                               torch.getmetatable(class).new(t:storage(), 1, t:size()),
                               torch.factory(class)():resize(2, 3):fill(2),
                               e.Tensor(2, 3):fill(2):type(class), t + 0, t:t():t(),
                               t:clone(), t:narrow(1, 1, 2)} do
          assert.are.equal(class, made:type())
          assert.are.equal(class, torch.typename(made))
          assert.are.equal(class, torch.type(made))
          assert.is_true(torch.isTypeOf(made, class))
          assert.is_true(torch.isTypeOf(made, torch.getmetatable(class)))
          assert.is_false(torch.isTypeOf(made, 'torch.' .. name .. 'Tensor'))
          assert.are.equal('gpu:1', made:device())
          assert.are.equal(1, made:getDevice())
          assert.are.same({2, 2, 2, 2, 2, 2}, values(made))
        end
        assert.are.equal(class, Tensor():type())
        assert.are.equal(0, Tensor():getDevice())
        assert.matches('[' .. class .. ' of size 2x3]', tostring(t), 1, true)
        assert.matches(class:gsub('Tensor', 'Storage') .. ' of size 6', tostring(t:storage()), 1,
                       true)
        assert.are.equal('cpu', t:type('torch.' .. name .. 'Tensor'):device())
        assert.are.equal('torch.LongStorage', torch.type(t:size()))
      end)

      it('make and name ' .. name .. 'Storages on the device', function()
        local class = cuda(name, 'Storage')
        local Storage = torch[class:match '%.(.*)']
        local s = Storage(3):fill(2)
        for _, made in ipairs {s, Storage {2, 2, 2},
                               torch.getmetatable(class).new(3):fill(2),
                               e.Storage(3):fill(2):type(class), e.Storage(3):fill(2)[
                                 class:match '%.(.*)Storage':gsub('^C', 'c')](s)} do
          assert.are.equal(class, made:type())
          assert.are.equal(class, torch.typename(made))
          assert.are.equal(1, made:getDevice())
          assert.are.same({2, 2, 2}, made:totable())
        end
        assert.are.equal('cpu', s:type('torch.' .. name .. 'Storage'):device())
      end)
    end

    it('refuse views of what is on the host', function()
      local t = torch.FloatTensor(3)
      for _, call in ipairs {
        function() torch.CudaTensor(t) end, function() torch.CudaTensor(t:storage(), 1, 3) end,
        function() torch.CudaTensor(torch.DoubleTensor(3)) end,
        function() torch.CudaStorage(t:storage()) end
      } do
        assert.has_error(call)
      end
      assert.are.equal('cpu', t:device())
      local ok, message = pcall(function() torch.CudaTensor(torch.CudaDoubleTensor(2)) end)
      assert.is_false(ok)
      assert.matches('cutorch_spec.lua:%d+: torch.CudaTensor: a torch.CudaTensor is expected, ' ..
                     'got torch.CudaDoubleTensor: convert it', message)
      ok, message = pcall(function() torch.CudaTensor(2).field = 1 end)
      assert.is_false(ok)
      assert.matches('the class torch.CudaTensor cannot be indexed', message, 1, true)
    end)

    it('are torch.FloatTensor and the like at the host', function()
      local t = torch.FloatTensor(3)
      assert.are.equal('torch.FloatTensor', t:type())
      assert.are.equal('torch.FloatTensor', torch.typename(t))
      assert.is_nil(t.getDevice)
      assert.are.equal('torch.FloatTensor', t.new(2):type())
      assert.are.equal('torch.LongStorage', torch.typename(t:size()))
    end)

    it('have fields of their own', function()
      local t, h = torch.CudaTensor(2):fill(3), torch.FloatTensor(2)
      torch.getmetatable('torch.FloatTensor').testField = 'host'
      assert.are.equal('host', t.testField)
      torch.getmetatable('torch.CudaTensor').testField = 'device'
      assert.are.equal('device', t.testField)
      assert.are.equal('host', h.testField)
      torch.CudaTensor.testField = nil
      torch.FloatTensor.testField = nil
      assert.is_nil(t.testField)
      function torch.CudaTensor:testMethod(n) return self:sum() + n end
      assert.are.equal(7, t:testMethod(1))
      torch.CudaTensor.testMethod = nil
    end)

    it('are named by the last argument', function()
      local t = torch.zeros(2, 'torch.CudaTensor')
      assert.are.equal('torch.CudaTensor', t:type())
      assert.are.same({0, 0}, t:totable())
      assert.are.equal('torch.CudaLongTensor', torch.randperm(3, 'torch.CudaLongTensor'):type())
    end)

    it('come from pointers', function()
      local t = torch.CudaTensor {1, 2}
      t:retain()
      local u = torch.pushudata(torch.pointer(t), 'torch.CudaTensor')
      assert.are.equal('torch.CudaTensor', torch.typename(u))
      assert.are.equal(3, u:sum())
      assert.is_true(u == t)
    end)
  end)

  describe('conversions', function()
    it('copy to the device and back', function()
      local h = torch.DoubleTensor {1, 2, 3}
      local d = h:cuda()
      assert.are.equal('torch.CudaTensor', d:type())
      assert.are.equal(d, d:cuda())
      assert.are.equal('torch.DoubleTensor', h:type())
      for _, pair in ipairs {{'double', 'Double'}, {'float', 'Float'}, {'byte', 'Byte'},
                             {'char', 'Char'}, {'short', 'Short'}, {'int', 'Int'}, {'long', 'Long'},
                             {'half', 'Half'}} do
        local back = d[pair[1]](d)
        assert.are.equal(('torch.%sTensor'):format(pair[2]), back:type())
        assert.are.equal('cpu', back:device())
        assert.are.same({1, 2, 3}, back:totable())
        if pair[2] ~= 'Float' then
          local there = h['cuda' .. pair[2]](h)
          assert.are.equal(cuda(pair[2], 'Tensor'), there:type())
          assert.are.same({1, 2, 3}, there:totable())
        end
      end
    end)

    it('typeAs, copy and copyAsync keep both sides where they are', function()
      local h, d = torch.FloatTensor {1, 2, 3}, torch.CudaTensor {4, 5, 6}
      assert.are.equal('torch.CudaTensor', h:typeAs(d):type())
      assert.are.equal('torch.FloatTensor', d:typeAs(h):type())
      assert.are.equal('torch.CudaTensor', d:typeAs(d):type())
      assert.are.equal(d, d:typeAs(d))
      for _, copy in ipairs {'copy', 'copyAsync'} do
        local fresh = torch.FloatTensor(3)
        assert.are.equal(fresh, fresh[copy](fresh, d))
        assert.are.equal('torch.FloatTensor', fresh:type())
        assert.are.same({4, 5, 6}, fresh:totable())
        local resized = torch.FloatTensor():resize(d:size())
        assert.are.equal('cpu', resized[copy](resized, d):device())
        local there = torch.CudaTensor(3)
        assert.are.equal('torch.CudaTensor', there[copy](there, h):type())
        assert.are.same({1, 2, 3}, there:totable())
        local storage = torch.FloatStorage(3)
        storage[copy](storage, d:storage())
        assert.are.equal('cpu', storage:device())
        assert.are.same({4, 5, 6}, storage:totable())
      end
    end)

    it('assignments leave tensors of the host there', function()
      local d = torch.CudaTensor {4, 5, 6}
      for _, assign in ipairs {
        function(h) h[2] = d end,
        function(h) h[{2}] = d end,
        function(h) h[{{2}, {}}] = d end,
        function(h) h:select(1, 2):copy(d) end,
        function(h) h:sub(2, 2):copy(d) end,
      } do
        local h = torch.FloatTensor(3, 3)
        assign(h)
        assert.are.equal('torch.FloatTensor', h:type())
        assert.are.same({{0, 0, 0}, {4, 5, 6}, {0, 0, 0}}, h:totable())
        local there = torch.CudaTensor(3, 3):zero()
        d = d:float()
        assign(there)
        assert.are.equal('torch.CudaTensor', there:type())
        assert.are.same({4, 5, 6}, there[2]:totable())
        d = d:cuda()
      end
    end)

    it('share storages where a model converts them once', function()
      -- As in nn.utils.recursiveType.
      local flat = torch.range(1, 6)
      local parts = {flat:narrow(1, 1, 2), flat:narrow(1, 3, 4):view(2, 2)}
      local cache = {}
      local function convert(t, name)
        if torch.typename(t) == name then return t end
        local new = torch.Tensor():type(name)
        local key = torch.pointer(t:storage())
        if not cache[key] then
          local storage = torch.getmetatable((name:gsub('Tensor', 'Storage'))).new()
          cache[key] = storage:resize(t:storage():size()):copy(t:storage())
        end
        assert(torch.type(cache[key]) == name:gsub('Tensor', 'Storage'))
        new:set(cache[key], t:storageOffset(), t:size(), t:stride())
        assert(torch.type(new) == name)
        return new
      end
      local a, b = convert(parts[1], 'torch.CudaTensor'), convert(parts[2], 'torch.CudaTensor')
      assert.are.equal(torch.pointer(a:storage()), torch.pointer(b:storage()))
      b:fill(0)
      assert.are.same({1, 2, 0, 0, 0, 0}, a:storage():totable())
      cache = {}
      assert.are.equal('torch.DoubleTensor', convert(a, 'torch.DoubleTensor'):type())
    end)
  end)

  it('gives results, comparisons and indices on the device', function()
    local t = torch.CudaTensor {{3, 1}, {2, 4}}
    local most, where = t:max(2)
    local sorted, order = t:view(4):sort()
    for name, list in pairs {
      ['torch.CudaTensor'] = {t * 2, t * t, t:sum(1), most, sorted, torch.add(t, 1), torch.exp(t),
                              torch.cat(t, t, 1), t[t:gt(1)], t[1], t[{{}, 1}], t:expand(2, 2, 2)},
      ['torch.CudaByteTensor'] = {t:gt(1), torch.eq(t, 3), t:le(t)},
      ['torch.CudaLongTensor'] = {where, order, t:nonzero()},
    } do
      for _, result in ipairs(list) do assert.are.equal(name, result:type()) end
    end
    assert.are.same({1, 2, 3, 4}, sorted:totable())
    assert.are.same({{1}, {2}}, where:totable())
    assert.are.equal(10, t:sum())
    assert.are.equal(4, t:max())
    assert.are.same({{2, 4}, {3, 1}}, t:index(1, torch.LongTensor {2, 1}):totable())
    assert.are.same({{2, 4}, {3, 1}}, t:index(1, torch.CudaLongTensor {2, 1}):totable())
  end)

  describe('devices', function()
    on_two('are counted, chosen and left again', function()
      assert.are.equal(2, cutorch.getDeviceCount())
      assert.are.equal(1, cutorch.getDevice())
      cutorch.setDevice(2)
      assert.are.equal(2, cutorch.getDevice())
      local t = torch.CudaTensor(2):fill(1)
      assert.are.equal(2, t:getDevice())
      cutorch.setDevice(1)
      assert.are.equal(2, t:cuda():getDevice())
      assert.are.equal(2, (t + 1):getDevice())
      assert.are.equal(1, t:clone():getDevice())
      assert.are.same({1, 1}, t:clone():totable())
      assert.are.equal(1, torch.CudaTensor(2):copy(t):getDevice())
      for _, bad in ipairs {0, 3, 'gpu', 1.5} do
        assert.has_error(function() cutorch.setDevice(bad) end)
        assert.has_error(function() cutorch.getMemoryUsage(bad) end)
      end
      assert.has_error(function() cutorch.setDevice() end)
      assert.are.equal(1, cutorch.getDevice())
    end)

    on_two('are chosen for a function', function()
      local function inside(a, b)
        assert.are.equal('cpu', torch.FloatTensor(2):device())
        return cutorch.getDevice(), torch.CudaTensor(2):getDevice(), a + b
      end
      assert.are.same({2, 2, 5}, {cutorch.withDevice(2, inside, 2, 3)})
      assert.are.equal(1, cutorch.getDevice())
      local problem = {}
      local ok, got = pcall(cutorch.withDevice, 2, function() error(problem) end)
      assert.is_false(ok)
      assert.are.equal(problem, got)
      assert.are.equal(1, cutorch.getDevice())
    end)

    on_two('tell what they have', function()
      -- Memory freed between the two calls would change the result.
      collectgarbage()
      collectgarbage()
      torch.emptyCache()
      local free, total = cutorch.getMemoryUsage()
      assert.is_true(free > 0 and free <= total)
      local t = torch.CudaTensor(2 ^ 20):fill(1)
      assert.is_true(cutorch.getMemoryUsage(1) <= free - 4 * 2 ^ 20)
      assert.are.equal(2 ^ 20, t:sum())
      local properties = cutorch.getDeviceProperties(2)
      assert.are.equal('string', type(properties.name))
      assert.are.equal(select(2, cutorch.getMemoryUsage(2)), properties.totalGlobalMem)
      assert.are.equal('number', type(cutorch.getRuntimeVersion()))
      assert.are.equal('number', type(cutorch.driverVersion))
      assert.are.equal(cutorch.driverVersion, cutorch.getDriverVersion())
      assert.is_true(cutorch.isCachingAllocatorEnabled())
      assert.is_false(cutorch.isManaged(t) or cutorch.isManagedPtr(0))
    end)

    it('are waited for', function()
      cutorch.synchronize()
      cutorch.synchronizeAll()
      cutorch.streamSynchronize(0)
      local bad = torch.CudaTensor {1, 2}:index(1, torch.CudaLongTensor {2}:add(1))
      assert.has_error(cutorch.synchronize)
      assert.is_not_nil(bad)
    end)
  end)

  describe('random numbers', function()
    on_two('come from the seed of the device', function()
      cutorch.manualSeed(5)
      local a = torch.CudaTensor(6):uniform()
      cutorch.manualSeed(5)
      assert.are.same(a:totable(), torch.CudaTensor(6):uniform():totable())
      assert.are.equal(5, cutorch.initialSeed())
      assert.are_not.same(a:totable(), torch.CudaTensor(6):uniform():totable())
      cutorch.manualSeedAll(5)
      cutorch.withDevice(2, function()
        assert.are.same(a:totable(), torch.CudaTensor(6):uniform():totable())
      end)
      assert.are.same(a:totable(), torch.CudaTensor(6):uniform():totable())
      local seed = cutorch.seedAll()
      assert.are.equal(seed, cutorch.initialSeed())
    end)

    it('leave those of the host as they are', function()
      torch.manualSeed(1)
      local expected = {torch.uniform(), torch.rand(1)[1], torch.uniform()}
      torch.manualSeed(1)
      cutorch.manualSeed(2)
      local first = torch.uniform()
      torch.CudaTensor(3):normal()
      local second = torch.rand(1)[1]
      cutorch.seed()
      assert.are.same(expected, {first, second, torch.uniform()})
      cutorch.manualSeed(2)
      local a = torch.CudaTensor(3):normal():totable()
      cutorch.manualSeed(2)
      torch.manualSeed(1)
      torch.rand(100)
      assert.are.same(a, torch.CudaTensor(3):normal():totable())
    end)

    it('go on from a state', function()
      cutorch.manualSeed(1)
      local state = cutorch.getRNGState()
      assert.are.equal('torch.ByteTensor', state:type())
      local a = torch.CudaTensor(3):bernoulli(0.5):totable()
      local b = torch.CudaTensor(3):uniform():totable()
      cutorch.setRNGState(state)
      assert.are.same(a, torch.CudaTensor(3):bernoulli(0.5):totable())
      assert.are.same(b, torch.CudaTensor(3):uniform():totable())
    end)
  end)

  on_two('is the default type on request', function()
    torch.setdefaulttensortype 'torch.CudaTensor'
    assert.are.equal('torch.CudaTensor', torch.getdefaulttensortype())
    for _, t in ipairs {torch.Tensor(2, 2), torch.zeros(3), torch.ones(2, 2), torch.rand(3),
                        torch.randn(2), torch.range(1, 3), torch.eye(3), torch.linspace(0, 1, 4),
                        torch.randperm(4), torch.Tensor {1, 2}, torch.zeros(2):real()} do
      assert.are.equal('torch.CudaTensor', t:type())
    end
    assert.are.equal('torch.CudaStorage', torch.typename(torch.Storage(3)))
    for _, t in ipairs {torch.FloatTensor(2), torch.DoubleTensor {1}, torch.LongTensor(3),
                        torch.add(torch.FloatTensor(2):fill(1), 1),
                        torch.exp(torch.DoubleTensor(2):fill(0))} do
      assert.are.equal('cpu', t:device())
    end
    assert.are.equal('torch.LongStorage', torch.typename(torch.zeros(2):size()))
    assert.are.equal('number', type(torch.uniform()))
    cutorch.withDevice(2, function() assert.are.equal(2, torch.ones(2):getDevice()) end)
    assert.are.equal(1, torch.ones(2):getDevice())
    cutorch.manualSeed(3)
    local a = torch.rand(3):totable()
    cutorch.manualSeed(3)
    assert.are.same(a, torch.rand(3):totable())
    torch.setdefaulttensortype 'torch.FloatTensor'
    assert.are.equal('torch.FloatTensor', torch.zeros(3):type())
    assert.are.equal('torch.FloatTensor', torch.Tensor(3):type())
    assert.has_error(function() torch.setdefaulttensortype 'torch.CudaFooTensor' end)
  end)

  on_two('has streams, events, handles and peers in name', function()
    assert.are.equal(0, cutorch.getStream())
    cutorch.reserveStreams(2)
    cutorch.reserveStreams(1, true)
    assert.are.equal(2, cutorch.getNumStreams())
    cutorch.setStream(2)
    assert.are.equal(2, cutorch.getStream())
    local t = torch.CudaTensor(3):fill(1)
    local event = cutorch.Event()
    cutorch.setDefaultStream()
    event:waitOn()
    cutorch.streamWaitFor(0, {2})
    cutorch.streamBarrier {0, 1}
    cutorch.streamWaitForMultiDevice(1, 0, {[2] = {1}})
    cutorch.streamBarrierMultiDevice {[1] = {0}, [2] = {1}}
    assert.are.equal(3, t:sum())
    assert.has_error(function() cutorch.setStream(3) end)
    assert.has_error(function() cutorch.reserveStreams(-1) end)
    cutorch.reserveBlasHandles(1)
    cutorch.setBlasHandle(1)
    assert.are.equal(1, cutorch.getBlasHandle())
    assert.is_true(cutorch.getPeerToPeerAccess(1, 2) and cutorch.getKernelPeerToPeerAccess())
    cutorch.setPeerToPeerAccess(1, 2, true)
    cutorch.setKernelPeerToPeerAccess(true)
    for _, name in ipairs {'getPeerToPeerAccess', 'setPeerToPeerAccess'} do
      for _, pair in ipairs {{1, 3}, {3, 1}} do
        assert.has_error(function() cutorch[name](pair[1], pair[2], true) end,
                         ('cutorch.%s: invalid device 3; the devices are 1 to 2'):format(name))
      end
    end
  end)

  it('makes tensors of host memory', function()
    local t = cutorch.createCudaHostTensor(2, 3)
    assert.are.equal('torch.FloatTensor', t:type())
    assert.are.equal('cpu', t:device())
    assert.are.equal(6, t:nElement())
    assert.are.equal('torch.DoubleTensor',
                     cutorch.createCudaHostDoubleTensor(torch.LongStorage {2}):type())
  end)

  it('trains a script that knows nothing else', function()
    local opt = {gpu = 1, seed = 7}
    torch.manualSeed(opt.seed)
    if opt.gpu > 0 then
      cutorch.setDevice(opt.gpu)
      cutorch.manualSeed(opt.seed)
    end
    local x, w = torch.randn(64, 3), torch.Tensor {1, -2, 0.5}
    local y = x * w
    local weight, gradient = torch.Tensor(3):zero(), torch.Tensor(3)
    if opt.gpu > 0 then
      x, y, weight, gradient = x:cuda(), y:cuda(), weight:cuda(), gradient:cuda()
    end
    assert(weight:type() == 'torch.CudaTensor')
    local out, buffer = weight.new(), torch.CudaTensor()
    tensor.resetStats()
    for _ = 1, 200 do
      out:resize(64):mv(x, weight)
      buffer:resizeAs(out):copy(out):add(-1, y)
      gradient:mv(x:t(), buffer):div(64)
      weight:add(-0.3, gradient)
    end
    cutorch.synchronize()
    assert.are.equal(0, tensor.stats().d2h.bytes)
    assert.is_nil(next(tensor.stats().fallbacks))
    assert.is_true((weight:double() - w):abs():max() < 1e-4)
  end)

  it('says what is missing where there is no device', function()
    local code = [[
      local ok, message = pcall(require, 'cutorch')
      print(ok or message:find('TENSOR_DEVICE=soft', 1, true) and 'told', cutorch)
    ]]
    local out = child.run(code, {
      before = 'export TENSOR_DEVICE=gpu TENSOR_CUDA_PLUGIN=/nowhere'})
    assert.matches('^told\tnil', out)
  end)
end)
