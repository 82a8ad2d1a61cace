-- Tensors on a device: the current device, the copies made, and correct values for everything that
-- reads and writes them.

local support = require 'support.on_device'
local tensor = require 'tensor'

local device = support.device
local numbers = support.numbers
local on_device = support.on_device
local made_on_device = support.made_on_device
local head = support.head
local assert_copied = support.assert_copied

support.around(before_each, after_each)

describe('a tensor', function()
  it('moves to a device and back', function()
    local t = numbers(10)
    assert.are.equal('cpu', t:device())
    assert.are.equal('cpu', head(t))
    assert.are.equal(t, t:to(device))
    assert.are.equal(device, t:device())
    assert.are.equal('synced', head(t))
    assert_copied(40, 0)
    t:mul(2)
    assert.are.equal('gpu', head(t))
    assert.are.equal(t, t:to 'cpu')
    assert.are.equal('cpu', t:device())
    assert.are.equal('cpu', head(t))
    assert_copied(40, 40)
    assert.are.equal(110, t:sum())
    t:to 'cpu'
    assert_copied(40, 40)
  end)

  it('takes no memory where it moves before it is used', function()
    local t = tensor.FloatTensor(1000):to(device)
    assert.are.equal('uninitialized', head(t))
    assert.are.equal(device, t:device())
    t:fill(2)
    assert.are.equal('gpu', head(t))
    assert_copied(0, 0)
    assert.are.equal(2000, t:sum())
    assert.are.equal(0, tensor.FloatTensor(10):to(device):sum())
  end)

  it('without elements has a home, too', function()
    local t = tensor.FloatTensor():to(device)
    assert.are.equal(device, t:device())
    assert.are.equal(device, t:resize(3):fill(1):device())
    assert.are.equal('uninitialized', head(tensor.FloatTensor(0, 3):to(device)))
  end)

  it('moves with all views of its storage', function()
    local t = numbers(100)
    local view = t:narrow(1, 11, 10)
    view:to(device)
    assert.are.equal(device, t:device())
    assert.are.equal(device, t:storage():device())
    view:fill(0)
    assert.are.equal(5050 - 155, t:sum())
    t:storage():to 'cpu'
    assert.are.equal('cpu', view:device())
    assert.are.equal(0, view:sum())
  end)

  it('is copied in advance by prefetch, and keeps its current device', function()
    local t = numbers(100)
    assert.are.equal(t, t:prefetch(device))
    assert.are.equal('cpu', t:device())
    assert.are.equal('synced', head(t))
    assert_copied(400, 0)
    t:to(device):add(1)
    assert_copied(400, 0)
    t:prefetch 'cpu'
    assert.are.equal('synced', head(t))
    assert.are.equal(device, t:device())
    assert.are.equal(101, t[100])
    assert_copied(400, 400)
    t:storage():prefetch(device)
    assert_copied(400, 400)
  end)

  it('is converted, cloned and transposed where it is', function()
    local t = made_on_device(6):resize(2, 3)
    for _, other in ipairs { t:double(), t:clone(), t:t():contiguous(), t:type('torch.IntTensor'),
                             t + 1, tensor.mul(t, 2), t:t() } do
      assert.are.equal(device, other:device())
    end
    assert_copied(0, 0)
    assert.are.same({ 2, 5, 3, 6, 4, 7 }, t:t():clone():view(6):totable())
    assert.are.same({ 2, 3, 4, 5, 6, 7 }, t:double():view(6):totable())
  end)
end)

