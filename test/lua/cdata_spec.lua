-- The C structs of tensors and storages, read through the FFI: Torch7's field names and correct
-- values.

local tensor = require 'tensor'
local ffi = require 'ffi'
local elements = require 'support.elements'

for _, e in ipairs(elements) do
  describe('cdata of ' .. e.name, function()
    it('has the fields of a tensor', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      local view = t:t():narrow(1, 2, 2)
      local c = view:cdata()
      assert.is_true(ffi.istype(('TH%sTensor *'):format(e.name), c))
      assert.are.equal(2, c.nDimension)
      assert.are.same({ 2, 2 }, { tonumber(c.size[0]), tonumber(c.size[1]) })
      assert.are.same({ 1, 3 }, { tonumber(c.stride[0]), tonumber(c.stride[1]) })
      assert.are.equal(1, tonumber(c.storageOffset))
      assert.are.equal(6, tonumber(c.storage.size))
      assert.is_true(c.storage == t:storage():cdata())
      assert.is_true(c.storage.data + 1 == view:data())
      assert.is_true(c.refcount >= 1)
    end)

    it('has the fields of a storage', function()
      local s = e.Storage { 1, 2, 3 }
      local c = s:cdata()
      assert.is_true(ffi.istype(('TH%sStorage *'):format(e.name), c))
      assert.are.equal(3, tonumber(c.size))
      assert.is_true(c.data == s:data())
    end)

    it('is true for memory that was never accessed', function()
      local t, s = e.Tensor(5), e.Storage(5)  -- a cdata does not keep them alive
      assert.is_true(t:cdata().storage.data ~= nil)
      assert.is_true(s:cdata().data ~= nil)
    end)
  end)
end

describe('cdata', function()
  it('shows what was written last, wherever that was', function()
    local t = tensor.FloatTensor { 1, 2, 3 }
    local c = t:cdata()
    t:mul(10)
    assert.are.equal(30, t:cdata().storage.data[2])
    t:resize(2, 3)
    assert.are.equal(2, c.nDimension)
    assert.are.equal(6, tonumber(c.storage.size))
    local found = pcall(t.to, t, 'soft')
    if found then
      t:fill(7)
      assert.are.equal(7, t:cdata().storage.data[5])
      assert.are.equal(7, t:storage():cdata().data[0])
      t:cdata().storage.data[0] = 8
      assert.are.equal(8, t[1][1])
      assert.are.equal(43, t:sum())
    end
  end)

  it('of a tensor without storage has none', function()
    local c = tensor.LongTensor():cdata()
    assert.are.equal(0, c.nDimension)
    assert.is_true(c.storage == nil)
  end)

  it('may be declared by others, too', function()
    ffi.cdef 'typedef struct THFloatTensor THFloatTensor;'
    assert.are.equal(1, tensor.FloatTensor(2):cdata().nDimension)
  end)
end)
