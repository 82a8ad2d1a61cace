-- torch.DiskFile, PipeFile and MemoryFile: numbers and text in files.

local tensor = require 'tensor'
local elements = require 'support.elements'
local error_of = require 'support.raises'.message
local files = require 'support.files'

-- The same tests on disk and in memory. open(mode) opens a file with the existing contents.
local function disk()
  local path = os.tmpname()
  return {
    open = function(mode) return tensor.DiskFile(path, mode) end,
    remove = function() os.remove(path) end,
  }
end
local function memory()
  local storage
  local file = {}
  return {
    open = function(mode)
      if file.storage then storage = file:storage() end
      file = storage and tensor.MemoryFile(storage, mode) or tensor.MemoryFile(mode)
      return file
    end,
    remove = function() end,
  }
end

for name, place in pairs { DiskFile = disk, MemoryFile = memory } do
  describe('torch.' .. name, function()
    local here
    before_each(function() here = place() end)
    after_each(function() here.remove() end)

    for _, mode in ipairs { 'ascii', 'binary' } do
      for _, e in ipairs(elements) do
        it(('has numbers of %s, %s'):format(e.name, mode), function()
          local file = here.open 'rw'
          file[mode](file)
          local write, read = 'write' .. e.name, 'read' .. e.name
          assert.are.equal(0, select('#', file[write](file, 5)))
          assert.are.equal(3, file[write](file, e.Storage { 1, 2, 3 }))
          assert.are.equal(0, file[write](file, e.Storage()))
          file[write](file, 7)
          file:seek(1)
          local function value(x) return type(x) == 'string' and x:byte() or x end
          assert.are.equal(5, value(file[read](file)))
          local three = file[read](file, 3)
          assert.are.equal('torch.' .. e.name .. 'Storage', tensor.typename(three))
          assert.are.same({ 1, 2, 3 }, three:totable())
          local one = e.Storage(1)
          assert.are.equal(1, file[read](file, one))
          assert.are.equal(7, one[1])
          assert.are.same({}, file[read](file, 0):totable())
          assert.matches('read error: read 0 blocks instead of 1', error_of(file[read], file), 1,
                         true)
          assert.matches('number, or ' .. e.name .. 'Storage expected',
                         error_of(file[write], file, 'x'), 1, true)
          assert.matches('nothing, number, or', error_of(file[read], file, {}), 1, true)
          assert.has_error(function() file[read](file, -1) end)
          assert.has_error(function() file[read](file, 1, 2) end)
        end)
      end
    end

    it('is text, with blanks and newlines between numbers', function()
      local file = here.open 'rw'
      file:writeInt(tensor.IntStorage { 1, -20 })
      file:writeDouble(1 / 3)
      file:writeFloat(tensor.FloatStorage { 0.1, math.huge })
      file:writeLong(2 ^ 53)
      file:writeBool(true)
      file:noAutoSpacing()
      file:writeInt(3)
      file:writeString(' end')
      assert.is_false(file:isAutoSpacing())
      assert.is_true(file:autoSpacing():isAutoSpacing())
      assert.are.equal(('1 -20\n0.33333333333333331\n0.100000001 inf\n9007199254740992\n1\n3 end'),
                       file:seek(1):readString '*a')
      file:seek(1)
      assert.are.equal('1 -20', file:readString '*l')
      assert.are.equal(1 / 3, file:readDouble())
      assert.are.same(tensor.FloatTensor({ 0.1, math.huge }):totable(), file:readFloat(2):totable())
    end)

    it('has booleans that are integers', function()
      for _, mode in ipairs { 'ascii', 'binary' } do
        local file = here.open 'rw'
        file[mode](file)
        file:writeBool(true)
        file:writeBool(false)
        file:seek(1)
        assert.is_true(file:readBool())
        assert.is_false(file:readBool())
        assert.are.equal(0, file:seek(1):readInt(2)[2])
      end
    end)

    it('has integers of the element type, or by the rule of Torch7 their bits', function()
      local file = here.open('rw'):binary()
      for kind, value in pairs { Byte = -1, Char = 255, Short = 65535, Int = 2 ^ 31 } do
        assert.matches('out of range', error_of(file['write' .. kind], file, value))
      end
      tensor.setRule('numbers', 'torch7')
      finally(function() tensor.setRule('numbers', 'tensor') end)
      file:writeByte(255)
      file:writeByte(-1)
      file:writeChar(255)
      file:writeShort(65535)
      file:writeInt(2 ^ 32 - 1)
      file:writeInt(-3)
      file:seek(1)
      assert.are.same({ 255, 255 }, file:readByte(2):totable())
      assert.are.equal(-1, file:readChar(1)[1])
      assert.are.same({ -1, -1, -3 }, { file:readShort(), file:readInt(), file:readInt() })
      for kind, value in pairs { Byte = 256, Char = -129, Short = 65536, Int = 2 ^ 32,
                                 Long = 0 / 0 } do
        assert.has_error(function() file['write' .. kind](file, value) end)
      end
      assert.has_error(function() file:writeInt(0 / 0) end)
      assert.are.equal(1 + 1 + 1 + 2 + 4 + 4, file:seekEnd():position() - 1)
    end)

    it('has no fractions of integers, which the rule of Torch7 truncates', function()
      local file = here.open('rw'):binary()
      for kind, value in pairs { Byte = 2.9, Char = -0.5, Short = 1.5, Int = 2 ^ 31 + 0.5,
                                 Long = -3.25 } do
        local write = file['write' .. kind]
        local message = ('write%s: an integer is expected, got %s'):format(kind, value)
        assert.matches(message, error_of(write, file, value), 1, true)
        assert.are.equal(1, file:seekEnd():position())
        tensor.setRule('numbers', 'torch7')
        finally(function() tensor.setRule('numbers', 'tensor') end)
        write(file, value)
        tensor.setRule('numbers', 'tensor')
        local whole = value < 0 and math.ceil(value) or math.floor(value)
        file:seek(1)
        assert.are.equal(kind == 'Int' and -2 ^ 31 or whole, file['read' .. kind](file))
        file = tensor.MemoryFile('rw'):binary()
      end
      file:writeFloat(0.5)
      file:seek(1)
      assert.are.equal(0.5, file:readFloat())
    end)

    it('is read and written where it says', function()
      local file = here.open 'w'
      assert.is_true(file:isWritable())
      assert.is_false(file:isReadable())
      assert.matches('write%-only', error_of(file.readInt, file))
      assert.matches('write%-only', error_of(file.readString, file, '*a'))
      file:writeString('hello')
      file:synchronize()
      if name == 'DiskFile' then
        file:close()
      end
      file = here.open 'r'
      assert.is_false(file:isWritable())
      assert.matches('read%-only', error_of(file.writeInt, file, 1))
      assert.matches('read%-only', error_of(file.writeString, file, 'x'))
      assert.are.equal(1, file:position())
      assert.are.equal('ell', file:seek(2):readChar(3):string())
      assert.are.equal(6, file:seekEnd():position())
      assert.has_error(function() file:seek(0) end)
      assert.has_error(function() file:seek(0 / 0) end)
      file:close()
      assert.is_false(file:isOpened())
      for _, method in ipairs { 'close', 'readInt', 'position', 'seekEnd', 'synchronize' } do
        assert.matches('closed file', error_of(file[method], file))
      end
      assert.matches('[status: closed -- mode', tostring(file), 1, true)
      assert.has_error(function() here.open 'x' end)
      assert.has_error(function() here.open '' end)
    end)

    it('has no string at its end', function()
      local file = here.open 'rw'
      file:writeString('a\n')
      file:seek(1)
      assert.are.equal('a', file:readString '*line')
      for _, format in ipairs { '*l', '*all' } do
        assert.matches('read 0 blocks', error_of(file.readString, file, format))
      end
      assert.are.equal('', file:quiet():readString '*a')
      assert.is_true(file:hasError())
      assert.has_error(function() file:readString 'a' end)
      assert.has_error(function() file:readString '*n' end)
    end)

    it('notes errors quietly where it is asked to', function()
      local file = here.open 'rw'
      assert.is_false(file:isQuiet())
      assert.is_true(file:quiet():isQuiet())
      file:writeInt(5)
      file:seek(1)
      assert.are.same({ 5 }, file:readInt(3):totable())
      assert.is_true(file:hasError())
      assert.is_false(file:clearError():hasError())
      assert.are.equal(0, file:readInt())
      assert.is_true(file:hasError())
      assert.has_error(function() file:pedantic():readInt() end)
    end)

    it('may have longs of other sizes, binary', function()
      local file = here.open('rw'):binary()
      assert.is_true(file:isBinary())
      file:longSize(4):writeLong(tensor.LongStorage { 1, -2 })
      assert.are.equal(9, file:position())
      assert.matches('does not fit', error_of(file.writeLong, file, 2 ^ 40))
      file:longSize(8):writeLong(-3)
      file:seek(1)
      assert.are.same({ 1, -2 }, { file:longSize(4):readLong(), file:readLong() })
      assert.are.equal(-3, file:longSize(0):readLong())
      assert.has_error(function() file:longSize(3) end)
      assert.is_false(file:ascii():isBinary())
    end)

    it('takes no memory for what is not there', function()
      local file = here.open('rw'):quiet()
      for _, mode in ipairs { 'ascii', 'binary' } do
        file[mode](file)
        local before = tensor.memory().bytes
        assert.are.equal(0, file:readDouble(2 ^ 40):size())
        assert.are.equal(0, file:readChar(2 ^ 50):size())
        assert.is_true(tensor.memory().bytes - before < 1e6)
      end
    end)
  end)
