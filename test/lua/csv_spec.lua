-- .csv and .tsv files: numbers compared with Lua's own parsing, text columns, missing values.

local tensor = require 'tensor'
local elements = require 'support.elements'
local format_files = require 'support.format_files'
local files = require 'support.files'

local with_name = files.with_name

local function load(text, options, ending)
  local results
  with_name(ending or '.csv', function(name)
    files.write(name, text)
    results = { pcall(tensor.load, name, options) }
    if not results[1] then
      assert(results[2]:find(name, 1, true), results[2])
    end
  end)
  if not results[1] then error(results[2], 0) end
  return results[2], results[3]
end

local function failure(text, options)
  local loaded, message = pcall(load, text, options)
  assert.is_false(loaded)
  return message
end

describe('a table of numbers', function()
  it('is a tensor, and the names of its columns', function()
    local t, names = load 'a,b\n1,2\n3,4.5\n'
    assert.are.same({ 'a', 'b' }, names)
    assert.are.same({ { 1, 2 }, { 3, 4.5 } }, t:totable())
    t, names = load '1,2\n3,4'
    assert.is_nil(names)
    assert.are.same({ { 1, 2 }, { 3, 4 } }, t:totable())
    t, names = load('1,2\n3,4\n', { header = true })
    assert.are.same({ '1', '2' }, names)
    assert.are.same({ { 3, 4 } }, t:totable())
    t = load('a,b\n')
    assert.are.same({ 0, 2 }, t:size():totable())
    assert.matches("line 1, column 1: 'a' is not a number", failure('a,b\n', { header = false }), 1,
                   true)
  end)

  it('has all that numbers may look like', function()
    local texts = { '0', '-0', '7', '-12', '+5', '1.5', '.5', '5.', '-.25', '1e3', '1E-3', '1e+2',
                    '123456789012345', '1234567890123456', '0.1', '0.30000000000000004',
                    '1.7976931348623157e308', '5e-324', '2.2250738585072011e-308', '1e22', '1e23',
                    '9007199254740993', '9007199254740993.5', '9007199254740995',
                    '18014398509481985.5', '4503599627370496.5', '9999999999999999999',
                    '0.9999999999999999999', '1.8446744073709551615',
                    '179769313486231580793728971405301e277', '1e400', '-1e400',
                    '1e-400', '-1e-400', '0.000001', '123456.789012345', '999999999999999.9',
                    '0.123456789012345', '0.1234567890123456', ('1'):rep(400), '1e0000000000001' }
    local random = elements.generator(3)
    for _ = 1, 2000 do
      local digits = math.floor(random() * 20)
      texts[#texts + 1] = ('%%.%dg'):format(digits):format((random() - 0.5) *
                                                           10 ^ math.floor(random() * 40 - 20))
    end
    local t = load(table.concat(texts, '\n'), { header = false })
    for i, text in ipairs(texts) do
      local value = tonumber((text:gsub('^%+', '')))
      value = text == '-0' and -1 / math.huge or value * 1.0  -- some are integers in Lua 5.3
      assert.are.equal(value, t[i][1], text)
      assert.are.equal(1 / value, 1 / t[i][1], text)
    end
    t = load ' 1 ,"2", "3" ,inf,-inf,Infinity\n'
    assert.are.same({ { 1, 2, 3, math.huge, -math.huge, math.huge } }, t:totable())
    for _, text in ipairs { '1x', 'x', '--1', '+-1', '1 2', '0x10', '1e', 'e1', '.', '-', '"1',
                            '1"', '1.2.3', '\217\161' } do
      assert.matches('line 2, column 1', failure('1\n' .. text .. '\n', { header = false }), 1,
                     true)
    end
  end)

  it('has lines that end in any way, and empty ones, and comments', function()
    for _, text in ipairs { '1,2\r\n3,4\r\n', '1,2\r3,4\r', '\n\n1,2\n\n\n3,4\n\n',
                            '\239\187\1911,2\n3,4', 'of 2020\nby x\n#,\n1,2\n# 5,6,7\n3,4' } do
      local skip = text:match '^of' and 2 or 0
      local t = load(text, { skip = skip, comment = '#' })
      assert.are.same({ { 1, 2 }, { 3, 4 } }, t:totable())
    end
  end)

  it('has what is missing as NaN', function()
    local t = load 'a,b,c\n,NA,nan\n1,,NULL\n2,"",N/A\n'
    assert.are.equal(2, t:eq(t):sum())
    assert.are.equal(2, t[3][1])
    t = load('a,b\n-99,1\n2,x\n', { missing = { '-99', 'x' } })
    assert.is_true(t[1][1] ~= t[1][1] and t[2][2] ~= t[2][2])
    assert.matches("'NA' is not a number", failure('1\nNA', { missing = { 'x' } }), 1, true)
    assert.matches("'' is not a number", failure('1,2\n,3', { missing = {} }), 1, true)
  end)

  it('are not separated by a quote or a comment', function()
    local options = { comment = ';', header = false }
    assert.are.same({ { 1 }, { 2 } }, load('1 ;x\n2 ;y\n', options):totable())
    assert.are.same({ { 1, 2 } }, load('# a;b\n1\t2 # c;d\n', { comment = '#' }):totable())
  end)

  it('has comments behind the fields of a line', function()
    for _, text in ipairs { '1,2 # first\n3,4\n', '1,2#\n3,4 #5,6',
                            ' \t# x\n1,2\n  #\n3,4# #\r\n#' } do
      assert.are.same({ { 1, 2 }, { 3, 4 } }, load(text, { comment = '#' }):totable())
    end
    local columns, names = load('a, b # names\n"x # y",1 # z\nu,2#\n,3# #\n',
                                { comment = '#', columns = true, invalid = 'text' })
    assert.are.same({ 'a', 'b' }, names)
    assert.are.same({ 'x # y', 'u', '' }, columns.a)
    assert.matches('line 3 has 1 fields, and 2 are expected',
                   failure('1,2\n# x\n3#,4\n', { comment = '#' }), 1, true)
    for option, value in pairs { comment = '-', separator = '', decimal = '' } do
      assert.matches(('%s cannot be "%s"'):format(option, value),
                     failure('1,2\n', { [option] = value }), 1, true)
    end
  end)

  it('may be separated and written otherwise', function()
    assert.are.same({ { 1.5, -2 } }, load('1,5;-2', { separator = ';', decimal = ',' }):totable())
    assert.are.same({ { 1, 2 } }, load('1\t2', {}, '.tsv'):totable())
    assert.are.same({ { 1, 2 } }, load('1|2', { separator = '|' }):totable())
    assert.are.same({ { 2 }, { 4 } }, load('a,b\n1,2\n3,4', { only = { 'b' } }):totable())
    local t, names = load('a,b,c\n1,2,x\n3,4,y\n5,6,z', { only = { 'a', 2 }, rows = 2 })
    assert.are.same({ { 1, 2 }, { 3, 4 } }, t:totable())
    assert.are.same({ 'a', 'b' }, names)
    assert.matches('column d; the file has 2 columns: a', failure('a,b\n1,2', { only = { 'd' } }))
    assert.matches('column d; the file has 1 column without', failure('1\n2', { only = { 'd' } }))
    assert.matches('separator cannot be', failure('1', { separator = 'ab' }), 1, true)
    assert.matches('decimal cannot be', failure('1', { separator = ';', decimal = ';' }))
    assert.matches('unknown option sep', failure('1', { sep = ';' }), 1, true)
  end)

  it('has the requested element type', function()
    for _, e in ipairs(elements) do
      local t = load('1,2\n3,100\n', { type = e.name })
      assert.are.equal(('torch.%sTensor'):format(e.name), t:type())
      assert.are.same({ { 1, 2 }, { 3, 100 } }, t:double():totable())
    end
    local longest = load('9223372036854775807', { type = 'Long' })
    assert.are.equal('9223372036854775807', tensor._csv.number(longest:storage(), 1))
    assert.matches('is not an integer', failure('1\n2.5', { type = 'Int' }), 1, true)
    assert.matches('is not an integer', failure('1\n9223372036854775808', { type = 'Long' }), 1,
                   true)
    assert.matches('out of the range of ByteTensor', failure('1\n256', { type = 'Byte' }), 1, true)
    assert.matches('unknown element type Bytes; expected Byte, Char, Short, Int, Long, Half, ' ..
                   'BFloat16, Float, Double$', failure('1', { type = 'Bytes' }))
    assert.matches('type int; expected [%w, ]+, Double, text or date$',
                   failure('v\n1', { columns = true, types = { v = 'int' } }))
  end)

  it('says where it is damaged', function()
    assert.matches('line 3 has 3 fields, and 2 are expected', failure '1,2\n3,4\n5,6,7', 1, true)
    assert.matches('line 2 has 1 fields, and 2 are expected', failure '1,2\n3\n', 1, true)
    assert.matches("line 2, column 1 (a): '\"x,\ny\"' is", failure 'a,b\n"x,\ny",1\n', 1, true)
    assert.matches([[line 2, column 2: '"4' begins with a quotation mark]],
                   failure '1,2\n3,"4\n', 1, true)
    assert.matches("line 4, column 2 (b): 'x' is not a number", failure '"a\n",b\n1,2\n3,x\n',
                   1, true)
    assert.matches('the file is empty', failure '', 1, true)
    assert.matches('there is no line in it', failure '\n\n', 1, true)
    assert.is_true(format_files.damage('a,b,c\n1,2.5,"x"\n3,4e5,"y, ""z"""\n', '.csv', 100,
                                       { columns = true }) > 10)
    assert.is_true(format_files.damage('1,2.5,"3"\n3,4e5,7\n', '.csv', 100) > 10)
  end)
end)

