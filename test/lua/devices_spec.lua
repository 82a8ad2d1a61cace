-- Devices: names and memory, the default device, the counters, and environment variables.

local child = require 'support.child'
local dialect = require 'support.dialect'
local support = require 'support.on_device'
local tensor = require 'tensor'
local files = require 'support.files'

local device, kind = support.device, support.kind
local numbers = support.numbers
local on_device = support.on_device
local made_on_device = support.made_on_device
local assert_copied = support.assert_copied

support.around(before_each, after_each)

describe('devices', function()
  it('are listed with what they have', function()
    local names = {}
    for _, entry in ipairs(tensor.devices()) do
      names[entry.name] = entry
      assert.are.equal('string', type(entry.model))
    end
    assert.is_table(names[device])
    assert.is_true(names[device].memory > 0)
  end)

  it('tell how much memory is used', function()
    collectgarbage()
    tensor.emptyCache(device)
    local before = tensor.memory(device)
    -- Other processes and libraries use memory of a GPU, too.
    assert.is_true(before.total >= before.free + before.used + before.cached)
    assert.is_true(support.is_gpu or before.total == before.free + before.used + before.cached)
    local t = tensor.FloatTensor(1e5):to(device):fill(1)
    assert.is_true(tensor.memory(device).used >= before.used + 4e5)
    t:free()
    local after = tensor.memory(device)
    assert.are.equal(before.used, after.used)
    assert.is_true(after.cached >= 4e5)
    tensor.emptyCache()
    assert.are.equal(0, tensor.memory(device).cached)
    assert.is_true(tensor.memory().bytes >= 0)
    assert.is_true(tensor.memory('cpu').cached >= 0)
  end)

  it('have work that can be waited for', function()
    local t = on_device(10):add(1)
    tensor.synchronize()
    tensor.synchronize(device)
    tensor.synchronize 'cpu'
    assert.are.equal(65, t:sum())
  end)

  it('are named', function()
    local t = tensor.FloatTensor(1)
    assert.are.equal(device, t:to(kind):device())
    for _, name in ipairs { 'potato', kind .. ':0', kind .. ':99', kind .. ':', kind .. ':1x', '',
                           'CPU' } do
      for _, call in ipairs {
        function() t:to(name) end,
        function() t:prefetch(name) end,
        function() t:storage():to(name) end,
        function() tensor.setDefaultDevice(name) end,
        function() tensor.synchronize(name) end,
        function() tensor.memory(name) end,
        function() tensor.emptyCache(name) end,
        function() tensor.withDevice(name, error) end,
      } do
        local ok, message = pcall(call)
        assert.is_false(ok, name)
        assert.matches("no device '" .. name .. "'", message, 1, true)
        assert.matches('there are: cpu', message, 1, true)
        assert.matches(device, message, 1, true)
      end
    end
    assert.has_error(function() t:to() end)
    assert.has_error(function() t:to {} end)
    assert.has_error(function() t.to(kind) end)
    assert.are.equal(device, t:device())
  end)
end)

describe('the default device', function()
  it('is the home of new tensors', function()
    assert.are.equal('cpu', tensor.getDefaultDevice())
    local old = tensor.FloatTensor(3)
    tensor.setDefaultDevice(kind)
    assert.are.equal(device, tensor.getDefaultDevice())
    for _, t in ipairs { tensor.FloatTensor(3), tensor.ones(3), tensor.FloatTensor { 1, 2 },
                         tensor.range(1, 3), tensor.rand(3), tensor.LongTensor() } do
      assert.are.equal(device, t:device())
    end
    tensor.setDefaultDevice 'cpu'
    assert.are.equal('cpu', tensor.FloatTensor(3):device())
    assert.are.equal('cpu', old:device())
  end)

  it('is another for a function', function()
    local t, three, none, nothing = tensor.withDevice(device, function(n, ...)
      assert.are.equal(device, tensor.getDefaultDevice())
      assert.are.equal(2, select('#', ...))
      return tensor.ones(n), 3, nil, ...
    end, 4, nil, nil)
    assert.are.equal(device, t:device())
    assert.are.equal(3, three)
    assert.is_nil(none)
    assert.is_nil(nothing)
    assert.are.equal('cpu', tensor.getDefaultDevice())
    assert.are.equal(6, select('#', tensor.withDevice(device, function() return nil, 1, nil, 2, nil,
                                                                                  nil end)))
  end)

  it('is restored after an error, which passes unchanged', function()
    local thrown = {}
    for _, object in ipairs { thrown, 'text without a place', 42, false } do
      local ok, caught = pcall(tensor.withDevice, device, function() error(object, 0) end)
      assert.is_false(ok)
      assert.are.equal(object, caught)
      assert.are.equal('cpu', tensor.getDefaultDevice())
    end
    local ok, message = pcall(tensor.withDevice, device, function() error 'here' end)
    assert.is_false(ok)
    assert.matches('devices_spec.lua:%d+: here', message)
    assert.has_error(function() tensor.withDevice(device) end)
    assert.has_error(function() tensor.withDevice(device, 5) end)
    assert.are.equal('cpu', tensor.getDefaultDevice())
  end)

  it('is another in a coroutine while that runs', function()
    local function body(x)
      return tensor.withDevice(device, function(y)
        local third = coroutine.yield(tensor.ones(2):device(), y + 1)
        tensor.setDefaultDevice(device)
        return tensor.ones(2):device(), third
      end, x)
    end
    local thread = coroutine.create(body)
    assert.are.same({ true, device, 6 }, { coroutine.resume(thread, 5) })
    assert.are.equal('cpu', tensor.getDefaultDevice())
    assert.are.same({ true, device, 'third' }, { coroutine.resume(thread, 'third') })
    assert.are.equal('dead', coroutine.status(thread))
    assert.are.equal('cpu', tensor.getDefaultDevice())

    coroutine.wrap(body)(1)  -- the coroutine is never resumed
    assert.are.equal('cpu', tensor.getDefaultDevice())

    local ok, message = coroutine.resume(coroutine.create(function()
      tensor.withDevice(device, function() error('thrown', 0) end)
    end))
    assert.is_false(ok)
    assert.are.equal('thrown', message)
    assert.are.equal('cpu', tensor.getDefaultDevice())
  end)

  it('may be another within another', function()
    tensor.withDevice(device, function()
      tensor.withDevice('cpu', function()
        assert.are.equal('cpu', tensor.ones(2):device())
      end)
      assert.are.equal(device, tensor.ones(2):device())
    end)
  end)
end)