end

describe('torch.DiskFile', function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it('refuses a name with a zero byte, which names no file', function()
    local file = tensor.DiskFile(path, 'w')
    file:writeString('kept')
    file:close()
    for _, class in ipairs { 'DiskFile', 'PipeFile' } do
      local ok, text = pcall(tensor[class], path .. '\0x', 'w')
      assert.is_false(ok)
      assert.matches(class .. ': the string contains a zero byte', text)
    end
    assert.is_false((pcall(tensor.load, path .. '\0x')))
    assert.are.equal('kept', tensor.DiskFile(path):readString('*a'))
  end)

  it('may have the other order of bytes', function()
    local file = tensor.DiskFile(path, 'w'):binary()
    assert.are_not.equal(file:isLittleEndianCPU(), file:isBigEndianCPU())
    file:bigEndianEncoding():writeInt(0x01020304)
    file:writeShort(tensor.ShortStorage { 0x0506, 0x0708 })
    file:littleEndianEncoding():writeInt(0x01020304)
    file:close()
    file = tensor.DiskFile(path):binary()
    assert.are.equal('\1\2\3\4\5\6\7\8\4\3\2\1', file:readString '*a')
    assert.are.equal(0x01020304, file:seek(1):bigEndianEncoding():readInt())
    assert.are.same({ 0x0506, 0x0708 }, file:readShort(2):totable())
    assert.are.equal(0x01020304, file:littleEndianEncoding():readInt())
    assert.are.equal(0x04030201 , file:bigEndianEncoding():seek(9):readInt())
    assert.are.equal(file, file:nativeEndianEncoding())
  end)

  it('says what it is', function()
    local file = tensor.DiskFile(path, 'rw')
    assert.are.equal(('torch.DiskFile on <%s> [status: open -- mode rw]'):format(path),
                     tostring(file))
    assert.are.equal('torch.MemoryFile [status: open -- mode: r ]',
                     tostring(tensor.MemoryFile 'r'))
    assert.is_true(tensor.isTypeOf(file, 'torch.File'))
    assert.are.equal('torch.PipeFile', tensor.typename(tensor.PipeFile('true')))
    assert.is_true(tensor.isTypeOf(tensor.PipeFile('true'), 'torch.DiskFile'))
  end)

  it('that is not there is an error, or nil', function()
    assert.matches('cannot open </no/such> in mode r: No such file',
                   error_of(tensor.DiskFile, '/no/such'), 1, true)
    assert.is_nil(tensor.DiskFile('/no/such', 'r', true))
    assert.has_error(function() tensor.DiskFile() end)
    assert.has_error(function() tensor.DiskFile({}) end)
  end)

  it('that cannot be written is an error', function()
    local full = io.open('/dev/full', 'r')
    if not full then return end
    full:close()
    local file = tensor.DiskFile('/dev/full', 'w')
    file:writeInt(1)
    assert.matches('unable to write', error_of(file.synchronize, file))
    assert.matches('No space left', error_of(tensor.save, '/dev/full', { 1, 2 }))
  end)

  it('is written without a buffer where it is asked to', function()
    local file = tensor.DiskFile(path, 'w'):noBuffer()
    file:writeString('at once')
    local opened = io.open(path)
    assert.are.equal('at once', opened:read '*a')
    opened:close()
  end)
end)

