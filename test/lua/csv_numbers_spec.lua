-- Numbers of tables that are written with decimal commas or thousands separators, and lines without
-- numbers. The options of tables.

local format_files = require 'support.format_files'
local tensor = require 'tensor'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local name = os.tmpname()

local loaded = format_files.load_csv

local function failure(...)
  return error_of(loaded, ...)
end

local function numbers(...) return loaded(...):totable() end

describe('files that are not text', function()
  teardown(function() os.remove(name) end)

  it('are errors', function()
    local utf16 = 'the text is UTF-16; UTF-8 is expected'
    for bytes, message in pairs {
      ['\255\254a\0\n\0'] = utf16, ['\254\255\0a\0\n'] = utf16,
      ['\31\139\8\0abc\n'] = 'compressed in the format gzip', ['PK\3\4ab\n'] = 'the format ZIP',
      ['\253' .. '7zXZ\0'] = 'the format xz', ['BZh91AY&SYa'] = 'the format bzip2',
      [('\0'):rep(4096)] = 'byte 1 is NUL', ['a\0,\0b\0\n\0001\0,\0002\0\n\0'] = 'byte 2 is NUL',
      ['"\0a\0"\0\n\0001\0\n\0'] = 'byte 6 is NUL', ['a\n1\n\0\0'] = 'byte 5 is NUL',
    } do
      assert.matches(message, failure(bytes), 1, true)
    end
    assert.are.same({ 'a\0b' }, loaded('x\n"a\0b"\n').x)
  end)
end)

describe('floats', function()
  teardown(function() os.remove(name) end)

  it('are read as the same if the reader rounds twice', function()
    local t = tensor.FloatTensor { 7.0385307e-26, -7.0385307e-26, 1e-26 }
    tensor.save(name, t, { format = 'csv' })
    assert.are.equal('7.03853069e-26\n-7.03853069e-26\n1e-26\n', files.content(name))
    local back = tensor.load(name, { format = 'csv', type = 'Float', header = false })
    assert.is_true(back:view(3):equal(t))
  end)
end)

describe('decimal commas', function()
  teardown(function() os.remove(name) end)

  it('are found next to fields with several points', function()
    local t = loaded('Datum;Betrag\n05.01.2026;3,50\n06.01.2026;7,25\n')
    assert.are.same({ 3.5, 7.25 }, t.Betrag:totable())
    assert.are.same({ '05.01.2026', '06.01.2026' }, t.Datum)
    assert.are.same({ 3.5 }, loaded('ip;v\n10.0.0.1;3,50\n').v:totable())
    assert.are.same({ 3.5 }, loaded('text;v\nversion 1.2;3,50\n').v:totable())
  end)

  it('are not found next to decimal points', function()
    assert.are.same({ '3,50' }, loaded('a;b\n1.5;3,50\n').b)
    assert.are.same({ '3,50' }, loaded('a;b\n-1.5e3;3,50\n').b)
    assert.are.same({ '3,50' }, loaded('a;b\n"1.5" ;3,50\n').b)
  end)

  it('may follow a sign, and precede an exponent', function()
    assert.are.same({ 1.5, 3.5 }, loaded('a;b\n+1,5;2\n+3,5;4\n').a:totable())
    assert.are.same({ 1500 }, loaded('a;b\n1,5e3;2\n').a:totable())
  end)

  it('are explained in errors', function()
    local text = 'a;b\n1.5;3,50\n'
    local advice = "'3,50' is not a number: the options decimal and thousands say how to read it"
    assert.matches(advice, failure(text, { only = { 'b' } }), 1, true)
    assert.matches(advice, failure('a;b\n1.5;2\n1.5;3,50\n'), 1, true)
    for _, number in ipairs { '1.234,50', '1.234.567', '-3,5' } do
      assert.matches('options decimal and thousands', failure('a;b\n1.5;' .. number .. '\n', {}))
    end
    for _, word in ipairs { '1,2,3', '12:30', 'x1,5', '1,5x', '1.2.3' } do
      assert.matches('options missing and invalid', failure('a;b\n1.5;' .. word .. '\n', {}))
    end
  end)
end)

describe('thousands separators', function()
  teardown(function() os.remove(name) end)

  it('are removed between groups of three digits', function()
    local options = { columns = true, thousands = ',' }
    local t = loaded('a,b\n"1,234","-1,234,567.5"\n"12",3\n', options)
    assert.are.equal('torch.LongTensor', t.a:type())
    assert.are.same({ 1234, 12 }, t.a:totable())
    assert.are.same({ -1234567.5, 3 }, t.b:totable())
    assert.are.same({ { 1234, 5 } }, numbers("1'234;5", { thousands = "'" }))
    assert.are.same({ { 1234567 } }, numbers('1 234 567\n', { thousands = ' ' }))
  end)

  it('are not removed elsewhere', function()
    for _, text in ipairs { '"1,5"', '"1234,567"', '",123"', '"1,23,456"', '"1,234x"' } do
      local t = loaded('a\n' .. text .. '\n', { columns = true, thousands = ',' })
      assert.are.same({ text:sub(2, -2) }, t.a)
    end
  end)

  it('may be points, beside decimal commas', function()
    local text = 'a;b\n1.234,50;1.000\n12,5;2.000\n'
    assert.are.same({ { 1234.5, 1000 }, { 12.5, 2000 } }, numbers(text, { thousands = '.' }))
    assert.are.same({ { 1234, 1000 } }, numbers('a;b\n1.234;1.000\n', { thousands = '.' }))
    assert.are.same({ { 1234.5, 1000 } },
                    numbers('1.234,5;1.000', { thousands = '.', decimal = ',' }))
  end)

  it('are one character that has no other meaning', function()
    assert.matches('thousands cannot be "%."', failure('1', { thousands = '.', decimal = '.' }))
    assert.matches('thousands cannot be """', failure('1', { thousands = '"' }), 1, true)
    assert.matches('thousands cannot be "ab"', failure('1', { thousands = 'ab' }))
  end)
end)

