-- Storages that are resized while tensors view them, and their reference counts.

local tensor = require 'tensor'
local files = require 'support.files'

describe('a storage', function()
  it('that was made smaller is not read or written beyond its end', function()
    local t = tensor.FloatTensor(1000):fill(1)
    local matrix = t:view(10, 100)
    local square = t:narrow(1, 1, 900):view(30, 30)
    t:storage():resize(10)
    local other = tensor.FloatTensor(1000)
    local path = os.tmpname()
    local function save(extension)
      local object = extension == '.safetensors' and {t = t} or t
      return function() tensor.save(path .. extension, object) end
    end
    for name, call in pairs {
      sum = function() return t:sum() end,
      add = function() return t:add(1) end,
      result = function() return tensor.add(t, other, 1) end,
      source = function() return other:copy(t) end,
      totable = function() return t:totable() end,
      apply = function() return t:apply(function() return 1 end) end,
      element = function() return t[500] end,
      assignment = function() t[500] = 1 end,
      text = function() return tostring(t) end,
      mm = function() return square:mm(square, square) end,
      sort = function() return t:sort() end,
      npy = save '.npy', npz = save '.npz', safetensors = save '.safetensors', csv = save '.csv',
    } do
      local ok, message = pcall(call)
      assert.is_false(ok, name)
      local text = name == 'csv' and 'a storage of 10 elements' or 'resized to 10 elements'
      assert.matches(text, message, 1, true)
    end
    os.remove(path)
    assert.are.equal(5, tensor.FloatTensor(t:storage(), 1, 5):sum())
    -- Creating a view extends the storage again, as in Torch7.
    assert.are.equal(10, matrix:t():sum())
  end)

  it('that becomes smaller while a file is written is not read beyond its end', function()
    local path = os.tmpname()
    for _, extension in ipairs { '.npz', '.safetensors' } do
      local a, b = tensor.ones(10), tensor.ones(1e6)
      local function shrink() b:storage():resize(1) end
      local ok, message = pcall(tensor.save, path .. extension, { a = a, b = b },
                                { progress = shrink })
      assert.is_false(ok)
      local text = extension == '.npz' and 'exceed a storage of 1 ' or 'resized to 1 '
      assert.matches(text, message, 1, true)
      assert.is_nil(io.open(path .. extension))
    end
    os.remove(path)
  end)

  it('that grows reads as zeros where nothing was written', function()
    local dirty = tensor.Tensor(200):fill(5)
    dirty:free()
    local t = tensor.Tensor(3):fill(1)
    t:resize(150)
    assert.are.equal(3, t:sum())
  end)

  it('cannot be larger than memory can be', function()
    assert.has_error(function() tensor.ByteStorage(2 ^ 50) end)
    local storage = tensor.ByteStorage(10)
    assert.has_error(function() tensor.ByteTensor(storage, 2 ^ 50, 2, 1) end)
    assert.are.equal(10, storage:size())
  end)

  it('keeps its elements as long as someone holds it', function()
    local storage = tensor.Tensor({1, 2, 3}):storage()
    collectgarbage()
    collectgarbage()
    assert.are.same({1, 2, 3}, storage:totable())
  end)

  it('refuses names of files with a zero byte', function()
    local name = os.tmpname()
    files.write(name, 'abcd')
    assert.are.equal(4, tensor.ByteStorage(name):size())
    assert.error_matches(function() tensor.ByteStorage(name .. '\0.bin') end,
                         'torch.ByteStorage: the string contains a zero byte')
    os.remove(name)
  end)

  it('counts the references that retain takes and free releases', function()
    local t = tensor.Tensor {1, 2}
    t:retain()
    t:free()
    assert.are.same({1, 2}, t:totable())
    t:free()
    assert.are.equal(0, t:dim())
  end)
end)

describe('simple powers and logarithms', function()
  it('are exact', function()
    local x = tensor.FloatTensor(1000):uniform(-100, 100)
    assert.is_true((x ^ 2):equal(tensor.cmul(x, x)))
    assert.is_true((x ^ 1):equal(x))
    assert.is_true((x ^ -1):equal(tensor.cinv(x)))
    for _, class in ipairs {tensor.FloatTensor, tensor.DoubleTensor} do
      for n = 0, 20 do
        assert.are.equal(n, tensor.log10(class {10 ^ n})[1])
        assert.are.equal(n, tensor.log2(class {2 ^ n})[1])
      end
    end
  end)
end)
