-- The separator that `load` finds in tables whose first line contains several of `,`, `;` and tabs,
-- and runs of blanks.

local format_files = require 'support.format_files'
local tensor = require 'tensor'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local name = os.tmpname()

local loaded = format_files.load_csv

local function failure(...)
  return error_of(loaded, ...)
end

-- Tables of columns as text: their names, and the elements of each.
local function shown(t)
  local parts = {}
  for k, column in ipairs(t) do
    local list = tensor.isTensor(column) and column:totable() or column
    for i, x in ipairs(list) do list[i] = tostring(x) end
    parts[k] = t.names[k] .. '=' .. table.concat(list, '|')
  end
  return table.concat(parts, ' ')
end

describe('the option missing', function()
  it('is a list of texts', function()
    assert.matches('option missing: text is expected at position 2, got table',
                   failure('1,2\n', { missing = { 'x', {} } }), 1, true)
    assert.matches('position 1 is nil, but position 2 is not',
                   failure('1,2\n', { missing = { nil, 'x' } }), 1, true)
    -- From Lua 5.3 on, tostring(-999.0) is '-999.0'.
    local t = loaded('-999,1\n2,0.5\n', { missing = { -999.0, 0.5 } })
    assert.are.same({ 'nan', 1, 2, 'nan' }, { tostring(t[1][1]):match 'nan', t[1][2], t[2][1],
                                            tostring(t[2][2]):match 'nan' })
  end)
end)

