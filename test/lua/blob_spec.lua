-- Blobs in Lua: torch.FloatBlob and torch.DoubleBlob, Caffe's files of them, and tensor.load.

local tensor = require 'tensor'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local root = here .. '../../'
local function file(name) return here .. '../data/blobs/' .. name .. '.binaryproto' end

local content = files.content

local function written(bytes, ending)
  local path = os.tmpname()
  os.remove(path)
  path = path .. ending
  files.write(path, bytes)
  return path
end

for _, name in ipairs { 'Float', 'Double' } do
  local Blob, Tensor = tensor[name .. 'Blob'], tensor[name .. 'Tensor']

  describe('torch.' .. name .. 'Blob', function()
    it('is made of sizes in all their forms', function()
      assert.are.same({2, 3, 4, 5}, Blob(2, 3, 4, 5):shape():totable())
      assert.are.same({2, 3}, Blob({2, 3}):shape():totable())
      assert.are.same({7, 8, 9}, Blob(tensor.LongStorage {7, 8, 9}):shape():totable())
      assert.are.equal(32, Blob(tensor.LongStorage(32):fill(1)):numAxes())
      assert.are.equal(0, Blob():numAxes())
      assert.are.equal(0, Blob():count())
      assert.are.equal(1, Blob({}):count())
      assert.are.equal('torch.' .. name .. 'Blob', tensor.type(Blob()))
      assert.are.equal(('[torch.%sBlob of shape 2 3 (6)]'):format(name), tostring(Blob(2, 3)))
      assert.matches('axis 2 is negative', error_of(Blob, 2, -1), 1, true)
      assert.matches('at most 32 axes, got 33', error_of(Blob, tensor.LongStorage(33):fill(1)),
                     1, true)
      assert.matches('too large', error_of(Blob, 2 ^ 40, 2 ^ 40), 1, true)
      assert.has_error(function() Blob('a') end)
      assert.has_error(function() Blob(tensor.Tensor(2)) end)
    end)

    it('has axes that count from 1, or from the end', function()
      local blob = Blob(2, 3, 4, 5)
      assert.are.equal(2, blob:shape(1))
      assert.are.equal(5, blob:shape(-1))
      assert.are.equal(4, blob:canonicalAxisIndex(-1))
      assert.are.equal(1, blob:canonicalAxisIndex(-4))
      assert.are.equal(3, blob:canonicalAxisIndex(3))
      for _, axis in ipairs {0, 5, -5, 2 ^ 40, -2 ^ 40} do
        assert.has_error(function() blob:canonicalAxisIndex(axis) end)
        assert.has_error(function() blob:shape(axis) end)
      end
      assert.are.equal(120, blob:count())
      assert.are.equal(60, blob:count(2))
      assert.are.equal(12, blob:count(2, 3))
      assert.are.equal(20, blob:count(-2))
      assert.are.equal(24, blob:count(1, -2))
      assert.are.equal(3, blob:count(2, 2))
      assert.are.equal(1, blob:count(2, 1))
      assert.matches('invalid range of axes', error_of(blob.count, blob, 3, 1), 1, true)
      assert.matches('invalid range of axes', error_of(blob.count, blob, 1, 5), 1, true)
      assert.are.equal(2 ^ 33, Blob(2 ^ 20, 2 ^ 13):count())
    end)

    it('has the four legacy axes', function()
      local blob = Blob(2, 3, 4, 5)
      assert.are.same({2, 3, 4, 5}, {blob:num(), blob:channels(), blob:height(), blob:width()})
      assert.are.equal('2 3 4 5 (120)', blob:shapeString())
      blob = Blob(3, 2)
      assert.are.equal(1, blob:width())
      assert.are.equal(3, blob:legacyShape(1))
      assert.are.equal(2, blob:legacyShape(-1))
      assert.are.equal(1, blob:legacyShape(-4))
      assert.has_error(function() blob:legacyShape(5) end)
      assert.matches('num: a blob of 5 axes', error_of(blob.num, Blob(1, 1, 1, 1, 1)), 1, true)
      assert.is_true(blob:shapeEquals(1, 1, 3, 2))
      assert.is_false(blob:shapeEquals(0, 1, 3, 2))
      assert.is_false(blob:shapeEquals(3, 1, 3, 2))
      assert.is_false(blob:shapeEquals {1, 1, 3, 2})
      assert.is_true(blob:shapeEquals {3, 2})
      assert.is_true(blob:shapeEquals(blob:shape()))
      assert.is_true(blob:shapeEquals(tensor.FloatBlob(3, 2)))
      assert.is_true(Blob(1, 3, 2):shapeEquals(1, 1, 3, 2))
      assert.is_false(Blob(2, 3, 2):shapeEquals(1, 1, 3, 2))
      assert.is_true(Blob(1, 3, 2, 4):shapeEquals(content(file 'legacy')))
      assert.is_false(Blob(1, 3, 2, 5):shapeEquals(content(file 'legacy')))
      local without_values = string.char(8, 1, 16, 1, 24, 3, 32, 2)
      assert.is_true(blob:shapeEquals(without_values))
      assert.is_false(Blob(2, 3):shapeEquals(without_values))
      assert.has_error(function() blob:shapeEquals(1, 2, 3) end)
      assert.has_error(function() blob:shapeEquals() end)
    end)

    it('gives its parts as tensors that share its memory', function()
      local blob = Blob(2, 3, 4, 5)
      local data, diff = blob:data(), blob:diff()
      assert.are.equal('torch.' .. name .. 'Tensor', data:type())
      assert.are.same({2, 3, 4, 5}, data:size():totable())
      assert.are.equal(0, data:sum())
      data:copy(tensor.range(1, 120))
      diff:fill(2)
      assert.are.equal(120, blob:data():max())
      assert.are.equal(240, blob:diff():sum())
      assert.are.equal(1, blob:offset(1, 1, 1, 1))
      assert.are.equal(120, blob:offset(2, 3, 4, 5))
      assert.are.equal(61, blob:offset(2))
      assert.are.equal(119, blob:offset {-1, -1, -1, -2})
      assert.are.equal(115, data:storage()[blob:offset(2, 3, 3, 5)])
      assert.are.equal(115, blob:dataAt(2, 3, 3, 5))
      assert.are.equal(120, blob:dataAt(tensor.LongStorage {-1, -1, -1, -1}))
      assert.are.equal(2, blob:diffAt(1))
      for _, index in ipairs {{3}, {0}, {-3}, {1, 1, 1, 1, 1}, {1, 4}} do
        assert.has_error(function() blob:dataAt(index) end)
        assert.has_error(function() blob:offset(index) end)
      end
      for expected, index in pairs {
        ['offset: index -3 is out of range of axis 1 of a blob of shape 2 3 4 5 (120)'] = {-3},
        ['offset: index 4 is out of range of axis 2 of a blob of shape 2 3 4 5 (120)'] = {1, 4},
        ['offset: index 0 is out of range of axis 2 of a blob of shape 2 3 4 5 (120)'] = {1, 0}
      } do
        assert.matches(expected, error_of(blob.offset, blob, index), 1, true)
      end
      -- Axes that are missing have one index.
      assert.are.equal(5, Blob(2, 3):offset(2, 2, 1, 1))
      assert.has_error(function() Blob(2, 3):offset(2, 2, 2, 1) end)
      assert.are.same({1}, Blob({}):data():size():totable())
      assert.are.same({0, 5}, Blob(0, 5):data():size():totable())
      assert.matches('no shape yet', error_of(blob.data, Blob()), 1, true)
      -- They outlive it.
      blob = nil  -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      assert.are.equal(7260, data:sum())
    end)

    it('reshapes within its capacity without losing elements', function()
      local blob = Blob(2, 3, 4)
      blob:data():fill(1)
      assert.are.equal(blob, blob:reshape(4, 3))
      assert.are.equal(12, blob:asumData())
      blob:reshape {24}
      assert.are.equal(24, blob:asumData())
      local data = blob:data()
      blob:reshape(tensor.LongStorage {5, 5})
      assert.are.equal(0, blob:asumData())
      assert.are.equal(24, data:sum())
      assert.are.equal(3, Blob():reshapeLike(Blob(1, 2, 3)):numAxes())
      assert.has_error(function() blob:reshape() end)
      assert.matches('no shape yet', error_of(blob.reshapeLike, blob, Blob()), 1, true)
      assert.are.same({5, 5}, blob:shape():totable())
    end)

    it('takes no memory before it is needed', function()
      local before = tensor.memory().bytes
      local blob = Blob(1000, 1000)
      assert.are.equal(0, blob:asumData() + blob:sumsqData() + blob:asumDiff() + blob:sumsqDiff())
      blob:scaleData(3):scaleDiff(3)
      assert.matches('never written', error_of(blob.update, blob), 1, true)
      assert.is_true(tensor.memory().bytes <= before)
    end)

    it('sums, scales and updates', function()
      local blob = Blob(2, 3, 4, 5)
      local data, diff = blob:data(), blob:diff()
      data:uniform(-3, 3)
      local values = data:double():clone()
      local function near(a, b) assert.is_true(math.abs(a - b) <= 1e-6 * math.abs(b), a .. b) end
      near(blob:asumData(), values:norm(1))
      near(blob:sumsqData(), values:dot(values))
      assert.are.equal(0, blob:asumDiff())
      diff:copy(data):mul(7)
      near(blob:sumsqDiff(), 49 * blob:sumsqData())
      near(blob:asumDiff(), 7 * blob:asumData())
      blob:scaleData(3)
      near(blob:asumData(), 3 * values:norm(1))
      near(blob:asumDiff(), 7 * values:norm(1))
      blob:scaleDiff(0.5)
      near(blob:asumDiff(), 3.5 * values:norm(1))
      blob:update()
      near(blob:asumData(), 0.5 * values:norm(1))
      assert.has_error(function() blob:scaleData() end)
    end)

    it('copies and shares', function()
      local a, b = Blob(2, 3), Blob(3, 2)
      a:data():fill(2)
      a:diff():fill(5)
      assert.matches('needs reshape', error_of(b.copyFrom, b, a), 1, true)
      b:copyFrom(a, false, true)
      assert.are.same({2, 3}, b:shape():totable())
      assert.are.same({12, 0}, {b:asumData(), b:asumDiff()})
      b:copyFrom(a, true)
      assert.are.same({12, 30}, {b:asumData(), b:asumDiff()})
      local other = tensor[name == 'Float' and 'DoubleBlob' or 'FloatBlob'](2, 3)
      assert.are.equal(12, other:copyFrom(a):asumData())
      assert.has_error(function() other:shareData(a) end)
      local c = Blob(6):shareData(a):shareDiff(a)
      c:scaleData(10)
      assert.are.equal(120, a:asumData())
      assert.are.equal(30, c:asumDiff())
      assert.are.same({6}, c:shape():totable())
      assert.has_error(function() Blob(7):shareData(a) end)
      assert.has_error(function() a:shareData(a:data()) end)
      c:reshape(7)
      assert.are.same({0, 120}, {c:asumData(), a:asumData()})
    end)

    it('goes to a device with both its parts', function()
      local blob = Blob(2, 3)
      blob:data():fill(3)
      blob:diff():fill(1)
      assert.are.equal(blob, blob:to('soft'))
      assert.matches('^soft', blob:data():device())
      assert.matches('^soft', blob:diff():device())
      blob:update():scaleData(2)
      assert.are.equal('gpu', blob:data():storage():head())
      assert.are.equal(24, blob:asumData())
      assert.are.equal(4, blob:dataAt(2, 3))
      local back = Blob():fromProto(blob:toProto(true))
      assert.are.same({24, 6}, {back:asumData(), back:asumDiff()})
      blob:reshape(100)
      assert.matches('^soft', blob:data():device())
      assert.are.equal('cpu', blob:to('cpu'):diff():device())
      assert.has_error(function() blob:to('nowhere') end)
      assert.has_error(function() Blob():to('cpu') end)
    end)

    it('cannot be misused', function()
      local blob = Blob(2)
      for _, method in ipairs {'data', 'reshape', 'count', 'update', 'toProto', 'fromProto'} do
        for _, wrong in ipairs {1, 'a', {}, tensor.Tensor(2), io.stdout} do
          assert.has_error(function() blob[method](wrong, 1) end)
        end
      end
      -- A storage that was made smaller grows again.
      blob:reshape(100):data():fill(1)
      blob:data():storage():resize(3)
      assert.are.equal(3, blob:asumData())
      local finalize = getmetatable(blob).__gc
      finalize(blob)
      finalize(blob)
      assert.has_error(function() blob:count() end)
    end)

    it('becomes a BlobProto and is one again', function()
      local blob = Blob(2, 3)
      blob:data():copy(Tensor {1, 2, 3, 4, 5, 0.1})
      blob:diff():fill(-1)
      local plain, full = blob:toProto(), blob:toProto(true)
      assert.is_true(#plain < #full)
      local back = Blob():fromProto(full)
      assert.is_true(back:data():equal(blob:data()))
      assert.is_true(back:diff():equal(blob:diff()))
      assert.are.equal(0, Blob():fromProto(plain):asumDiff())
      assert.are.equal(blob:asumData(), Blob(2, 3):fromProto(plain, false):asumData())
      local message = error_of(back.fromProto, Blob(3, 2), plain, false)
      assert.matches('fromProto: the BlobProto has shape 2 3 (6), the blob 3 2 (6)', message, 1,
                     true)
      assert.matches(name, tensor.type(tensor.blobFromProto(full)))
      -- Cut off anywhere it is an error, and the blob is as it was.
      for n = 0, #plain - 1 do
        assert.has_error(function() back:fromProto(plain:sub(1, n)) end)
      end
      assert.is_true(back:data():equal(blob:data()))
      assert.matches('no shape yet', error_of(blob.toProto, Blob()), 1, true)
    end)
  end)
end

describe("Caffe's files", function()
  it('are loaded by their contents', function()
    local mean = tensor.load(file 'legacy')
    assert.are.equal('torch.FloatBlob', tensor.type(mean))
    assert.are.same({1, 3, 2, 4}, mean:shape():totable())
    assert.are.same({-3, 8.5}, {mean:dataAt(1), mean:dataAt(-1, -1, -1, -1)})
    local doubles = tensor.load(file 'doubles-diff')
    assert.are.equal('torch.DoubleBlob', tensor.type(doubles))
    assert.are.equal(10, doubles:diffAt(1))
    assert.are.equal('torch.FloatBlob', tensor.type(tensor.load(file 'unpacked')))
    assert.are.equal(6, tensor.load(file 'mixed'):count())
    local blobs = tensor.load(file 'vector')
    assert.are.equal(3, #blobs)
    assert.are.equal('torch.DoubleBlob', tensor.type(blobs[2]))
    assert.are.same({2, 3}, blobs[1]:shape():totable())
    local example = tensor.load(root .. 'examples/data/digits-mean.binaryproto')
    assert.is_true(example:shapeEquals(1, 1, 8, 8))
    assert.is_true(math.abs(example:asumData() - 312.59) < 0.01)
  end)

  it('are written as they are read', function()
    local blobs = tensor.load(file 'vector')
    local bytes = tensor.blobsToProto(blobs, true)
    local path = written(bytes, '.BINARYPROTO')
    local again = tensor.load(path)
    os.remove(path)
    assert.are.equal(3, #again)
    for i = 1, 3 do
      assert.is_true(again[i]:data():equal(blobs[i]:data()))
      assert.is_true(again[i]:diff():equal(blobs[i]:diff()))
    end
    assert.is_true(#tensor.blobsToProto(blobs) < #bytes)
    assert.are.same({}, tensor.blobsFromProto(tensor.blobsToProto {}))
    assert.has_error(function() tensor.blobsToProto {1} end)
    assert.has_error(function() tensor.blobsToProto() end)
    assert.are.equal(content(file 'floats-diff'),
                     tensor.FloatBlob():fromProto(content(file 'doubles-diff')):toProto(true))
  end)

  it('that are no such files are errors that name them', function()
    local model = written('no proto', '.t7')
    local message = error_of(tensor.load, model)
    os.remove(model)
    assert.matches(('load: %s has an unknown format'):format(model), message, 1, true)
    assert.matches('.binaryproto', message, 1, true)
    assert.has_error(function() tensor.load('binaryproto') end)
    assert.has_error(function() tensor.load('a.binaryproto/b') end)
    assert.has_error(function() tensor.load(5) end)
    assert.has_error(function() tensor.load() end)
    assert.matches('No such file', error_of(tensor.load, 'nowhere/x.binaryproto'), 1, true)
    for text, part in pairs {
      [content(file 'legacy'):sub(1, -2)] = 'truncated',
      [content(file 'vector'):sub(1, -2)] = 'truncated',
      ['no proto'] = 'invalid BlobProto',
      [''] = 'the file is empty',
    } do
      local path = written(text, '.binaryproto')
      message = error_of(tensor.load, path)
      os.remove(path)
      assert.matches(path, message, 1, true)
      assert.matches(part, message, 1, true)
    end
    assert.has_error(function() tensor.blobFromProto(content(file 'vector')) end)
    assert.has_error(function() tensor.blobFromProto {} end)
    assert.has_error(function() tensor.blobsFromProto(7) end)
  end)

  it('contain lists of blobs', function()
    local blob = tensor.FloatBlob(2)
    for text, object in pairs {['list, got the key mean'] = {blob, mean = blob},
                               ['list, got the key x'] = {x = blob},
                               ['position 1 is nil'] = {[2] = blob}, ['has no blob'] = {}} do
      assert.matches(text, error_of(tensor.save, 'x.binaryproto', object), 1, true)
    end
  end)

  it('have a mean image that the example subtracts', function()
    local prefix, out = os.getenv 'TENSOR_PREFIX', os.tmpname()
    local command = ("'%s/bin/tensor' '%sexamples/mean_image.lua' %%s 2>&1"):format(prefix, root)
    local function run(options)
      local pipe = io.popen(command:format(options))
      local text = pipe:read '*a'
      pipe:close()
      return text
    end
    local text = run("--out '" .. out .. "'")
    assert.matches('mean image .*1 1 8 8 %(64%) .*mean +4%.8842', text)
    assert.matches('without the mean +1797 1 8 8 %(115008%) +mean +%-?0%.0000', text)
    local blob = tensor.blobFromProto(content(out))
    os.remove(out)
    assert.is_true(blob:data():mean(1):abs():max() < 1e-5)
    assert.matches('expected, got 3 blobs', run("--mean '" .. file 'vector' .. "'"), 1, true)
    assert.matches('No such file', run '--mean nowhere.binaryproto', 1, true)
  end)
end)

describe('tensor.info', function()
  it('names the library of the wire format', function()
    assert.matches('^protozero %d', tensor.info().protobuf)
  end)
end)
