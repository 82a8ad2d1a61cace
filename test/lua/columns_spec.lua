-- factorize and describe.

local tensor = require 'tensor'

local function fails(f, text)
  local done, message = pcall(f)
  assert.is_false(done)
  assert.is_truthy(message:find(text, 1, true), message)
end

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
  it('rejects other values', function()
    fails(function() tensor.describe(tensor.ones(2)) end,
          'describe: a table of columns is expected')
    fails(function() tensor.describe { 3 } end, 'describe: column 1 is a tensor or a table')
  end)
end)
