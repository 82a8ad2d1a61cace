-- save replaces a file as a whole: what the file keeps, and that errors lose nothing.

local tensor = require 'tensor'
local child = require 'support.child'
local format_files = require 'support.format_files'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local with_name, content = files.with_name, files.content

-- Calls body with the path of a new folder, which is removed afterwards.
local function folder_of(body)
  local name = files.new_folder()
  local done, failure = pcall(body, name .. '/')
  os.execute('chmod 755 ' .. name .. '; rm -r ' .. name)
  if not done then error(failure, 0) end
end
local function output_of(command)
  local pipe = io.popen(command)
  local text = pipe:read '*a'
  pipe:close()
  return text
end
local function listed(path)
  return output_of('ls -A ' .. path)
end

-- Lua code that defines as_nobody(body): calls body without the rights of root.
local as_nobody = [[
  local ffi = require 'ffi'
  ffi.cdef 'int setfsuid(unsigned); unsigned geteuid(void); int getpid(void); int kill(int, int);'
  local function as_nobody(body)
    local isroot = ffi.C.geteuid() == 0
    if isroot then ffi.C.setfsuid(65534) end
    local done, failure = pcall(body)
    if isroot then ffi.C.setfsuid(0) end
    return done, failure
  end
]]
-- Shell commands: files get no longer than 8 KiB, as on a full disk.
local full_disk = "trap '' XFSZ; ulimit -f 16; [ $(ulimit -f) = 16 ] && ulimit -f 8"

-- Runs the code in a process of its own and returns its output.
local function run(code, before)
  local output, status = child.run(code, { first = as_nobody, before = before })
  assert.equal(0, status, output)
  return output
end