describe('torch.PipeFile', function()
  it('reads what a command prints, and writes what it reads', function()
    local file = tensor.PipeFile('printf "1 2\\n3\\nrest"', 'r')
    assert.are.same({ 1, 2 }, file:readInt(2):totable())
    assert.are.equal(3, file:readInt())
    assert.are.equal('rest', file:readString '*a')
    file:close()
    local path = os.tmpname()
    file = tensor.PipeFile('cat > ' .. path, 'w')
    file:writeObject({ 1, 'two' })
    file:close()
    assert.are.same({ 1, 'two' }, tensor.load(path))
    file = tensor.PipeFile('cat ' .. path, 'r')
    assert.are.same({ 1, 'two' }, file:readObject())
    file:close()
    os.remove(path)
    assert.has_error(function() tensor.PipeFile('true', 'rw') end)
  end)

  it('reports that the command failed', function()
    local file = tensor.PipeFile('cat > /dev/null; exit 3', 'w')
    file:writeInt(5)
    local done, message = pcall(file.close, file)
    assert.is_false(done)
    assert.matches('failed, exit status 3', message, 1, true)
    -- No one reads: the signal must not end this process.
    file = tensor.PipeFile('exec 0<&-; sleep 0.05', 'w'):binary():quiet()
    file:writeInt(tensor.IntStorage(1000000))
    assert.is_true(file:hasError())
    file:clearError():close()
    -- A command may end early if it is read from.
    file = tensor.PipeFile('yes', 'r')
    assert.are.equal('y', file:readString '*l')
    file:close()
  end)

  it('may bring more than fits into memory at once', function()
    local file = tensor.PipeFile('head -c 1000000 /dev/zero', 'r'):binary():quiet()
    assert.are.equal(125000, file:readDouble(2 ^ 40):size())
    assert.is_true(file:hasError())
  end)
end)

