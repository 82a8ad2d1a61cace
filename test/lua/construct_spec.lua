-- Making tensors and storages: from sizes, tables and storages; conversions between element types.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'

local huge = math.huge

local function list(t) return t:totable() end

for _, e in ipairs(elements) do
  describe(e.class, function()
    it('is made empty, with sizes, a LongStorage, a table or a tensor', function()
      local t = e.Tensor()
      assert.are.equal(0, t:dim())
      assert.are.equal(0, t:nElement())
      assert.are.equal(e.class, t:type())
      assert.are.equal(e.class, tensor.typename(t))
      assert.are.same({ 2, 3 }, list(e.Tensor(2, 3):size()))
      assert.are.same({ 3, 1 }, list(e.Tensor(2, 3):stride()))
      local sizes = tensor.LongStorage { 4, 1, 2 }
      if e.name == 'Long' then  -- then it is the storage to be viewed, as in Torch7
        assert.are.same({ 4, 1, 2 }, list(e.Tensor(sizes)))
      else
        assert.are.same({ 4, 1, 2 }, list(e.Tensor(sizes):size()))
      end
      local strided = e.Tensor():resize(tensor.LongStorage { 2, 2 }, tensor.LongStorage { 1, 2 })
      assert.are.same({ 1, 2 }, list(strided:stride()))
      local other = e.Tensor { 1, 2, 3 }
      local view = e.Tensor(other)
      view[1] = 9
      assert.are.equal(9, other[1])
    end)

    it('is made from nested tables', function()
      assert.are.same({ 1, 2, 3 }, list(e.Tensor { 1, 2, 3 }))
      local t = e.Tensor { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } },
                           { { 9, 10 }, { 11, 12 } } }
      assert.are.same({ 3, 2, 2 }, list(t:size()))
      assert.are.equal(11, t[3][2][1])
      assert.are.same({ 1, 1, 1, 1, 2 }, list(e.Tensor { { { { { 1, 2 } } } } }:size()))
      assert.are.equal(0, e.Tensor({}):dim())
      assert.are.same({ 2, 0 }, list(e.Tensor { {}, {} }:size()))
    end)

    it('is made from tables whose elements were assigned in any order', function()
      for _, n in ipairs { 3, 20, 40 } do
        local backward, mixed, expected = {}, { x = 1, y = 2, z = 3 }, {}
        for i = 1, n do
          backward[n + 1 - i] = n + 1 - i
          expected[i] = i
        end
        for i = 2, n, 2 do mixed[i] = i end
        for i = 1, n, 2 do mixed[i] = i end
        assert.are.same(expected, list(e.Tensor(backward)))
        assert.are.same(expected, list(e.Tensor(mixed)))
      end
    end)

    it('rejects ragged tables and elements that are not numbers', function()
      for _, bad in ipairs { { { 1, 2 }, { 3 } }, { { 1 }, { 2, 3 } }, { { 1 }, 2 }, { 1, { 2 } },
                             { 'a' }, { true }, { { 1 }, { 'x' } }, { {}, { 1 } },
                             { 1, 2, 'c' } } do
        assert.has_error(function() e.Tensor(bad) end)
      end
    end)

    it('is made on a storage, from an offset, with sizes and strides', function()
      local s = e.Storage { 1, 2, 3, 4, 5, 6, 7, 8 }
      assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, list(e.Tensor(s)))
      local empty = e.Tensor(s, 3)
      assert.are.equal(0, empty:dim())
      assert.are.equal(3, empty:storageOffset())
      assert.are.equal(8, #empty:storage())
      assert.are.equal(0, e.Tensor(2):set(s, 3):dim())
      local sizes = tensor.LongStorage { 2, 2 }
      assert.are.same({ { 2, 3 }, { 4, 5 } }, list(e.Tensor(s, 2, sizes)))
      assert.are.same({ { 2, 4 }, { 3, 5 } },
                      list(e.Tensor(s, 2, sizes, tensor.LongStorage { 1, 2 })))
      assert.are.same({ { 1, 3 }, { 5, 7 } }, list(e.Tensor(s, 1, 2, 4, 2, 2)))
      local t = e.Tensor(s, 4, 2, 1)
      t[1] = 9
      assert.are.equal(9, s[4])
      assert.are.equal(4, t:storageOffset())
      assert.is_true(t:storage():size() == 8)
    end)

    it('rejects invalid sizes', function()
      local T = e.Tensor
      for _, size in ipairs { huge, -huge, 0 / 0, 1e300, 2 ^ 63, -2 ^ 64 } do
        assert.has_error(function() T(size) end)
        assert.has_error(function() T(2, size) end)
        assert.has_error(function() T():resize(size) end)
        assert.has_error(function() e.Storage(size) end)
      end
      for _, size in ipairs { -1, -2, -2 ^ 40 } do
        assert.has_error(function() T(size) end)
        assert.has_error(function() T(3, size, 2) end)
        assert.has_error(function() T():resize(tensor.LongStorage { size }) end)
        assert.has_error(function() e.Storage(size) end)
      end
      assert.has_error(function() T(2 ^ 40, 2 ^ 40) end)
      assert.has_error(function() T(2 ^ 31, 2 ^ 31, 2 ^ 31) end)
      assert.has_error(function() T('a') end)
      assert.has_error(function() T(2, 'a') end)
      assert.has_error(function() T(true) end)
      assert.has_error(function() T(print) end)
      local s = e.Storage { 1, 2, 3, 4 }
      assert.has_error(function() T(s, 0) end)
      assert.has_error(function() T(s, -1) end)
      assert.has_error(function() T(s, 2 ^ 62, 2, 1) end)
      assert.has_error(function() T(s, 1, 2, 2 ^ 62, 2, 2 ^ 62) end)
      local sizes, strides = tensor.LongStorage { 2, 2 }, tensor.LongStorage { 1 }
      assert.has_error(function() T(s, 1, sizes, strides) end)
      assert.are.same({ 1, 2, 3, 4 }, list(s))
    end)

    it('says what is wrong, and goes on, when there is no memory', function()
      local T = e.Tensor
      -- More than the address space has in one piece. A system may promise half of it.
      for _ = 1, 3 do
        local ok, message = pcall(function() T(1.75 * 2 ^ 46 / T():elementSize()):zero() end)
        assert.is_false(ok)
        assert.is_truthy(message:lower():find('memory'), message)
      end
      local t = T { 1, 2 }
      pcall(t.resize, t, 1.75 * 2 ^ 46 / t:elementSize())
      pcall(t.fill, t, 1)
      assert.are.same({ 1, 2 }, list(T { 1, 2 }))
    end)

    it('has tensors of up to 64 dimensions', function()
      local sizes = {}
      for d = 1, 64 do sizes[d] = 1 end
      sizes[40] = 3
      local t = e.Tensor():resize(tensor.LongStorage(sizes)):fill(2)
      assert.are.equal(64, t:dim())
      assert.are.equal(6, t:sum())
      sizes[65] = 1
      assert.has_error(function() e.Tensor():resize(tensor.LongStorage(sizes)) end)
      assert.has_error(function() e.Tensor(unpack(sizes)) end)
      local deep = 1
      for _ = 1, 65 do deep = { deep } end
      assert.has_error(function() e.Tensor(deep) end)
    end)

    it('clones and copies', function()
      local t = model.tensor(e, model.fill({ 3, 4 }, function(i) return i end), 'transposed')
      local clone = t:clone()
      assert.are.same(list(t), list(clone))
      assert.is_true(clone:isContiguous())
      clone:fill(0)
      assert.are.equal(11, t[3][4])
      local target = e.Tensor(3, 4)
      assert.is_true(rawequal(target, target:copy(t)))
      assert.are.same(list(t), list(target))
      -- The counts alone must agree.
      assert.are.same({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, list(e.Tensor(12):copy(t)))
      assert.has_error(function() e.Tensor(5):copy(t) end)
      assert.has_error(function() e.Tensor(5):copy('x') end)
      assert.has_error(function() e.Tensor(5):copy() end)
      assert.is_true(rawequal(target:contiguous(), target))
      assert.is_false(rawequal(t:contiguous(), t))
    end)

    it('copies onto itself in another layout', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }
      t:copy(t:t())
      assert.are.same({ { 1, 4, 7 }, { 2, 5, 8 }, { 3, 6, 9 } }, list(t))
      local v = e.Tensor { 1, 2, 3, 4, 5 }
      v:narrow(1, 2, 4):copy(v:narrow(1, 1, 4))
      assert.are.same({ 1, 1, 2, 3, 4 }, list(v))
    end)
  end)