describe('elements on a device', function()
  it('are read one by one without moving the others', function()
    local t = made_on_device(20000)
    assert.are.equal(6, t[5])
    assert.are.equal(7, t[{ 6 }])
    assert.are.equal(8, t:storage()[7])
    assert.are.equal('gpu', head(t))
    assert_copied(0, 12)
  end)

  it('come together when many are read', function()
    local t = made_on_device(20000)
    local sum = 0
    for i = 1, 20000 do sum = sum + t[i] end
    assert.are.equal(200030000, sum)
    assert.is_true(tensor.stats().d2h.copies < 20)
  end)

  it('are written there', function()
    local t = made_on_device(20000)
    t[5] = -1
    t[{ 6 }] = -2
    t[{ { 7, 8 } }] = -3
    t:storage()[9] = -4
    assert.are.equal('gpu', head(t))
    assert_copied(0, 0)
    assert.are.same({ -1, -2, -3, -3, -4, 11 }, t:narrow(1, 5, 6):totable())
  end)

  it('are printed, and become tables and text', function()
    for _, class in ipairs { tensor.FloatTensor, tensor.LongTensor, tensor.HalfTensor } do
      local here, there = numbers(12, class):add(1), made_on_device(12, class)
      assert.are.equal(tostring(here), tostring(there))
      assert.are.equal(tostring(here:view(3, 4):t()), tostring(there:view(3, 4):t()))
      assert.are.same(here:totable(), there:totable())
      assert.are.same(here:storage():totable(), there:storage():totable())
      assert.are.equal(tostring(here:storage()), tostring(there:storage()))
    end
    local text = tensor.CharStorage():string 'device':to(device)
    assert.are.equal('device', text:string())
  end)

  it('are applied to', function()
    local t = made_on_device(4)
    t:apply(function(x) return x * 10 end)
    assert.are.same({ 20, 30, 40, 50 }, t:totable())
    t:add(1)
    assert.are.same({ 21, 31, 41, 51 }, t:totable())
    assert.are.equal(device, t:device())
  end)

  it('are copied back for a pointer, and writes through it are kept', function()
    require 'support.dialect'.check "require 'ffi'"
    local t = made_on_device(4)
    local p = t:data()
    assert.are.equal('cpu', head(t))
    assert.are.equal(3, p[1])
    p[1] = 30
    assert.are.equal(device, t:device())
    t:mul(2)
    assert.are.same({ 4, 60, 8, 10 }, t:totable())
    local q = t:storage():data()
    q[0] = 1
    assert.are.equal(79, t:sum())
    t:mul(2)
    t:cdata()
    assert.are.equal('cpu', head(t))
  end)
end)

describe('copy', function()
  local n = 100

  it('brings what is needed to the device', function()
    local source = numbers(n)
    local target = made_on_device(n)
    target:copy(source)
    assert_copied(4 * n, 0)
    target:narrow(1, 1, 10):copy(source:narrow(1, 91, 10))
    assert_copied(4 * n + 40, 0)
    assert.are.same({ 91, 92 }, target:narrow(1, 1, 2):totable())
    assert.are.equal(11, target[11])
    assert.are.equal('cpu', source:device())
    assert.are.equal('cpu', head(source))
  end)

  it('brings what is needed to the host', function()
    local source = made_on_device(n)
    local target = tensor.FloatTensor(n):fill(0)
    target:copy(source)
    assert_copied(0, 4 * n)
    target:narrow(1, 1, 10):copy(source:narrow(1, 41, 10))
    assert.are.same({ 42, 43 }, target:narrow(1, 1, 2):totable())
    assert.are.equal(12, target[11])
    assert.are.equal('cpu', target:device())
    assert.are.equal(device, source:device())
    assert.is_true(tensor.stats().d2h.bytes <= 4 * n + 40, 'a part is not all')
  end)

  it('stays on the device', function()
    local source, target = made_on_device(n), made_on_device(n, tensor.DoubleTensor)
    target:copy(source)
    target:narrow(1, 1, 50):copy(source:narrow(1, 51, 50))
    target:view(10, 10):copy(source:view(10, 10):t())
    assert_copied(0, 0)
    assert.are.same({ 2, 12, 22 }, target:narrow(1, 1, 3):totable())
  end)

  it('converts, expands and transposes in all directions', function()
    local classes = { tensor.ByteTensor, tensor.LongTensor, tensor.HalfTensor, tensor.DoubleTensor }
    for _, from in ipairs(classes) do
      for _, to in ipairs(classes) do
        local expected = to(3, 4):copy(numbers(12, from):view(3, 4)):totable()
        local transposed = to(4, 3):copy(numbers(12, from):view(3, 4):t()):totable()
        local row = to(3, 4):copy(numbers(4, from)):totable()
        for _, source_device in ipairs { 'cpu', device } do
          for _, target_device in ipairs { 'cpu', device } do
            local source = numbers(12, from):to(source_device)
            local target = to(3, 4):fill(0):to(target_device)
            assert.are.same(expected, target:copy(source:view(3, 4)):totable())
            assert.are.same(row, target:copy(numbers(4, from):to(source_device)):totable())
            target = to(3, 4):fill(0):to(target_device)
            target:t():copy(source:view(3, 4):t())
            assert.are.same(expected, target:totable())
            assert.are.same(transposed,
                            to(4, 3):to(target_device):copy(source:view(3, 4):t()):totable())
          end
        end
      end
    end
  end)

  it('of storages follows them', function()
    local source, target = made_on_device(n):storage(), tensor.FloatStorage(n):to(device)
    target:copy(source)
    assert_copied(0, 0)
    assert.are.equal('gpu', target:head())
    assert.are.equal(101, target[n])
    assert.are.equal(3, tensor.FloatStorage(4):to(device):fill(3)[4])
  end)

  it('that overwrites copies nothing first', function()
    require 'support.dialect'.check "require 'ffi'"
    local t = on_device(n)
    t:data()
    t:copy(numbers(n))
    assert_copied(4 * n, 0)
    t:data()
    t:fill(1)
    assert_copied(4 * n, 4 * n)
  end)
end)