describe('the reader behind it', function()
  it('may be asked in any order', function()
    local reader = tensor._csv.reader(tensor.CharStorage():string '1,2\n3,x\n', ',', '"', '', '.',
                                      '\n', 0, 'text')
    assert.has_error(function() tensor._csv.run(reader, 100) end)
    assert.has_error(function() tensor._csv.column(reader, 1) end)
    assert.has_error(function() tensor._csv.begin(reader, '', false) end)
    assert.are.equal(2, tensor._csv.head(reader, 'no'))
    assert.has_error(function() tensor._csv.run(reader, 100) end)
    assert.has_error(function() tensor._csv.column(reader, 1) end)
    tensor._csv.begin(reader, 'aa', false)
    assert.is_false((tensor._csv.run(reader, 100)))
    assert.is_true((tensor._csv.run(reader, 100)))
    assert.are.same({ 1, 3 }, select(2, tensor._csv.column(reader, 1)):totable())
    assert.has_error(function() tensor._csv.column(reader, 1) end)
    assert.is_true((tensor._csv.run(reader, 100)))
    assert.are.same({ '2', 'x' }, (select(2, tensor._csv.column(reader, 2))))
    assert.has_error(function() tensor._csv.head(reader, 'no') end)
    assert.has_error(function() tensor._csv.begin(reader, '', false) end)
    assert.has_error(function() tensor._csv.run(reader, 100) end)
  end)
end)

