-- write and read of tensors, storages and generators, with a file of Torch7's methods in Lua.

local tensor = require 'tensor'
local elements = require 'support.elements'

-- Keeps what is written, in order, and gives it back.
local function memory_file()
  local file = { records = {}, at = 0 }
  local function put(kind)
    return function(self, value)
      if tensor.isStorage(value) then value = value:totable() end
      table.insert(self.records, { kind, value })
    end
  end
  local function get(kind, class)
    return function(self, count)
      self.at = self.at + 1
      local record = self.records[self.at]
      assert(record[1] == kind, 'the file has a ' .. record[1])
      if not count then return record[2] end
      assert(#record[2] == count)
      return class(record[2])
    end
  end
  for _, e in ipairs(elements) do
    file['write' .. e.name], file['read' .. e.name] = put(e.name), get(e.name, e.Storage)
  end
  file.writeObject = function(self, object) table.insert(self.records, { 'object', object }) end
  file.readObject = get 'object'
  return file
end

for _, e in ipairs(elements) do
  describe('a file of ' .. e.name, function()
    it('has the geometry of a tensor, and its storage', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      local view = t:t():narrow(1, 2, 2)
      local file = memory_file()
      view:write(file)
      assert.are.same({ 'Int', 2 }, file.records[1])
      assert.are.same({ 'Long', { 2, 2 } }, file.records[2])
      assert.are.same({ 'Long', { 1, 3 } }, file.records[3])
      assert.are.same({ 'Long', 2 }, file.records[4])
      local back = e.Tensor():read(file)
      assert.are.same({ { 2, 5 }, { 3, 6 } }, back:totable())
      back[1][1] = 7
      assert.are.equal(7, t[1][2])
    end)

    it('has the elements of a storage', function()
      local s = e.Storage { 1, 2, 3 }
      local file = memory_file()
      s:write(file)
      e.Storage():write(file)
      assert.are.same({ 'Long', 3 }, file.records[1])
      assert.are.same({ e.name, { 1, 2, 3 } }, file.records[2])
      assert.are.same({ 1, 2, 3 }, e.Storage(7):read(file):totable())
      assert.are.equal(0, e.Storage(7):read(file):size())
    end)
  end)
end

describe('a file', function()
  it('has tensors without elements', function()
    for _, t in ipairs { tensor.FloatTensor(), tensor.FloatTensor(0, 3),
                         tensor.FloatTensor(tensor.FloatStorage(4), 2) } do
      local file = memory_file()
      t:write(file)
      local back = tensor.FloatTensor(2):read(file)
      assert.are.same(t:size():totable(), back:size():totable())
      assert.are.equal(t:storageOffset(), back:storageOffset())
    end
  end)

  it('has generators', function()
    local g, file = tensor.Generator(), memory_file()
    tensor.manualSeed(g, 5)
    tensor.random(g)
    g:write(file)
    local wanted = { tensor.random(g), tensor.random(g) }
    local other = tensor.Generator():read(file)
    assert.are.same(wanted, { tensor.random(other), tensor.random(other) })
  end)

  it('that lacks something is an error', function()
    local t, s, g = tensor.FloatTensor(2), tensor.FloatStorage(2), tensor.Generator()
    local broken = { writeLong = function() end, readLong = function() return -1 end }
    for _, object in ipairs { t, s, g } do
      for _, file in ipairs { 5, 'file', {}, broken } do
        assert.has_error(function() object:write(file) end)
        assert.has_error(function() object:read(file) end)
      end
      assert.has_error(function() object:write() end)
    end
    local file = memory_file()
    tensor.FloatTensor(3):write(file)
    file.records[4][2] = 2  -- beyond the storage, which would have to grow
    file.records[5][2] = tensor.DoubleStorage(3)
    assert.has_error(function() t:read(file) end)
    assert.are.equal(2, t:nElement())
  end)
end)
