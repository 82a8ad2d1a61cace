-- Against figures from NumPy and mpmath: test/reference/make.py wrote test/data/reference.txt.

local has_ffi, ffi = pcall(require, 'ffi')
local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local rules = require 'support.rules'

local figures = require 'support.figures'.read 'reference.txt'
local function figure(name) return (assert(figures[name], name)) end

-- The distance of a float's or double's neighbours at x.
local function last_place(x, e)
  local _, exponent = math.frexp(x)
  if e.name == 'Float' then return 2 ^ math.max(exponent - 24, -149) end
  return 2 ^ math.max(exponent - 53, -1074)
end

local function same(got, want)
  return got == want and 1 / got == 1 / want or got ~= got and want ~= want
end

-- got and want are lists; limit in units of the last place, or nil for the very same.
local function compare(name, got, want, e, limit, x)
  assert.are.equal(#want, #got)
  for i = 1, #want do
    local fits = same(got[i], want[i])
    if not fits and limit and math.abs(want[i]) < math.huge then
      fits = math.abs(got[i] - want[i]) <= limit * last_place(want[i], e)
    end
    if not fits then
      error(('%s of %s: element %d (%s) is %.17g instead of %.17g')
            :format(name, e.name, i, x and ('%.17g'):format(x[i]) or '', got[i], want[i]), 2)
    end
  end
end

-- The values in a layout whose elements come one by one, and in one that is read in vectors.
local function tensors_of(e, list)
  local m = model.new({ #list }, list)
  return { model.tensor(e, m, 'contiguous'), model.tensor(e, m, 'strided') }
end

local functions = { 'exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'sin', 'cos', 'tan', 'asin',
                    'acos', 'atan', 'sinh', 'cosh', 'tanh', 'sigmoid', 'erf', 'lgamma', 'sqrt',
                    'rsqrt', 'cinv' }

describe('functions of one number', function()
  for _, name in ipairs(functions) do
    for _, e in ipairs { elements.Double, elements.Float } do
      it(name .. ' of ' .. e.name .. ' is within 4 units of the last place', function()
        local x = figure(('%s %s x'):format(name, e.name))
        for _, t in ipairs(tensors_of(e, x)) do
          local y = figure(('%s %s y'):format(name, e.name))
          compare(name, tensor[name](t):totable(), y, e, 4, x)
        end
      end)
    end

    it(name .. ' is exact where there is but one answer', function()
      local x, y = figure(name .. ' special x'), figure(name .. ' special y')
      for _, e in ipairs { elements.Double, elements.Float } do
        for _, t in ipairs(tensors_of(e, x)) do
          compare(name, tensor[name](t):totable(), y, e, nil, x)
        end
        -- Alone and among many, where other code may run.
        for i = 1, #x do
          compare(name, tensor[name](e.Tensor { x[i] }):totable(), { y[i] }, e, nil, { x[i] })
          local many = tensor[name](e.Tensor(67):fill(x[i])):totable()
          for k = 1, 67 do compare(name, { many[k] }, { y[i] }, e, nil, { x[i] }) end
        end
      end
      for _, e in ipairs { elements.Half, elements.BFloat16 } do
        for i = 1, #x do
          local stored = e.store(x[i])
          if stored == x[i] or x[i] ~= x[i] then
            compare(name, tensor[name](e.Tensor { x[i] }):totable(), { y[i] }, e, nil, { x[i] })
          end
        end
      end
    end)
  end
end)

describe('digamma', function()
  for _, e in ipairs { elements.Double, elements.Float } do
    it(('of %s is exact next to its poles'):format(e.name), function()
      local x, y = figure(('digamma %s x'):format(e.name)), figure(('digamma %s y'):format(e.name))
      for _, t in ipairs(tensors_of(e, x)) do
        local got = tensor.digamma(t):totable()
        for i = 1, #x do
          -- Where it is near 0, terms of more than 1 cancel.
          local limit = 8 * last_place(math.max(math.abs(y[i]), 4), e)
          assert.is_true(math.abs(got[i] - y[i]) <= limit,
                         ('%.17g: %.17g instead of %.17g'):format(x[i], got[i], y[i]))
        end
      end
    end)
  end
end)

describe('functions of two numbers', function()
  for _, name in ipairs { 'cpow', 'atan2' } do
    for _, e in ipairs { elements.Double, elements.Float } do
      it(name .. ' of ' .. e.name, function()
        local key = name .. ' ' .. e.name .. ' '
        local x, y = tensors_of(e, figure(key .. 'x')), tensors_of(e, figure(key .. 'y'))
        for i = 1, 2 do
          compare(name, tensor[name](x[i], y[i]):totable(), figure(key .. 'z'), e, 4)
        end
      end)
    end
  end

  for _, name in ipairs { 'cpow', 'cfmod', 'cremainder', 'atan2' } do
    it(name .. ' of all pairs of signs and special values', function()
      local x, y = figure(name .. ' grid x'), figure(name .. ' grid y')
      for _, e in ipairs { elements.Double, elements.Float } do
        local want = {}
        for i, z in ipairs(figure(name .. ' grid z')) do want[i] = e.store(z) end
        local a, b = tensors_of(e, x), tensors_of(e, y)
        for i = 1, 2 do
          local got = tensor[name](a[i], b[i]):totable()
          for k = 1, #want do
            local fits = same(got[k], want[k]) or (name == 'cremainder' and got[k] == want[k])
                         or math.abs(got[k] - want[k]) <= 4 * last_place(want[k], e)
                            and math.abs(want[k]) < math.huge and want[k] ~= 0
            assert.is_true(fits, ('%s(%g, %g) is %.17g instead of %.17g')
                                 :format(name, x[k], y[k], got[k], want[k]))
          end
        end
      end
    end)
  end

  for _, e in ipairs { elements.Double, elements.Float } do
    it('remainders of ' .. e.name .. ' are exact for every quotient', function()
      local key = 'remainder ' .. e.name .. ' '
      local x, y, z = figure(key .. 'x'), figure(key .. 'y'), figure(key .. 'z')
      local a, b = tensors_of(e, x), tensors_of(e, y)
      for i = 1, 2 do compare('cremainder', tensor.cremainder(a[i], b[i]):totable(), z, e) end
      compare('%', (a[1] % b[1]):totable(), z, e)
      compare('fuse', tensor.fuse('a % b', { a[1], b[1] }):totable(), z, e)
      for k = 1, #x do
        local left, right = e.Tensor { x[k] }, e.Tensor { y[k] }
        compare('remainder', tensor.remainder(left, y[k]):totable(), { z[k] }, e)
        compare('number %', (x[k] % right):totable(), { z[k] }, e)
        compare('of many', { tensor.remainder(e.Tensor(37):fill(x[k]), y[k])[37] }, { z[k] }, e)
      end
    end)

    it("remainders of " .. e.name .. " after require 'torch' are those of Torch7", function()
      rules.set 'torch7'
      finally(function() rules.set 'tensor' end)
      local function torch7(a, b)
        return e.store(a - e.store(1.0 * b * math.floor(e.store(a / b))))  -- not in integers
      end
      for _, pair in ipairs { { -1e20, 501 }, { 7.5, 2 }, { -7.5, 2 }, { 7.5, -2 } } do
        local a, b = e.store(pair[1]), e.store(pair[2])
        local x, y, want = e.Tensor { a }, e.Tensor { b }, { torch7(a, b) }
        assert.are.same(want, tensor.remainder(x, b):totable())
        assert.are.same(want, tensor.cremainder(x, y):totable())
        assert.are.same(want, (x % b):totable())
        assert.are.same(want, (a % y):totable())
        assert.are.same(want, tensor.fuse('x % y', { x, y }):totable())
      end
    end)
  end

  it('remainders in C are those of Torch7, and exact by functions of their own', function()
    if not has_ffi then return pending "C functions are called through LuaJIT's FFI" end
    ffi.cdef [[
      void THDoubleTensor_remainder(struct THDoubleTensor *r, struct THDoubleTensor *t, double x);
      void THDoubleTensor_remainderExact(struct THDoubleTensor *r, struct THDoubleTensor *t,
                                         double x);
    ]]
    local C = ffi.load(os.getenv 'TENSOR_PREFIX' .. '/lib/libTH.so.0')
    local t, r = tensor.DoubleTensor { -1e20 }, tensor.DoubleTensor()
    C.THDoubleTensor_remainder(r:cdata(), t:cdata(), 501)
    assert.are.equal(0, r[1])
    C.THDoubleTensor_remainderExact(r:cdata(), t:cdata(), 501)
    assert.are.equal(113, r[1])
  end)

  it('numbers are as tensors of them', function()
    local x, y = figure 'cpow grid x', figure 'cpow grid y'
    local z = figure 'cpow grid z'
    for i = 1, #x do
      local fits = same(tensor.pow(tensor.DoubleTensor { x[i] }, y[i])[1], z[i])
                   and same(tensor.pow(x[i], tensor.DoubleTensor { y[i] })[1], z[i])
      assert.is_true(fits or math.abs(z[i]) < math.huge and z[i] ~= 0, x[i] .. '^' .. y[i])
    end
  end)
end)

describe('integers', function()
  for _, row in ipairs { { 'Char', 8 }, { 'Short', 16 }, { 'Int', 32 }, { 'Long', 64 } } do
    it('of ' .. row[1] .. ' divide and wrap as C has it', function()
      local e = elements[row[1]]
      local x, y = e.Tensor(figure 'integers x'), e.Tensor(figure 'integers y')
      for _, name in ipairs { 'cdiv', 'cfmod', 'cremainder', 'cmul' } do
        local want = figure(('%s int%d z'):format(name, row[2]))
        compare(name, tensor[name](x, y):totable(), want, e)
        for i = 1, #want do
          local by_value = tensor[name:sub(2)](e.Tensor { x[i] }, y[i])[1]
          compare(name, { by_value }, { want[i] }, e)
        end
      end
    end)
  end

  it('of 64 bits wrap', function()
    local x, y = tensor.LongTensor(figure 'long x'), tensor.LongTensor(figure 'long y')
    assert.are.same(figure 'long cadd', tensor.add(x, y):totable())
    assert.are.same(figure 'long csub', tensor.csub(x, y):totable())
    assert.are.same(figure 'long cmul', tensor.cmul(x, y):totable())
  end)
end)

describe('reductions', function()
  local m = tensor.DoubleTensor(figure 'matrix'):view(10, 20)
  local layouts = { m, m:t():contiguous():t() }

  local function near(name, got, want, tolerance)
    got = got:contiguous():view(-1):totable()
    assert.are.equal(#want, #got)
    for i = 1, #want do
      assert.is_true(model.close(got[i], want[i], tolerance, 1e-3),
                     ('%s: element %d is %.17g instead of %.17g'):format(name, i, got[i], want[i]))
    end
  end

  for d = 1, 2 do
    it('along dimension ' .. d, function()
      for _, t in ipairs(layouts) do
        local function of(name) return figure(name .. ' ' .. d) end
        near('sum', t:sum(d), of 'sum', 4e-15 * 16)
        near('prod', t:prod(d), of 'prod', 1e-14)
        near('mean', t:mean(d), of 'mean', 1e-14)
        near('var', t:var(d), of 'var', 1e-14)
        near('var', t:var(d, true), of 'var biased', 1e-14)
        near('std', t:std(d), of 'std', 1e-14)
        near('cumsum', t:cumsum(d), of 'cumsum', 1e-13)
        near('cumprod', t:cumprod(d), of 'cumprod', 1e-13)
        for _, name in ipairs { 'max', 'min' } do
          local values, places = t[name](t, d)
          near(name, values, of(name), 0)
          near(name, places, of('arg' .. name), 0)
        end
        local sorted, order = t:sort(d)
        near('sort', sorted, of 'sort', 0)
        near('sort', order, of 'argsort', 0)
        for _, p in ipairs { 0, 1, 2, 3, math.huge } do
          local name = p == math.huge and 'inf' or tostring(p)
          near('norm', t:norm(p, d), figure(('norm %s %d'):format(name, d)), 1e-14)
        end
      end
    end)
  end

  it('of all elements', function()
    local want = figure 'all'
    for _, t in ipairs(layouts) do
      local got = tensor.DoubleTensor { t:sum(), t:mean(), t:var(), t:std(true), t:norm() }
      near('all', got, want, 1e-13)
    end
  end)

  it('variances do not suffer from a mean far from 0', function()
    local far = tensor.DoubleTensor(figure 'far')
    assert.is_true(model.close(far:var(), figure 'far var'[1], 1e-9), far:var())
    assert.is_true(model.close(far:view(1, 100):var(2)[1][1], figure 'far var'[1], 1e-9))
  end)

  it('NaN is the largest when sorting, and is what max and min give', function()
    for _, e in ipairs { elements.Double, elements.Float, elements.Half, elements.BFloat16 } do
      for _, t in ipairs(tensors_of(e, figure 'nan')) do
        local sorted, order = t:sort()
        local got, want = sorted:totable(), figure 'nan sorted'
        for i = 1, #want do
          assert.is_true(got[i] == want[i] or got[i] ~= got[i] and want[i] ~= want[i])
        end
        assert.are.same(figure 'nan order', order:totable())
        local down, places = t:sort(1, true)
        assert.is_true(down[1] ~= down[1] and down[2] ~= down[2])
        assert.are.same({ 2, 6, 4, 1, 8, 10, 5, 9, 3, 7 }, places:totable())
        assert.is_true(down[3] == math.huge and down[10] == -math.huge)
        for _, name in ipairs { 'max', 'min' } do
          local x = t[name](t)
          assert.is_true(x ~= x)
          local along, at = t[name](t, 1)
          assert.is_true(along[1] ~= along[1])
          assert.are.equal(2, at[1])
        end
      end
    end
  end)

  it('matrix products', function()
    local a = tensor.DoubleTensor(figure 'left'):view(12, 15)
    local b = tensor.DoubleTensor(figure 'right'):view(15, 9)
    near('mm', tensor.mm(a, b), figure 'product', 1e-12)
    near('mm', tensor.mm(b:t(), a:t()):t(), figure 'product', 1e-12)
    near('mv', tensor.mv(a, b:select(2, 1)), figure 'vector product', 1e-12)
    near('mm', tensor.mm(a:float(), b:float()):double(), figure 'product', 1e-3)
  end)
end)

describe('conversions', function()
  for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
    it('to ' .. name .. ' cut and wrap', function()
      local e = elements[name]
      rules.set 'torch7'
      finally(function() rules.set 'tensor' end)
      local numbers, want = figure 'numbers', figure('numbers ' .. name)
      assert.are.same(want, e.Tensor(numbers):totable())
      assert.are.same(want, e.Storage(numbers):totable())
      for _, t in ipairs(tensors_of(elements.Double, numbers)) do
        assert.are.same(want, t:type(e.class):totable())
        assert.are.same(want, e.Tensor(#want):copy(t):totable())
      end
      for i, x in ipairs(numbers) do
        if x - x == 0 then
          local t = e.Tensor(40):fill(x)
          assert.are.equal(want[i], t[1])
          assert.are.equal(want[i], t[40])
        else
          assert.has_error(function() e.Tensor(40):fill(x) end)
        end
        assert.are.equal(want[i], tensor.DoubleTensor(40):fill(x):type(e.class)[33])
      end
    end)
  end

  for _, name in ipairs { 'Half', 'BFloat16' } do
    it('to ' .. name .. ' round to even', function()
      local e = elements[name]
      local x, want = figure 'floats', figure('floats ' .. name)
      for _, from in ipairs { elements.Float, elements.Double } do
        for _, t in ipairs(tensors_of(from, x)) do
          compare(name, t:type(e.class):totable(), want, e)
          compare(name, t:type(e.class):type(from.class):totable(), want, e)
        end
      end
      compare(name, e.Tensor(x):totable(), want, e)
      for i = 1, #x do
        compare(name, { tensor.FloatTensor(37):fill(x[i]):type(e.class)[36] }, { want[i] }, e)
      end
    end)
  end
end)