describe('columns', function()
  it('have types of their own', function()
    local t, names = load('name,n,x,y\n"a, ""b""",1,2,3\nc,3,,4\n "q\nr" ,-5,6,0.5\n',
                          { columns = true })
    assert.are.same({ 'name', 'n', 'x', 'y' }, names)
    assert.are.same({ 'a, "b"', 'c', 'q\nr' }, t.name)
    assert.are.equal('torch.LongTensor', t.n:type())
    assert.are.same({ 1, 3, -5 }, t.n:totable())
    assert.are.equal('torch.DoubleTensor', t.x:type())
    assert.are.equal(2, t.x[1])
    assert.is_true(t.x[2] ~= t.x[2])
    assert.are.same({ 3, 4, 0.5 }, t.y:totable())
    assert.are.equal(t.n, t[2])
  end)

  it('become text where a late line has it', function()
    local lines = {}
    for i = 1, 3000 do lines[i] = ('%d,%d,%d.5'):format(i, i, i) end
    lines[2999] = '007x,1.5,NA'
    local t = load(table.concat(lines, '\n'), { columns = true, invalid = 'text' })
    assert.are.equal('1', t[1][1])
    assert.are.equal('007x', t[1][2999])
    assert.are.equal('3000', t[1][3000])
    assert.are.equal('torch.DoubleTensor', t[2]:type())
    assert.are.equal(1.5, t[2][2999])
    assert.are.equal(3000, t[2][3000])
    assert.are.equal(1.5, t[3][1])
    assert.is_true(t[3][2999] ~= t[3][2999])
  end)

  it('are not text because of one cell', function()
    local text = 'age,name\n31,Ann\n28.5,7\nunknown,Bob\n40,8\n'
    local message = failure(text, { columns = true })
    assert.matches("line 4, column 1 (age): 'unknown' is not a number, but values above it are",
                   message, 1, true)
    local t = load(text, { columns = true, invalid = 'nan' })
    assert.are.same({ 31, 28.5, 40 }, t.age[t.age:isfinite()]:totable())
    assert.are.equal(4, t.age:nElement())
    assert.are.same({ 'Ann', '7', 'Bob', '8' }, t.name)
    t = load(text, { columns = true, invalid = 'text' })
    assert.are.same({ '31', '28.5', 'unknown', '40' }, t.age)
    t = load(text, { columns = true, missing = { 'unknown' } })
    assert.are.equal(1, t.age:isnan():sum())
    local matrix = load('1,2\n3,x\n', { invalid = 'nan' })
    assert.are.equal(1, matrix:isnan():sum())
    assert.matches("'x' is not a number", failure('1,2\n3,x\n', {}), 1, true)
    assert.matches("option invalid must be 'error', 'nan' or 'text', got none",
                   failure('1', { invalid = 'none' }), 1, true)
    -- Missing values do not count as numbers.
    assert.are.same({ 'NA', 'x' }, load('a\nNA\nx\n', { columns = true }).a)
  end)

  it('are not text because of the first cell', function()
    local text = '# c\nname,age,code\n"Ann\nB",old,1\nBob,NA,A\nEve,2.5,2\nKim,"3",3\n'
    local function options(invalid) return { columns = true, comment = '#', invalid = invalid } end
    assert.matches("line 4, column 2 (age): 'old' is not a number, but the values below it are",
                   failure(text:gsub(',A\n', ',9\n'), options()), 1, true)
    text = text:gsub(',1\n', ',B\n')
    local t = load(text, options('nan'))
    assert.are.same({ 'Ann\nB', 'Bob', 'Eve', 'Kim' }, t.name)
    assert.are.same({ 2.5, 3 }, t.age[t.age:isfinite()]:totable())
    assert.are.equal(4, t.age:nElement())
    assert.are.same({ 'B', 'A', '2', '3' }, t.code)
    assert.are.same({ 'old', 'NA', '2.5', '3' }, load(text, options('text')).age)
    t = load(text, { columns = true, comment = '#', types = { age = 'text' } })
    assert.are.same({ 'old', 'NA', '2.5', '3' }, t.age)
    -- One number is not enough to call the column numeric.
    assert.are.same({ 'x', '1' }, load('a\nx\n1\n', { columns = true }).a)
    assert.are.same({ 'x', '1' }, load('a\nx\n1\n2\n3\n', { columns = true, rows = 2 }).a)
  end)

  it('have different names', function()
    local text = 'x, y ,x,,\n1,2,3,4,5\n'
    assert.matches("columns 1 and 3 are both named 'x': select columns by position",
                   failure(text, { columns = true }), 1, true)
    assert.matches("columns 1 and 3 are both named 'x'", failure(text, { only = { 'x' } }), 1, true)
    local t, names = load(text, { columns = true, only = { 2, 3 } })
    assert.are.same({ 'y', 'x' }, names)
    assert.are.same({ 3 }, t.x:totable())
    assert.are.same({ 2 }, t.y:totable())
    t, names = load(text)
    assert.are.same({ 'x', 'y', 'x', '', '' }, names)
    assert.are.same({ { 1, 2, 3, 4, 5 } }, t:totable())
  end)

  it('are separated by what the first line shows', function()
    local t = load('a;b\n1,5;-2\n3;4,25\n', { columns = true })
    assert.are.same({ 1.5, 3 }, t.a:totable())
    assert.are.same({ -2, 4.25 }, t.b:totable())
    assert.are.same({ { 1.5, 2 } }, load('a;b\n1.5;2\n'):totable())
    assert.are.same({ { 1, 2 } }, load('a\tb\n1\t2\n'):totable())
    assert.are.same({ { 1 }, { 2 } }, load('"a;b"\n1\n2\n'):totable())
    assert.are.same({ 'a;b' }, load('t\na;b\n', { columns = true }).t)
    assert.are.same({ '1;2' }, load('a;b\n1;2\n', { columns = true, separator = ',' })[1])
  end)

  it('may be dates', function()
    local texts = { '1970-01-01', '2000-02-29', '1969-12-31T23:59:59Z', '2026-11-23 10:30',
                    '2026-11-23T10:30:00.5', '2026-11-23T10:30:00+01:00', 'NA', '0001-01-01',
                    '2026-11-23T10:30:00.25' .. ('0'):rep(400) }
    local t = load('day\n' .. table.concat(texts, '\n'),
                   { columns = true, types = { day = 'date' } })
    -- By Python: datetime.fromisoformat(text).timestamp(), in UTC.
    local want = { 0, 951782400, -1, 1795429800, 1795429800.5, 1795426200, 0 / 0, -62135596800,
                   1795429800.25 }
    for k, x in ipairs(want) do
      assert.is_true(t.day[k] == x or (x ~= x and t.day[k] ~= t.day[k]), texts[k])
    end
    for _, bad in ipairs { '2001-02-29', '2001-13-01', '01.02.2001', '2001-01-01T25:00',
                           '2001-01-01 10:30 CET' } do
      local message = failure('day\n' .. bad .. '\n', { columns = true, types = { day = 'date' } })
      assert.matches(("line 2, column 1 (day): '%s' is not a date"):format(bad), message, 1, true)
    end
    -- The line of the file, not the row.
    local message = failure('#\n\nname,day\n"two\nlines",NA\r\nx,2026-01-01\rx,tomorrow\n',
                            { columns = true, types = { day = 'date' }, comment = '#' })
    assert.matches("line 7, column 2 (day): 'tomorrow' is not a date", message, 1, true)
    message = failure('a,2026-01-01\nb,"5 May"', { columns = true, types = { [2] = 'date' },
                                                   header = false })
    assert.matches('line 2, column 2: \'"5 May"\' is not a date', message, 1, true)
    t = load('day\nx\n', { columns = true, types = { day = 'date' }, invalid = 'nan' })
    assert.are.equal(1, t.day:isnan():sum())
  end)

  it('have the requested types', function()
    local t = load('a,b,c\n1,2,3\n4,5,6\n',
                   { columns = true, types = { a = 'text', b = 'Byte', [3] = 'Float' } })
    assert.are.same({ '1', '4' }, t.a)
    assert.are.equal('torch.ByteTensor', t.b:type())
    assert.are.equal('torch.FloatTensor', t.c:type())
    assert.matches("'x' is not a number",
                   failure('a\n1\nx\n', { columns = true, types = { a = 'Double' } }), 1, true)
    t = load('a,b\n1,?\n?,2\n', { columns = true, missing = { '?' }, only = { 'b' } })
    assert.is_nil(t.a)
    assert.is_true(t.b[1] ~= t.b[1])
  end)

  it('are written and read as the same', function()
    with_name('.csv', function(name)
      local text = { 'plain', '', 'a,b', 'say "x"', ' outer ', 'two\nlines', '#', 'NA', '12' }
      local n = #text
      local columns = { text = text }
      for _, e in ipairs(elements) do
        columns[e.name] = tensor[e.name .. 'Tensor'](n)
        for i = 1, n do columns[e.name][i] = i * 11 end
      end
      columns.Double[2] = -0.1
      tensor.save(name, columns)
      local back, names = tensor.load(name, { columns = true })
      assert.are.same(text, back.text)
      assert.are.equal('BFloat16', names[1])
      for _, e in ipairs(elements) do
        local isreal = e.name:find 'Float' or e.name == 'Double' or e.name == 'Half'
        assert.are.equal(isreal and 'torch.DoubleTensor' or 'torch.LongTensor', back[e.name]:type())
        assert.are.same(columns[e.name]:double():totable(), back[e.name]:double():totable())
      end
      -- The table also contains the columns by position, so their order is kept.
      tensor.save(name, back)
      local again, same_names = tensor.load(name, { columns = true })
      assert.are.same(names, same_names)
      assert.are.same(text, again.text)
      tensor.save(name, { back[2], back[1], z = back[1], a = back[2] })
      assert.are.same({ 'a', 'z' }, select(2, tensor.load(name, { columns = true })))
      tensor.save(name, { tensor.ones(2), { 'x', 'y' } }, { names = { 'b', 'a' } })
      assert.are.equal('b,a\n1.0,x\n1.0,y\n', files.content(name))
      local function refused(...)
        local saved, message = pcall(tensor.save, name, ...)
        assert.is_false(saved)
        return message
      end
      assert.matches('column 2 has 3 rows', refused { tensor.ones(2), tensor.ones(3) }, 1, true)
      assert.matches('a vector or a table of strings', refused { tensor.ones(2, 2) }, 1, true)
      assert.matches('at least one column', refused {}, 1, true)
      assert.matches('column b has no position', refused { tensor.ones(2), b = tensor.ones(2) })
      local two = { tensor.ones(2), tensor.ones(2), c = tensor.ones(2) }
      two.a, two.b = two[1], two[2]
      assert.matches('column c has no position', refused(two))
      tensor.save(name, { x = two[1], y = two[1] })
      assert.are.equal('x,y\n1.0,1.0\n1.0,1.0\n', files.content(name))
      tensor.save(name, { tensor.ones(2), { 'x', 'y' } }, { names = { 'b', 'a' } })
      assert.matches('one column has the names', refused { two[1], a = two[1], b = two[1] })
      assert.matches('position 2 is nil, but', refused({ two[1], nil, two[2], [4] = two[2] }))
      assert.matches('1 or 2 dimensions', refused(tensor.ones(1, 1, 1)), 1, true)
      assert.matches('got number', refused(1), 1, true)
      assert.matches('2 names', refused(tensor.ones(1, 3), { names = { 'a', 'b' } }), 1, true)
      assert.are.equal('b,a\n1.0,x\n1.0,y\n', files.content(name))
    end)
  end)
end)

