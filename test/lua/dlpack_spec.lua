-- Export and import of tensors as DLPack structs: the memory is shared, and freed exactly once, in
-- any order.

local ffi = require 'ffi'
local tensor = require 'tensor'
local format_files = require 'support.format_files'
local support = require 'support.on_device'
local error_of = require 'support.raises'.message

local device, device_type = support.device, support.is_gpu and 2 or 12

local function collect()
  collectgarbage()
  collectgarbage()
end
-- Keeps references as C code would: nothing may be freed before its deleter is called.
local kept = {}

-- DLPack type code, and bits per element.
local codes = {
  Byte = { 1, 8 }, Char = { 0, 8 }, Short = { 0, 16 }, Int = { 0, 32 }, Long = { 0, 64 },
  Half = { 2, 16 }, BFloat16 = { 4, 16 }, Float = { 2, 32 }, Double = { 2, 64 },
}

describe('DLPack', function()
  it('has all types and layouts, without a copy', function()
    format_files.each(function(e, layout, t)
      local owner = t:toDLPack()
      local view = owner.managed.dl_tensor
      assert.are.equal(1, owner.managed.version.major)
      assert.are.equal(1, view.device.device_type)
      assert.are.same(codes[e.name], { view.dtype.code, view.dtype.bits })
      assert.are.equal(t:dim(), view.ndim)
      for d = 1, t:dim() do
        assert.are.equal(t:size(d), tonumber(view.shape[d - 1]))
        assert.are.equal(t:stride(d), tonumber(view.strides[d - 1]))
      end
      if t:nElement() > 0 then
        assert.are.equal(t:data(true), tonumber(ffi.cast('intptr_t', view.data)))
      end
      local back = tensor.fromDLPack(owner)
      assert.is_true(format_files.same(t, back), e.name .. ' ' .. layout)
      if t:nElement() > 0 then
        assert.are.equal(t:data(true), back:data(true))
        back:fill(5)
        assert.are.equal(5, t:max())
      end
    end)
  end)

  it('keeps elements as long as anybody has them', function()
    for _, first in ipairs { 'tensor', 'owner', 'view' } do
      local all = { tensor = tensor.range(1, 1000) }
      all.owner = all.tensor:toDLPack()
      all.view = tensor.fromDLPack(all.tensor:toDLPack())
      all.part = all.view:narrow(1, 11, 5)
      all[first] = nil
      collect()
      assert.are.equal(11, all.part[1])
      all.tensor = nil
      collect()
      assert.are.equal(11, all.part[1])
      all.view, all.owner = nil, nil
      collect()
      assert.are.equal(15, all.part[5])
    end
  end)

  it('lets a storage be resized after the last other reference is gone', function()
    local t = tensor.ones(4)
    local owner = t:toDLPack()
    assert.matches('in use', error_of(t.resize, t, 100), 1, true)
    assert.are.same({ 4 }, t:size():totable())
    local view = tensor.fromDLPack(owner)
    assert.matches('cannot be resized', error_of(view.resize, view, 100), 1, true)
    owner, view = nil, nil
    collect()
    t:resize(100)
    assert.are.equal(1, t[4])
    assert.is_nil(owner or view)
  end)

  it('takes what another library owns, and frees it once', function()
    local freed = 0
    local elements = ffi.new('float[6]', 1, 2, 3, 4, 5, 6)
    local shape = ffi.new('int64_t[2]', 3, 2)
    for _, kind in ipairs { 'DLManagedTensor', 'DLManagedTensorVersioned' } do
      local managed = ffi.new(kind)
      local deleter = ffi.cast(('void (*)(%s*)'):format(kind), function() freed = freed + 1 end)
      managed.deleter = deleter
      kept[#kept + 1] = { managed, deleter, elements, shape }
      local view = managed.dl_tensor
      view.data, view.device.device_type, view.ndim, view.shape = elements, 1, 2, shape
      view.dtype = { 2, 32, 1 }
      if kind == 'DLManagedTensorVersioned' then managed.version = { 1, 3 } end
      local pointer = ffi.cast(kind .. '*', managed)
      local t = tensor.fromDLPack(pointer)
      assert.are.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, t:totable())
      assert.are.equal(0, freed)
      t:storage():fill(0)
      assert.are.equal(0, elements[5])
      ffi.copy(elements, ffi.new('float[6]', 1, 2, 3, 4, 5, 6), 24)
      local stride = ffi.new('int64_t[1]', 2)
      view.byte_offset, view.strides, view.ndim = 4, stride, 1
      t = nil  -- luacheck: ignore
      collect()
      assert.are.equal(1, freed)
      t = tensor.fromDLPack(pointer)
      assert.are.same({ 2, 4, 6 }, t:totable())
      t = nil  -- luacheck: ignore
      collect()
      assert.are.equal(2, freed)

      -- A rejected struct still belongs to its owner.
      local function refused(text, change)
        local before = ffi.new(kind)
        ffi.copy(before, managed, ffi.sizeof(kind))
        change()
        assert.matches(text, error_of(tensor.fromDLPack, pointer), 1, true)
        collect()
        assert.are.equal(2, freed)
        ffi.copy(managed, before, ffi.sizeof(kind))
      end
      local negative = ffi.new('int64_t[1]', -1)
      local huge = ffi.new('int64_t[1]', 2 ^ 62)
      refused('is negative, which tensors do not support', function() view.strides = negative end)
      refused('negative', function() view.shape = negative end)
      refused('too large', function() view.shape = huge end)
      refused('too large', function() view.strides = huge end)
      refused('on a device', function() view.device.device_type = 8 end)  -- Metal
      refused('64 bits', function() view.dtype = { 5, 64, 1 } end)
      refused('4 lanes', function() view.dtype.lanes = 4 end)
      refused('16 bits', function() view.dtype = { 1, 16, 1 } end)
      refused('dimensions', function() view.ndim = -1 end)
      refused('dimensions', function() view.ndim = 1000 end)
      refused('is not aligned for Float', function() view.byte_offset = 1 end)
      refused('the address of the elements is NULL', function() view.data = nil end)
      if kind == 'DLManagedTensorVersioned' then
        refused('version 2.0', function() managed.version = { 2, 0 } end)
        refused('the elements are read-only', function() managed.flags = 1 end)
      end
      view.ndim = 0
      t = tensor.fromDLPack(pointer)
      assert.are.same({ 1 }, t:size():totable())
      assert.are.equal(2, t[1])
      t = nil  -- luacheck: ignore
      collect()
      assert.are.equal(3, freed)
      freed = 0
    end
  end)

  it('shares memory of a device', function()
    local t = tensor.range(1, 6):float():resize(2, 3)
    local owner = t:select(1, 2):toDLPack(device)
    local view = owner.managed.dl_tensor
    assert.are.equal(device, t:device())
    assert.are.equal(device_type, view.device.device_type)
    assert.are.equal(0, view.device.device_id)
    assert.matches('in use', error_of(t.resize, t, 100), 1, true)
    local before = tensor.stats()
    local same = tensor.fromDLPack(owner)
    assert.are.equal(device, same:device())
    assert.are.same({ 3 }, same:size():totable())
    same:mul(10)
    t:add(1)
    same:add(0.5)
    local after = tensor.stats()
    assert.are.same(before.d2h, after.d2h)
    assert.are.same(before.fallbacks, after.fallbacks)
    -- The host sees each write on the device, by either tensor.
    assert.are.same({ { 2, 3, 4 }, { 41.5, 51.5, 61.5 } }, t:totable())
    assert.are.same({ 41.5, 51.5, 61.5 }, same:totable())
    same:add(1)
    assert.are.same({ { 2, 3, 4 }, { 42.5, 52.5, 62.5 } }, t:totable())
    t:add(1)
    assert.are.equal(43.5, same[1])
    assert.matches('cannot be resized', error_of(same.resize, same, 100), 1, true)
    -- The memory outlives the tensor that allocated it.
    t, owner, view = nil, nil, nil  -- luacheck: ignore
    collect()
    assert.are.equal(160.5, same:sum())
    assert.are.same({ 43.5, 53.5, 63.5 }, same:clone():to('cpu'):totable())
    same:to('cpu')
    assert.are.equal('cpu', same:device())
    assert.are.same({ 43.5, 53.5, 63.5 }, same:totable())
    same:resize(2)
  end)

  it('frees memory of a device of another library once, after its last use', function()
    local lender = tensor.range(1, 4):float()
    local lent = lender:toDLPack(device)
    local managed, freed = ffi.new 'DLManagedTensorVersioned', 0
    local deleter = ffi.cast('void (*)(DLManagedTensorVersioned*)',
                             function() freed = freed + 1 end)
    managed.version, managed.dl_tensor, managed.deleter = { 1, 0 }, lent.managed.dl_tensor, deleter
    kept[#kept + 1] = { managed, deleter, lent, lender }
    local pointer = ffi.cast('DLManagedTensorVersioned*', managed)
    local t = tensor.fromDLPack(pointer)
    local part = t:narrow(1, 2, 2)
    part:add(5)
    t = nil  -- luacheck: ignore
    collect()
    assert.are.equal(0, freed)
    assert.are.same({ 1, 7, 8, 4 }, lender:totable())
    part = nil  -- luacheck: ignore
    collect()
    assert.are.equal(1, freed)
    managed.dl_tensor.device.device_id = 1000
    assert.matches('not available here', error_of(tensor.fromDLPack, pointer), 1, true)
    assert.are.equal(1, freed)
  end)

  it('refuses devices that do not exist, and has no stream without a GPU', function()
    local t = tensor.ones(2)
    assert.matches('no device', error_of(t.toDLPack, t, support.kind .. ':1000'), 1, true)
    local small = tensor.range(1, 10)
    small:storage():resize(3)
    assert.matches('resized to 3 elements', error_of(small.toDLPack, small, device), 1, true)
    assert.are.equal(1, t:toDLPack('cpu').managed.dl_tensor.device.device_type)
    assert.is_nil(tensor.stream('cpu'))
    local stream = tensor.stream(device)
    assert.are.equal(support.is_gpu and 'number' or 'nil', type(stream))
    local empty = tensor.FloatTensor():toDLPack(device).managed.dl_tensor
    assert.are.equal(device_type, empty.device.device_type)
    assert.are.equal(ffi.cast('void*', 0), empty.data)
  end)

  it('is handed over once', function()
    local owner = tensor.ones(2):toDLPack()
    tensor.fromDLPack(owner)
    assert.matches('already been handed over', error_of(tensor.fromDLPack, owner), 1, true)
    assert.matches('already been handed over', error_of(owner.release, owner), 1, true)
    owner = tensor.range(1, 3):toDLPack()
    local pointer = owner:release()
    owner = nil
    collect()
    assert.is_nil(owner)
    assert.are.same({ 1, 2, 3 }, tensor.fromDLPack(pointer):totable())
    for _, wrong in ipairs { 1, 'x', ffi.new 'int', ffi.new 'void*', tensor.ones(1) } do
      assert.matches('a result of toDLPack', error_of(tensor.fromDLPack, wrong), 1, true)
    end
    assert.matches('expected, got NULL',
                   error_of(tensor.fromDLPack, ffi.new 'DLManagedTensor*'), 1, true)
  end)
end)
