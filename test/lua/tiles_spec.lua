-- Operands that are large enough for the CPU to process them in tiles or blocks: transposed ones,
-- those larger than the caches, rows whose distances are computed, and products of integers with a
-- vector.

local elements = require 'support.elements'
local same_on_threads = require 'support.same_on_threads'
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

-- On a device they would take minutes.
local describe_on_cpu = require('support.settings').device and pending or describe

describe_on_cpu('operands of more than 48 MiB', function()
  local size = 5100000
  -- In the sanitizer build each comparison takes a second.
  local is_sanitized = require('support.child').sanitized

  -- Calls f(result, ...) for whole tensors and for parts, and compares. Elements before and after
  -- the result must not change.
  local function compare(name, class, sizes, offset, f, ...)
    local operands, Tensor, count = { ... }, tensor[class .. 'Tensor'], 1
    for _, length in ipairs(sizes) do count = count * length end
    local function new()
      local whole = Tensor(count + 64):fill(77)
      return whole:narrow(1, 1 + offset, count):view(unpack(sizes)), whole
    end
    local want, around_want = new()
    local part = math.ceil(sizes[1] / 4)
    for first = 1, sizes[1], part do
      local length, of_part = math.min(part, sizes[1] - first + 1), {}
      for k, t in ipairs(operands) do
        of_part[k] = t:size(1) == sizes[1] and t:narrow(1, first, length):clone() or t
      end
      f(want:narrow(1, first, length), unpack(of_part))
    end
    same_on_threads({ 1, 3 }, function()
      local got, around = new()
      f(got, unpack(operands))
      assert.is_true(around:equal(around_want), name .. ' ' .. class .. ' ' .. offset)
      return got
    end)
  end

  local a, b

  setup(function()
    tensor.manualSeed(2)
    a, b = tensor.FloatTensor(size):uniform(-1, 1), tensor.FloatTensor(size):uniform(-1, 1)
  end)
  teardown(function() a, b = nil, nil end)

  it('give the elements of their parts', function()
    for _, offset in ipairs(is_sanitized and { 7 } or { 0, 1, 7, 16 }) do
      compare('add', 'Float', { size }, offset, tensor.add, a, b)
    end
    compare('lt', 'Byte', { size }, 5, tensor.lt, a, b)
    if is_sanitized then return end
    compare('copy', 'Double', { size }, 3, function(r, x) r:copy(x) end, a)
    compare('exp', 'Float', { size }, 2, function(r, x, y) tensor.exp(r, x):add(y) end, a, b)
    local x = tensor.cat(a, b):double()
    compare('copy', 'Half', { 2 * size }, 1, function(r, y) r:copy(y) end, x)
    compare('sin', 'Double', { size }, 1, tensor.sin, x:view(-1, 2):select(2, 1))
    compare('fill', 'Double', { 2 * size }, 1, function(r) r:fill(3) end)
  end)

  it('that broadcast, or are transposed', function()
    local rows, columns = 2600, 1960
    local m, n = a:narrow(1, 1, rows * columns), b:narrow(1, 1, rows * columns)
    local row = a:narrow(1, 1, columns):clone()
    if not is_sanitized then
      compare('cmul', 'Float', { rows, columns }, 9, function(r, x, y, v)
        tensor.cmul(r, x, v:view(1, -1):expandAs(x)):add(y)
      end, m:view(rows, columns), n:view(rows, columns), row)
    end
    local turned = n:view(columns, rows):t()
    for _, offset in ipairs(is_sanitized and { 3 } or { 0, 3 }) do
      local plain = m:view(rows, columns)
      compare('cmax', 'Float', { rows, columns }, offset, tensor.cmax, plain, turned)
    end
    if is_sanitized then return end
    local wide = tensor.cat(m, n):double():view(2 * columns, rows):t()
    compare('copy', 'Double', { rows, 2 * columns }, 1, function(r, x) r:copy(x) end, wide)
  end)

  it('in expressions, and in place', function()
    local f = tensor.fuse('a * b + exp(-a)')
    compare('fuse', 'Float', { size }, 4, f, a, b)
    local want = tensor.add(a, b)
    local got = a:clone()
    assert.is_true(tensor.add(got, got, b):equal(want))
    -- The result overlaps an operand.
    local whole = tensor.cat(a, b)
    local shifted = tensor.mul(whole:narrow(1, 1, 2 * size - 1):clone(), 2)
    whole:narrow(1, 2, 2 * size - 1):copy(tensor.mul(whole:narrow(1, 1, 2 * size - 1), 2))
    assert.is_true(whole:narrow(1, 2, 2 * size - 1):equal(shifted))
  end)
end)

