-- Objects of cutorch classes in files. Runs on the software device, like cutorch_spec.

local child = require 'support.child'
local support = require 'support.cutorch'

local torch, cutorch = support.torch, support.cutorch

describe('objects of cutorch in files', function()
  support.around(before_each, after_each)

  local function saved()
    local t = torch.CudaTensor {{1, 2}, {3, 4}}
    return {t = t, row = t[2], index = torch.CudaLongTensor {7}, host = torch.FloatTensor {5},
            storage = t:storage(), empty = torch.CudaTensor()}
  end

  it('are loaded to the device, and share their storages', function()
    for _, format in ipairs {'binary', 'ascii'} do
      local copy = torch.deserialize(torch.serialize(saved(), format), format)
      assert.are.equal('torch.CudaTensor', copy.t:type())
      assert.are.equal(1, copy.t:getDevice())
      assert.are.equal('torch.CudaLongTensor', copy.index:type())
      assert.are.equal('torch.CudaStorage', torch.typename(copy.storage))
      assert.are.equal('torch.CudaTensor', copy.empty:type())
      assert.are.equal('cpu', copy.host:device())
      assert.are.same({7}, copy.index:totable())
      copy.row:fill(9)
      assert.are.same({{1, 2}, {9, 9}}, copy.t:totable())
      assert.are.same({1, 2, 9, 9}, copy.storage:totable())
    end
  end)

  it('are written as those of the host, under their names', function()
    local t = torch.CudaTensor {1, 2}
    local text = torch.serialize(t, 'ascii')
    assert.matches('torch.CudaTensor', text, 1, true)
    assert.are.equal(torch.serialize(t:float(), 'ascii'),
                     (text:gsub('16\ntorch%.Cuda', '17\ntorch.Float')
                          :gsub('17\ntorch%.CudaS', '18\ntorch.FloatS')))
  end)

  it('are read without cutorch, as those of the host', function()
    local path = os.tmpname()
    torch.save(path, saved())
    local out = child.run(([[
      require 'torch'
      local copy = torch.load(%q)
      copy.row:fill(9)
      print(copy.t:type(), copy.t:device(), copy.t:sum(), copy.index:type(), copy.index[1],
            torch.typename(copy.storage), copy.empty:type())
    ]]):format(path), {before = 'unset TENSOR_TEST'})
    os.remove(path)
    assert.are.equal('torch.FloatTensor\tcpu\t21\ttorch.LongTensor\t7\ttorch.FloatStorage\t'
                     .. 'torch.FloatTensor\n', out)
  end)

  it('clone a model that is on the device', function()
    local Layer = torch.class('cutorch.TestLayer', cutorch)
    function Layer:__init() self.weight = torch.CudaTensor(3):fill(2) end
    local layer = cutorch.TestLayer()
    local file = torch.MemoryFile('rw'):binary()
    file:writeObject(layer)
    file:seek(1)
    local copy = file:readObject()
    file:close()
    copy.weight:fill(1)
    assert.are.equal(6, layer.weight:sum())
    assert.are.equal('torch.CudaTensor', copy.weight:type())
  end)
end)
