-- Element-wise operations on rows of few elements, which are joined to longer runs: repeated rows,
-- repeated elements, rows with gaps and transposed operands. Compared with the same operation on
-- contiguous copies.

local tensor = require 'tensor'

local WIDTHS = { 1, 2, 3, 7, 8, 9, 16, 31, 33, 64, 65, 100, 128, 129 }

-- Views with this shape and the elements of a random tensor.
local function operands(new, shape)
  local rows, columns, width = shape[1], shape[2], shape[3]
  local gaps = new(rows, columns + 2, width + 3)
  return {
    new(rows, columns, width), new(1, 1, width):expand(rows, columns, width),
    new(rows, 1, width):expand(rows, columns, width),
    new(rows, columns, 1):expand(rows, columns, width),
    new(1, columns, 1):expand(rows, columns, width),
    gaps:narrow(2, 2, columns):narrow(3, 3, width),
    new(columns, rows, width):transpose(1, 2), new(rows, width, columns):transpose(2, 3),
    new(rows, columns, 2 * width):unfold(3, 1, 2):select(4, 1)
  }
end

-- Result, first and second operand.
local function check(apply, r, a, b, what)
  local expected = r:clone():contiguous()
  apply(expected, a:clone(), b:clone())
  apply(r, a, b)
  assert.is_true(tensor.eq(r:contiguous(), expected):min() == 1, what)
end

for _, name in ipairs { 'Float', 'Double', 'Half', 'BFloat16', 'Byte', 'Int', 'Long' } do
  local function new(...) return tensor[name .. 'Tensor'](...):random(1, 20) end
  it('gives the same as contiguous ' .. name .. 'Tensors', function()
    local state = 1
    local function pick(n)
      state = state * 16807 % 2147483647
      return state % n + 1
    end
    for _, width in ipairs(WIDTHS) do
      for _, columns in ipairs { 8, 21, 70 } do
        local shape = { 3, columns, width }
        local all = operands(new, shape)
        for _ = 1, 8 do
          local a, b = all[pick(#all)], all[pick(#all)]
          local results = operands(new, shape)
          -- Results that are not expanded.
          local r = results[({ 1, 6, 7, 8 })[pick(4)]]
          local what = ('width %d, %d rows'):format(width, columns)
          check(tensor.add, r, a, b, what)
          check(tensor.cmul, r, a, b, what)
          check(tensor.lt, tensor.ByteTensor(3, columns, width), a, b, what)
        end
      end
    end
  end)
end

it('computes functions as for contiguous tensors', function()
  local new = function(...) return tensor.FloatTensor(...):uniform(-2, 2) end
  local f = tensor.fuse('exp(a) * b - a')
  local function fuse(r, a, b) f(r, a, b) end
  for _, width in ipairs(WIDTHS) do
    for _, a in ipairs(operands(new, { 2, 33, width })) do
      local b = new(2, 1, width):expand(2, 33, width)
      check(function(r, x) tensor.exp(r, x) end, tensor.FloatTensor(2, 33, width), a, b, 'exp')
      check(fuse, tensor.FloatTensor(2, 33, width), a, b, 'fuse')
    end
  end
end)

it('reads an operand in the result before it is changed', function()
  for _, width in ipairs(WIDTHS) do
    local t = tensor.DoubleTensor(40, width):uniform()
    local first = t:narrow(1, 1, 1)
    local expected = t + first:clone():expand(40, width)
    t:add(first:expand(40, width))
    assert.are.same(expected:totable(), t:totable())
    local column = t:narrow(2, width, 1)
    expected = t + column:clone():expand(40, width)
    t:add(column:expand(40, width))
    assert.are.same(expected:totable(), t:totable())
  end
end)

it('copies rows of few elements', function()
  for _, name in ipairs { 'Byte', 'Short', 'Half', 'Float', 'Double' } do
    for width = 1, 9 do
      local t = tensor[name .. 'Tensor'](7, 70, width + 2)
      local values = tensor.range(0, t:nElement() - 1)
      if name ~= 'Double' and name ~= 'Float' then values:fmod(128) end
      t:copy(values)
      local part, want = t:narrow(3, 2, width), {}
      local got = part:flip(2)
      local into = tensor[name .. 'Tensor'](7, 70, width + 1):zero()
      into:narrow(3, 1, width):copy(part:transpose(1, 2):transpose(1, 2):flip(1))
      for i = 1, 7 do
        for j = 1, 70 do
          for k = 1, width do
            want[#want + 1] = t[{ i, 71 - j, k + 1 }]
            assert(into[{ i, j, k }] == t[{ 8 - i, j, k + 1 }], 'a part of the result')
          end
          assert(into[{ i, j, width + 1 }] == 0, 'beside the part')
        end
      end
      assert.are.same(want, got:reshape(got:nElement()):totable(), name .. ' ' .. width)
    end
  end
end)

it('writes only the elements of a row of 16-bit numbers', function()
  for _, name in ipairs { 'Half', 'BFloat16' } do
    for n = 1, 70 do
      for first = 1, 4 do
        local t = tensor[name .. 'Tensor'](n + 8):copy(tensor.range(1, n + 8))
        local want = t:totable()
        for i = first, first + n - 1 do want[i] = 2 * want[i] end
        local row = t:narrow(1, first, n)
        tensor.add(row, row, row)
        assert.are.same(want, t:totable())
        local floats = tensor.FloatTensor(n + 2):fill(-1)
        floats:narrow(1, 2, n):copy(row)
        assert.are.same({ -1, want[first], -1 }, { floats[1], floats[2], floats[n + 2] })
      end
    end
  end
end)

it('copies transposed rows of few bytes, also if they are not aligned', function()
  for _, name in ipairs { 'Byte', 'Short', 'Float', 'Double' } do
    local class = tensor[name .. 'Tensor']
    for _, width in ipairs { 2, 3, 4, 8 } do
      for _, first in ipairs { 1, 2 } do
        for _, shape in ipairs { { 300, 3 }, { 3, 300 }, { 70, 90 }, { 5, 6 } } do
          local rows, columns = shape[1], shape[2]
          local n = rows * columns * width
          local memory = class(n + 1):random(0, 100)
          local t = memory:narrow(1, first, n):view(rows, columns, width)
          local swapped = t:transpose(1, 2):clone()
          local result = class(n + 1):fill(101)
          local r = result:narrow(1, first, n):view(columns, rows, width)
          r:copy(t:transpose(1, 2))
          assert.is_true(r:equal(swapped))
          assert.are.equal(101, result[first == 1 and n + 1 or 1])
          for k = 1, width do
            assert.is_true(swapped:select(3, k):equal(t:select(3, k):t()))
          end
          local each = t:view(rows, 1, columns, width):expand(rows, 3, columns, width):clone()
          for k = 1, 3 do assert.is_true(each:select(2, k):equal(t)) end
          local repeated = t:view(rows, columns, 1, width):expand(rows, columns, 3, width):clone()
          for k = 1, 3 do assert.is_true(repeated:select(3, k):equal(t)) end
          assert.is_true(tensor.flip(t, 1):select(1, 1):equal(t[rows]))
        end
      end
    end
  end
end)