describe('save', function()
  it('waits for the disk as the option sync states', function()
    folder_of(function(path)
      local blob = tensor.FloatBlob(1)
      local objects = { t7 = 1, npy = tensor.ones(2), npz = { a = tensor.ones(2) },
                        safetensors = { a = tensor.ones(2) }, csv = tensor.ones(2, 2),
                        png = tensor.zeros(3, 4, 4), binaryproto = blob }
      for ending, object in pairs(objects) do
        local name = path .. 'x.' .. ending
        for _, sync in ipairs { true, false } do
          tensor.save(name, object, { sync = sync })
          assert.is_not_nil(tensor.load(name))
        end
        assert.matches('option sync must be a boolean, got a string',
                       error_of(tensor.save, name, object, { sync = 'no' }), 1, true)
      end
      assert.equal(7, select(2, listed(path):gsub('x%.', '')))
    end)
  end)

  it('alone has the option sync', function()
    folder_of(function(path)
      tensor.save(path .. 'x.t7', 1)
      assert.matches('load: unknown option sync; the options are format, functions, mode, progress',
                     error_of(tensor.load, path .. 'x.t7', { sync = true }), 1, true)
      assert.matches('serialize: unknown option sync',
                     error_of(tensor.serialize, 1, { sync = true }), 1, true)
    end)
  end)

  it('leaves the old file until the new one is complete', function()
    folder_of(function(path)
      local function stop() error 'stop' end
      for _, ending in ipairs { 't7', 'npy', 'npz' } do
        local name = path .. 'x.' .. ending
        tensor.save(name, tensor.ones(3))
        local before = content(name)
        if ending == 'npy' then
          local message = error_of(tensor.save, name, tensor.ones(4), { progress = stop })
          assert.matches('stop', message, 1, true)
        elseif ending == 't7' then
          assert.matches('Unwritable object <thread>',
                         error_of(tensor.save, name, { 1, coroutine.create(stop) }), 1, true)
        end
        assert.are.equal(before, content(name))
      end
      assert.are.equal('x.npy\nx.npz\nx.t7\n', listed(path))
    end)
  end)

  it('reports progress, as load does', function()
    with_name('.t7', function(name)
      local told, object = {}, {}
      local function progress(done, total) told[#told + 1] = { done, total } end
      for k = 1, 5 do object[k] = tensor.ByteTensor(2 ^ 21):zero() end
      tensor.save(name, object, { progress = progress })
      local size = #content(name)
      assert.are.same({ 0 }, told[1])
      assert.are.same({ size, size }, told[#told])
      assert.is_true(#told >= 4 and told[2][1] >= 2 ^ 22 and told[2][1] < size)
      told = {}
      assert.are.equal(5, #tensor.load(name, { progress = progress }))
      assert.are.same({ 0, size }, told[1])
      assert.are.same({ size, size }, told[#told])
      assert.is_true(#told >= 4 and told[2][2] == size)
      assert.matches('option progress must be a function, got a number',
                     error_of(tensor.load, name, { progress = 1 }), 1, true)
      assert.matches('enough', error_of(tensor.save, name, object, { progress = function()
        error 'enough'
      end }), 1, true)
      assert.are.equal(size, #content(name))
    end)
  end)

  it('keeps permissions and links', function()
    folder_of(function(path)
      tensor.save(path .. 'a.npy', tensor.ones(1))
      os.execute(('cd %s; chmod 640 a.npy; ln -s a.npy link.npy; ln -s away.npy new.npy; ' ..
                  'tensor_a=a.npy; ln $tensor_a hard.npy'):format(path))
      for _, link in ipairs { 'link', 'new', 'hard' } do
        tensor.save(path .. link .. '.npy', tensor.ones(5))
      end
      assert.are.equal(5, tensor.load(path .. 'a.npy'):size(1))
      assert.are.equal(5, tensor.load(path .. 'away.npy'):size(1))
      assert.are.equal('640 2 regular file\n777 1 symbolic link\n',
                       output_of(('cd %s; stat -c "%%a %%h %%F" a.npy link.npy'):format(path)))
      os.remove(path .. 'hard.npy')
      tensor.save(path .. 'link.npy', tensor.ones(6))
      assert.are.equal('640 1 176\na.npy\naway.npy\nlink.npy\nnew.npy\n',
                       output_of(('cd %s; stat -c "%%a %%h %%s" a.npy; ls'):format(path)))
      -- A file with two names is overwritten, and may become shorter.
      local long, short = { x = tensor.ones(99) }, { y = tensor.zeros(2) }
      tensor.save(path .. 'a.npz', long)
      os.execute(('cd %s; ln a.npz b.npz'):format(path))
      tensor.save(path .. 'b.npz', short)
      assert.are.equal(content(path .. 'a.npz'), content(path .. 'b.npz'))
      assert.is_true(tensor.load(path .. 'a.npz').y:equal(short.y))
    end)
  end)

  it('reports a full disk', function()
    folder_of(function(path)
      os.execute('ln -s /dev/full ' .. path .. 'x.npz; ln -s /dev/full ' .. path .. 'x.npy')
      for _, name in ipairs { 'x.npy', 'x.npz' } do
        local message = error_of(tensor.save, path .. name, tensor.ones(1000))
        assert.matches(path .. name .. '.*No space left', message)
      end
    end)
  end)

  it('does not overwrite a file that a tensor has mapped', function()
    folder_of(function(path)
      for _, ending in ipairs { 'npy', 'safetensors' } do
        local name, t = path .. 'a.' .. ending, tensor.range(1, 10000)
        tensor.save(name, ending == 'npy' and t or { t = t })
        os.execute(('ln %s %sb.%s'):format(name, path, ending))
        local before = content(name)
        local mapped = tensor.load(name, { map = true })
        local message = error_of(tensor.save, name, mapped)
        assert.matches('is mapped by a tensor', message, 1, true)
        assert.matches('several names', message, 1, true)
        assert.are.equal(before, content(name))
        assert.is_true(t:equal(ending == 'npy' and mapped or mapped.t))
        -- A tensor that is garbage does not count.
        local other = path .. 'other.' .. ending
        os.execute(('cp %s %s; ln %s %s2'):format(name, other, other, other))
        collectgarbage 'stop'
        tensor.load(other, { map = true })
        tensor.save(other, ending == 'npy' and t or { t = t })
        collectgarbage 'restart'
        os.execute(('rm %s %s2'):format(other, other))
        -- With one name it is replaced, and the tensor keeps the old contents.
        os.remove(('%sb.%s'):format(path, ending))
        tensor.save(name, ending == 'npy' and tensor.ones(2) or { t = tensor.ones(2) })
        assert.is_true(t:equal(ending == 'npy' and mapped or mapped.t))
      end
      assert.are.equal('a.npy\na.safetensors\n', listed(path))
    end)
  end)

  it('writes no nil in place of an object that is missing', function()
    with_name('', function(name)
      tensor.save(name, { 1 })
      for _, save in ipairs { 'save', 'saveobj' } do
        assert.matches(save .. ': an object is expected after the name of the file$',
                       error_of(tensor[save], name))
      end
      assert.matches('save: too many arguments', error_of(tensor.save, name, 1, nil, nil, 5))
      assert.are.same({ 1 }, tensor.load(name))
      tensor.save(name, nil)
      assert.is_nil(tensor.load(name))
      tensor.save(name, { 1 })
      tensor.setRule('files', 'torch7')
      local saved = pcall(tensor.save, name)
      tensor.setRule('files', 'tensor')
      assert.is_true(saved)
      assert.is_nil(tensor.load(name))
    end)
  end)

  it('writes no file whose extension stands for the format of another program', function()
    for _, ending in ipairs { '.gif', '.BMP', '.tiff', '.webp', '.txt', '.json', '.mat', '.h5',
                              '.pkl', '.pt', '.pth', '.onnx', '.gz', '.ppm', '.eps', '.zip', '.wav',
                              '.gguf', '.jsonl', '.tab', '.safetensor' } do
      with_name(ending, function(name)
        assert.matches(ending .. ' files cannot be written', error_of(tensor.save, name, { 1 }), 1,
                       true)
        assert.is_nil(io.open(name))
        tensor.save(name, { 1 }, 'ascii')
        tensor.save(name, { 2 }, { mode = 'binary' })
        assert.are.same({ 2 }, tensor.load(name))
        tensor.setRule('files', 'torch7')
        local saved = pcall(tensor.save, name, { 3 })
        tensor.setRule('files', 'tensor')
        assert.is_true(saved)
      end)
    end
    for _, ending in ipairs { '.dat', '.net', '.gif.t7', '' } do
      with_name(ending, function(name) tensor.save(name, { 1 }) end)
    end
  end)

  it('maps the file whose head it has read', function()
    folder_of(function(path)
      local name, class = path .. 'a.npy', tensor.DoubleStorage
      tensor.save(name, tensor.range(1, 100))
      -- Another process replaces the file between the head and the elements.
      tensor.DoubleStorage = function(...)
        tensor.DoubleStorage = class
        tensor.save(name, tensor.ones(3, 4, 5, 6):int())
        return class(...)
      end
      local done, t = pcall(tensor.load, name, { map = true })
      tensor.DoubleStorage = class
      assert.is_true(done, t)
      assert.is_true(tensor.range(1, 100):equal(t))
    end)
  end)

  it('keeps the owner of a file', function()
    folder_of(function(path)
      local name = path .. 'a.npy'
      tensor.save(name, tensor.ones(3))
      os.execute(('chmod 666 %s; chmod 777 %s'):format(name, path))
      local before = output_of('stat -c "%u %g %a" ' .. name)
      local output = run(([[
        local name = %q
        assert(as_nobody(function() tensor.save(name, tensor.ones(9)) end))
        print(tensor.load(name):size(1))
        if ffi.C.geteuid() == 0 then
          local mapped = tensor.load(name, {map = true})
          print(as_nobody(function() tensor.save(name, tensor.ones(1)) end))
          print(mapped:sum())
        end]]):format(name))
      assert.are.equal(before, output_of('stat -c "%u %g %a" ' .. name))
      assert.are.equal('a.npy\n', listed(path))
      if before:find '^0 ' then
        assert.matches('^9\nfalse\t.*another owner or group[^\n]*\n9\n$', output)
      end
    end)
  end)

  it('loses nothing on a full disk, whatever the name and the folder', function()
    folder_of(function(path)
      os.execute(('mkdir %sread'):format(path))
      local names = { 'read/a.npy', 'linked.npy', 'linked.npz', ('x'):rep(247) .. '.npy' }
      local before = {}
      for k, name in ipairs(names) do
        local t = tensor.range(1, 3)
        tensor.save(path .. name, name:find '%.npz' and { t } or t)
        before[k] = content(path .. name)
      end
      os.execute(('cd %s; ln linked.npy b.npy; ln linked.npz b.npz; chmod 666 *.np? read/*;' ..
                  'chmod 777 .; chmod 555 read'):format(path))
      local code = ([[
        local t = tensor.ones(1e5)
        for _, name in ipairs { %q, %q, %q, %q } do
          local saved, failure = as_nobody(function()
            tensor.save(%q .. name, name:find '%%.npz' and { t } or t)
          end)
          print(saved, (not failure or failure:find(name, 1, true)) and 'named' or failure)
        end]]):format(names[1], names[2], names[3], names[4], path)
      assert.are.equal(('false\tnamed\n'):rep(4), run(code, full_disk))
      for k, name in ipairs(names) do assert.are.equal(before[k], content(path .. name)) end
      local expected = 'b.npy\nb.npz\nlinked.npy\nlinked.npz\nread\n' .. names[4] .. '\n'
      assert.are.equal(expected, listed(path))
      assert.are.equal(('true\tnamed\n'):rep(4), run(code))
      for _, name in ipairs(names) do
        local loaded = tensor.load(path .. name)
        assert.are.equal(1e5, (type(loaded) == 'table' and loaded.arr_0 or loaded):sum())
      end
      assert.are.equal(expected, listed(path))
      os.execute(('chmod 755 %sread'):format(path))
    end)
  end)

  it('says where it can make no temporary file', function()
    folder_of(function(path)
      tensor.save(path .. 'a.npy', tensor.ones(3))
      os.execute(('cd %s; chmod 666 a.npy; chmod 555 .'):format(path))
      local output = run(([[
        print(as_nobody(function() tensor.save(%q, tensor.ones(2)) end))
      ]]):format(path .. 'a.npy'), 'TMPDIR=/nowhere; export TMPDIR')
      assert.matches('^false\t[^\n]*no temporary file for <[^\n]*/nowhere/', output)
      assert.are.equal(3, tensor.load(path .. 'a.npy'):sum())
    end)
  end)

  it('leaves the old file, and no other, when the process is killed', function()
    folder_of(function(path)
      for _, ending in ipairs { 't7', 'npy', 'safetensors', 'csv' } do
        tensor.save(path .. 'a.' .. ending, ending == 'safetensors' and { x = tensor.ones(3) } or
                                            tensor.ones(3))
      end
      local before = listed(path)
      local unnamed = run(([[
        ffi.cdef 'int open(const char *, int, ...);'
        local mode = ffi.cast('int', 384)
        print(ffi.os == 'Linux' and ffi.C.open(%q, 0x410002, mode) >= 0)]]):format(path))
      for _, ending in ipairs { 't7', 'npy', 'safetensors', 'csv' } do
        local name = path .. 'a.' .. ending
        local old = content(name)
        local _, status = child.run(([[
          local t, object = tensor.ByteTensor(2 ^ 18, 20), nil
          if %q == 't7' then
            object = {t:clone(), t:clone(), t:clone()}
          elseif %q == 'safetensors' then
            object = {a = t:clone(), b = t:clone(), c = t:clone(), d = t:clone()}
          else
            object = t:resize(2 ^ 19 * 3, 20)
          end
          tensor.save(%q, object, {progress = function(done)
            if done > 0 then ffi.C.kill(ffi.C.getpid(), 9) end
          end})]]):format(ending, ending, name), { first = as_nobody })
        assert.are.equal(137, status)
        assert.are.equal(old, content(name))
      end
      -- Where files without a name are to be had.
      if unnamed == 'true\n' then assert.are.equal(before, listed(path)) end
    end)
  end)

  it('has counterparts in load that read pipes', function()
    folder_of(function(path)
      local t = tensor.ByteTensor(1, 200, 300):random(0, 255)
      for _, ending in ipairs { '.npy', '.safetensors', '.csv', '.png' } do
        local object = ending == '.safetensors' and { a = t } or ending == '.csv' and t[1] or t
        local options = (ending == '.csv' or ending == '.png') and { type = 'Byte' } or {}
        local name, pipe = path .. 'a' .. ending, path .. 'p' .. ending
        tensor.save(name, object)
        os.execute(('mkfifo %s; cat %s > %s &'):format(pipe, name, pipe))
        local expected, read = tensor.load(name, options), tensor.load(pipe, options)
        if ending == '.safetensors' then
          expected, read = expected.a, read.a
        end
        assert.is_true(format_files.same(expected, read))
      end
      os.execute(('cat %sa.npy > %sp.npy &'):format(path, path))
      assert.matches('p.npy: a file on disk is expected',
                     error_of(tensor.load, path .. 'p.npy', { map = true }), 1, true)
      assert.are.equal('6\n', (output_of(([[printf "1,2\n3,0\n" | '%s/bin/tensor' -e "print(
        require 'tensor'.load('/dev/stdin', {format = 'csv'}):sum())"]]):format(
        os.getenv 'TENSOR_PREFIX'))))
    end)
  end)

  it('writes to devices and pipes themselves', function()
    folder_of(function(path)
      tensor.save('/dev/null', tensor.ones(1))
      os.execute(('mkfifo %sp.npy; cat %sp.npy > %sq.npy &'):format(path, path, path))
      tensor.save(path .. 'p.npy', tensor.ones(7))
      assert.are.equal('prw', output_of('ls -l ' .. path .. 'p.npy'):sub(1, 3))
      local read
      for _ = 1, 100 do
        read = content(path .. 'q.npy')
        if #read == 184 then break end
        os.execute 'sleep 0.05'
      end
      assert.are.equal(7, tensor.load(path .. 'q.npy'):sum())
      os.execute(('mkfifo %sp.npz; (cat %sp.npz > %sq; mv %sq %sq.npz) &'):format(path, path, path,
                                                                                 path, path))
      tensor.save(path .. 'p.npz', {a = tensor.ones(300000), b = tensor.range(1, 3)})
      local file
      for _ = 1, 600 do
        file = io.open(path .. 'q.npz')
        if file then break end
        os.execute 'sleep 0.05'
      end
      assert(file):close()
      local arrays = tensor.load(path .. 'q.npz')
      assert.are.equal(300006, arrays.a:sum() + arrays.b:sum())
      assert.are.equal('before\n2\n3\nabc\nafter\n', (run [[
        print 'before'
        io.stdout:flush()
        tensor.save('/dev/stdout', 'abc', 'ascii')
        print 'after']]))
      -- A file that the process prints to stays the one that it prints to.
      run(([[
        ffi.cdef 'int open(const char *, int, ...); int dup2(int, int);'
        ffi.C.dup2(ffi.C.open(%q, 0x241, ffi.cast('int', 384)), 1)
        tensor.save('/dev/stdout', ('x'):rep(100), 'ascii')
        io.stdout:write 'after']]):format(path .. 'out'))
      local printed = content(path .. 'out')
      assert.matches('^after%d?.*x+', printed)
    end)
  end)
end)

describe('load', function()
  it('refuses folders with a message that says so', function()
    folder_of(function(path)
      for _, ending in ipairs { '', '.npy', '.npz', '.csv', '.png', '.safetensors',
                                '.binaryproto' } do
        local name = path .. 'a' .. ending
        os.execute('mkdir ' .. name)
        for _, message in ipairs { error_of(tensor.load, name), error_of(tensor.save, name, {}) } do
          assert.matches(name, message, 1, true)
        end
        assert.matches('Is a directory', error_of(tensor.load, name), 1, true)
      end
      assert.matches('Is a directory', error_of(tensor.DiskFile, path, 'r'), 1, true)
      assert.matches('Is a directory', error_of(tensor.FloatStorage, path), 1, true)
      assert.matches('Is a directory', error_of(tensor.save, path .. 'a', {}), 1, true)
      assert.is_nil(tensor.DiskFile(path, 'r', true))
    end)
  end)

  it('refuses arrays of too many dimensions with a message that says so', function()
    local function npy(sizes)
      local head = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n"):format(sizes)
      return '\147NUMPY\1\0' .. string.char(#head % 256, math.floor(#head / 256)) .. head ..
             ('x'):rep(8)
    end
    local function refuse(ending, bytes)
      with_name(ending, function(name)
        files.write(name, bytes)
        assert.matches('65 dimensions; a tensor has at most 64', error_of(tensor.load, name), 1,
                       true)
      end)
    end
    refuse('.npy', npy(('1,'):rep(65)))
    local head = ('{"t":{"dtype":"F64","shape":[%s],"data_offsets":[0,8]}}')
                 :format(('1,'):rep(64) .. '1')
    if pcall(require, 'cjson') then
      refuse('.safetensors', string.char(#head) .. ('\0'):rep(7) .. head .. ('x'):rep(8))
    end
  end)
end)