describe('distances', function()
  local inf = math.huge

  -- The p-norm of the difference of two lists, without overflow.
  local function distance(x, y, p)
    local most, sum, count = 0, 0, 0
    for k = 1, #x do
      local d = math.abs(x[k] - y[k])
      if d ~= d then return p == 0 and #x or d end
      most = math.max(most, d)
      count = count + (d ~= 0 and 1 or 0)
    end
    if p == 0 then return count end
    if p == inf or most == 0 or most == inf then return most end
    for k = 1, #x do sum = sum + (math.abs(x[k] - y[k]) / most) ^ p end
    return most * sum ^ (1 / p)
  end

  local function compare(a, b, p, tolerance)
    local got = tensor.cdist(a, b, p):double():totable()
    local x, y = a:double():totable(), b:double():totable()
    for i = 1, #x do
      for j = 1, #y do
        local want = distance(x[i], y[j], p)
        if got[i][j] ~= want and (got[i][j] == got[i][j] or want == want) then
          assert.is_true(math.abs(got[i][j] - want) <= tolerance * want + 1.5e-45,
                         ('%g (%d, %d): %.17g, not %.17g'):format(p, i, j, got[i][j], want))
        end
      end
    end
  end

  local types = { Double = 1e-14, Float = 1e-6, BFloat16 = 2 ^ -8, Half = 2 ^ -11 }

  it('of rows of all lengths', function()
    tensor.manualSeed(1)
    for name, tolerance in pairs(types) do
      local class = ('torch.%sTensor'):format(name)
      for _, shape in ipairs { { 1, 1, 1 }, { 13, 9, 70 }, { 6, 8, 32 }, { 250, 17, 3 },
                               { 7, 33, 33 } } do
        local a = tensor.randn(shape[3], shape[1]):type(class):t()
        local b = tensor.randn(shape[2], shape[3]):type(class)
        for _, p in ipairs { 0, 1, 2, inf, 3, 0.5 } do compare(a, b, p, tolerance * 2) end
      end
    end
  end)

  it('of large, small and infinite elements', function()
    local sizes_of = { Double = { 1e200, 1e-200, 5e-324 }, Float = { 1e30, 1e-30, 1e-44 } }
    for name, sizes in pairs(sizes_of) do
      local class = tensor[name .. 'Tensor']
      for _, size in ipairs(sizes) do
        local a = (tensor.range(1, 30):view(10, 3) * size):type(class():type())
        for _, p in ipairs { 0, 1, 2, inf, 3 } do compare(a, a:narrow(1, 3, 5), p, 1e-6) end
      end
      local a = class(4, 2):fill(1)
      a[1][1], a[2][1], a[3][2] = inf, 0 / 0, -inf
      for _, p in ipairs { 1, 2, inf, 3 } do compare(a, a, p, 0) end
    end
  end)

  it('of batches that broadcast', function()
    local a, b = tensor.randn(3, 1, 7, 5), tensor.randn(2, 9, 5)
    local all = tensor.cdist(a, b)
    assert.are.same({ 3, 2, 7, 9 }, all:size():totable())
    for i = 1, 3 do
      for j = 1, 2 do assert.is_true(all[i][j]:equal(tensor.cdist(a[i][1], b[j]))) end
    end
    assert.are.equal(0, tensor.cdist(tensor.zeros(3, 0), tensor.zeros(2, 0)):sum())
  end)
end)

describe('products of integers with a vector', function()
  it('are those of doubles', function()
    for _, class in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
      local new = tensor[class .. 'Tensor']
      for _, shape in ipairs { { 1, 1 }, { 5, 300 }, { 300, 5 }, { 129, 1 }, { 260, 40 } } do
        local rows, columns = shape[1], shape[2]
        local a, b = make(class, rows, columns), (make(class, columns, rows)):t()
        local x = (make(class, columns, 2)):select(2, 1)
        for _, m in ipairs { a:remainder(3), b:remainder(3) } do
          local exact = m:double() * x:double()
          if class == 'Byte' then exact:remainder(256) end
          if class == 'Char' then exact:add(128):remainder(256):add(-128) end
          local r = new(rows, 3):zero():select(2, 2)
          assert.is_true(tensor.mv(r, m, x):double():equal(exact))
          assert.is_true(tensor.mm(x:view(1, columns), m:t()):double():view(rows):equal(exact))
          assert.is_true(tensor.addmv(r, 1, r, 0, m, x):double():equal(exact))
        end
      end
    end
    local large = tensor.LongTensor { { 2 ^ 62, 3 }, { -2 ^ 62, 5 } }
    assert.are.same({ 3, 5 }, (large * tensor.LongTensor { 4, 1 }):totable())
  end)
end)

describe('the gradient of cdist', function()
  local slope = tensor.grad(function(p) return tensor.cmul(tensor.cdist(p.a, p.b), p.w):sum() end)

  it('is right where rows are near each other', function()
    local random = elements.generator(3)
    local a = tensor.FloatTensor(40, 12):apply(function() return random() end)
    local b = a + tensor.FloatTensor(40, 12):apply(function() return 1e-4 * random() end)
    b = tensor.cat(b, a + 100, 1)
    local w = tensor.FloatTensor(40, 80):apply(function() return random() end)
    local single = slope{ a = a, b = b, w = w }
    local double = slope{ a = a:double(), b = b:double(), w = w:double() }
    for name in pairs(single) do
      local distance = (single[name]:double() - double[name]):norm()
      assert.is_true(distance < 1e-6 * double[name]:norm(), name)
    end
  end)

  it('is the sum of those of parts, for many differences and for none', function()
    local random = elements.generator(4)
    local function matrix(rows, columns)
      return tensor.DoubleTensor(rows, columns):apply(function() return random() end)
    end
    local a, b, w = matrix(90, 30), matrix(70, 30), matrix(90, 70)
    local all, sum = slope{ a = a, b = b, w = w }, tensor.zeros(70, 30)
    for k = 1, 90 do
      local one = slope{ a = a:narrow(1, k, 1), b = b, w = w:narrow(1, k, 1) }
      assert.is_true(one.a:allclose(all.a:narrow(1, k, 1)))
      sum:add(one.b)
    end
    assert.is_true(sum:allclose(all.b))
    local none = slope{ a = tensor.zeros(0, 3), b = tensor.ones(2, 3), w = tensor.zeros(0, 2) }
    assert.is_true(none.b:equal(tensor.zeros(2, 3)))
    assert.are.equal(0, none.a:numel())
  end)
end)