describe('options of load', function()
  it('have effects together', function()
    local t = load('a;b\n1,5;2\n', { decimal = ',' })
    assert.are.same({ { 1.5, 2 } }, t:totable())
    t = load('1,5\t2\n', { decimal = ',' })
    assert.are.same({ { 1.5, 2 } }, t:totable())
    local names
    t, names = load('a,b,c\n1,2,3\n4,5,6\n', { only = { 'c', 'a' } })
    assert.are.same({ { 3, 1 }, { 6, 4 } }, t:totable())
    assert.are.same({ 'c', 'a' }, names)
    assert.are.same({ { 2, 2 } }, load('1,2\n', { only = { 2, 2 } }):totable())
    assert.matches('types requires columns', failure('a\n1\n', { types = { a = 'Int' } }))
    assert.matches('type has no effect with columns',
                   failure('a\n1\n', { columns = true, type = 'Int' }))
    assert.matches("invalid = 'text' requires columns", failure('a\nx\n', { invalid = 'text' }))
  end)
end)

describe('columns of random text', function()
  local pieces = { ';', '\t', ',', '"', '\n', '\r', ' ', '#', '.', '-', '1', 'a', '\0', '\127',
                   '\195\164', '\239\187\191', 'NA', "'", '|', '\\' }

  local function random_text(most)
    local parts = {}
    for k = 1, math.random(0, most) do parts[k] = pieces[math.random(#pieces)] end
    return table.concat(parts)
  end

  it('are written and read as the same', function()
    math.randomseed(7)
    for _, ending in ipairs { '.csv', '.tsv' } do
      with_name(ending, function(name)
        for _ = 1, 100 do
          local columns, types, names = {}, {}, {}
          local rows = math.random(4)
          for k = 1, math.random(2) do
            columns[k], types[k] = {}, 'text'
            names[k] = 'n' .. random_text(2) .. k
            for row = 1, rows do columns[k][row] = random_text(4) end
          end
          tensor.save(name, columns)
          local back = tensor.load(name, { columns = true, types = types, header = false })
          assert.are.same(columns, back)
          tensor.save(name, columns, { names = names })
          local found
          back, found = tensor.load(name, { columns = true, types = types, header = true })
          assert.are.same(names, found)
          for k, column in ipairs(columns) do assert.are.same(column, back[k]) end
        end
      end)
    end
  end)
end)

describe('tensors as text', function()
  it('are read as the same numbers, of every type and layout', function()
    with_name('.csv', function(name)
      format_files.each(function(e, layout, t)
        if t:dim() <= 2 and t:nElement() > 0 then
          tensor.save(name, t)
          local back = tensor.load(name, { type = e.name, header = false })
          local expected = t:dim() == 2 and t or t:clone():view(t:size(1), 1)
          assert.is_true(format_files.same(expected, back), e.name .. ' ' .. layout)
        end
      end)
    end)
  end)

  it('are as short as they may be', function()
    with_name('.tsv', function(name)
      local inf = math.huge
      local values = { 0.1, -1 / inf, 1e300, 5e-324, 1 / 3, 3, 1e21, 123456789, 0 / 0, -inf }
      tensor.save(name, tensor.DoubleTensor { values })
      local text = '0.1 -0 1e+300 5e-324 0.3333333333333333 3 1e+21 123456789 nan -inf\n'
      assert.are.equal((text:gsub(' ', '\t')), files.content(name))
      local back = tensor.load(name)
      for i = 1, 8 do assert.are.equal(1 / values[i], 1 / back[1][i]) end
      tensor.save(name, tensor.FloatTensor { { 0.1, 16777216, 1e-45 } })
      assert.are.equal('0.1\t16777216\t1e-45\n', files.content(name))
      local bits = tensor.LongTensor(3000):random(0, 2 ^ 31 - 1)
      local doubles = tensor.DoubleTensor(3000)
      for i = 1, 3000 do doubles[i] = bits[i] * 10 ^ (i % 600 - 300) / 7 end
      tensor.save(name, doubles, { separator = ';' })
      assert.is_true(tensor.load(name, { header = false }):select(2, 1):equal(doubles))
    end)
  end)

  it('contain characters that separate fields elsewhere', function()
    with_name('.csv', function(name)
      for _, columns in ipairs { { { 'a,b', 'c' } }, { { 'a,b', 'c;d' }, { 'x\ty', 'z' } } } do
        tensor.save(name, columns, { separator = ';' })
        assert.are.same(columns, tensor.load(name, { columns = true, header = false }))
      end
    end)
  end)

  it('are of elements that there are', function()
    local storage = tensor.DoubleStorage { 1, 2, 3 }
    for _, first in ipairs { -2 ^ 63, -1, 0, 4, 2 ^ 62 } do
      assert.is_false(pcall(tensor._csv.rows, storage, first, 1, 1, ','))
      assert.is_false(pcall(tensor._csv.number, storage, first))
    end
    assert.are.equal('2,3\n', tensor._csv.rows(storage, 2, 2, 2, ','):string())
  end)

  it('tell how far they are', function()
    with_name('.csv', function(name)
      local told
      local function progress(done, total) told = { done, total } end
      local t = tensor.DoubleTensor(300, 3):zero()
      tensor.save(name, t, { progress = progress })
      assert.are.same({ 7200, 7200 }, told)
      tensor.load(name, { progress = progress })
      assert.are.same({ 1800, 1800 }, told)
    end)
  end)
end)
