-- .npy and .npz: what NumPy wrote (test/reference/numpy_files.py), and what is written here.

local tensor = require 'tensor'
local format_files = require 'support.format_files'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local with_name = files.with_name
local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local folder = here .. '../data/numpy/'

-- As the script has them: the element type that comes of each, the first number and the step.
local kinds = {
  b1 = { 'Byte' }, u1 = { 'Byte', 0, 10 }, i1 = { 'Char', -50, 5 }, i2 = { 'Short', -3000, 300 },
  u2 = { 'Int', 0, 2800 }, i4 = { 'Int', -10, 90000007 }, u4 = { 'Long', 0, 180000001 },
  i8 = { 'Long', -2 ^ 50, 2 ^ 47 }, u8 = { 'Long', 0, 2 ^ 48 }, f2 = { 'Half', -2, 0.25 },
  f4 = { 'Float', -2, 0.25 }, f8 = { 'Double', -2, 0.1 },
}

describe('files of NumPy', function()
  it('have all their types, in both orders of bytes and of dimensions', function()
    local arrays, count = tensor.load(folder .. 'all.npz'), 0
    for name, array in pairs(arrays) do
      local kind, layout = name:match '^(%w+)-(.*)$'
      local element, start, step = unpack(kinds[kind])
      count = count + 1
      assert.are.equal(('torch.%sTensor'):format(element), array:type())
      if layout == 'empty' then
        assert.are.same({ 3, 0 }, array:size():totable())
      else
        assert.are.same(layout == 'scalar' and { 1 } or { 2, 3, 4 }, array:size():totable())
        local flat = array:clone():view(array:nElement()):totable()
        for i, value in ipairs(flat) do
          assert.are.equal(kind == 'b1' and (i - 1) % 2 or start + (i - 1) * step, value, name)
        end
      end
    end
    assert.are.equal(12 * 6, count)
  end)

  it('are the same one by one', function()
    local vector = tensor.load(folder .. 'vector.npy')
    assert.are.equal('torch.DoubleTensor', vector:type())
    for i = 1, 5 do assert.are.equal(-2 + (i - 1) * 0.1, vector[i]) end
    local matrix = tensor.load(folder .. 'matrix.npy')
    assert.are.equal(-0.75, matrix[2][2])
    assert.are.same({ 1, 3 }, matrix:stride():totable())
    assert.are.same({ -3000, -2700, -2400, -2100 },
                    tensor.load(folder .. 'version2.npy'):totable())
    local stored = tensor.load(folder .. 'stored.npz', { only = { 'arr_0' } })
    assert.is_nil(stored.named)
    assert.are.equal(-1.9, stored.arr_0[2])
    assert.matches('the file has no array nobody; it has 2: named, arr_0',
                   error_of(tensor.load, folder .. 'stored.npz', { only = { 'nobody' } }), 1, true)
  end)

  it('are mapped on request', function()
    for _, name in ipairs { 'vector', 'matrix' } do
      local mapped = tensor.load(folder .. name .. '.npy', { map = true })
      assert.is_true(format_files.same(tensor.load(folder .. name .. '.npy'), mapped))
      assert.are.equal(mapped:nElement(), mapped:storage():size())
      assert.are.equal(1, mapped:storageOffset())
      mapped:fill(7)  -- does not change the file
      assert.are_not.equal(7, tensor.load(folder .. name .. '.npy'):max())
    end
  end)

  it('say what cannot be read of them', function()
    local messages = { complex = "elements of type '<c16'", object = 'objects are code',
                       text = "elements of type '<U3'", structured = 'structured arrays',
                       unsigned = 'unsigned numbers of 2^63 and more' }
    for name, text in pairs(messages) do
      local message = error_of(tensor.load, folder .. name .. '.npy')
      assert.matches(text, message, 1, true)
      assert.matches(name .. '.npy', message, 1, true)
    end
    assert.matches('unknown option mapped; the options are map, progress',
                   error_of(tensor.load, folder .. 'vector.npy', { mapped = true }), 1, true)
    assert.matches('No such file', error_of(tensor.load, 'nowhere/x.npy'), 1, true)
    assert.matches('No such file', error_of(tensor.load, 'nowhere/x.npz'), 1, true)
    assert.matches('No such file', error_of(tensor.save, 'nowhere/x.npy', tensor.ones(1)), 1, true)
    assert.matches('an .npy file contains a tensor', error_of(tensor.save, 'x.npy', {}), 1, true)
    assert.matches('an .npz file contains a table', error_of(tensor.save, 'x.npz', 1), 1, true)
    assert.matches('a tensor is expected for a', error_of(tensor.save, 'x.npz', { a = 1 }), 1, true)
  end)

  it('may be damaged in any way', function()
    for name, options in pairs { ['vector.npy'] = {}, ['version2.npy'] = { map = true },
                                 ['stored.npz'] = {}, ['all.npz'] = { only = { 'u2-big' } } } do
      local errors = format_files.damage(files.content(folder .. name),
                                         name:match '%.%w+$', 60, options)
      assert.is_true(errors >= 25, name)
    end
  end)

  it('claim no more than there is', function()
    for _, shape in ipairs { '6,', '9000000000000000000,', '9007199254740992, 9007,', '0, 9e9,',
                             '-1,', '3, 4 5,', '1' .. ('0'):rep(400) .. ',' } do
      local head = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n"):format(shape)
      local length = string.char(#head % 256, math.floor(#head / 256))
      local claimed = '\147NUMPY\1\0' .. length .. head .. ('x'):rep(47)
      with_name('.npy', function(name)
        files.write(name, claimed)
        local message = error_of(tensor.load, name)
        assert.matches(name, message, 1, true)
        if shape == '-1,' or #shape > 400 then
          assert.matches('the shape contains an invalid size: (' .. shape:sub(1, 40), message, 1,
                         true)
        elseif shape:sub(1, 4) == '9000' then
          assert.matches('a tensor of 9000000000000000000 elements is too large', message, 1, true)
        end
      end)
    end
    -- An archive whose directory claims the size that the array's header requests.
    with_name('.npz', function(name)
      tensor.save(name, { a = tensor.ones(1) })
      local bytes = files.content(name):gsub('%(1,%), }        ', '(100000000,), }')
      local size = string.char(128, 8, 175, 47)  -- 128 bytes of the header, and the elements
      local at = bytes:find('PK\1\2', 1, true)
      files.write(name, bytes:sub(1, at + 19) .. size .. size .. bytes:sub(at + 28))
      assert.matches('or the file is truncated', error_of(tensor.load, name), 1, true)
    end)
  end)

  it('may be archives with folders', function()
    with_name('.npz', function(name)
      tensor.save(name, { a = tensor.ones(2), b = tensor.ones(3) })
      local bytes = files.content(name):gsub('b%.npy', 'b.np/')
      files.write(name, bytes)
      local arrays = tensor.load(name)
      assert.is_nil(next(arrays, 'a'))
      assert.are.equal(2, arrays.a:sum())
    end)
  end)
end)

describe('a mapped file', function()
  -- The file is sparse: 256 GiB, of which some KiB are on the disk.
  it('may be larger than the memory', function()
    with_name('.npy', function(name)
      local dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (68719476736,), }"
      local header = dictionary .. (' '):rep(4096 - 10 - #dictionary - 1) .. '\n'
      local file = assert(io.open(name, 'wb'))
      file:write('\147NUMPY\1\0', string.char(#header % 256, math.floor(#header / 256)), header)
      file:seek('set', 4096 + 4 * (2 ^ 36 - 1))
      file:write '\0\0\128\63'
      file:close()
      local x = tensor.load(name, { map = true })
      assert.are.equal(2 ^ 36, x:nElement())
      assert.are.equal(1, x:narrow(1, 2 ^ 36 - 9, 10):sum())
      x[5] = 2
      assert.are.equal(2, x:narrow(1, 1, 10):sum())
    end)
  end)
end)

describe('files for NumPy', function()
  it('have all types and layouts', function()
    with_name('.npy', function(name)
      format_files.each(function(e, layout, t)
        tensor.save(name, t)
        local back = tensor.load(name)
        assert.is_true(format_files.same(t, back), e.name .. ' ' .. layout)
        assert.is_true(format_files.same(t, tensor.load(name, { map = true })))
        local head = files.content(name):match '^\147NUMPY\1%z..(%b{}) *\n'
        assert.is_truthy(head:find("'fortran_order': False", 1, true))
      end)
      tensor.save(name, tensor.Tensor())
      assert.are.same({ 0 }, tensor.load(name):size():totable())
    end)
  end)

  it('are archives of many', function()
    local all = {}
    format_files.each(function(e, layout, t) all[e.name .. '/' .. layout] = t end)
    for _, compress in ipairs { false, true } do
      with_name('.npz', function(name)
        tensor.save(name, all, { compress = compress })
        local back, count = tensor.load(name), 0
        for key, t in pairs(all) do
          assert.is_true(format_files.same(t, back[key]), key)
          count = count + 1
        end
        assert.are.equal(72, count)
        tensor.save(name, { tensor.ones(2), tensor.zeros(2) })
        assert.are.equal(1, tensor.load(name).arr_0[1])
        assert.are.equal(0, tensor.load(name).arr_1[1])
        for _, key in ipairs { 1.5, 0, -1 } do
          assert.error_matches(function() tensor.save(name, { [key] = tensor.ones(2) }) end,
                               'invalid array name: ' .. tostring(key), 1, true)
        end
        assert.matches('the name of a member has 70004 bytes',
                       error_of(tensor.save, name, { [('x'):rep(70000)] = tensor.ones(1) }))
        -- Nothing is an archive, too.
        tensor.save(name, {}, { compress = compress })
        assert.is_nil(next(tensor.load(name)))
        assert.are.equal('PK\5\6' .. ('\0'):rep(18), files.content(name))
      end)
    end
  end)

  it('are not read if a compressed member is damaged', function()
    with_name('.npz', function(name)
      local t = tensor.range(1, 100)
      tensor.save(name, { a = t }, { compress = true })
      local bytes = files.content(name)
      local silent = {}
      for at = 31, #bytes do
        files.write(name, bytes:sub(1, at - 1), string.char((bytes:byte(at) + 1) % 256),
                    bytes:sub(at + 1))
        local done, found = pcall(tensor.load, name)
        if done and not (found.a and found.a:equal(t)) and next(found) == 'a' then
          silent[#silent + 1] = at
        end
      end
      assert.are.equal('', table.concat(silent, ' '))
    end)
  end)

  it('tell how far they are', function()
    with_name('.npy', function(name)
      local t, told = tensor.ByteTensor(2 ^ 24 + 5):zero(), {}
      local function progress(done, total) told[#told + 1] = { done, total } end
      local expected = { { 0, 2 ^ 24 + 5 }, { 2 ^ 24, 2 ^ 24 + 5 }, { 2 ^ 24 + 5, 2 ^ 24 + 5 } }
      tensor.save(name, t, { progress = progress })
      assert.are.same(expected, told)
      told = {}
      tensor.load(name, { progress = progress })
      assert.are.same(expected, told)
      told = {}
      tensor.load(name, { map = true, progress = progress })
      assert.are.same({ expected[1], expected[3] }, told)
      assert.matches('enough', error_of(tensor.load, name, { progress = function()
        error 'enough'
      end }), 1, true)
    end)
  end)

  it('tell how far they are in archives', function()
    with_name('.npz', function(name)
      local size, total = 2 ^ 24 + 5, 2 ^ 24 + 8
      local arrays, told = { a = tensor.ByteTensor(size):zero(), b = tensor.ByteTensor(3):zero() }
      local function progress(done, all)
        assert.are.equal(total, all)
        assert.is_true(done >= (told[#told] or 0))
        told[#told + 1] = done
      end
      told = {}
      tensor.save(name, arrays, { progress = progress })
      assert.is_true(#told > 10 and told[1] == 0 and told[#told] == total)
      told = {}
      tensor.load(name, { progress = progress })
      assert.are.same({ 0, 2 ^ 24, size, total }, told)
      -- An error leaves the old file. Meanwhile the elements stay where they are.
      local before, calls, resized = files.content(name), 0, nil
      arrays.a:fill(1)
      assert.matches('enough', error_of(tensor.save, name, arrays, { progress = function()
        calls = calls + 1
        if calls == 5 then
          resized = pcall(arrays.a.resize, arrays.a, 2 ^ 25)
          error 'enough'
        end
      end }), 1, true)
      assert.are.equal(5, calls)
      assert.is_false(resized)
      assert.is_true(before == files.content(name))
      arrays.a:resize(2 ^ 25)
    end)
  end)
end)

describe('the option only', function()
  it('must be a list', function()
    for ending, object in pairs { ['.npz'] = { a = tensor.ones(2) }, ['.csv'] = { a = { 1 } },
                                  ['.safetensors'] = { a = tensor.ones(2) } } do
      files.with_name(ending, function(name)
        tensor.save(name, object)
        for part, only in pairs { ['only must be a list, got the key a'] = { a = true },
                                  ['only must be a list, got the key 0'] = { [0] = 'a', 'a' },
                                  ['only: position 1 is nil'] = { nil, 'a' } } do
          assert.matches(part, error_of(tensor.load, name, { only = only }), 1, true)
        end
      end)
    end
  end)
end)
