-- Objects in files: files written by Torch7, in test/data/t7, and our own.

local tensor = require 'tensor'
local describe_object = require 'support.t7_description'
local elements = require 'support.elements'
local files = require 'support.files'
local tar = require 'support.tar'
local error_of = require 'support.raises'.message

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local folder = here .. '../data/t7/'

local content, with_file = files.content, files.with_file

-- The classes used in the files.
local classes = { 'fixture.Point', 'nn.Sequential', 'nn.Linear', 'nn.ReLU', 'nn.LogSoftMax',
                  'nn.ClassNLLCriterion' }
local modules = { fixture = {}, nn = {} }
for _, name in ipairs(classes) do
  tensor.class(name, modules[name:match '^%a+'])
end
tensor.class('fixture.Point3', 'fixture.Point', modules.fixture)

local fixtures = {
  'booleans', 'class-object', 'closure', 'closure-simple', 'model-mlp', 'model-mlp-float',
  'numbers', 'rng-state', 'strings', 'table-array', 'table-empty', 'table-nested', 'value-false',
  'value-nil', 'value-number', 'value-string', 'value-true',
}
for _, element in ipairs { 'Byte', 'Float', 'Half', 'Long' } do
  for _, kind in ipairs { '5d', 'contiguous', 'empty', 'expanded', 'extremes', 'offset', 'select',
                          'shared', 'transposed' } do
    table.insert(fixtures, ('tensor-%s-%s'):format(element, kind))
  end
  table.insert(fixtures, ('storage-%s'):format(element))
  table.insert(fixtures, ('storage-%s-empty'):format(element))
end
-- Modes, and the archives of their files. Files of the modes binary and b64 are equal here.
local archives = { ascii = tar.read(folder .. 'ascii.tar'), b32 = tar.read(folder .. 'b32.tar'),
                   b64 = tar.read(folder .. 'b64.tar') }
archives.binary = archives.b64
local descriptions = tar.read(folder .. 'description.tar')
-- If the garbage collector runs all the time, one mode is enough.
local busy_collector = require('support.settings').gc
if busy_collector then archives = { binary = archives.binary } end

-- Tables with several non-index keys, whose order in the file is undefined.
local unordered = { booleans = true, ['class-object'] = true, closure = true, strings = true,
                    ['model-mlp'] = true, ['model-mlp-float'] = true, ['table-nested'] = true }
-- The 4-byte longs of this file cannot represent the values.
local cut = { b32 = 'tensor-Long-extremes' }

