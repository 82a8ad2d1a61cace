-- Tables of columns: factorize, describe, and how they are saved.

local tensor = require 'tensor'
local fails = require 'support.raises'.texts
local files = require 'support.files'

describe('factorize', function()
  it('gives a code for each value', function()
    local codes, distinct = tensor.factorize { 'b', 'a', 'b', '', 'c', 'a' }
    assert.are.equal('torch.LongTensor', codes:type())
    assert.are.same({ 1, 2, 1, 3, 4, 2 }, codes:totable())
    assert.are.same({ 'b', 'a', '', 'c' }, distinct)
    codes, distinct = tensor.factorize { 3, true, 3 }
    assert.are.same({ 1, 2, 1 }, codes:totable())
    assert.are.same({ 3, true }, distinct)
    codes, distinct = tensor.factorize {}
    assert.are.equal(0, codes:nElement())
    assert.are.same({}, distinct)
  end)
  it('gives all NaN one code', function()
    local codes, distinct = tensor.factorize { 1, 0 / 0, 1, -(0 / 0), false }
    assert.are.same({ 1, 2, 1, 2, 3 }, codes:totable())
    assert.are.equal(3, #distinct)
    assert.is_true(distinct[2] ~= distinct[2])
  end)
  it('takes tables only', function()
    fails(function() tensor.factorize(tensor.ones(2)) end,
          'factorize: a table of values is expected, got torch.DoubleTensor: t:unique()')
    fails(function() tensor.factorize 'a' end, 'factorize')
  end)
end)

describe('describe', function()
  local nan = 0 / 0
  it('has the statistics of numbers, without NaN', function()
    local rows = tensor.describe { x = tensor.Tensor { 4, nan, 1, 2, 3 },
                                   n = tensor.ByteTensor { 7 } }
    assert.are.equal(2, #rows)
    assert.are.same({ name = 'n', type = 'Byte', count = 1, missing = 0, mean = 7, std = 0, min = 7,
                      q1 = 7, median = 7, q3 = 7, max = 7 }, rows[1])
    assert.is_true(math.abs(rows[2].std - math.sqrt(5 / 3)) < 1e-12)
    rows[2].std = nil
    assert.are.same({ name = 'x', type = 'Double', count = 4, missing = 1, mean = 2.5, min = 1,
                      q1 = 1.75, median = 2.5, q3 = 3.25, max = 4 }, rows[2])
    local none = tensor.describe { tensor.Tensor { nan } }[1]
    assert.are.same({ name = 1, type = 'Double', count = 0, missing = 1 }, none)
  end)
  it('has the most frequent text', function()
    local row = tensor.summary({ { 'a', 'b', 'b', 'a', 'b' } })[1]
    assert.are.same({ name = 1, type = 'text', count = 5, missing = 0, distinct = 2, top = 'b',
                      frequency = 3 }, row)
    assert.are.same({ name = 1, type = 'text', count = 0, missing = 0, distinct = 0 },
                    tensor.describe({ {} })[1])
  end)
  it('counts as missing what load reads as missing', function()
    local texts = { '', 'NA', 'N/A', 'nan', 'NaN', 'null', 'NULL', 'None', 'na', 'none', '-', 'x' }
    local missing = 0
    for _, text in ipairs(texts) do
      local row = tensor.describe({ { text } })[1]
      missing = missing + row.missing
      files.with_name('.csv', function(name)
        tensor.save(name, { { '1', text } })
        local loaded, t = pcall(tensor.load, name, { header = false })
        assert.are.equal(loaded and 1 or 0, row.missing, text)
        assert.is_true(not loaded or t[2][1] ~= t[2][1])
      end)
    end
    assert.are.equal(8, missing)
    local row = tensor.describe({ texts })[1]
    assert.are.same({ name = 1, type = 'text', count = 4, missing = 8, distinct = 4, top = 'na',
                      frequency = 1 }, row)
  end)
  it('has the statistics of tables of numbers', function()
    local row = tensor.describe { x = { 1, nan, 3 } }[1]
    assert.are.same({ 'number', 2, 1, 2, 3 },
                    { row.type, row.count, row.missing, row.mean, row.max })
    assert.are.equal('text', tensor.describe({ { 1, 'a' } })[1].type)
    assert.is_truthy(tostring(tensor.describe { { false, true, false } })
                     :find('3        0  2 distinct  false: 2', 1, true))
    fails(function() tensor.describe { x = { 1, nil, 3 } } end,
          'describe: column x: position 2 is nil')
  end)
  it('has the order of names', function()
    files.with_name('.csv', function(name)
      tensor.save(name, { tensor.ones(1), { 'x' }, tensor.ones(1) }, { names = { 'b', '', 'a' } })
      local columns, names = tensor.load(name, { columns = true })
      for _, rows in ipairs { tensor.describe(columns), tensor.describe(columns, names),
                              tensor.describe(tensor.load(name, { columns = true })) } do
        assert.are.same({ 'b', 2, 'a' }, { rows[1].name, rows[2].name, rows[3].name })
      end
      columns.a = columns.a * 2
      local rows = tensor.describe(columns, { 'a', 'b' })
      assert.are.same({ 'a', 2, 'b', 1 }, { rows[1].name, rows[1].max, rows[2].name, rows[2].max })
    end)
    fails(function() tensor.describe({ a = {} }, { 'b' }) end, 'describe: unknown column b')
    fails(function() tensor.describe({ [0] = {}, {} }) end, 'describe: column 0: positions are')
    local _, failure = pcall(tensor.describe, {}, { 'a' })
    assert.matches('unknown column a$', failure)
    fails(function() tensor.describe({ a = {} }, 3) end, 'a list of names is expected, got number')
  end)
  it('has the order of positions', function()
    local a, b = tensor.ones(1), { 'x' }
    local rows = tensor.describe { a, b, z = a, y = b }
    assert.are.same({ 'z', 'y' }, { rows[1].name, rows[2].name })
  end)
  it('is printed as a table', function()
    assert.are.equal([[
column  type    count  missing        mean      std  min   25%  50%   75%  max
city    text        3        0  2 distinct  Rome: 2
height  Double      2        1         1.7  0.14142  1.6  1.65  1.7  1.75  1.8]],
      tostring(tensor.describe { height = tensor.Tensor { 1.6, 1.8, nan },
                                 city = { 'Rome', 'Oslo', 'Rome' } }))
  end)
  it('is aligned by the columns of the terminal', function()
    local wide = '\230\151\165\230\156\172'  -- each letter has two columns
    local text = tostring(tensor.describe { ['gr\195\182\195\159e'] = { 1.5 },
                                            [wide] = { '\195\164', '\227\129\132' },
                                            e = { 'e\204\129' } })
    local lines = {}
    for line in text:gmatch '[^\n]+' do lines[#lines + 1] = line end
    assert.are.equal('e       text        1        0  1 distinct  e\204\129: 1', lines[2])
    assert.are.equal('gr\195\182\195\159e   number      1        0         1.5     0  1.5  1.5' ..
                     '  1.5  1.5  1.5', lines[3])
    assert.are.equal(wide .. '    text        2        0  2 distinct  \195\164: 1', lines[4])
  end)
  it('rejects other values', function()
    fails(function() tensor.describe(tensor.ones(2)) end,
          'describe: a table of columns is expected')
    fails(function() tensor.describe { 3 } end, 'describe: column 1 is a tensor or a table')
  end)
end)

describe('a table of columns', function()
  local heights, weights, texts = tensor.Tensor { 1, 2 }, tensor.LongTensor { 3, 4 }, { 'x', 'y' }
  local function loaded(name)
    tensor.save(name, { heights, weights, texts }, { names = { 'height', 'weight', 'name' } })
    return tensor.load(name, { columns = true })
  end
  local function check_saved(expected, name, columns, names)
    tensor.save(name, columns, { names = names })
    assert.are.equal(expected, files.content(name))
  end

  it('is saved with the columns that the names select', function()
    files.with_name('.csv', function(name)
      local columns = loaded(name)
      check_saved('weight\n3\n4\n', name, columns, { 'weight' })
      check_saved('name,height\nx,1.0\ny,2.0\n', name, columns, { 'name', 'height' })
      check_saved('a,b,c\n1.0,3,x\n2.0,4,y\n', name, columns, { 'a', 'b', 'c' })
      check_saved('height,b,c\n1.0,3,x\n2.0,4,y\n', name, columns, { 'height', 'b', 'c' })
      check_saved('p\nx\ny\n', name, { p = texts, q = texts }, { 'p' })
      for expected, arguments in pairs {
        ['unknown column b; the columns are height, name, weight'] =
          { columns, { names = { 'height', 'b' } } },
        ['unknown column hight; the columns are height, name, weight'] =
          { columns, { names = { 'hight' } } },
        ['column weight is not at position 1'] = { columns, { names = { 'weight', 'b', 'c' } } },
        ['1 names for 2 columns'] = { { heights, weights }, { names = { 'a' } } },
        ['3 names for 2 columns'] = { { heights, weights }, { names = { 'a', 'b', 'c' } } },
        ['column 2.5: positions are whole numbers from 1'] = { { a = texts, [2.5] = texts } },
        ['column 0: positions are whole numbers from 1'] = { { [0] = texts, weights } },
        ['unknown column q'] = { { p = texts }, { names = { 'p', 'q' } } },
      } do
        fails(function() tensor.save(name, arguments[1], arguments[2]) end, expected)
      end
    end)
  end)

  it('is saved with all digits of the numbers in lists', function()
    files.with_name('.csv', function(name)
      local times, values = { 1700000000123456, 1700000000123457 }, { 1 / 3, 2.0 }
      check_saved('0.3333333333333333,1700000000123456\n2,1700000000123457\n', name,
                  { values, times })
      local back = tensor.load(name, { columns = true, header = false })
      assert.are.same({ values, times }, { back[1]:totable(), back[2]:totable() })
    end)
  end)

  it('is saved after changes of its columns', function()
    files.with_name('.csv', function(name)
      local columns, names = loaded(name)
      local function save() tensor.save(name, columns) end
      columns.weight = columns.weight * 2
      fails(save, 'column weight has no position: assign it by position, too, or pass the list of')
      check_saved('height,weight,name\n1.0,6,x\n2.0,8,y\n', name, columns, names)
      columns[2] = columns.weight
      check_saved('height,weight,name\n1.0,6,x\n2.0,8,y\n', name, columns)
      columns.height = nil
      fails(save, 'column 1 has no name, but others have: assign it by name, too, or pass the list')
      check_saved('weight,name\n6,x\n8,y\n', name, columns, { 'weight', 'name' })
    end)
  end)

  it('is saved with columns of empty names', function()
    files.with_name('.csv', function(name)
      tensor.save(name, { heights, weights, texts }, { names = { '', 'a', '' } })
      local text = files.content(name)
      local columns, names = tensor.load(name, { columns = true })
      check_saved(text, name, columns)
      check_saved(text, name, columns, names)
    end)
  end)

  it('is saved if it contains strings, numbers and booleans', function()
    files.with_name('.csv', function(name)
      check_saved('a,b\nx,true\n1.5,false\n', name, { a = { 'x', 1.5 }, b = { true, false } })
      for kind, value in pairs { table = {}, ['function'] = print, ['torch.DoubleTensor'] = heights,
                                 } do
        fails(function() tensor.save(name, { a = { 'x', 'y' }, b = { 1, value } }) end,
              'column b, row 2: a string, a number or a boolean is expected, got ' .. kind)
      end
      fails(function() tensor.save(name, { { {} } }) end, 'column 1, row 1: a string, a number')
      assert.are.equal('a,b\nx,true\n1.5,false\n', files.content(name))
    end)
  end)

  it('may have a column twice', function()
    files.with_name('.csv', function(name)
      loaded(name)
      local columns, names = tensor.load(name, { columns = true,
                                                 only = { 'weight', 'weight', 'name' } })
      assert.are.same({ 'weight', 'weight', 'name' }, names)
      assert.are.same({ 3, 4 }, columns[1]:totable())
      assert.are.same({ 3, 4 }, columns[2]:totable())
      assert.are.same(texts, columns[3])
    end)
  end)
end)

describe('blocks of rows', function()
  local NAME = 'tensor.formats.csv_columns'

  -- The function that formats columns, as it is without the FFI.
  local function without_ffi()
    local versions, before = require 'tensor.versions', package.loaded[NAME]
    local ffi = versions.ffi
    package.loaded[NAME], versions.ffi = nil, nil
    local loaded, format = pcall(require, NAME)
    package.loaded[NAME], versions.ffi = before, ffi
    return assert(loaded and format, format)
  end

  local function text_of(format, columns, separator)
    local blocks, rows = {}, 0
    local count = type(columns[1]) == 'table' and #columns[1] or columns[1]:size(1)
    format(tensor, columns, count, separator, function(text, more)
      blocks[#blocks + 1], rows = text, rows + more
    end)
    assert.are.equal(count, rows)
    return table.concat(blocks)
  end

  it('contain the same text with and without the FFI', function()
    local n, formats = 5000, { require(NAME), without_ffi() }
    local x = tensor.rand(n, 3)
    local column = x:select(2, 2)
    local whole, half, long = tensor.floor(column * 100), column:half(), (column * 1e6):long()
    local wide, strings = {}, {}
    for k = 1, 40 do wide[k] = x:select(2, k % 3 + 1) end
    for k = 1, n do strings[k] = k % 7 == 0 and k / 7 or 'a,"' .. k end
    x[5] = -1e22
    for _, columns in ipairs { { column }, { whole }, { long }, { column, whole }, { half, half },
                               { long, column, strings, half }, { strings }, wide } do
      for _, separator in ipairs { ',', '\t', '%', '^', '\200' } do
        local expected = {}
        for row = 1, n, 613 do
          for k, values in ipairs(columns) do
            local isnumber = type(values) ~= 'table' or type(values[row]) == 'number'
            local text = values[row]
            if type(values) == 'table' then
              text = tensor._csv.field(isnumber and ('%.17g'):format(text) or text, separator)
            else
              text = tensor._csv.number(values:contiguous():storage(),
                                        values:contiguous():storageOffset() + row - 1)
              if values ~= long and text:match '^%-?%d+$' then text = text .. '.0' end
            end
            if k == 1 then expected[#expected + 1] = {} end
            expected[#expected][k] = text
          end
        end
        local first = text_of(formats[1], columns, separator)
        assert.is_true(first == text_of(formats[2], columns, separator))
        local lines = {}
        for line in first:gmatch '[^\n]+' do lines[#lines + 1] = line end
        assert.are.equal(n, #lines)
        for k, fields in ipairs(expected) do
          assert.are.equal(table.concat(fields, separator), lines[(k - 1) * 613 + 1])
        end
      end
    end
  end)

  it('contain numbers that are not finite, and negative zeros', function()
    local t = tensor.Tensor { 0 / 0, 1 / 0, -1 / 0, -0.0, 1e5, 123456 }
    for _, format in ipairs { require(NAME), without_ffi() } do
      assert.are.equal('nan\ninf\n-inf\n-0.0\n1e+05\n123456.0\n', text_of(format, { t }, ','))
      assert.are.equal('', text_of(format, { t:narrow(1, 1, 1)[t:narrow(1, 1, 1):gt(0)] }, ','))
      assert.are.equal('nan,x\n', text_of(format, { t:narrow(1, 1, 1), { 'x' } }, ','))
    end
  end)

  it('need no string for each number', function()
    if not require 'tensor.versions'.ffi then return end
    local n = 20000
    local x, long = tensor.rand(n), tensor.LongTensor(n):fill(1234567890123)
    files.with_name('.csv', function(name)
      for _, columns in ipairs { { x }, { long, x, tensor.ones(n) } } do
        tensor.save(name, columns, { sync = false })
        collectgarbage()
        collectgarbage 'stop'
        local before = collectgarbage 'count'
        tensor.save(name, columns, { sync = false })
        local growth = (collectgarbage 'count' - before) * 1024
        collectgarbage 'restart'
        local size = #files.content(name)
        assert.is_true(growth < 2 * size + 2 ^ 17, ('%d bytes for %d'):format(growth, size))
      end
    end)
  end)
end)
