-- .safetensors: what the package of that name wrote (test/reference/safetensors_files.py), and what
-- is written here.

local tensor = require 'tensor'
local format_files = require 'support.format_files'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local with_name = files.with_name
local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local path = here .. '../data/safetensors/all.safetensors'

local kinds = {
  bool = { 'Byte' }, uint8 = { 'Byte', 0, 10 }, int8 = { 'Char', -50, 5 },
  int16 = { 'Short', -3000, 300 }, uint16 = { 'Int', 0, 2800 }, int32 = { 'Int', -10, 90000007 },
  uint32 = { 'Long', 0, 180000001 }, int64 = { 'Long', -2 ^ 50, 2 ^ 47 },
  uint64 = { 'Long', 0, 2 ^ 48 }, float16 = { 'Half', -2, 0.25 },
  bfloat16 = { 'BFloat16', -2, 0.25 }, float32 = { 'Float', -2, 0.25 },
  float64 = { 'Double', -2, 0.1 },
}

-- Writes a file with a head and `bytes` bytes of data.
local function file_of(head, bytes, filler)
  local length = string.char(#head % 256, math.floor(#head / 256)) .. ('\0'):rep(6)
  return length .. head .. (filler or 'x'):rep(bytes)
end
local function load_bytes(bytes, options)
  local results
  with_name('.safetensors', function(name)
    files.write(name, bytes)
    results = { pcall(tensor.load, name, options) }
    assert.is_true(results[1] or results[2]:find(name, 1, true) ~= nil, results[2])
  end)
  return unpack(results)
end

describe('a .safetensors file', function()
  it('has all types, and metadata', function()
    for _, map in ipairs { false, true } do
      local tensors, metadata = tensor.load(path, { map = map })
      assert.are.same({ author = 'nobody', note = 'a "b" \195\169' }, metadata)
      for name, kind in pairs(kinds) do
        local element, start, step = unpack(kind)
        local t = tensors[name]
        assert.are.equal(('torch.%sTensor'):format(element), t:type())
        assert.are.same({ 2, 3, 4 }, t:size():totable())
        for i, value in ipairs(t:clone():view(24):totable()) do
          assert.are.equal(name == 'bool' and (i - 1) % 2 or start + (i - 1) * step, value, name)
        end
      end
      assert.are.same({ 7 }, tensors.scalar:totable())
      assert.are.same({ 3, 0 }, tensors.empty:size():totable())
    end
  end)

  it('is read in parts, and mapped privately', function()
    local part = tensor.load(path, { only = { 'int8', 'float32' }, map = true })
    assert.is_nil(part.int16)
    part.float32:fill(5)
    assert.are.equal(-2, tensor.load(path).float32[1][1][1])
    assert.matches('the file has no tensor nobody',
                   error_of(tensor.load, path, { only = { 'nobody' } }), 1, true)
  end)

  it('has a mapped storage for each tensor', function()
    local n = 20000  -- large enough to be mapped, and not a whole number of pages
    local all = { a = tensor.range(1, n):float(), b = tensor.range(n + 1, 2 * n):float(),
                  c = tensor.range(1, n), small = tensor.FloatTensor { 7 } }
    with_name('.safetensors', function(name)
      tensor.save(name, all)
      local mapped = tensor.load(name, { map = true })
      for key, t in pairs(all) do
        assert.is_true(t:equal(mapped[key]), key)
        assert.are.equal(t:nElement(), mapped[key]:storage():size())
        assert.are.equal(1, mapped[key]:storageOffset())
      end
      -- The elements of b follow those of a.
      local ones = tensor.FloatTensor(n + 2):fill(1)
      assert.matches('this FloatStorage cannot be resized',
                     error_of(tensor.cmul, mapped.a, ones, ones), 1, true)
      assert.matches('this FloatStorage cannot be resized',
                     error_of(mapped.a.resize, mapped.a, n + 2), 1, true)
      assert.is_true(all.b:equal(mapped.b))
      assert.are.equal(tensor.serialize(all.a), tensor.serialize(mapped.a))
      mapped.a:free()
      assert.is_true(all.b:equal(mapped.b))
    end)
  end)

  it('is written with all types and layouts', function()
    local all = {}
    format_files.each(function(e, layout, t) all[e.name .. ' "' .. layout .. '"'] = t end)
    with_name('.safetensors', function(name)
      local told
      tensor.save(name, all, { metadata = { a = 'b', ['"'] = '\n' },
                               progress = function(done, total) told = { done, total } end })
      assert.are.equal(told[1], told[2])
      for _, map in ipairs { false, true } do
        local back, metadata = tensor.load(name, { map = map })
        assert.are.same({ a = 'b', ['"'] = '\n' }, metadata)
        for key, t in pairs(all) do
          assert.is_true(format_files.same(t, back[key]), key)
        end
      end
      tensor.save(name, {})
      assert.are.same({}, tensor.load(name))
      assert.matches('tensor name: 1', error_of(tensor.save, name, { tensor.ones(1) }), 1, true)
      assert.matches('a tensor is expected for x', error_of(tensor.save, name, { x = 1 }), 1, true)
      assert.matches('metadata must be a table',
                     error_of(tensor.save, name, {}, { metadata = { 1 } }), 1, true)
    end)
  end)

  it('may be damaged in any way', function()
    local bytes = files.content(path)
    assert.is_true(format_files.damage(bytes, '.safetensors', 100) > 50)
    assert.is_true(format_files.damage(bytes:sub(1, 400), '.safetensors', 20, { map = true }) == 20)
    for head, text in pairs {
      ['{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'] = 'should end at byte',
      ['{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,4]}}'] = '4 bytes are expected',
      ['{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}'] = '4 bytes are expected',
      ['{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}'] = 'invalid size',
      ['{"a":{"dtype":"F32","shape":[0.5],"data_offsets":[0,2]}}'] = 'invalid size',
      ['{"a":{"dtype":"F32","shape":[9007199254740992,9007199254740992],"data_offsets":[0,4]}}'] =
        'too large',
      ['{"a":{"dtype":"F32","shape":{"1":1},"data_offsets":[0,4]}}'] = 'invalid size',
      -- Many tensors of the same bytes would take any amount of memory.
      ['{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},' ..
       '"b":{"dtype":"I16","shape":[1],"data_offsets":[2,4]}}'] = 'tensors a and b overlap',
      ['{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}'] = 'F8_E4M3 cannot be read',
      ['{"a":{"dtype":"F32","shape":4,"data_offsets":[0,4]}}'] = 'are expected',
      ['{"a":7}'] = 'are expected', ['{"a":null}'] = 'are expected',
      ['[1'] = 'is not a JSON object', ['5'] = 'is not a JSON object',
      [''] = 'is not a JSON object',
      [('['):rep(5000)] = 'is not a JSON object',
    } do
      local loaded, message = load_bytes(file_of(head, 4))
      assert.is_false(loaded)
      assert.matches(text, message, 1, true)
    end
    -- Others can be read.
    local part = '{"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]},' ..
                 '"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}'
    assert.matches('tensor a: elements of type F8_E4M3 cannot be read; the option only selects ' ..
                   'tensors of the file: a, b', select(2, load_bytes(file_of(part, 6))), 1, true)
    local done, b = load_bytes(file_of(part, 6), { only = { 'b' } })
    assert.is_true(done and b.b:nElement() == 2)
    done, b = load_bytes(file_of(part, 6), { only = { 'a' } })
    assert.is_true(not done and b:find 'F8_E4M3 cannot be read$' ~= nil)
    local large = '{"a":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}'
    for k = 10, 40 do
      large = large .. (',"t%d":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}'):format(k)
    end
    assert.matches('a: unsigned numbers of 2^63 .*; the option only .*: a, .*, t%d%d, %.%.%.$',
                   select(2, load_bytes(file_of(large .. '}', 8, '\255'))))
    assert.matches('tensor a: it should end at byte', select(2, load_bytes(
      file_of('{"a":{"dtype":"F8","shape":[9],"data_offsets":[0,9]}}', 4))), 1, true)
    assert.matches('tensors a and b overlap', select(2, load_bytes(
      file_of((part:gsub('%[4,6%]', '[3,5]')), 6))), 1, true)
    assert.matches('the header is missing', select(2, load_bytes '1234567'), 1, true)
    assert.matches('header should end at byte', select(2, load_bytes(('\255'):rep(9))), 1, true)
    local loaded, tensors = load_bytes(
      file_of('{"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}', 5), { map = true })
    assert.is_true(loaded and tensors.a:nElement() == 1)  -- unaligned: it is read
  end)
end)