local function described(name)
  local lines = {}
  for line in descriptions[name]:gmatch '[^\n]+' do
    if not line:match '^#' then lines[#lines + 1] = line end
  end
  return lines
end

describe('a file that Torch7 wrote', function()
  local read, equal = 0, 0
  for _, name in ipairs(fixtures) do
    for mode, archive in pairs(archives) do
      local written = archive[name]
      if written then
        it(('is read, and written again: %s, %s'):format(name, mode), function()
          require 'support.dialect'.loads(name)
          local function load_written(options)
            return with_file(written, function(path) return tensor.load(path, options) end)
          end
          local object = load_written { mode = mode, functions = true }
          if cut[mode] ~= name then
            assert.are.same(described(name), describe_object(object))
          end
          read = read + 1
          local bytes = with_file('', function(out)
            tensor.save(out, object, mode)
            return content(out)
          end)
          if name:match 'shared$' or unordered[name] then
            local again = with_file(bytes, function(out)
              return tensor.load(out, { mode = mode, functions = true })
            end)
            assert.are.same(describe_object(object), describe_object(again))
          else
            assert.are.equal(written, bytes)
            equal = equal + 1
          end
          -- Also without the mode, if it can be detected.
          if mode == 'ascii' or mode == 'binary' then
            local found = load_written { functions = true }
            assert.are.same(describe_object(object), describe_object(found))
          end
        end)
      end
    end
  end

  it('is one of 242, of which 200 are equal again', function()
    require 'support.dialect'.needs_luajit 'some have functions, the bytecode of LuaJIT'
    assert.are.equal(busy_collector and 61 or 242, read)
    assert.are.equal(busy_collector and 50 or 200, equal)
  end)

  it('may have the other order of bytes', function()
    local object = tensor.load(folder .. 'table-nested.bigendian.t7')
    assert.are.same(described 'table-nested', describe_object(object))
  end)

  it('has functions that share their variables', function()
    require 'support.dialect'.needs_luajit 'functions are the bytecode of LuaJIT'
    local f = tensor.deserialize(archives.binary.closure, { functions = true })
    local count, name, sum = f.inc(5)
    assert.are.same({ 15, 'counter', 6 }, { count, name, sum })
    assert.are.equal(15, f.get())
    assert.are.equal(f.inc, f.inc2)
    f = tensor.deserialize(tensor.serialize(f), { functions = true })
    f.inc(1)
    assert.are.equal(16, f.get())
    local add = tensor.deserialize(archives.binary['closure-simple'], { functions = true })
    assert.are.equal(10, add(3, 4))
  end)
end)

describe('an object', function()
  local function round_trip(object, mode)
    return tensor.deserialize(tensor.serialize(object, mode), mode)
  end

  it('may be text if no mode is given', function()
    local text = tensor.serialize({ 7 }, 'ascii')
    assert.are.same({ 7 }, tensor.deserialize(text))
    assert.are.same({ 7 }, tensor.deserializeFromStorage(tensor.CharStorage():string(text)))
    assert.has_error(function() tensor.deserialize(text, 'binary') end)
  end)

  it('may be in a tensor of bytes', function()
    local bytes = tensor.CharTensor(tensor.serializeToStorage { 7 })
    local with_gaps = tensor.CharTensor(bytes:size(1), 2):select(2, 1):copy(bytes)
    for _, t in ipairs { bytes, with_gaps, bytes:byte() } do
      assert.are.same({ 7 }, tensor.deserializeFromStorage(t))
    end
    assert.matches('got torch.IntTensor', select(2, pcall(tensor.deserializeFromStorage,
                                                          bytes:int())))
    assert.has_error(function() tensor.deserializeFromStorage(tensor.CharTensor()) end)
  end)

  for _, e in ipairs(elements) do
    it('may be a tensor or storage of ' .. e.name, function()
      for mode in pairs { binary = true, ascii = true, b64 = true, b32 = true } do
        local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
        local view = t:t():narrow(1, 2, 2)
        local back = round_trip({ view, t, t:storage() }, mode)
        assert.are.same({ { 2, 5 }, { 3, 6 } }, back[1]:totable())
        assert.are.same({ 1, 3 }, back[1]:stride():totable())
        back[1][1] = 7
        assert.are.equal(7, back[2][1][2])
        assert.are.equal(7, back[3][2])
        assert.are.equal(2, t[1][2])
        for _, empty in ipairs { e.Tensor(), e.Tensor(0, 3), e.Tensor(e.Storage(4), 2) } do
          local other = round_trip(empty, mode)
          assert.are.same(empty:size():totable(), other:size():totable())
          assert.are.equal(empty:storageOffset(), other:storageOffset())
          assert.are.equal(e.name, tensor.typename(other):match '%.(%w-)Tensor')
        end
      end
    end)
  end

  it('may be a generator', function()
    local g = tensor.Generator()
    tensor.manualSeed(g, 5)
    tensor.random(g)
    local other = round_trip(g)
    assert.are.same({ tensor.random(g), tensor.random(g) },
                    { tensor.random(other), tensor.random(other) })
  end)

  it('is written once, and where it is not referenced each time', function()
    local shared = tensor.DoubleTensor { 1, 2 }
    local object = { shared, shared }
    object.self = object
    local back = round_trip(object)
    assert.are.equal(tensor.pointer(back[1]), tensor.pointer(back[2]))
    assert.are.equal(back, back.self)

    back = tensor.deserialize(tensor.serialize({ shared, shared }, { referenced = false }))
    assert.are_not.equal(tensor.pointer(back[1]), tensor.pointer(back[2]))

    local file = tensor.MemoryFile():referenced(false)
    assert.is_false(file:isReferenced())
    file:writeObject { shared, shared }
    file:writeObject(shared)
    file:seek(1)
    back = file:readObject()
    assert.are_not.equal(tensor.pointer(back[1]), tensor.pointer(back[2]))
    assert.are.same({ 1, 2 }, file:readObject():totable())
    assert.is_true(file:referenced(true):isReferenced())

    file = tensor.MemoryFile()
    file:writeObject(shared)
    file:referenced(false):writeObject(shared)
    file = tensor.MemoryFile(file:storage(), 'r'):referenced(false)
    for _ = 1, 2 do assert.are.same({ 1, 2 }, file:readObject():totable()) end
  end)

  it('is known to the file across calls', function()
    local file, list = tensor.MemoryFile(), { 1 }
    file:writeObject(list)
    local first = file:position()
    file:writeObject(list)
    assert.are.equal(#'3\n1\n', file:position() - first)
    file:seek(1)
    assert.are.equal(file:readObject(), file:readObject())
  end)

  it('of a class is written by what the class says', function()
    local Counter = tensor.class('spec.Counter', { })
    function Counter:__init(n) self.n = n end
    local counter = tensor.factory 'spec.Counter' ()
    counter.n, counter.skipped = 3, coroutine.create(function() end)
    -- Unwritable fields are omitted with a warning.
    local printed, real_print = {}, print
    _G.print = function(text) table.insert(printed, text) end
    local ok, back = pcall(round_trip, counter)
    _G.print = real_print
    if not ok then error(back, 0) end
    assert.are.equal(3, back.n)
    assert.are.equal('spec.Counter', tensor.typename(back))
    assert.is_nil(back.skipped)
    assert.matches('cannot write object field <skipped> of <spec.Counter>', printed[1], 1, true)

    function Counter:write(file) file:writeInt(self.n * 2) end
    function Counter:read(file, version) self.n, self.version = file:readInt(), version end
    Counter.__version = 7
    back = round_trip(counter)
    assert.are.same({ 6, 7 }, { back.n, back.version })

    -- Methods with __ before the name take precedence; subclasses inherit them.
    function Counter:__write(file) file:writeObject(self.n) end
    function Counter:__read(file) self.n = file:readObject() end
    tensor.class('spec.Counter2', 'spec.Counter', {})
    local second = tensor.factory 'spec.Counter2' ()
    second.n = 11
    assert.are.equal(11, round_trip(second).n)
    -- Temporarily replaced, as when cloning.
    Counter.__write = function(_, file) file:writeObject(5) end
    assert.are.equal(5, round_trip(second).n)
  end)

  it('of a class may be made by its own factory', function()
    tensor.newmetatable('spec.Made', nil, nil, nil, function(file)
      assert(tensor.isTypeOf(file, 'torch.File'))
      return tensor.setmetatable({ made = true }, 'spec.Made')
    end, {})
    local back = round_trip(tensor.setmetatable({ x = 1 }, 'spec.Made'))
    assert.are.same({ true, 1 }, { back.made, back.x })
  end)

  it('that cannot be written is named by its path', function()
    local thread = coroutine.create(function() end)
    local function callback() return thread end
    assert.matches('Unwritable object <thread> at <?>.a.b',
                   error_of(tensor.serialize, { a = { b = thread } }), 1, true)
    assert.matches('Unwritable object <thread> at <?>.f.thread',
                   error_of(tensor.serialize, { f = callback }), 1, true)
    assert.matches('Unwritable object <userdata> at <?>',
                   error_of(tensor.serialize, io.stdout), 1, true)
    assert.matches('Unwritable object <function>', error_of(tensor.serialize, print), 1, true)
    assert.matches('Unwritable object <torch.Timer> at <?>.3: the class has no factory',
                   error_of(tensor.serialize, { 1, 2, tensor.Timer() }), 1, true)
    local file = tensor.MemoryFile()
    assert.matches('<thread> at it', error_of(file.writeObject, file, thread, 'it'), 1, true)
  end)

  it('reports which objects can be written', function()
    local file = tensor.MemoryFile()
    assert.are.equal(0, file:isWritableObject(nil))
    assert.are.equal(1, file:isWritableObject(1))
    assert.are.equal(2, file:isWritableObject '')
    assert.are.equal(3, file:isWritableObject {})
    assert.are.equal(4, file:isWritableObject(tensor.Tensor()))
    assert.are.equal(5, file:isWritableObject(false))
    assert.are.equal(8, file:isWritableObject(function() end))
    assert.is_nil(file:isWritableObject(io.stdout))
    assert.is_nil(file:isWritableObject(print))
  end)
end)

describe('load', function()
  local code = tensor.serialize({ f = function() return 5 end })

  it('rejects functions unless they are requested', function()
    with_file(code, function(path)
      assert.matches('only data is allowed', error_of(tensor.load, path), 1, true)
      assert.are.equal(5, tensor.load(path, { functions = true }).f())
    end)
    assert.matches('only data is allowed', error_of(tensor.deserialize, code), 1, true)
    assert.are.equal(5, tensor.deserialize(code, { functions = true }).f())
  end)

  it('rejects unregistered classes', function()
    local text = '4\n1\n3\nV 1\n9\nnot.there\n'
    assert.matches("unknown Torch class <not.there>: require the package that defines it, such " ..
                   "as 'not', first",
                   error_of(tensor.deserialize, text, 'ascii'), 1, true)
    text = '4\n1\n3\nV 1\n2000\n' .. ('x'):rep(2000) .. '\n'
    assert.is_true(#error_of(tensor.deserialize, text, 'ascii') < 500)
  end)

  it('reads what save wrote, in all modes', function()
    local object = { a = 1, b = { 'x', true, false }, t = tensor.FloatTensor { 1, 2 } }
    for mode in pairs(archives) do
      with_file('', function(path)
        tensor.save(path, object, mode)
        assert.are.same(describe_object(object), describe_object(tensor.load(path, mode)))
        tensor.saveobj(path, { object.t, object.t }, mode, false)
        local back = tensor.loadobj(path, mode, false)
        assert.are_not.equal(tensor.pointer(back[1]), tensor.pointer(back[2]))
      end)
    end
  end)

  it('and deserialize find the byte order', function()
    local path = os.tmpname()
    local file = tensor.DiskFile(path, 'w'):binary():bigEndianEncoding()
    file:writeObject { a = 1, t = tensor.IntTensor { 2, 3 } }
    file:close()
    local text = files.content(path)
    for _, object in ipairs { tensor.load(path), tensor.deserialize(text) } do
      assert.are.equal(1, object.a)
      assert.are.same({ 2, 3 }, object.t:totable())
    end
    os.remove(path)
  end)

  it('says that the data are of the other mode', function()
    local modes = { binary = 'binary, not text', ascii = 'text, not binary' }
    for mode, form in pairs(modes) do
      local bytes = tensor.serialize({ 1, 2 }, mode)
      local expected = ('; the data are %s: omit the mode to detect it'):format(form)
      for _, other in ipairs { 'ascii', 'binary', 'b32', 'b64' } do
        if (mode == 'ascii') ~= (other == 'ascii') then
          assert.matches(expected, error_of(tensor.deserialize, bytes, other), 1, true)
          with_file(bytes, function(path)
            assert.matches(expected, error_of(tensor.load, path, other), 1, true)
          end)
        end
      end
    end
    local part = tensor.serialize({ 1, 2 }):sub(1, 12)
    assert.is_nil(error_of(tensor.deserialize, part, 'binary'):find 'the data are')
    assert.is_nil(error_of(tensor.deserialize, 'x', 'ascii'):find 'the data are')
    assert.is_nil(error_of(tensor.deserialize, '', 'ascii'):find 'the data are')
  end)

  it('tells how to convert the files of PyTorch', function()
    for kind, head in pairs {['ZIP archive'] = 'PK\3\4', pickle = '\128\2\138\10'} do
      with_file(head .. ('\0'):rep(60), function(path)
        assert.matches(("a %s, as PyTorch's torch.save writes: save the state_dict as .safetensors")
                       :format(kind), error_of(tensor.load, path), 1, true)
      end)
    end
  end)

  it('says what is wrong, and where', function()
    assert.matches('cannot open <nosuch.t7> in mode r: No such file',
                   error_of(tensor.load, 'nosuch.t7'), 1, true)
    local bytes = tensor.serialize { 1, 2, 3 }
    with_file(bytes:sub(1, 30), function(path)
      assert.matches(path .. ': read error: read 0 blocks instead of 1, at byte ',
                     error_of(tensor.load, path), 1, true)
    end)
    with_file('', function(path)
      assert.matches(path .. ' is empty', error_of(tensor.load, path), 1, true)
      assert.matches('at byte 1', error_of(tensor.load, path, 'ascii'), 1, true)
    end)
    assert.has_error(function() tensor.deserialize '' end)
    with_file('99\n', function(path)
      assert.matches('unknown type code 99', error_of(tensor.load, path, 'ascii'), 1, true)
      assert.matches('has an unknown format', error_of(tensor.load, path), 1, true)
    end)
    for _, mode in ipairs { 'text', 5, true } do
      assert.matches('expected for mode', error_of(tensor.load, 'x', mode))
      assert.matches('expected for mode', error_of(tensor.save, 'x', 1, mode))
    end
    assert.matches('expected for referenced', error_of(tensor.save, 'x', 1, 'binary', 1))
    assert.matches('the name of a file', error_of(tensor.load))
    assert.matches('the name of a file', error_of(tensor.save, 1, 2))
    assert.matches('save: cannot open </nosuch/folder/x>',
                   error_of(tensor.save, '/nosuch/folder/x', 1), 1, true)
    assert.matches('a CharStorage or a CharTensor is expected, got number',
                   error_of(tensor.deserializeFromStorage, 1), 1, true)
    assert.matches('string is expected', error_of(tensor.deserialize, 1))
  end)
end)

-- Damaged bytes of objects of each kind must give an error or an object, and never use more memory
-- than a few times the size of the file.
describe('a damaged file', function()
  local objects = {
    tensor.FloatTensor(3, 4):fill(1), tensor.LongTensor { 1, 2 }:storage(),
    { a = { 1, 'two', false }, t = tensor.ByteTensor(5):fill(3) },
    setmetatable({ x = 1 }, nil),
  }

  it('that ends too early is an error', function()
    for _, mode in ipairs { 'binary', 'ascii' } do
      for _, object in ipairs(objects) do
        local bytes = tensor.serialize(object, mode):sub(1, -2)
        local last = mode == 'ascii' and #bytes - 2 or #bytes - 1
        for n = 0, last do
          local ok, message = pcall(tensor.deserialize, bytes:sub(1, n), mode)
          if mode == 'binary' or not ok then
            assert.is_false(ok)
            assert.matches('%S', message)
          end
        end
      end
    end
  end)

  it('with sizes that are not there takes no memory for them', function()
    local function int(n)
      local b = {}
      for i = 1, 4 do b[i] = string.char(math.floor(n / 256 ^ (i - 1)) % 256) end
      return table.concat(b)
    end
    local function long(n) return int(n % 2 ^ 32) .. int(math.floor(n / 2 ^ 32)) end
    local function text(s) return int(#s) .. s end
    local storage = int(4) .. int(2) .. text 'V 1' .. text 'torch.DoubleStorage'
    local head = int(4) .. int(1) .. text 'V 1' .. text 'torch.DoubleTensor'
    local hostile = {
      storage .. long(2 ^ 40), storage .. long(2 ^ 62), storage .. long(-1),
      int(2) .. int(2 ^ 31 - 1), int(2) .. int(2 ^ 32 - 1),
      int(3) .. int(1) .. int(2 ^ 31 - 1), int(3) .. int(1) .. int(2 ^ 32 - 1),
      int(3) .. int(1) .. int(1) .. int(0) .. int(0),
      int(3) .. int(1) .. int(1) .. int(1) .. int(0) .. int(2 ^ 31 - 2 ^ 19) .. int(0),
      head .. int(2 ^ 31 - 1), head .. int(65), head .. int(2 ^ 32 - 1),
      head .. int(1) .. long(2 ^ 40) .. long(1) .. long(1) .. storage .. long(1) .. long(0),
      head .. int(2) .. long(2) .. long(2) .. long(2 ^ 62) .. long(2 ^ 62) .. long(1) .. storage
        .. long(1) .. long(0),
      head .. int(1) .. long(1) .. long(1) .. long(2) .. storage .. long(1) .. long(0),
      head .. int(1) .. long(1) .. long(1) .. long(0) .. storage .. long(1) .. long(0),
      head .. int(1) .. long(1) .. long(-1) .. long(1) .. storage .. long(1) .. long(0),
      head .. int(1) .. long(1) .. long(1) .. int(0) .. int(2 ^ 31) .. int(0),
      head .. int(1) .. long(1) .. long(1) .. long(1) .. int(0),
      head .. int(1) .. long(1) .. long(1) .. long(1) .. int(4) .. int(1),
      head .. int(1) .. long(1) .. long(1) .. long(1) .. int(3) .. int(5) .. int(0),
      int(4) .. int(1) .. int(-5) .. 'x', int(7) .. int(1) .. text 'no code' .. int(0),
      int(8) .. int(1) .. text(string.dump(function() end)) .. int(1) .. long(0),
      int(6) .. text 'no code', int(2 ^ 32 - 3), int(77) .. int(0),
    }
    for _, bytes in ipairs(hostile) do
      collectgarbage()
      local before = tensor.memory().bytes
      local ok, message = pcall(tensor.deserialize, bytes, { functions = true })
      assert.is_false(ok, ('%q'):format(bytes))
      assert.matches('%S', message)
      collectgarbage()
      assert.is_true(tensor.memory().bytes - before < 1e6)
    end
  end)

  it('with any byte changed is an error, or another object', function()
    local random = elements.generator(7)
    local refused, made = 0, 0
    local changes = busy_collector and 30 or 300
    for _, mode in ipairs { 'binary', 'ascii' } do
      for _, object in ipairs(objects) do
        local bytes = tensor.serialize(object, mode)
        for _ = 1, changes do
          local at = math.floor(random() * #bytes) + 1
          local changed = bytes:sub(1, at - 1) .. string.char(math.floor(random() * 256))
                          .. bytes:sub(at + 1)
          local ok = pcall(tensor.deserialize, changed, mode)
          refused, made = refused + (ok and 0 or 1), made + (ok and 1 or 0)
        end
      end
    end
    assert.is_true(refused > changes and made > changes / 3)
  end)
end)

describe('a tracked number', function()
  it('is written as a number', function()
    tensor.grad(function(x)
      local sum = x:sum()
      assert.are.equal(3, tensor.deserialize(tensor.serialize(sum)))
      local back = tensor.deserialize(tensor.serialize { sum, { loss = sum, [sum] = 'key' } })
      assert.are.same({ 3, { loss = 3, [3] = 'key' } }, back)
      return sum
    end)(tensor.Tensor { 1, 2 })
  end)
end)
