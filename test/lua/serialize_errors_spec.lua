-- A file after a failed call of writeObject or readObject.

local tensor = require 'tensor'
local data = require 'tensor.data'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local thread = coroutine.create(function() end)

local function file_of(mode)
  local file = tensor.MemoryFile()
  return file[mode](file)
end

describe('after a failed call', function()
  local fails
  local Part = tensor.class('spec.Part', {})
  function Part:read(file)
    self.inner = file:readObject()
    if fails then error('no reading', 0) end
    self.n = file:readInt()
  end
  function Part:write(file)
    file:writeObject(self.inner)
    file:writeInt(5)
  end
  local function part(inner)
    local result = tensor.factory 'spec.Part' ()
    result.inner = inner
    return result
  end

  for _, mode in ipairs { 'ascii', 'binary' } do
    it('readObject reads the object again, ' .. mode, function()
      local file = file_of(mode)
      local shared = { 7 }
      file:writeObject { shared, part { shared, tensor.Tensor { 4 } }, 3, shared }
      file:writeObject(shared)
      fails = true
      file:seek(1)
      assert.has_error(function() file:readObject() end, 'no reading')
      fails = false
      local back = file:seek(1):readObject()
      assert.are.equal(4, #back)
      assert.are.equal(5, back[2].n)
      assert.are.equal(4, back[2].inner[2][1])
      assert.are.equal(back[1], back[2].inner[1])
      assert.are.equal(back[1], file:readObject())
    end)

    it('readObject keeps what earlier calls have read, ' .. mode, function()
      local file = file_of(mode)
      local shared = { 7 }
      file:writeObject(shared)
      local second = file:position()
      file:writeObject { shared, part(shared) }
      fails = true
      local first = file:seek(1):readObject()
      assert.has_error(function() file:readObject() end, 'no reading')
      fails = false
      local back = file:seek(second):readObject()
      assert.are.equal(first, back[1])
      assert.are.equal(first, back[2].inner)
    end)

    it('writeObject writes the objects of that call, ' .. mode, function()
      local file = file_of(mode)
      local x, t, earlier = { 1 }, tensor.Tensor { 2, 3 }, { 'earlier' }
      file:writeObject(earlier)
      local position = file:position()
      for _, object in ipairs { { x, t, thread }, { x, part { t, thread } } } do
        assert.has_error(function() file:writeObject(object) end)
        assert.are.equal(position, file:position())
      end
      file:writeObject { earlier, t, x, t }
      file:seek(1)
      local first, back = file:readObject(), file:readObject()
      assert.are.equal(first, back[1])
      assert.are.same({ 2, 3 }, back[2]:totable())
      assert.are.same({ 1 }, back[3])
      assert.are.equal(tensor.pointer(back[2]), tensor.pointer(back[4]))
    end)
  end

  it('functions share the variables of the functions that were read', function()
    require 'support.dialect'.needs_luajit 'functions are the bytecode of LuaJIT'
    local n = 1
    local function count() n = n + 1 return n end
    local function get() return n end
    local file = tensor.MemoryFile()
    assert.has_error(function() file:writeObject { count, thread } end)
    file:writeObject { count, part {}, get }
    fails = true
    file:seek(1)
    assert.has_error(function() file:readObject() end, 'no reading')
    fails = false
    local back = file:seek(1):readObject()
    back[1]()
    assert.are.same({ 2, 1 }, { back[3](), n })
  end)

  it('the error of the next object has its own path', function()
    local file = tensor.MemoryFile()
    local hook = function() error('no hook', 0) end
    assert.has_error(function() file:writeObject({ a = {} }, 'first', hook) end, 'no hook')
    assert.has_error(function() file:writeObject({ b = thread }, 'second') end,
                     'Unwritable object <thread> at second.b')
  end)

  it('writeObject works in a file without a position', function()
    for _, quiet in ipairs { false, true } do
      local file = tensor.PipeFile('cat > /dev/null', 'w')
      if quiet then file:quiet() end
      assert.has_error(function() file:writeObject { {}, thread } end,
                       'Unwritable object <thread> at <?>.2')
      assert.is_false(file:hasError())
      file:writeObject { {}, 1 }
      file:close()
    end
  end)

  it('objects may be nested in 1000 calls', function()
    fails = false
    local object = part(1)
    for _ = 1, 1000 do
      object = part(object)
    end
    local file = tensor.MemoryFile()
    file:writeObject(object)
    local back, depth = file:seek(1):readObject(), 0
    while type(back) == 'table' do
      back, depth = back.inner, depth + 1
    end
    assert.are.equal(1001, depth)
  end)

  it('an error object of a method write is passed on', function()
    local Failing = tensor.class('spec.FailingWithObject', {})
    local object = { code = 5 }
    function Failing.write() error(object) end
    assert.is_true(rawequal(object, select(2, pcall(tensor.serialize, Failing.new()))))
  end)

  it('a tensor whose storage is too short cannot be written', function()
    local t = tensor.range(1, 10)
    local last = t:narrow(1, 5, 5)
    t:storage():resize(3)
    for _, mode in ipairs { 'binary', 'ascii' } do
      assert.matches('serialize: .*storage', select(2, pcall(tensor.serialize, { last }, mode)))
    end
    local name = os.tmpname()
    tensor.save(name, 'before')
    assert.has_error(function() tensor.save(name, { last }) end)
    assert.are.equal('before', tensor.load(name))
    os.remove(name)
  end)
end)

describe('a table that changes while it is written', function()
  local Changing = tensor.class('spec.Changing', {})
  function Changing:write(file)
    self.change()
    file:writeObject(1)
  end
  function Changing.read(_, file) file:readObject() end

  it('is an error', function()
    local object, list = tensor.factory 'spec.Changing' (), {}
    for k = 1, 20 do list[k] = k end
    list[1] = object
    object.change = function() list[20] = nil end
    local message = 'Unwritable table at <?>.list: it changed while it was written'
    assert.has_error(function() tensor.MemoryFile():writeObject { list = list } end, message)
    object.change = function() list[20], list[21] = 20, 21 end
    list[22] = 22
    local written = pcall(tensor.serialize, { list = list })
    assert.is_false(written)
  end)
end)

describe('an object of the module that is a table', function()
  it('cannot be written if a file could not contain it', function()
    local figure = tensor.plot.line(tensor.ones(3))
    for what, object in pairs { ['figure at <?>.1: its method save'] = figure,
                                ['figure at <?>.1: its method'] = tensor.plot.grid { { figure } },
                                ['plot at <?>.1: save the numbers'] = tensor.plot.live {},
                                ['data.batches at <?>.1: save its state'] =
                                  data.batches({ tensor.ones(4) }, { size = 2 }) } do
      local written, message = pcall(tensor.serialize, { object })
      assert.is_false(written)
      assert.matches('Unwritable ' .. what, message, 1, true)
    end
  end)
end)

describe('readObject', function()
  it('refuses invalid keys, numbers of entries and bytecode', function()
    for text, message in pairs {
      ['3\n1\n1\n0\n0\n'] = 'readObject: invalid table key: nil',
      ['3\n1\n1\n1\nnan\n0\n'] = 'readObject: invalid table key: nan',
      ['3\n1\n-1\n'] = 'readObject: invalid number of entries: -1',
      ['8\n1\n4\n= = \n'] = 'readObject: Failed to load function from bytecode: ',
    } do
      local file = tensor.MemoryFile(tensor.CharStorage():string(text .. '\0'), 'r')
      local ok, failure = pcall(file.readObject, file)
      assert.is_false(ok)
      assert.is_truthy(failure:find(message, 1, true), failure)
    end
  end)
end)

describe('serialize', function()
  it('and serializeToStorage name themselves and the line in errors', function()
    for _, name in ipairs { 'serialize', 'serializeToStorage' } do
      local written, message = pcall(function()
        local bytes = tensor[name] { a = { print } }
        return bytes
      end)
      assert.is_false(written)
      assert.matches(('^[^:]*serialize_errors_spec.lua:%%d+: %s: Unwritable object <function> ' ..
                      'at <%%?>.a.1$'):format(name), message)
    end
  end)
end)

describe('errors of the functions of a program', function()
  local Part = tensor.class('spec.Raising', {})
  local failure
  local function fail() error(failure, 0) end
  function Part.write(_, file) file:writeInt(1) end
  function Part.read() fail() end

  -- Calls check(f, ...) with calls that end in the error.
  local function each_call(check)
    local bytes = tensor.serialize(Part.new())
    check(tensor.deserialize, bytes)
    local write = Part.write
    Part.write = fail
    check(tensor.serialize, Part.new())
    files.with_name('.t7', function(name) check(tensor.save, name, Part.new()) end)
    Part.write = write
    for _, ending in ipairs { '.t7', '.npy', '.csv', '.png' } do
      files.with_name(ending, function(name)
        tensor.save(name, tensor.ones(2, 2))
        check(tensor.load, name, { progress = fail })
        check(tensor.save, name, tensor.ones(2, 2), { progress = fail })
      end)
    end
    files.with_name('.npz', function(name)
      check(tensor.save, name, { tensor.ones(2, 2) }, { progress = fail })
    end)
  end

  it('are passed on if they are objects', function()
    failure = { code = 5 }
    each_call(function(f, ...)
      local done, object = pcall(f, ...)
      assert.is_false(done)
      assert.is_true(rawequal(failure, object), tostring(object))
    end)
  end)

  it('keep their first word', function()
    failure = 'cancelled: by the user'
    each_call(function(f, ...)
      assert.matches(': cancelled: by the user', error_of(f, ...), 1, true)
    end)
  end)
end)

describe('load', function()
  it('shows how to read the fields of an object of an unknown class', function()
    local Known = tensor.class('spec.Known', {})
    local object = Known.new()
    object.weight = tensor.ones(2, 3)
    local bytes = tensor.serialize(object):gsub('spec%.Known', 'away.Known')
    local advice = "such as 'away', first, or call tensor.class('away.Known', {}) to read the " ..
                   'fields only'
    assert.matches(advice, error_of(tensor.deserialize, bytes), 1, true)
    tensor.class('away.Known', {})
    assert.are.equal(6, tensor.deserialize(bytes).weight:sum())
    bytes = bytes:gsub('away%.Known', 'away.Kno"n')
    assert.matches('unknown Torch class <away.Kno"n>, at byte', error_of(tensor.deserialize, bytes),
                   1, true)
  end)

  it('names the mode of files with longs of 4 bytes', function()
    local bytes = tensor.serialize({ tensor.ones(2, 3), 'text' }, 'b32')
    local advice = "; if a 32-bit or Windows Torch7 wrote it, pass the mode 'b32'"
    files.with_name('.t7', function(name)
      files.write(name, bytes)
      for _, mode in ipairs { 'none', 'b64' } do
        local message = error_of(tensor.load, name, mode ~= 'none' and mode or nil)
        assert.matches('unknown type code 1751347823, at byte 110' .. advice, message, 1, true)
      end
      assert.are.equal(6, tensor.load(name, 'b32')[1]:sum())
    end)
  end)

  it('refuses files of zero bytes', function()
    for size, shown in pairs { [65] = 65, [100] = 100, [5000] = 4096 } do
      local text, message = ('\0'):rep(size), ('no object: the first %d bytes are 0'):format(shown)
      files.with_name('.t7', function(name)
        files.write(name, text)
        assert.matches(message, error_of(tensor.load, name), 1, true)
        assert.matches(message, error_of(tensor.load, name, 'binary'), 1, true)
      end)
      assert.matches(message, error_of(tensor.deserialize, text), 1, true)
    end
  end)
end)