describe('a text file', function()
  local function reader(text)
    return tensor.MemoryFile(tensor.CharStorage():string(text .. '\0'), 'r'):quiet()
  end
  it('has no integers that do not fit into their type', function()
    for name, texts in pairs { Short = { '32767', '32768' }, Int = { '-2147483648', '3000000000' },
                               Long = { '-9223372036854775808', '9223372036854775808' } } do
      for k, text in ipairs(texts) do
        local file = reader(text .. ' 1')
        local value = file['read' .. name](file)
        assert.are.equal(k == 2, file:hasError(), text)
        if k == 1 then
          assert.are.equal(tonumber(text), tonumber(value))
        else
          file:clearError():pedantic():seek(1)
          local message = error_of(file['read' .. name], file)
          assert.matches(text .. ' does not fit into an? ' .. name, message)
        end
      end
    end
  end)
  it('has what follows a number', function()
    for text, parts in pairs { ['2026-11-30'] = { 'Int', 2026, '-11-30' },
                               ['1.5abc'] = { 'Double', 1.5, 'abc' },
                               ['1e5-3'] = { 'Double', 1e5, '-3' },
                               ['1.5e+'] = { 'Float', 1.5, 'e+' },
                               ['12.5'] = { 'Long', 12, '.5' },
                               ['-1e-2+7'] = { 'Double', -0.01, '+7' },
                               ['-0x1p-1.'] = { 'Double', -0.5, '.' } } do
      local file = reader(text)
      assert.are.equal(parts[2], tonumber(file['read' .. parts[1]](file)))
      assert.are.equal(parts[3], file:readString '*a')
    end
    local file = reader 'abc'
    file:readDouble()
    assert.is_true(file:hasError())
    assert.are.equal('abc', file:clearError():readString '*a')
    -- A pipe has no position to go back to.
    file = tensor.PipeFile(("printf '%%%ds1.%s'"):format(4090, ('5x'):rep(20)), 'r')
    assert.are.equal(1.5, file:readDouble())
    assert.are.equal('x' .. ('5x'):rep(19), file:readString '*a')
  end)
  it('has no number with a NUL byte, and none that is cut', function()
    local file = reader '12\0003 4'
    assert.is_true(file:readDouble(2):size() == 1 and file:hasError())
    assert.are.equal(0, reader('0.' .. ('0'):rep(450) .. '1'):readDouble())
    assert.are.equal(1 / 3, reader('0.' .. ('3'):rep(3000)):readDouble())
    file = reader(('1'):rep(5000))
    file:readDouble()
    assert.is_true(file:hasError())
  end)
end)