describe('results', function()
  it('without elements are on the device of the operands', function()
    local t, none = on_device(3), tensor.FloatTensor(0, 3):to(device)
    for k, r in ipairs {
      t[t:gt(100)], t:gt(100):nonzero(), none + 1, none:clone(), none:double(),
      tensor.cat(none, none, 1), tensor.mm(none, tensor.ones(3, 2):float()),
    } do
      assert.are.equal(device, r:device(), k)
      assert.are.equal(0, r:numel())
    end
    for k, r in ipairs {
      none:sum(1), none:mean(1), none:var(1), none:prod(1), none:norm(2, 1), none:gt(0):any(1),
      tensor.countNonzero(none, 1), tensor.logsumexp(none, 1), tensor.nanvar(none, 1),
    } do
      assert.are.equal(device, r:device(), k)
      assert.are.equal(3, r:numel())
    end
  end)

  it('of several operands are on the device of the first one that is on a device', function()
    local host, t = numbers(3), on_device(3)
    for _, join in ipairs { tensor.cat, tensor.stack, tensor.hstack, tensor.vstack } do
      local r = join { host, t, host }
      assert.are.equal(device, r:device())
      assert.is_true(r:equal(join { host, host, host }))
    end
    local g = tensor.grad(function(x) return tensor.cat(host, x):sum() end)(t)
    assert.are.equal(device, g:device())
    local m, r = tensor.eye(2):to(device), tensor.zeros(2, 2)
    tensor.inverse(r, m)
    assert.are.equal(device, r:device())
  end)

  it('that are like a tensor are on its device', function()
    local t = on_device(3)
    for _, name in ipairs { 'zerosLike', 'onesLike', 'emptyLike', 'randLike', 'randnLike' } do
      assert.are.equal(device, tensor[name](t):device(), name)
      assert.are.equal('cpu', tensor[name](numbers(3)):device(), name)
    end
    local _, edges = tensor.histogram(t, 3)
    assert.are.equal(device, edges:device())
    local full = tensor.fullLike(t, 7)
    assert.are.equal(device, full:device())
    assert.are.equal(21, full:sum())
  end)
end)

describe('the counters', function()
  it('count copies and what the CPU did', function()
    local stats = tensor.stats()
    assert.are.same({ h2d = { copies = 0, bytes = 0 }, d2h = { copies = 0, bytes = 0 },
                      d2d = { copies = 0, bytes = 0 }, kept = { copies = 0, bytes = 0 },
                      launches = 0, fallbacks = {} }, stats)
    local t = numbers(10):to(device)
    t:add(1)
    t:sum()
    assert.are.equal(1, tensor.stats().h2d.copies)
    assert.are.equal(2, tensor.stats().launches)
    -- Several elements at the same address must be written in order, which only the CPU does.
    tensor.FloatTensor(1):to(device):fill(0):expand(4):add(1)
    assert.are.equal(1, tensor.stats().fallbacks.add)
    tensor.resetStats()
    assert.are.same(stats, tensor.stats())
  end)

  it('count nothing in a loop that stays on the device', function()
    local x, w = made_on_device(100), made_on_device(100)
    for _ = 1, 10 do
      local y = tensor.cmul(x, w):add(1)
      w:add(-0.1, y):mul(0.5)
    end
    assert_copied(0, 0)
    assert.are.same({}, tensor.stats().fallbacks)
  end)

  it('are the same when every operation is waited for', function()
    tensor.setDeviceDebug(true)
    local t = made_on_device(10):mul(3)
    tensor.setDeviceDebug(false)
    assert_copied(0, 0)
    assert.are.equal(195, t:sum())
  end)
end)

