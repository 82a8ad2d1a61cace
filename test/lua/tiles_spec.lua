-- Transposed operands that are large enough for the CPU to process them in tiles.

local tensor = require 'tensor'

local classes = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

local function value(i, j) return (i * 7 + j * 13 + i * j) % 101 end

-- Returns a rows x columns view with these values inside a larger tensor.
local function make(class, rows, columns)
  local list = {}
  for i = 1, rows do
    list[i] = {}
    for j = 1, columns do list[i][j] = value(i, j) end
  end
  local whole = tensor[class .. 'Tensor'](rows + 2, columns + 3):fill(99)
  local t = whole:narrow(1, 2, rows):narrow(2, 2, columns)
  t:copy(tensor[class .. 'Tensor'](list))
  return t, whole
end

-- Compares all elements with want(i, j).
local function check(t, rows, columns, want)
  assert.are.same({ rows, columns }, t:size():totable())
  local got = t:double():totable()
  for i = 1, rows do
    for j = 1, columns do
      if got[i][j] ~= want(i, j) then
        error(('(%d, %d): %s instead of %s'):format(i, j, got[i][j], want(i, j)))
      end
    end
  end
end

describe('strided operands', function()
  local sizes = { { 32, 32 }, { 33, 47 }, { 64, 128 }, { 130, 65 }, { 71, 200 } }

  for _, class in ipairs(classes) do
    it('are taken as they are: ' .. class, function()
      for _, size in ipairs(sizes) do
        local rows, columns = size[1], size[2]
        local t, whole = make(class, columns, rows)
        local Tensor = tensor[class .. 'Tensor']
        local function turned(i, j) return value(j, i) end
        check(Tensor(rows, columns):copy(t:t()), rows, columns, turned)
        check(tensor.IntTensor(rows, columns):copy(t:t()), rows, columns, turned)
        check(tensor.HalfTensor(rows, columns):copy(t:t()), rows, columns, turned)
        local a = make(class, rows, columns)
        check(tensor.cmax(a, t:t()), rows, columns,
              function(i, j) return math.max(value(i, j), value(j, i)) end)
        check(tensor.cmax(t:t(), tensor.cmax(t:t(), a)), rows, columns,
              function(i, j) return math.max(value(i, j), value(j, i)) end)
        check(tensor.gt(a, t:t()), rows, columns,
              function(i, j) return value(i, j) > value(j, i) and 1 or 0 end)
        local mask = tensor.gt(t, 50)
        check(tensor.where(mask:t(), a, t:t()), rows, columns,
              function(i, j) return value(j, i) > 50 and value(i, j) or value(j, i) end)
        -- The result is a view inside a larger tensor.
        local result, around = make(class, rows, columns)
        result:copy(t:t())
        check(result, rows, columns, turned)
        assert.are.equal(99, around[1][1])
        assert.are.equal(99, around[rows + 2][columns + 3])
        assert.are.equal(99, around[2][columns + 2])
        assert.are.equal(99, whole[1][1])
      end
    end)
  end

  it('of three dimensions', function()
    local t = tensor.FloatTensor(40, 3, 50):copy(tensor.range(1, 6000))
    local got = t:permute(3, 1, 2):contiguous()
    for _, at in ipairs { { 1, 1, 1 }, { 50, 40, 3 }, { 33, 35, 2 }, { 7, 40, 1 } } do
      assert.are.equal(t[at[2]][at[3]][at[1]], got[at[1]][at[2]][at[3]])
    end
    assert.are.equal(0, tensor.ne(got:permute(2, 3, 1), t):sum())
  end)

  it('with steps of more than an element', function()
    local whole = tensor.IntTensor(90, 140):copy(tensor.range(1, 90 * 140))
    local every = whole:unfold(1, 1, 2):squeeze(3):unfold(2, 1, 2):squeeze(3)
    local got = every:t():contiguous()
    check(got, 70, 45, function(i, j) return (2 * j - 2) * 140 + 2 * i - 1 end)
  end)

  it('of functions, give what they give in a row', function()
    local t = tensor.FloatTensor(131, 77):uniform(-3, 3)
    for _, f in ipairs { 'exp', 'sin', 'tanh', 'sigmoid' } do
      assert.are.equal(0, tensor.ne(tensor[f](t:t()), tensor[f](t):t()):sum(), f)
    end
  end)

  it('of expressions', function()
    local function across() return (make('Float', 70, 133)):t() end
    local a, b, c, d = across(), across(), across(), across()
    local e = make('Float', 133, 70)
    -- More operands than are transposed at the same time.
    check(tensor.fuse('a + 2 * b + 3 * c + 4 * d - e')(a, b, c, d, e), 133, 70,
          function(i, j) return 10 * value(j, i) - value(i, j) end)
  end)
end)