describe('torch.MemoryFile', function()
  it('is a storage that ends in 0', function()
    local file = tensor.MemoryFile()
    file:writeString('abc')
    local storage = file:storage()
    assert.are.equal('abc\0', storage:string())
    file:writeString('def')
    assert.are.equal('abcdef\0', storage:string():sub(1, 7))
    assert.are.equal('abc', tensor.MemoryFile(tensor.CharStorage():string 'abc\0', 'r')
                            :readString '*a')
    assert.matches('ends in 0', error_of(tensor.MemoryFile, tensor.CharStorage():string 'abc'))
    assert.has_error(function() tensor.MemoryFile(tensor.IntStorage(1)) end)
    assert.has_error(function() tensor.MemoryFile(5) end)
    assert.has_error(function() tensor.MemoryFile({}) end)
  end)

  it('cannot grow while its own storage is written to it', function()
    local file = tensor.MemoryFile()
    file:writeString('abc')
    assert.matches('in use', error_of(file.writeChar, file, file:storage()))
    assert.are.equal('abc', file:seek(1):readString '*a')
    file:seek(1)
    assert.has_error(function() file:readChar(file:storage()) end)
    assert.are.equal('abc\0', file:storage():string())
  end)

  it('whose storage was made smaller is an error', function()
    local file = tensor.MemoryFile()
    file:writeString('abcdef')
    file:storage():resize(3)
    for _, f in ipairs { function() file:seek(1):readChar(6) end,
                         function() file:writeString('x') end } do
      assert.matches('storage was resized', error_of(f))
    end
    file:storage():resize(0)
    assert.has_error(function() file:writeString('x') end)
  end)
end)

describe('a file', function()
  it('is not another object', function()
    local read = tensor.getmetatable('torch.File').readInt
    for _, object in ipairs { 5, 'x', {}, tensor.Tensor(), io.stdout } do
      assert.matches('torch.File', error_of(read, object))
    end
    local file = tensor.MemoryFile()
    tensor.getmetatable('torch.MemoryFile').__gc(file)
    assert.matches('torch.File', error_of(read, file))
  end)

  it('that finalizers close is an error, and no crash', function()
    for _ = 1, 50 do
      local file = tensor.MemoryFile()
      getmetatable(newproxy(true)).__gc = function() pcall(file.close, file) end
      pcall(function()
        for i = 1, 50 do file:writeObject({ i, 'text', tensor.FloatTensor(3) }) end
      end)
      collectgarbage()
      assert.matches('closed', error_of(file.writeInt, file, 1))
    end
  end)
end)

describe('names in a file', function()
  it('are shown in errors without control characters and invalid UTF-8', function()
    local function fails(ending, bytes, message, options)
      files.with_name(ending, function(name)
        files.write(name, bytes)
        local text = error_of(tensor.load, name, options)
        assert.matches(message, text, 1, true)
        assert.is_nil(text:find '[%c\127]')
      end)
    end
    local object = '4\n1\n3\nV 1\n11\ntorch.\27[2Jx\n'
    fails('.t7', object, 'unknown Torch class <torch.\\x1b[2Jx>')
    assert.matches('<torch.\\x1b[2Jx>', error_of(tensor.deserialize, object), 1, true)
    local file = tensor.MemoryFile(tensor.CharStorage():string(object .. '\0'), 'r')
    assert.matches('<torch.\\x1b[2Jx>', error_of(file.readObject, file), 1, true)
    -- U+009B is a control character, a byte 255 is not UTF-8.
    fails('.csv', 'a\27[31m,b\255\n1,x\194\155y\226\130\172\n',
          "line 2, column 2 (b\\xff): 'x\\xc2\\x9by\226\130\172' is not")
    fails('.csv', 'a\27[31m,b\255\n1,2\n', 'columns: a\\x1b[31m, b\\xff',
          { columns = true, only = { 'q' } })
    files.with_name('.npz', function(name)
      tensor.save(name, { ['a_[31m'] = tensor.ones(2) })
      local bytes = files.content(name):gsub('a_%[31m', 'a\194\15531m'):gsub('<f8', '<q8')
      fails('.npz', bytes, 'array a\\xc2\\x9b31m: ')
    end)
  end)

  it('are shown as they are if they are printable', function()
    local printable = require 'tensor.files'.printable
    for _, text in ipairs { 'caf\195\169 \226\130\172 \240\159\152\128\n\ttext', '' } do
      assert.are.equal(text, printable(text))
    end
    assert.are.equal([[\x00\x7f\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80]],
                     printable '\0\127\192\128\237\160\128\244\144\128\128')
    assert.are.equal('\\xe2\\x82', printable '\226\130')
  end)
end)