describe('tensors of several homes', function()
  it('meet on the device', function()
    local a, b = on_device(10), numbers(10)
    local sum = a + b
    assert.are.equal(device, sum:device())
    assert.are.equal(110, sum:sum())
    assert.are.equal(device, (b + a):device())
    assert.are.equal('cpu', b:device())
    assert.are.equal(device, b:add(a):device())
    assert.are.same({ 2, 4 }, b:narrow(1, 1, 2):totable())
    assert.are.equal(device, tensor.cmul(a, numbers(1)):device())
  end)

  it('are indexed by tensors of the CPU, and the other way round', function()
    local here, there = numbers(10), on_device(10)
    local index = tensor.LongTensor { 3, 1, 3 }
    local mask = tensor.ByteTensor { 1, 0, 1, 0, 0, 0, 0, 0, 0, 1 }
    for _, t in ipairs { here, there } do
      for _, i in ipairs { index, index:clone():to(device) } do
        assert.are.same({ 3, 1, 3 }, t:index(1, i):totable())
        assert.are.same({ 3, 1, 3 }, t[i]:totable())
      end
      for _, m in ipairs { mask, mask:clone():to(device) } do
        assert.are.same({ 1, 3, 10 }, t[m]:totable())
        local filled = t:clone()
        filled[m] = 0
        assert.are.equal(55 - 14, filled:sum())
      end
    end
    assert.are.equal(device, there:device())
  end)

  it('compare, and agree', function()
    local here, there = numbers(10), made_on_device(10):add(-1)
    assert.is_true(here:equal(there))
    assert.is_true(there:equal(here))
    assert.are.equal(10, tensor.eq(here, there):sum())
    assert.are.equal(385, here:dot(there))
  end)

  it('divide by a divisor whose elements share memory, and refuse a 0 in it', function()
    local there = made_on_device(4, tensor.IntTensor)
    local divisor = tensor.IntTensor(1):to(device):fill(2):expand(4)
    assert.are.same({ 1, 1, 2, 2 }, there:clone():cdiv(divisor):totable())
    local zeros = tensor.IntTensor(1):to(device):fill(0):expand(4)
    assert.has_error(function()
      there:clone():cdiv(zeros)
      tensor.synchronize(device)
    end)
  end)

  it('report an index out of range if the result is empty', function()
    local empty = made_on_device(4):resize(4, 0)
    local index = tensor.LongTensor { 9 }:to(device):fill(9)
    local rows = made_on_device(1):resize(1, 0)
    for _, call in ipairs {
      function() empty:index(1, index) end,
      function() empty:indexCopy(1, index, rows) end,
      function() empty:indexAdd(1, index, rows) end,
      function() empty:indexFill(1, index, 1) end,
    } do
      local ok, message = pcall(function()
        call()
        tensor.synchronize(device)
      end)
      assert.is_false(ok)
      assert.matches('index 9 is out of range of dimension 1 of size 4', message)
    end
  end)

  it('report indices out of range that the host has, too, at once if they are few', function()
    for _, n in ipairs { 1024, 1025 } do
      local index = tensor.LongTensor(n):fill(1)
      index[n] = 9
      index:to(device)
      index:prefetch(device)
      local from = made_on_device(4)
      assert.are.equal('synced', head(index))
      local ok, message = pcall(from.index, from, 1, index)
      assert.are.equal(n > 1024, ok)
      if ok then
        ok, message = pcall(tensor.synchronize, device)
        assert.is_false(ok)
      end
      assert.matches('index 9 is out of range of dimension 1 of size 4', message, 1, true)
    end
  end)

  it('report an index out of range if the result was prefetched', function()
    local index = tensor.LongTensor(2):to(device):fill(9)
    local ok, message = pcall(function()
      local picked = made_on_device(4):index(1, index)
      picked:prefetch 'cpu'
      return picked:totable()
    end)
    assert.is_false(ok)
    assert.matches('index 9 is out of range of dimension 1 of size 4', message)
  end)

  it('of shapes that do not go together leave nothing to be found in a divisor', function()
    local there = made_on_device(4, tensor.IntTensor)
    local zeros = tensor.IntTensor(3):to(device):fill(0)
    assert.has_error(function() tensor.cdiv(there, zeros) end)
    assert.has_no_error(tensor.synchronize)
  end)
end)