end

describe('conversion', function()
  -- Values that every type but the narrowest keeps, and how each stores them.
  local values = { 0, 1, 100, 127, 2.75, 3.5 }
  for _, from in ipairs(elements) do
    it('from ' .. from.name .. ' to every type', function()
      local source = tensor.Tensor(values):type(from.class)
      for _, to in ipairs(elements) do
        local expected = {}
        for i, x in ipairs(list(source)) do
          if to.integral then x = x < 0 and math.ceil(x) or math.floor(x) end
          expected[i] = to.store(x)
        end
        local converted = source:type(to.class)
        assert.are.equal(to.class, converted:type())
        assert.are.same(expected, list(converted), to.class)
        assert.are.same(expected, list(source[to.name:lower()](source)))
        assert.are.same(expected, list(to.Tensor(#values):copy(source)))
        assert.are.same(expected, list(source:typeAs(to.Tensor())))
        assert.are.same(expected, list(source:storage():type((to.class:gsub('Tensor', 'Storage')))))
        assert.are.equal(from == to, rawequal(converted, source))
      end
      assert.are.equal('torch.DoubleTensor', source:real():type())
      local module = { type = function(self) return self._type end, _type = 'torch.IntTensor' }
      assert.are.equal('torch.IntTensor', source:typeAs(module):type())
      local no_modules = { { type = function() end }, { type = error }, tensor.IntTensor, tensor }
      for _, other in ipairs(no_modules) do
        assert.has_error(function() source:typeAs(other) end,
                         'typeAs: a tensor is expected, got table')
      end
      assert.has_error(function() source:type('torch.NoTensor') end)
      assert.has_error(function() source:type('string') end)
      assert.has_error(function() source:type(3) end)
    end)
  end

  it('of integers to narrower ones keeps the low bits', function()
    local numbers = tensor.Tensor { 255, 256, -1, 300 }
    assert.are.same({ 255, 0, 255, 44 }, list(numbers:byte()))
    assert.are.same({ -1, 0, -1, 44 }, list(numbers:char()))
    local t = tensor.LongTensor { 65536 + 5, -3, 2 ^ 31, 2 ^ 32 + 7 }
    assert.are.same({ 5, 253, 0, 7 }, list(t:byte()))
    assert.are.same({ 5, -3, 0, 7 }, list(t:short()))
    assert.are.same({ 65541, -3, -2 ^ 31, 7 }, list(t:int()))
  end)

  it('keeps the layout of empty tensors and of zero-size ones', function()
    assert.are.equal(0, tensor.FloatTensor():int():dim())
    assert.are.same({ 2, 0, 3 }, list(tensor.FloatTensor(2, 0, 3):byte():size()))
  end)
end)

describe('the default type', function()
  after_each(function() tensor.setdefaulttensortype('torch.DoubleTensor') end)

  it('is that of Tensor and of functions without operand', function()
    assert.are.equal('torch.DoubleTensor', tensor.getdefaulttensortype())
    tensor.setdefaulttensortype('torch.FloatTensor')
    assert.are.equal('torch.FloatTensor', tensor.getdefaulttensortype())
    assert.are.equal('torch.FloatTensor', tensor.Tensor(2):type())
    assert.are.equal('torch.FloatTensor', tensor.zeros(2):type())
    assert.are.equal('torch.FloatTensor', tensor.rand(2):type())
    assert.are.equal('torch.FloatStorage', tensor.typename(tensor.Storage(2)))
    assert.are.equal('torch.FloatTensor', tensor.IntTensor(1):fill(0):real():type())
  end)

  it('must be a tensor class', function()
    for _, bad in ipairs { 'torch.FloatStorage', 'torch.NoTensor', 'float', 3, {}, true } do
      assert.has_error(function() tensor.setdefaulttensortype(bad) end)
    end
    assert.has_error(function() tensor.setdefaulttensortype() end)
    assert.are.equal('torch.DoubleTensor', tensor.getdefaulttensortype())
  end)
end)

describe('storages', function()
  for _, e in ipairs(elements) do
    it('of ' .. e.name .. ' hold numbers', function()
      local s = e.Storage { 1, 22, 111 }
      assert.are.equal(3, #s)
      assert.are.equal(3, s:size())
      assert.are.same({ 1, 22, 111 }, list(s))
      s[2] = 5
      assert.are.equal(5, s[2])
      assert.are.same({ 7, 7, 7 }, list(s:fill(7)))
      local t = e.Storage(3):copy(s)
      assert.are.same({ 7, 7, 7 }, list(t))
      s:resize(5)
      assert.are.equal(5, s:size())
      assert.are.equal(7, s[3])
      s:resize(0)
      assert.are.equal(0, #s)
      assert.are.equal(e.Tensor(1):elementSize(), s:elementSize())
      assert.are.equal(s:elementSize(), e.Storage.elementSize())
      assert.are.equal(s:elementSize(), e.Tensor.elementSize())
      assert.is_true(tensor.isStorage(s))
      assert.is_false(tensor.isTensor(s))
      assert.is_nil(s.foo)
      assert.has_error(function() return t[4] end)
      assert.has_error(function() return t[0] end)
      assert.has_error(function() return t[0 / 0] end)
      assert.has_error(function() t[4] = 1 end)
      assert.has_error(function() t[1] = 'a' end)
      assert.has_error(function() t[1] = nil end)
      assert.has_error(function() t.x = 1 end)
      assert.has_error(function() e.Storage { 1, 'a' } end)
      assert.has_error(function() t:copy(e.Storage(2)) end)
      assert.has_error(function() t:resize(-1) end)
      assert.has_error(function() t:resize(1e300) end)
      assert.are.same({ 7, 7, 7 }, list(t))
    end)
  end

  it('are strings for one-byte types', function()
    local s = tensor.CharStorage():string('hello')
    assert.are.equal(5, #s)
    assert.are.equal(104, s[1])
    assert.are.equal('hello', s:string())
    assert.are.equal('a\0b', tensor.ByteStorage():string('a\0b'):string())
    assert.has_error(function() tensor.IntStorage(2):string() end)
  end)
end)

describe('range', function()
  it('counts whole numbers exactly', function()
    local t = tensor.LongTensor():range(-2 ^ 63, 2 ^ 63 - 1024, 2 ^ 62)
    assert.are.same({ -2 ^ 63, -2 ^ 62, 0, 2 ^ 62 }, list(t))
    t = tensor.LongTensor():range(2 ^ 53, 2 ^ 53 + 4)
    assert.are.equal(5, t:nElement())
    assert.are.same({ 1, 1, 1, 1 }, list(t:narrow(1, 2, 4):csub(t:narrow(1, 1, 4))))
    assert.are.equal(4, tensor.DoubleTensor():range(-2 ^ 63, 2 ^ 63 - 1024, 2 ^ 62):nElement())
    local ends = tensor.DoubleTensor():range(-2 ^ 63, 2 ^ 63, 2 ^ 63)
    assert.are.same({ -2 ^ 63, 0, 2 ^ 63 }, list(ends))
    local down = tensor.LongTensor():arange(2 ^ 60, 0, -2 ^ 59)
    assert.are.same({ 2 ^ 60, 2 ^ 59 }, list(down))
  end)

  it('raises an error for a LongTensor that does not hold its numbers', function()
    for _, ends in ipairs { { 0, 2 ^ 63, 2 ^ 62 }, { 2 ^ 64, 2 ^ 64 }, { 0, -2 ^ 64, -2 ^ 63 },
                            { 2 ^ 63, 0, -2 ^ 62 } } do
      local ok, message = pcall(tensor.range, tensor.LongTensor(), unpack(ends))
      assert.is_false(ok)
      assert.matches('range: a LongTensor does not hold the numbers from', message)
    end
    local half = tensor.arange(tensor.LongTensor(), -2 ^ 63, 2 ^ 63, 2 ^ 63)
    assert.are.same({ -2 ^ 63, 0 }, list(half))
  end)

  it('with a number of points has both ends exactly', function()
    for n = 2, 100 do
      for _, ends in ipairs{ { 0, 0.7 }, { -1 / 3, 1e10 }, { 5, 1e-7 } } do
        local t = tensor.linspace(tensor.DoubleTensor(), ends[1], ends[2], n)
        assert.are.same(ends, { t[1], t[n] })
        t = tensor.linspace(tensor.DoubleTensor(), ends[1], ends[2], n, true)
        assert.are.same(ends, { t[1], t[n] })
      end
    end
    assert.are.same({ 0, 0.25, 0.5, 0.75 }, list(tensor.linspace(0, 1, 4, false)))
    for _, shape in ipairs{ { 2, 2 }, { 1, 4 }, { 4, 1 } } do
      local t = tensor.zeros(tensor.LongStorage(shape)):double()
      assert.are.equal(t, tensor.linspace(t, 0, 3, 4))
      assert.are.same(shape, t:size():totable())
      assert.are.same({ 0, 1, 2, 3 }, list(t:view(4)))
    end
  end)
end)

-- torch.randperm(n, 'torch.LongTensor') is the first line of nn.StochasticGradient.
describe('a class that the last argument names', function()
  it('is that of the result', function()
    local size = tensor.LongStorage { 2, 1 }
    for _, case in ipairs {
      { 'torch.LongTensor', { 4 }, tensor.randperm(4, 'torch.LongTensor') },
      { 'torch.FloatTensor', { 2, 3 }, tensor.zeros(2, 3, 'torch.FloatTensor') },
      { 'torch.ByteTensor', { 2, 1 }, tensor.ones(size, 'torch.ByteTensor') },
      { 'torch.IntTensor', { 3 }, tensor.range(1, 3, 'torch.IntTensor') },
      { 'torch.HalfTensor', { 2, 2 }, tensor.eye(2, 'torch.HalfTensor') },
      { 'torch.FloatTensor', { 5 }, tensor.linspace(0, 1, 5, 'torch.FloatTensor') },
      { 'torch.IntTensor', { 2, 3 }, tensor.full({ 2, 3 }, 7, 'torch.IntTensor') },
      { 'torch.ByteTensor', { 2, 3 }, tensor.full(2, 3, 7, 'torch.ByteTensor') },
      { 'torch.HalfTensor', { 2, 1 }, tensor.full(size, 7, 'torch.HalfTensor') },
    } do
      assert.are.equal(case[1], case[3]:type())
      assert.are.same(case[2], case[3]:size():totable())
    end
    local f = tensor.compile(function(x) return x + tensor.ones(2, 'torch.FloatTensor') end)
    for _ = 1, 3 do assert.are.same({ 2, 2 }, f(tensor.FloatTensor { 1, 1 }):totable()) end
    for _, name in ipairs { 'torch.Tensor', 'LongTensor', 'torch.NoTensor', 'torch.LongStorage' } do
      local done, message = pcall(tensor.randperm, 4, name)
      assert.is_false(done)
      assert.is_truthy(message:find('randperm: invalid arguments', 1, true), message)
    end
    assert.has_error(function() return tensor.full({ 2 }, 7, 'torch.NoTensor') end,
                     "full: torch.NoTensor is not a tensor class, as 'torch.FloatTensor' is")
    assert.has_error(function() return tensor.full(tensor.ones(2), 2, 7, 'torch.FloatTensor') end)
    assert.has_error(function() return tensor.add(tensor.ones(2), 1, 'torch.FloatTensor') end)
    assert.has_error(function() return tensor.cat({ tensor.ones(2) }, 'torch.FloatTensor') end)
  end)
end)
