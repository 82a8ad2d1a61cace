-- tensor.data: batches and readers.

local tensor = require 'tensor'
local data = require 'tensor.data'
local versions = require 'tensor.versions'
local files = require 'support.files'

local folder

local function write(name, bytes)
  files.write(folder .. '/' .. name, bytes)
  return folder .. '/' .. name
end

-- The rows of all batches of an epoch.
local function rows(batches, epoch)
  local list = {}
  for x in batches(epoch) do
    for k = 1, x:size(1) do
      list[#list + 1] = x[k]
    end
  end
  return list
end

describe('tensor.data', function()
  setup(function()
    folder = files.new_folder()
  end)
  teardown(function()
    os.execute(('rm -rf %s'):format(folder))
  end)
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(3)
  end)

  it('batches contain each row once, in an order that depends on seed and epoch', function()
    local x = tensor.range(1, 10)
    local y = x * 2
    local batches = data.batches({x, y}, {size = 4, seed = 7})
    assert.are.equal(3, batches.count)
    local sizes, seen = {}, tensor.zeros(10)
    for a, b in batches(1) do
      sizes[#sizes + 1] = a:size(1)
      assert.is_true(b:equal(a * 2))
      seen:indexAdd(1, a:long(), tensor.ones(a:size(1)))
    end
    assert.are.same({4, 4, 2}, sizes)
    assert.is_true(seen:eq(1):all())

    local first, second = rows(batches, 1), rows(batches, 2)
    assert.are_not.same(first, second)
    tensor.rand(5)
    assert.are.same(first, rows(data.batches(x, {size = 3, seed = 7}), 1))
    assert.are_not.same(first, rows(data.batches(x, {size = 4, seed = 8}), 1))
    -- Without a number, the next epoch.
    local other = data.batches(x, {size = 4, seed = 7})
    assert.are.same(first, rows(other))
    assert.are.same(second, rows(other))
    -- The global generator is not used.
    tensor.manualSeed(1)
    local number = tensor.random()
    tensor.manualSeed(1)
    rows(batches, 3)
    assert.are.equal(number, tensor.random())
  end)

  it('batches without shuffling, partial batches, transforms and sources', function()
    local x = tensor.range(1, 5)
    local batches = data.batches(x, {size = 2, shuffle = false, partial = false})
    assert.are.equal(2, batches.count)
    assert.are.same({1, 2, 3, 4}, rows(batches))
    local source = {count = 5, get = function(indices) return indices:double() * 10 end}
    local shifted = data.batches({source, x}, {size = 5, shuffle = false, transform = function(a, b)
      return a + b
    end})
    assert.are.same({11, 22, 33, 44, 55}, rows(shifted))
    assert.has_error(function() data.batches({x, tensor.ones(4)}, {size = 1}) end,
                     'data.batches: source 2 has 4 rows, but source 1 has 5')
    assert.has_error(function() data.batches(x, {}) end,
      'data.batches: size: a whole number of at least 1 is expected, got nil')
    assert.has_error(function() data.batches({3}, {size = 1}) end,
      'data.batches: source 1: a tensor or a table with count and get is expected, got number')
    assert.has_error(function() data.batches({count = 5, get = 'x'}, {size = 1}) end,
      'data.batches: get of source 1: a function is expected, got string')
    local known = '; the options are ahead, partial, seed, shuffle, size, threads, transform'
    for _, value in ipairs {5, 'x', print} do
      assert.has_error(function() data.batches(value, {size = 1}) end,
        'data.batches: sources: a tensor, a table with count and get, or a list of them is ' ..
        'expected, got ' .. type(value))
      assert.has_error(function() data.batches(x, value) end,
        'data.batches: a table of options is expected, got a ' .. type(value) .. known)
    end
    assert.has_error(function() data.batches(nil, {size = 1}) end,
      'data.batches: sources: a tensor, a table with count and get, or a list of them is ' ..
      'expected, got nil')
    assert.has_error(function() data.batches(x, {size = 1, suffle = true}) end,
                     'data.batches: unknown option suffle' .. known)
  end)

  it('batches name what is wrong', function()
    local x = tensor.range(1, 4)
    local function failure(sources, options, epoch)
      local ok, message = pcall(function()
        for _ in data.batches(sources, options)(epoch) do end
      end)
      return not ok and message:match '^%S*data_spec.lua:%d+: (.*)$'
    end
    local function source(count, ...)
      local results = {...}
      return {count = count, get = function() return versions.unpack(results) end}
    end
    for expected, arguments in pairs{
      ['data.batches: the first result of transform is nil; a batch is expected'] =
        {x, {size = 2, transform = function() end}},
      ['data.batches: source 1: 2 rows are expected, got nil'] = {source(4), {size = 2}},
      ['data.batches: source 2: 2 rows are expected, got a tensor of size [3]'] =
        {{x, source(4, tensor.ones(3))}, {size = 2}},
      ['data.batches: get of source 2: one result is expected, got several; use a source for ' ..
       'each, or a transform'] =
        {{x, source(4, tensor.ones(2), tensor.ones(2))}, {size = 2}},
      ['data.batches: count of source 1: a whole number of at least 0 is expected, got 2.5'] =
        {source(2.5), {size = 2}},
      ['data.batches: seed: a whole number is expected, got 0.5'] = {x, {size = 2, seed = 0.5}},
      ['data.batches: epoch: a whole number of at least 0 is expected, got x'] =
        {x, {size = 2}, 'x'},
    } do
      assert.are.equal(expected, failure(arguments[1], arguments[2], arguments[3]))
    end
    assert.has_error(function() for _ in data.batches(x, {size = 2}) do error 'begins' end end,
                     'data.batches: a loop needs a call: for x, y in batches() do')
    local batches = data.batches(x, {size = 2})
    assert.has_error(function() return batches[1] end,
                     'data.batches: a loop needs a call: for x, y in batches() do')
    -- In LuaJIT and Lua 5.1, ipairs does not call __index.
    assert.are.equal(_VERSION == 'Lua 5.1', (pcall(function() for _ in ipairs(batches) do end end)))
    assert.has_error(function() data.shift() end,
                     'data.shift: a whole number of pixels is expected, got nil')
    assert.has_error(function() data.mirror()(4) end,
                     'data.mirror: a tensor of 2 or more dimensions is expected, got a number')
    assert.has_error(function() data.shift(1)(tensor.ones(2, 3)) end,
      'data.shift: a tensor of 3 or more dimensions is expected, got a tensor of size [2 x 3]')
    assert.has_error(function() data.mirror(2) end,
                     'data.mirror: a probability from 0 to 1 is expected, got 2')
    assert.has_error(function() data.normalize(0) end,
                     'data.normalize: a number or a tensor is expected, got nil')
    assert.has_error(function() data.pictures('x', {sise = {1, 1}}) end,
                     'data.pictures: unknown option sise; the options are channels, classes, size')
    assert.has_error(function() data.pictures('x', 5) end,
                     'data.pictures: a table of options is expected, got a number; ' ..
                     'the options are channels, classes, size')
    for _, size in ipairs{{}, {2}, {'a', 'b'}, {1.5, 2}, {2, 0}} do
      assert.has_error(function() data.pictures('x', {size = size}) end,
                       'data.pictures: option size must be {height, width}')
    end
  end)

  it('transforms images', function()
    local x = tensor.range(1, 2 * 2 * 3 * 4):view(2, 2, 3, 4)
    assert.is_true(data.normalize(2, 4)(x):allclose((x - 2) / 4))
    local y = data.normalize(tensor.Tensor{1, 2}, tensor.Tensor{2, 4})(x)
    assert.is_true(y[2][2]:allclose((x[2][2] - 2) / 4))
    assert.is_true(data.mirror(1)(x):equal(x:flip(4)))
    assert.is_true(data.mirror(0)(x):equal(x))
    local many = tensor.range(1, 4):view(1, 1, 1, 4):expand(1000, 1, 1, 4)
    local mirrored = data.mirror()(many):select(4, 1):eq(4):sum()
    assert.is_true(mirrored > 400 and mirrored < 600)
    -- Every shift by at most one pixel occurs.
    local shifted = data.shift(1)(tensor.ones(200, 1, 1, 1)):sum()
    assert.is_true(shifted > 5 and shifted < 60)
    assert.is_true(data.shift(0)(x):equal(x))
    assert.is_true(data.shift(0)(x:long()):equal(x:long()))
    local found = {}
    for k = 1, 200 do
      local moved = data.shift(1)(tensor.Tensor{{{{0, 0, 0}, {0, k, 0}, {0, 0, 0}}}})
      assert.are.equal(k, moved:sum())
      found[moved:view(-1):argmax(1)[1]] = true
    end
    assert.are.equal(9, #found)
  end)

  it('reads idx files, also compressed', function()
    local bytes = '\0\0\8\2' .. '\0\0\0\2' .. '\0\0\0\3' .. '\1\2\3\253\254\255'
    local name = write('a', bytes)
    local t = data.idx(name)
    assert.are.equal('torch.ByteTensor', t:type())
    assert.are.same({{1, 2, 3}, {253, 254, 255}}, t:totable())
    os.execute(('gzip -k %s'):format(name))
    assert.is_true(data.idx(name .. '.gz'):equal(t))
    assert.are.same({-2, 259}, data.idx(write('b', '\0\0\11\1\0\0\0\2\255\254\1\3')):totable())
    assert.are.same({-1.5}, data.idx(write('c', '\0\0\13\1\0\0\0\1\191\192\0\0')):totable())
    local function fails(text, message)
      assert.has_error(function() data.idx(write('d', text)) end,
                       ('data.idx: %s/d: %s'):format(folder, message))
    end
    fails('\0\0\10\1\0\0\0\1x', 'not an idx file')
    fails('\0\0\8\1\255\255\255\255', 'the header states 4294967303 bytes, but the file has 8')
    local empty = data.idx(write('e', '\0\0\8\2\0\0\0\0\0\0\0\3'))
    assert.are.same({0, 3}, empty:size():totable())
    assert.is_false((pcall(data.idx, write('d', '\0\0\8\1\0\0\0\9x'))))
    assert.is_false((pcall(data.idx, write('d', ''))))
    assert.has_error(function() data.idx(folder .. '/none.gz') end,
                     ('data.idx: cannot open <%s/none.gz>'):format(folder))
  end)

  it('refuses idx files that are damaged', function()
    local function failure(name, content)
      local ok, message = pcall(data.idx, write(name, content))
      return not ok and message
    end
    local head = '\0\0\8\2\0\0\0\2\0\0\0\3'
    local whole = head .. 'abcdef'
    assert.is_false(failure('x.idx', whole))
    for length = 0, #whole - 1 do
      local message = failure('x.idx', whole:sub(1, length))
      assert.matches(length < #head and 'the file ends too early'
                     or 'the header states 18 bytes, but the file has ' .. length, message)
    end
    assert.matches('states 18 bytes, but the file has 19', failure('x.idx', whole .. 'x'))
    assert.matches('the header states 8589934602 bytes',
                   failure('x.idx', head:sub(1, 8) .. '\255\255\255\255' .. 'abcdef'))
    local ones = '\127\255\255\255'
    assert.matches('more than 2^40 elements',
                   failure('x.idx', '\0\0\8\3' .. ones .. ones .. ones .. 'abc'))
    assert.matches('not an idx file', failure('x.idx', '\0\0\7' .. whole:sub(4)))

    -- gzip finds errors at the end only.
    local long = '\0\0\8\1\0\0\16\0' .. ('abcdefgh'):rep(512)
    local packed = folder .. '/x.gz'
    os.execute(('gzip -c %s > %s'):format(write('x.idx', long), packed))
    local bytes = files.content(packed)
    assert.is_false(failure('x.gz', bytes))
    for at = 12, #bytes do
      local other = string.char((bytes:byte(at) + 1) % 256)
      local message = failure('x.gz', bytes:sub(1, at - 1) .. other .. bytes:sub(at + 1))
      if message then
        assert.matches('data.idx: .*%.gz: ', message)
      else
        assert.are.equal(long:sub(9), data.idx(packed):storage():string())
      end
      assert.matches('ends too early or is damaged', failure('x.gz', bytes:sub(1, at - 1)))
    end
  end)

  it('reads the files of MNIST', function()
    for _, part in ipairs{'train', 't10k'} do
      write(part .. '-images-idx3-ubyte', '\0\0\8\3\0\0\0\2\0\0\0\1\0\0\0\2\1\2\3\4')
      write(part .. '-labels-idx1-ubyte', '\0\0\8\1\0\0\0\2\0\9')
    end
    os.execute(('gzip %s/t10k-images-idx3-ubyte'):format(folder))
    local train, test = data.mnist(folder)
    assert.are.same({1, 10}, train.classes:totable())
    assert.are.same({{{1, 2}}, {{3, 4}}}, test.images:totable())
  end)

  it('reads folders of pictures', function()
    os.execute(("mkdir -p '%s/p/b c' %s/p/a"):format(folder, folder))
    local function save(name, value, rows_of_picture)
      tensor.save(folder .. '/p/' .. name, tensor.FloatTensor(1, rows_of_picture, 4):fill(value))
    end
    save('a/2.png', 1, 2)
    save('a/1.png', 0, 2)
    save('b c/1.png', 0.6, 4)
    local source, classes, names = data.pictures(folder .. '/p', {size = {2, 4}, channels = 1})
    assert.are.same({1, 1, 2}, classes:totable())
    assert.are.same({'a', 'b c'}, names)
    local x = source.get(tensor.LongTensor{3, 1, 2})
    assert.are.same({3, 1, 2, 4}, x:size():totable())
    assert.is_true((x:mean({2, 3, 4}):view(-1) - tensor.FloatTensor{0.6, 0, 1}):abs():max() < 1e-6)
    for images, numbers in data.batches({source, classes}, {size = 3, shuffle = false}) (1) do
      assert.are.equal(1, images[2]:min())
      assert.are.same({1, 1, 2}, numbers:totable())
    end
    -- Names may contain any characters.
    save('a/x\ny.png', 0, 2)
    assert.are.same({'a/1.png', 'a/2.png', 'a/x\ny.png', 'b c/1.png'},
                    data.pictures(folder .. '/p').names)
    local function fails(message, name, options)
      assert.has_error(function()
        local pictures = data.pictures(folder .. name, options)
        pictures.get(tensor.LongTensor{1, 4})
      end, 'data.pictures: ' .. message)
    end
    fails(('cannot open the folder %s/none'):format(folder), '/none')
    fails(('%s/p/a has no subfolders with PNG or JPEG files'):format(folder), '/p/a')
    fails('sizes differ without the option size: b c/1.png has 4 x 4 pixels, and a/1.png has 2 x 4',
          '/p')
    fails('the subfolder b c is not in the option classes', '/p', {classes = {'a'}})
    fails('option classes has a twice', '/p', {classes = {'a', 'a'}})
    -- Subfolders without pictures are classes, too.
    os.execute(("mkdir -p %s/p/B '%s/p/.hidden' %s/p/a/nested"):format(folder, folder, folder))
    save('.hidden/1.png', 0, 2)
    save('1.png', 0, 2)
    source, classes, names = data.pictures(folder .. '/p')
    assert.are.equal(4, source.count)
    assert.are.same({'B', 'a', 'b c'}, names)
    assert.are.same({2, 2, 2, 3}, classes:totable())
    source, classes, names = data.pictures(folder .. '/p', {classes = {'b c', 'other', 'a'}})
    assert.are.equal(4, source.count)
    assert.are.same({'b c', 'other', 'a'}, names)
    assert.are.same({3, 3, 3, 1}, classes:totable())
  end)

  it('reads folders whose names a shell would take for something else', function()
    os.execute(("mkdir -p '%s/n/-x/a' '%s/n/p/a' '%s/m/p/b'"):format(folder, folder, folder))
    for _, name in ipairs {'/n/-x/a/1.png', '/n/p/a/1.png', '/m/p/b/1.png'} do
      tensor.save(folder .. name, tensor.FloatTensor(1, 2, 2))
    end
    local popen = io.popen
    finally(function() io.popen = popen end)  -- luacheck: ignore
    function io.popen(command)  -- luacheck: ignore
      return popen(("cd '%s/n'; CDPATH='%s/m'; "):format(folder, folder) .. command)
    end
    for name, expected in pairs {['-x'] = 'a/1.png', p = 'a/1.png', ['../m/p'] = 'b/1.png',
                                 [folder .. '/m/p'] = 'b/1.png'} do
      assert.are.same({expected}, data.pictures(name).names)
    end
  end)

  it('draws the numbers of a batch from its seed while the transform yields', function()
    local function drawn(yields)
      local batches = data.batches(tensor.range(1, 4), {
        size = 2, seed = 3, shuffle = false, transform = function()
          local first = tensor.uniform()
          if yields then coroutine.yield() end
          return {first, tensor.uniform()}
        end})
      local list = {}
      for pair in batches(1) do list[#list + 1] = pair end
      return list
    end
    tensor.manualSeed(1)
    local expected = {tensor.uniform(), tensor.uniform(), tensor.uniform()}
    local numbers = drawn(false)
    tensor.manualSeed(1)
    local own, result = {}, nil
    local thread = coroutine.create(function() result = drawn(true) end)
    repeat
      assert.is_true(coroutine.resume(thread))
      own[#own + 1] = tensor.uniform()
    until coroutine.status(thread) == 'dead'
    assert.are.same(expected, own)
    assert.are.same(numbers, result)
  end)

  it('normalizes images of integers as numbers in floating point', function()
    local bytes = tensor.ByteTensor(2, 2, 1, 1):fill(50)
    local function check(expected, class, x, mean, deviation)
      local y = data.normalize(mean, deviation)(x)
      assert.are.equal(class, y:type())
      assert.is_true((y[2]:double():view(2) - tensor.DoubleTensor(expected)):abs():max() < 1e-5)
    end
    check({-25.25, -25.25}, 'torch.DoubleTensor', bytes, 100.5, 2)
    check({-1, -2}, 'torch.DoubleTensor', bytes, 100, tensor.FloatTensor{50, 25})
    check({-1, 0.5}, 'torch.FloatTensor', bytes:float(), tensor.Tensor{100, 25}, 50)
    check({-1, -2}, 'torch.FloatTensor', bytes:float(), 100, tensor.LongTensor{50, 25})
    tensor.setdefaulttensortype 'torch.FloatTensor'
    check({50 / 255, 50 / 255}, 'torch.FloatTensor', bytes, 0, 255)
    tensor.setdefaulttensortype 'torch.IntTensor'
    check({50 / 255, 50 / 255}, 'torch.DoubleTensor', bytes, 0, 255)
    assert.are.equal(50, bytes:max())
  end)

  it('batches contain each row once with any default tensor type', function()
    local x = tensor.range(1, 3000):long()
    for _, name in ipairs{'Byte', 'Half', 'BFloat16'} do
      tensor.setdefaulttensortype(('torch.%sTensor'):format(name))
      for _, shuffle in ipairs{true, false} do
        local seen = {}
        for batch in data.batches(x, {size = 500, shuffle = shuffle})() do
          for k = 1, batch:size(1) do
            seen[#seen + 1] = batch[k]
          end
        end
        table.sort(seen)
        assert.are.same(x:totable(), seen)
      end
    end
    assert.is_nil(data.batches(tensor.LongTensor(0), {size = 2, shuffle = false})()())
  end)

  it('refuses to continue an epoch of other rows', function()
    local training = require 'tensor.training'
    local name = folder .. '/rows'
    local function make(count)
      return {batches = data.batches(tensor.range(1, count), {size = 4, seed = 9})}
    end
    local first = make(23)
    first.batches(2)()
    training.save(name, first)
    local other = make(8)
    training.load(name, other)
    assert.has_error(function() other.batches(2) end,
                     'data.batches: the checkpoint was saved after 1 batches of a source of 23 ' ..
                     'rows, but source 1 has 8')
    -- The next epoch may have other rows.
    assert.are.equal(8, #rows(other.batches, 3))
    -- A checkpoint of an earlier version.
    first.batches.state.rows = nil
    training.save(name, first)
    local rest = make(23)
    training.load(name, rest)
    assert.are.equal(19, #rows(rest.batches, 2))
  end)
end)