describe('lines of blanks', function()
  teardown(function() os.remove(name) end)

  it('are skipped', function()
    for _, blanks in ipairs { '  ', '  \n', ' \t\r\n', '\n  \n' } do
      assert.are.same({ { 1, 2 }, { 3, 4 } }, numbers('a,b\n1,2\n3,4\n' .. blanks, {}))
      assert.are.same({ { 1, 2 }, { 3, 4 } }, numbers('  \na,b\n1,2\n' .. blanks .. '\n3,4', {}))
    end
  end)

  it('are rows if they contain separators', function()
    local rows = numbers('a\tb\n1\t2\n \t \n', {})
    assert.are.equal(2, #rows)
    assert.is_true(rows[2][1] ~= rows[2][1])
  end)
end)

describe('options of tables', function()
  it('require the format if another file name has none', function()
    local function message(...) return select(2, pcall(...)) end
    assert.matches("save: the option names requires format = 'csv', or a file name ending in .csv",
                   message(tensor.save, name, {}, { names = {} }), 1, true)
    assert.matches('load: the option columns requires', message(tensor.load, name,
                                                                { columns = true }))
    assert.matches('load: unknown option colour; the options are format',
                   message(tensor.load, name, { colour = 1 }))
    assert.matches('load: unknown option [cn]%a+; the options are format',
                   message(tensor.load, name, { colour = 1, columns = true }))
    assert.matches('load: unknown option names;', message(tensor.load, name, { names = {} }))
  end)
end)

describe('decimal commas in quotes', function()
  it('are read if commas are the separators', function()
    local text, expected = 'a,b\n"1,5",2\n"2,25","-3,5"\n', { { 1.5, 2 }, { 2.25, -3.5 } }
    assert.matches('options decimal and thousands', failure(text, {}))
    for _, separator in ipairs { false, ',' } do
      local options = { decimal = ',', separator = separator or nil }
      assert.are.same(expected, numbers(text, options))
      options.columns = true
      assert.are.same({ 1.5, 2.25 }, loaded(text, options).a:totable())
    end
    assert.are.same({ { 1234.5, 2 } }, numbers('"1.234,5",2\n', { thousands = '.' }))
    assert.are.same({ { 1, 1234.5 } }, numbers('1,"1234,5"\n', { decimal = ',' }))
    -- Commas without quotes beside them are decimal points.
    assert.are.same({ { 1.5 }, { 2.5 } }, numbers('1,5\n"2,5"\n', { decimal = ',' }))
    assert.are.same({ { 1.5, 2.5 } }, numbers('"1,5";2,5\n', { decimal = ',' }))
  end)
end)

describe('an integer', function()
  it('may be -0 in a column of integers', function()
    assert.are.same({ { 1 }, { 0 } }, numbers('1\n-0\n', { type = 'Long' }))
    local t = loaded('1\n-0\n', { columns = true, types = { 'Int' } })
    assert.are.same({ 1, 0 }, t[1]:totable())
    -- Other columns keep the sign.
    t = loaded '1\n-0\n'
    assert.are.equal(-math.huge, 1 / t[1][2])
  end)
end)

describe('a date', function()
  it('has a zone of less than 24 hours and 60 minutes', function()
    local function date(zone)
      return loaded('d\n1970-01-02T00:00' .. zone .. '\n', { columns = true, types = { 'date' } }).d
    end
    assert.are.equal(60, date '+23:59'[1])
    for _, zone in ipairs { '+24:00', '-24:00', '+01:60', '+99:99' } do
      assert.matches('is not a date', error_of(date, zone), 1, true)
    end
  end)
end)

describe('a file whose size the system does not know', function()
  for path, options in pairs { ['/proc/loadavg'] = { only = 1, separator = ' ', header = false },
                               ['/proc/uptime'] = { separator = ' ' },
                               ['/sys/kernel/mm/transparent_hugepage/hpage_pmd_size'] = {} } do
    it(('is read to its end, %s'):format(path), function()
      local file = io.open(path)
      if not file then return pending(path .. ' is missing') end
      local expected = tonumber(file:read '*a':match '%S+')
      file:close()
      options.format, options.type = 'csv', 'Double'
      -- The averages of the load and the uptime change.
      assert.is_true(math.abs(tensor.load(path, options)[1][1] - expected) < 10)
    end)
  end

  it('is not empty', function()
    if not io.open '/proc/self/status' then return pending '/proc/self/status is missing' end
    assert.matches('/proc/self/status has an unknown format',
                   error_of(tensor.load, '/proc/self/status'), 1, true)
  end)
end)