describe('the separator of a table', function()
  teardown(function() os.remove(name) end)

  local cases = {
    { 'Name;Wert, mm\nA;1,5\nB;2,5\n', 'Name=A|B Wert, mm=1.5|2.5' },
    { 'a;b\n1,5;2,5\n3,0;4,1\n', 'a=1.5|3 b=2.5|4.1' },
    { 'id,note\n1,a;b\n2,c;d\n', 'id=1|2 note=a;b|c;d' },
    { 'x;y,z\n1;2,a\n3;4,b\n', 'x;y=1;2|3;4 z=a|b' },
    { 'note;text,id\nfoo;bar,1\nbaz,2\n', 'note;text=foo;bar|baz id=1|2' },
    { 'name, first\tage\nDoe, Jane\t30\nRoe, Tim\t4\n', 'name, first=Doe, Jane|Roe, Tim age=30|4' },
    { '"a,b";"c"\n"1,5";2\n"2,5";3\n', 'a,b=1.5|2.5 c=2|3' },
    { 'a,b\n"x;y",1\n"z;w",2\n', 'a=x;y|z;w b=1|2' },
  }
  for _, case in ipairs(cases) do
    it('is found in ' .. case[1]:gsub('%c', ' '), function()
      -- Tables of rows have their names in a second result.
      local t, names = loaded(case[1])
      t.names = names
      assert.are.equal(case[2], (shown(t):gsub('%.0', '')))
    end)
  end

  it('is found without a header, and in long files', function()
    local rows = {}
    for k = 1, 500 do rows[k] = ('%d,5;%d,25;-7'):format(k, k) end
    local t = loaded(table.concat(rows, '\n'), {})
    assert.are.same({ 500, 3 }, t:size():totable())
    assert.are.same({ 500.5, 500.25, -7 }, t[500]:totable())
    assert.are.same({ { 1.5, 2.5 } }, loaded('1,5;2,5', {}):totable())
  end)

  it('may be in lines of nothing else', function()
    local t = loaded('name, first\tage\nDoe, Jane\t30\n\t\nRoe, Tim\t4\n')
    assert.are.equal(3, #t[1])
  end)

  it('is a tab in .tsv files', function()
    files.write(name .. '.tsv', 'name; first\tage\nDoe; Jane\t30\nRoe; Tim\t4\n')
    local t, names = tensor.load(name .. '.tsv', { columns = true })
    os.remove(name .. '.tsv')
    assert.are.same({ 'name; first', 'age' }, names)
    assert.are.same({ 30, 4 }, t.age:totable())
  end)

  it('is the one that was passed', function()
    local t = loaded('a;b,c\n1;2,3\n', { columns = true, separator = ',' })
    assert.are.same({ '1;2' }, t[1])
  end)

  it('does not hide that a matrix has text', function()
    assert.matches("'2024%-01%-01' is not a number: .* columns = true reads text",
                   failure('day,x\n2024-01-01,3\n', {}))
  end)
end)

describe('a blank as the separator', function()
  it('stands for runs of blanks and tabs', function()
    local function rows(text, comment)
      return loaded(text, { separator = ' ', comment = comment }):totable()
    end
    local expected = { { 1, -2.5 }, { 3, 40 } }
    assert.are.same(expected, rows '1 -2.5\n3 40\n')
    assert.are.same(expected, rows '  1\t -2.5 \r\n\n   \t\n\t3  40  ')
    assert.are.same(expected, rows('# x  y\n 1 -2.5  # first\n#\n  3 40# second', '#'))
    assert.are.same({ { 7 }, { 8 } }, rows ' 7\n 8 \n \n')
    local t, names = loaded('  x   "a name"\n 1  ""\n  2 "b  c"  \n',
                            { columns = true, separator = ' ' })
    assert.are.same({ 'x', 'a name' }, names)
    assert.are.same({ 1, 2 }, t.x:totable())
    assert.are.same({ '', 'b  c' }, t[2])
    assert.matches('line 2 has 2 fields, and 3 are expected',
                   failure('1  2 3\n4   5  \n', { separator = ' ' }))
    assert.matches('line 2 has 4 fields, and 2 are expected',
                   failure('1 2\n1  2\t3 4\n', { separator = ' ' }))
    assert.matches("line 2, column 2: 'x' is not a number",
                   failure('1 2\n 3  x\n', { separator = ' ' }))
    assert.matches('there is no line in it', failure('  \n \t', { separator = ' ' }), 1, true)
    -- Other separators are single, and blanks around numbers do not count.
    assert.are.same({ { 1, 2 } }, loaded(' 1 ; 2 ', {}):totable())
    assert.is_true(loaded('1\t\t2', { separator = '\t' })[1][2] ~= 0)
  end)

  it('reads what save writes with it', function()
    local columns = { a = { 'x y', '', 'z\tw' }, b = tensor.Tensor { 1, 2.5, -3 } }
    tensor.save(name, columns, { format = 'csv', separator = ' ' })
    local read = tensor.load(name, { format = 'csv', columns = true, separator = ' ' })
    assert.are.same(columns.a, read.a)
    assert.is_true(columns.b:equal(read.b))
  end)
end)

describe('numbers out of the range of a type', function()
  it('are named with their line and column', function()
    local text = '# table\na,b,c\n1,2,3\n\n"4",5,600\n7,-800,9\n'
    local function fails(message, options)
      options.comment = '#'
      assert.matches(message, failure(text, options), 1, true)
    end
    fails("line 5, column 3 (c): '600' is out of the range of ByteTensor", { type = 'Byte' })
    fails("line 6, column 2 (b): '-800' is out of the range of CharTensor",
          { type = 'Char', only = { 'b', 'a' } })
    fails("line 6, column 2 (b): '-800' is out of the range of CharTensor",
          { columns = true, types = { b = 'Char' } })
    assert.matches('line 3, column 1: \'"400"\' is out of the range of ByteTensor',
                   failure('"1"\n"2"\n"400"\n', { columns = true, types = { 'Byte' } }), 1, true)
    -- A field may have line breaks.
    assert.matches("line 4, column 2 (n): '400' is out of the range of ByteTensor",
                   failure('t,n\n"a\nb",1\nc,400\n', { columns = true, types = { n = 'Byte' } }),
                   1, true)
  end)
end)

describe('the option only', function()
  it('may be one column', function()
    for _, only in ipairs { 'b', 2 } do
      assert.are.same({ { 2 }, { 4 } }, loaded('a,b\n1,2\n3,4\n', { only = only }):totable())
      local t, names = loaded('a,b\n1,2\n3,4\n', { columns = true, only = only })
      assert.are.same({ 'b' }, names)
      assert.are.same({ 2, 4 }, t.b:totable())
    end
    assert.matches('unknown column c; the file has 2 columns: a, b',
                   failure('a,b\n1,2\n', { only = 'c' }), 1, true)
    local long = ('x'):rep(296)
    assert.matches('2 columns: a, ' .. long .. '...',
                   failure('a,' .. long .. '\195\169\n1,2\n', { only = 'c' }), 1, true)
  end)
end)