describe('a machine without a GPU', function()
  local function output_of(environment, code, module)
    local script = ('package.path, package.cpath = %q, %q\nlocal tensor = require %q\n%s')
      :format(package.path, package.cpath, module or 'tensor', code)
    local path = os.tmpname()
    files.write(path, script)
    local pipe = assert(io.popen(('env -u TENSOR_DEVICE %s %s %s 2>&1')
      :format(environment, child.interpreter, path)))
    local output = pipe:read '*a'
    pipe:close()
    os.remove(path)
    return dialect.plain(output)
  end

  it('raises an error if one is requested', function()
    local output = output_of('TENSOR_CUDA_PLUGIN=/nowhere/libTHcuda.so', [[
      print(tensor.ones(3):sum(), #tensor.devices())
      print(pcall(function() tensor.ones(3):to 'gpu' end))]])
    assert.matches('^3\t1\nfalse\t', output)
    assert.matches("no device 'gpu': its plugin was not loaded: /nowhere/", output, 1, true)
    assert.matches('there are: cpu, soft:1', output, 1, true)
  end)

  it('says why there is no software device', function()
    local output = output_of('TENSOR_SOFT_PLUGIN=/nowhere/libTHsoft.so', [[
      print(pcall(function() tensor.ones(3):to 'soft' end))
      local devices, missing = tensor.devices()
      print(#devices == 0 or devices[1].name, missing.soft)]])
    local why = 'its plugin was not loaded: /nowhere/libTHsoft.so: '
    assert.matches("no device 'soft': " .. why, output, 1, true)
    assert.matches('[%w:]+\t' .. why:gsub('%p', '%%%0'), output)
  end)

  it('has the software device for one, if the environment says so', function()
    local output = output_of('TENSOR_DEVICE=soft:2 TENSOR_SOFT_MODE=lazy', [[
      local t = tensor.FloatTensor{1, 2, 3}:to('gpu:2')
      print(t:device(), t:add(1):device())
      print(t:to('gpu'):device(), t:add(1):sum(), tensor.stats().d2d.bytes)
      print(t:to('gpu:2'):add(tensor.ones(3):float():to 'gpu:1'):sum(), t:device())
      print(pcall(t.to, t, 'gpu:3'))]])
    assert.matches('^gpu:2\tgpu:2\ngpu:1\t12\t12\n15\tgpu:2\nfalse\t', output)
  end)

  it('has the methods of CudaTensors if cutorch is required first', function()
    local output = output_of('TENSOR_DEVICE=soft:2', [[
      local t = torch.CudaTensor{1, 2}
      torch.getmetatable('torch.CudaTensor').sum = function() return 'mine' end
      print(t.new(2):type(), t:sum(), t[t:gt(100)]:type())]], 'cutorch')
    assert.are.equal('torch.CudaTensor\tmine\ttorch.CudaTensor\n', output)
  end)

  it('keeps memory that another library shares, while another device reads it', function()
    dialect.needs_luajit 'DLPack needs the FFI'
    local output = output_of('TENSOR_DEVICE=soft:2', [[
      local t = tensor.ones(3):to('gpu:1')
      local owner = t:toDLPack('gpu:1')
      print(tensor.ones(3):to('gpu:2'):add(t):sum(), t:device())
      local same = tensor.fromDLPack(owner)
      t:add(1)
      print(same:sum(), tensor.ones(3):to('gpu:2'):add(same):sum(), same:device())]])
    assert.equal('6\tgpu:1\n6\t9\tgpu:1\n', output)
  end)

  it('refuses settings that it does not know', function()
    for setting, message in pairs {
      ['TENSOR_SOFT_MODE=potato'] = 'TENSOR_SOFT_MODE: expected eager or lazy',
      ['TENSOR_SOFT_THREADS=up'] = 'TENSOR_SOFT_THREADS: expected ascending or descending',
      ['TENSOR_SOFT_MEMORY=much'] = 'TENSOR_SOFT_MEMORY: expected a number of bytes',
    } do
      local output = output_of(setting, [[
        print(tensor.ones(3):sum())
        print(pcall(function() tensor.ones(3):to 'soft' end))
        print(pcall(tensor.devices))]])
      assert.matches('^3\nfalse\t.*\nfalse\t', output)
      assert.matches('\nfalse\t[^\n]*' .. message .. '.*\nfalse\t[^\n]*' .. message, output)
    end
  end)

  it('has devices without memory, if the environment says so', function()
    local output = output_of('TENSOR_SOFT_MEMORY=1000000', [[
      local t = tensor.FloatTensor(1000):fill(1):to 'soft'
      print(pcall(function() return tensor.FloatTensor(1e6):fill(1):to 'soft' end))
      print(t:add(1):sum(), tensor.memory('soft').total)]])
    assert.matches('^false\t', output)
    assert.matches('out of memory of soft:1: 4000000 bytes requested', output, 1, true)
    assert.matches('\n2000\t1000000\n$', output)
  end)
end)
