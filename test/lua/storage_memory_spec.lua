-- Storages on existing memory: parts of other storages, files, shared memory, pointers.

local tensor = require 'tensor'
local elements = require 'support.elements'
local files = require 'support.files'

local content, with_file = files.content, files.with_file

for _, e in ipairs(elements) do
  describe('a view of a storage of ' .. e.name, function()
    it('is the same memory', function()
      local s = e.Storage { 1, 2, 3, 4, 5 }
      local all, tail, part = e.Storage(s), e.Storage(s, 3), e.Storage(s, 2, 3)
      assert.are.same({ 1, 2, 3, 4, 5 }, all:totable())
      assert.are.same({ 3, 4, 5 }, tail:totable())
      assert.are.same({ 2, 3, 4 }, part:totable())
      part[2] = 7
      assert.are.equal(7, s[3])
      s:fill(9)
      assert.are.same({ 9, 9, 9 }, tail:totable())
      assert.are.same({ 9, 9 }, e.Storage(part, 2):totable())
      e.Tensor(tail):fill(4)
      assert.are.same({ 9, 9, 4, 4, 4 }, s:totable())
    end)

    it('keeps it alive, and others from resizing it', function()
      -- JIT-compiled traces keep objects alive that they contain.
      if jit then
        jit.off()
        jit.flush()
      end
      local view
      do
        local s = e.Storage { 1, 2, 3 }
        view = e.Storage(e.Storage(s, 2), 2)
      end
      collectgarbage()
      collectgarbage()
      assert.are.same({ 3 }, view:totable())
      local s = e.Storage { 1, 2, 3 }
      -- In a coroutine, because values left on this stack would keep the view alive.
      coroutine.wrap(function()
        for _, storage in ipairs { s, e.Storage(s, 2) } do
          assert.has_error(function() storage:resize(100) end)
          assert.has_error(function() e.Tensor(storage):resize(100) end)
        end
      end)()
      assert.are.equal(3, s:size())
      collectgarbage()
      collectgarbage()
      assert.are.equal(100, s:resize(100):size())
      if jit then jit.on() end
    end)
  end)

  describe('a file of ' .. e.name, function()
    it('is mapped: what is written stays in the process, or goes to the file', function()
      local made = e.Tensor { 1, 2, 3, 4 }
      local ffi = require 'ffi'
      local bytes = ffi.string(made:data(), 4 * made:elementSize())
      with_file(bytes, function(path)
        local s = e.Storage(path)
        assert.are.same({ 1, 2, 3, 4 }, s:totable())
        s:fill(5)
        assert.are.equal(bytes, content(path))
        assert.are.same({ 1, 2, 3 }, e.Storage(path, false, 3):totable())
        local shared = e.Storage(path, true)
        shared[2] = 7
        assert.are.same({ 1, 7, 3, 4 }, e.Storage(path):totable())
        -- Longer than the file, which is extended.
        local more = e.Storage(path, true, 6)
        assert.are.same({ 1, 7, 3, 4, 0, 0 }, more:totable())
        assert.are.equal(6 * made:elementSize(), #content(path))
        assert.has_error(function() return e.Storage(path, false, 7) end)
        assert.has_error(function() shared:resize(8) end)
        assert.are.equal(15, e.Tensor(more):sum())
      end)
    end)

    it('without bytes cannot become longer', function()
      with_file('', function(path)
        for _, shared in ipairs { false, true } do
          local empty = e.Storage(path, shared, 0)
          assert.are.equal(0, empty:size())
          assert.has_error(function() empty:resize(2) end)
        end
      end)
    end)

    it('of shared memory is seen under its name', function()
      local name = ('/tensor-spec-%s-%d'):format(e.name, math.random(1e9))
      local a = e.Storage(name, true, 3, true)
      a:fill(3)
      local b = e.Storage(name, true, 3, true)
      assert.are.same({ 3, 3, 3 }, b:totable())
      b[1] = 4
      assert.are.equal(4, a[1])
    end)
  end)
end

it('free releases the memory of files, other storages and the FFI', function()
  with_file(('\0'):rep(8), function(path)
    local whole, block = tensor.FloatStorage { 1, 2, 3 }, require('ffi').new('float[2]', { 5, 6 })
    local view = tensor.FloatStorage(whole, 2, 2)
    for _, s in ipairs { tensor.FloatStorage(path), view, tensor.FloatStorage(2, block) } do
      s:free()
      assert.are.equal(0, #s)
      assert.are.same({ 4, 4, 4 }, s:resize(3):fill(4):totable())
    end
    assert.are.same({ 1, 2, 3 }, whole:totable())
    assert.are.equal(6, block[1])
    assert.are.equal(4, #whole:resize(4))
  end)
end)

describe('a view', function()
  it('is of the same type, and inside', function()
    local s = tensor.LongStorage(3)
    for _, bad in ipairs { { s, 0 }, { s, 4 }, { s, 1, 0 }, { s, 1, 4 }, { s, 3, 2 }, { s, -1 },
                           { tensor.IntStorage(3) }, { tensor.LongTensor(3) }, { s, 1.5 },
                           { tensor.LongStorage() } } do
      assert.has_error(function() return tensor.LongStorage(unpack(bad)) end)
    end
  end)

  it('is known to share memory: results are not written over what is read', function()
    local s = tensor.DoubleStorage { 1, 2, 3, 4, 5 }
    local first = tensor.DoubleTensor(s, 1, 4, 1)
    local second = tensor.DoubleTensor(tensor.DoubleStorage(s, 2), 1, 4, 1)
    second:add(first)
    assert.are.same({ 1, 3, 5, 7, 9 }, s:totable())
    first:copy(second)
    assert.are.same({ 3, 5, 7, 9, 9 }, s:totable())
    second:cumsum(first, 1)
    assert.are.same({ 3, 3, 8, 15, 24 }, s:totable())
  end)

  it('stays at the CPU', function()
    local s = tensor.FloatStorage { 1, 2, 3 }
    local view = tensor.FloatStorage(s, 2)
    if not pcall(function() tensor.FloatTensor(1):to 'soft' end) then return end
    assert.has_error(function() s:to 'soft' end)
    assert.has_error(function() view:to 'soft' end)
    local there = tensor.FloatTensor { 10, 20 }:to 'soft'
    assert.are.same({ 12, 23 }, (there + tensor.FloatTensor(view)):totable())
    s[2] = 5
    assert.are.same({ 15, 23 }, (there + tensor.FloatTensor(view)):totable())
    tensor.FloatTensor(view):copy(there)
    assert.are.same({ 1, 10, 20 }, s:totable())
    local away = tensor.FloatStorage { 1, 2 }
    away:to 'soft'
    assert.has_error(function() return tensor.FloatStorage(away) end)
  end)

  it('that was read from a file shares no memory', function()
    local s = tensor.FloatStorage { 1, 2, 3 }
    local view = tensor.FloatStorage(s, 2)
    local file = tensor.MemoryFile()
    tensor.FloatStorage { 5 }:write(file)
    view:read(file:seek(1))
    s:fill(4)
    assert.are.same({ 5 }, view:totable())
    if not pcall(function() tensor.FloatTensor(1):to 'soft' end) then return end
    view:to 'soft'
    s:to 'soft'
    assert.are.same({ 5, 4, 4, 4 }, tensor.cat({ tensor.FloatTensor(view), tensor.FloatTensor(s) })
      :totable())
  end)
end)

describe('a file', function()
  it('reports a full disk when a file is extended', function()
    local child = require 'support.child'
    local folder = os.tmpname()
    os.remove(folder)
    -- A file system of 200 kB, in a namespace of its own.
    local script = folder .. '.lua'
    files.write(script, ([[
      package.path, package.cpath = %q, %q
      local tensor = require 'tensor'
      print(pcall(tensor.FloatStorage, %q, true, 1000000))
      local small = tensor.FloatStorage(%q, true, 1000)
      print(small:fill(1):size())
    ]]):format(package.path, package.cpath, folder .. '/x', folder .. '/x'))
    local pipe = assert(io.popen(([[mkdir %s && unshare -rm sh -c
      'mount -t tmpfs -o size=200k none %s && echo mounted && %s %s' 2>&1; rmdir %s]])
      :gsub('\n', ' '):format(folder, folder, child.interpreter, script, folder)))
    local text = pipe:read '*a'
    pipe:close()
    os.remove(script)
    if not text:find 'mounted' then return pending 'needs a namespace for mounts' end
    assert.matches('^mounted\nfalse%s.*No space left on device\n1000\n$', text)
  end)

  it('that is not there, or no file, is an error', function()
    assert.has_error(function() return tensor.ByteStorage '/nowhere/at/all' end)
    assert.has_error(function() return tensor.ByteStorage('/nowhere/at/all', true, 3) end)
    assert.has_error(function() return tensor.ByteStorage '/' end)
    assert.has_error(function() return tensor.ByteStorage('/tmp/x', true, -1) end)
    with_file('', function(path) assert.are.equal(0, tensor.ByteStorage(path):size()) end)
  end)
end)

describe('memory of the FFI', function()
  it('is a storage and stays the memory of the caller', function()
    local ffi = require 'ffi'
    local block = ffi.new('float[4]', { 1, 2, 3, 4 })
    for _, memory in ipairs { block, ffi.cast('float *', block), ffi.cast('void *', block),
                              ffi.cast('float (*)[4]', block) } do
      local s = tensor.FloatStorage(4, memory)
      assert.are.same({ 1, 2, 3, 4 }, s:totable())
      tensor.FloatTensor(s):mul(2)
      assert.are.equal(8, block[3])
      assert.has_error(function() s:resize(5) end)
      s = nil  -- luacheck: ignore
      collectgarbage()
      assert.are.equal(8, block[3])
      block[0], block[1], block[2], block[3] = 1, 2, 3, 4
    end
  end)

  it('of a known size is large enough', function()
    local block = require 'ffi'.new 'float[4]'
    assert.are.equal(2, tensor.DoubleStorage(2, block):size())
    local ok, message = pcall(tensor.FloatStorage, 5, block)
    assert.is_false(ok)
    assert.is_truthy(message:find('5 elements take 20 bytes, got a cdata of 16 bytes', 1, true),
                     message)
    assert.has_error(function() tensor.FloatStorage(2 ^ 50, block) end)
    assert.has_error(function() tensor.FloatStorage(0, block) end)
  end)

  it('rejects numbers, types and null pointers', function()
    local ffi = require 'ffi'
    for _, value in ipairs { ffi.new('int64_t', 5), ffi.typeof 'int[4]', ffi.typeof 'int *',
                             ffi.cast('void *', 0), ffi.new('int', 4096),
                             ffi.cast('intptr_t', ffi.new 'float[4]') } do
      assert.has_error(function() tensor.FloatStorage(2, value) end)
    end
  end)
end)

describe('an address', function()
  it('is refused without torch', function()
    local block = require 'ffi'.new('float[4]', { 1, 2, 3, 4 })
    local address = tonumber(require 'ffi'.cast('intptr_t', block))
    for _, number in ipairs { address, 0, 1, 4096, -1, 2 ^ 46, 2 ^ 60 } do
      assert.has_error(function() tensor.FloatStorage(4, number) end)
    end
  end)

  it("is accepted after require 'torch' if memory is mapped there", function()
    local output, status = require 'support.child'.run [[
      require 'torch'
      local block = require 'ffi'.new('float[4]', {1, 2, 3, 4})
      local s = torch.FloatStorage(4, tonumber(require 'ffi'.cast('intptr_t', block)))
      torch.FloatTensor(s):mul(2)
      print(block[3], s[1])
      for _, address in ipairs {0, 1, 3, 4096, -1, 2 ^ 46, 2 ^ 60} do
        assert(not pcall(torch.FloatStorage, 4, address))
      end
      assert(not pcall(torch.FloatStorage, 2 ^ 50, 4096))
      assert(not pcall(torch.FloatStorage, 0, 4096))]]
    assert.are.same({ '8\t2\n', 0 }, { output, status })
  end)
end)
