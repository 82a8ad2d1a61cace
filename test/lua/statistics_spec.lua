-- Order, counts and statistics: against figures from NumPy and SciPy, which
-- test/reference/statistics.py wrote; and what is special: ties, NaN, empty dimensions, errors.

local tensor = require 'tensor'
local fails = require 'support.raises'.texts
local reference = require 'support.figures'

local nan = 0 / 0
local T, L, B = tensor.DoubleTensor, tensor.LongTensor, tensor.ByteTensor

local figures, list_of, same = reference.read 'statistics.txt', reference.list_of, reference.same
local x, n, y = reference.operands()

local cubes = x:view(2, 3, 9)
local made = {
  ['logsumexp'] = function() return (x * 100):logsumexp(2) end,
  ['logsumexp all'] = function() return x:logsumexp() end,
  ['logsumexp dims'] = function() return cubes:logsumexp { 1, 3 } end,
  ['softmax 1'] = function() return x:softmax(1) end,
  ['softmax'] = function() return (x * 100):softmax() end,
  ['logSoftmax'] = function() return x:logSoftmax() end,
  ['median'] = function() return (x:median(2)) end,
  ['median with NaN'] = function() return (y:median(2)) end,
  ['kthvalue 7 with NaN'] = function() return (y:kthvalue(7, 2)) end,
  ['mode'] = function() return (n:mode(2)) end,
  ['histc'] = function() return x:histc(8) end,
  ['histc range'] = function() return x:histc(8, -1.5, 2) end,
  ['bincount'] = function() return n:bincount() end,
  ['bincount weights'] = function() return tensor.bincount(n, x) end,
  ['unique'] = function() return (n:unique()) end,
  ['unique inverse'] = function() return (select(2, n:unique())) end,
  ['unique counts'] = function() return (select(3, n:unique())) end,
  ['searchsorted left'] = function() return tensor.searchsorted(x[1]:sort(), x) end,
  ['searchsorted right'] = function() return tensor.searchsorted(x[1]:sort(), x, true) end,
  ['nansum'] = function() return y:nansum(1) end,
  ['nanmean'] = function() return y:nanmean(2) end,
  ['nanmean all'] = function() return y:nanmean() end,
  ['cross'] = function() return x[{ {}, { 1, 3 } }]:cross(x[{ {}, { 4, 6 } }]) end,
  ['cross columns'] = function() return tensor.cross(x[{ { 1, 3 } }], x[{ { 4, 6 } }], 1) end,
  ['match'] = function() return tensor.match(x[{ { 1, 4 } }], x[{ { 3, 6 } }]) end,
  ['cummax'] = function() return (x:cummax()) end,
  ['cummin'] = function() return (x:cummin(2)) end,
  ['integer mean'] = function() return n:mean(1) end,
  ['integer var'] = function() return n:byte():var(2) end,
  ['integer std'] = function() return n:std(true) end,
  ['var dims'] = function() return cubes:var { 1, 3 } end,
  ['norm dims'] = function() return cubes:norm(2, { 1, 2 }) end,
  ['quantile'] = function() return x:quantile(0.3, 2) end,
  ['quantile all'] = function() return x:quantile(0.77) end,
  ['quantile with NaN'] = function() return y:quantile(0.5, 2) end,
  ['quantiles'] = function() return tensor.quantile(x, T { 0, 0.1, 0.5, 0.9, 1 }, 1) end,
  ['cov'] = function() return x:cov() end,
  ['cov biased'] = function() return tensor.cov(x[{ {}, { 1, 4 } }], true) end,
  ['corrcoef'] = function() return x:corrcoef() end,
  ['pad'] = function() return x:pad({ 2, 1, 0, 3 }, 0.5) end,
  ['pad reflect'] = function() return x:pad({ 7, 1, 0, 11 }, 'reflect') end,
  ['pad symmetric'] = function() return x:pad({ 7, 1, 0, 11 }, 'symmetric') end,
  ['pad edge'] = function() return x:pad({ 7, 1, 0, 11 }, 'edge') end,
  ['pad wrap'] = function() return x:pad({ 7, 1, 0, 11 }, 'wrap') end,
}

describe('figures of NumPy and SciPy', function()
  for name, want in pairs(figures) do
    it(name, function() same(assert(made[name], name)(), want, 1e-14) end)
  end
  it('are all there', function()
    for name in pairs(made) do assert.is_table(figures[name], name) end
  end)
end)

describe('order', function()
  it('takes NaN as the largest, and equal elements as they stand', function()
    local t = T { 2, nan, 1, 2, nan, 1 }
    local values, indices = t:topk(6, 1, true)
    same(values, { nan, nan, 2, 2, 1, 1 }, 0)
    same(indices, { 2, 5, 1, 4, 3, 6 }, 0)
    values, indices = t:kthvalue(4, 1)
    same(values, { 2 }, 0)
    same(indices, { 4 }, 0)
    same(t:argsort(), { 3, 6, 1, 4, 2, 5 }, 0)
    assert.are.equal(2, t:argmax())
    values, indices = t:mode(1)
    same(values, { 1 }, 0)
    same(indices, { 6 }, 0)
    values, indices = T { nan, nan, 3 }:mode(1)
    same(values, { 3 }, 0)
    same(indices, { 3 }, 0)
    same((t:unique()), { 1, 2, nan, nan }, 0)
    same(tensor.searchsorted(T { 1, 2, nan }, T { 0, 2, 3, nan }), { 1, 2, 3, 3 }, 0)
    same(tensor.searchsorted(T { 1, 2, nan }, T { 0, 2, 3, nan }, true), { 1, 3, 3, 4 }, 0)
    values, indices = t:cummax()
    same(values, { 2, nan, nan, nan, nan, nan }, 0)
    same(indices, { 1, 2, 2, 2, 5, 5 }, 0)
  end)

  it('gives what sorting gives, of rows of any length', function()
    for _, class in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
      for _, size in ipairs { 40, 41, 300, 2000 } do
        tensor.manualSeed(size)
        local t = tensor[class .. 'Tensor'](size, 3):random(0, 100)
        local sorted, order = t:sort(1, true)
        for _, k in ipairs { 1, 7, size - 1, size } do
          local values, indices = t:topk(k, 1, true)
          assert.is_true(values:equal(sorted:narrow(1, 1, k)))
          assert.is_true(indices:equal(order:narrow(1, 1, k)))
        end
        sorted, order = t:sort(1)
        for _, k in ipairs { 1, math.floor(size / 3), size } do
          local values, indices = t:kthvalue(k, 1)
          assert.is_true(values:equal(sorted:narrow(1, k, 1)))
          assert.is_true(indices:equal(order:narrow(1, k, 1)))
        end
      end
    end
  end)

  -- Compares the functions of distinct values with lists.
  local function check_distinct(t)
    local list, runs, at = list_of(t), {}, {}
    local order = list_of(t:contiguous():view(-1):argsort())
    for _, i in ipairs(order) do
      local run = runs[#runs]
      if not run or run.value ~= list[i] then
        run = { value = list[i], first = i, count = 0 }
        runs[#runs + 1] = run
      end
      run.count = run.count + 1
      at[i] = #runs
    end
    local values, inverse, counts = t:unique()
    local all_values, firsts = tensor.uniqueAll(t)
    for _, got in ipairs { values, all_values, tensor.uniqueValues(t) } do
      got = list_of(got)
      assert.are.equal(#runs, #got)
      for k, run in ipairs(runs) do
        -- The value is the first one, of zeros of both signs, too.
        assert.is_true(got[k] == run.value and 1 / got[k] == 1 / run.value or got[k] ~= got[k])
      end
    end
    firsts, counts = list_of(firsts), list_of(counts)
    for k, run in ipairs(runs) do
      assert.are.equal(run.first, firsts[k])
      assert.are.equal(run.count, counts[k])
    end
    assert.is_true(inverse:isSameSizeAs(t))
    same(inverse, at, 0)
  end

  it('finds few distinct values without sorting', function()
    for _, class in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float',
                             'Double' } do
      for _, size in ipairs { 255, 300 } do
        tensor.manualSeed(size)
        local t = tensor[class .. 'Tensor'](size):random(0, 20)
        check_distinct(t:view(5, -1):t())
        check_distinct(t:random(0, 127))
      end
      -- More values than are found without sorting.
      local most = (class == 'Byte' or class == 'Char') and 127 or 2000
      local t = tensor.DoubleTensor(700):random(0, most):type('torch.' .. class .. 'Tensor')
      check_distinct(class == 'Byte' and t or t:add(-60))
      check_distinct(t:narrow(1, 1, 20))
      check_distinct(t:repeatTensor(8))
    end
  end)

  it('finds distinct zeros, infinities and NaN among many elements', function()
    for _, class in ipairs { 'Half', 'Float', 'Double' } do
      local list, values = {}, { 0, 1, math.huge, -1 / math.huge, -math.huge }
      for i = 1, 400 do list[i] = values[i % 5 + 1] end
      local t = T(list):type('torch.' .. class .. 'Tensor')
      check_distinct(t)
      t[77] = nan
      t[78] = nan
      check_distinct(t)
    end
  end)

  it('has errors that name shapes', function()
    local t = T(2, 3)
    fails(function() t:kthvalue(4, 2) end, 'kthvalue', '[2 x 3]', '4', 'from 1 to 3')
    fails(function() t:kthvalue(0, 2) end, 'kthvalue', '[2 x 3]')
    fails(function() t:topk(3, 1) end, 'topk', 'dimension 1', 'from 0 to 2')
    fails(function() t:median(3) end, 'median', '3')
    fails(function() T(2, 0):median(2) end, 'median', '[2 x 0]', 'no element')
    fails(function() T(2, 0):mode(2) end, 'mode', 'no element')
    fails(function() T(0):argmax() end, 'argmax', 'no element')
    fails(function() tensor.searchsorted(T(2, 3), T(3, 4)) end, '[2 x 3]', '[3 x 4]')
    local v, i = T { 7 }, L { 9 }
    fails(function() tensor.kthvalue(v, i, t, 9) end, 'kthvalue')
    same(v, { 7 }, 0)
    same(i, { 9 }, 0)
  end)

  it('of no elements is of no elements', function()
    local values, inverse, counts = T(0):unique()
    assert.are.equal(0, values:nElement() + inverse:nElement() + counts:nElement())
    assert.are.equal(0, (T(0, 3):cummax(1)):nElement())
    assert.are.equal(0, T(3, 0):argsort():nElement())
    same(tensor.searchsorted(T(0), T { 1, 2 }), { 1, 1 }, 0)
  end)
end)

describe('all and any', function()
  it('return 0 or 1 for bytes of any value', function()
    local t = B { { 2, 0, 4 }, { 255, 7, 8 }, { 0, 0, 0 } }
    same(t:all(2), { 0, 1, 0 }, 0)
    same(t:any(2), { 1, 1, 0 }, 0)
    same(t:t():any(2), { 1, 1, 1 }, 0)
    same(t:any { 1, 2 }, { 1 }, 0)
    same(t:narrow(1, 2, 1):all { 1, 2 }, { 1 }, 0)
    assert.is_false(tensor.all(t))
    assert.is_true(tensor.any(t))
    assert.is_true(tensor.all(t[2]))
    assert.is_false(tensor.any(t[3]))
  end)
end)

describe('counts', function()
  it('leave out what is in no bin', function()
    local t = T { nan, -math.huge, 0, 0.5, 1, 1.5, math.huge }
    same(t:histc(2, 0, 1), { 1, 2 }, 0)
    same(T { 3, 3 }:histc(2), { 0, 2 }, 0)
    same(T(0):histc(3), { 0, 0, 0 }, 0)
    same(T { { 0, 1 }, { 1, 1 } }:bhistc(2), { 1, 1, 0, 2 }, 0)
    same(tensor.HalfTensor(5000):fill(1):histc(1, 0, 2), { 5000 }, 0)
  end)

  it('have errors', function()
    fails(function() T { nan }:histc(2) end, 'histc', 'range')
    fails(function() T { 1 }:histc(0) end, 'histc', 'bin')
    fails(function() T { 1 }:histc(2, 3, 1) end, 'histc', 'range')
    fails(function() T(2, 2, 2):bhistc() end, 'bhistc', '[2 x 2 x 2]')
    fails(function() L { 1, 0 }:bincount() end, 'bincount', '0')
    fails(function() L { 2 ^ 62 }:bincount() end, 'bincount')
    fails(function() tensor.bincount(L { 1 }, T { 1, 2 }) end, 'bincount', '[1]', '[2]')
    -- Sums of floats are doubles.
    local weights = tensor.FloatTensor { 2 ^ 24, 1, 1, 1, 1 }
    assert.are.equal(2 ^ 24 + 4, tensor.bincount(L { 1, 1, 1, 1, 1 }, weights)[1])
    local points = tensor.FloatTensor(5):fill(1)
    assert.are.equal(2 ^ 24 + 4, (points:histogram(tensor.FloatTensor { 0, 2 }, weights))[1])
  end)
end)

describe('reductions', function()
  it('of no elements have their neutral element', function()
    same(T(2, 0):all(2), { 1, 1 }, 0)
    same(T(2, 0):any(2), { 0, 0 }, 0)
    same(T(2, 0, 3):sum { 2, 3 }, { 0, 0 }, 0)
    same(T(2, 0):logsumexp(2), { -math.huge, -math.huge }, 0)
    assert.is_true(T(0):all())
    assert.is_false(T(0):any())
    assert.are.equal(0, T { nan }:nansum())
    same(T { { nan, nan }, { 1, nan } }:nanmean(2), { nan, 1 }, 0)
  end)

  it('take NaN for true, and infinities as they are', function()
    assert.is_true(T { nan }:any())
    same(T { { -math.huge, -math.huge }, { math.huge, 1 } }:logsumexp(2),
         { -math.huge, math.huge }, 0)
    same(T { -math.huge, 0 }:softmax(), { 0, 1 }, 0)
  end)

  it('reject invalid lists of dimensions', function()
    local t = T(2, 3)
    fails(function() t:sum { 1, 1 } end, 'sum', 'twice')
    fails(function() t:sum { 3 } end, '3')
    fails(function() t:sum {} end, 'sum', 'at least one dimension')
    fails(function() t:sum { 0 } end, '0')
    assert.are.same({ 1, 1 }, t:sum({ 1, 2 }):size():totable())
    assert.are.same({ 1 }, t:sum({ 1, 2 }, false):size():totable())
    assert.are.same({ 1 }, t:all({ 1, 2 }):size():totable())
    assert.are.same({ 3 }, t:max(tensor.LongStorage { 1 }, false):size():totable())
  end)

  it('of integers are doubles', function()
    assert.are.equal(1.5, B { 1, 2 }:mean())
    assert.are.equal('torch.DoubleTensor', L { 1, 2 }:var(1):type())
    fails(function() L { 1, 2 }:norm() end, 'norm', 'LongTensor')
  end)
end)

-- On a device the order is another one.
if not require('support.settings').device then
  describe('products', function()
    it('are multiplied in order', function()
      for _, size in ipairs { { 9, 5 }, { 5, 9 }, { 3, 700 }, { 700, 3 }, { 17, 100 },
                              { 1, 4000 } } do
        tensor.manualSeed(size[1])
        local t = tensor.rand(size[1], size[2]):add(0.5)
        for d = 1, 2 do
          for _, layout in ipairs { t, t:t():contiguous():t() } do
            local got = layout:prod(d):view(size[3 - d])
            for i = 1, size[3 - d] do
              local product = 1
              for k = 1, size[d] do product = product * (d == 1 and t[k][i] or t[i][k]) end
              assert.are.equal(product, got[i])
            end
          end
        end
      end
    end)
  end)
end

describe('vectors', function()
  it('have a cross product along the first dimension of size 3', function()
    local a, b = tensor.range(1, 9):view(3, 3), tensor.eye(3)
    assert.is_true(tensor.cross(a, b):equal(tensor.cross(a, b, 1)))
    assert.is_false(tensor.cross(a, b):equal(tensor.cross(a, b, -1)))
    fails(function() tensor.cross(T(2, 4), T(2, 4)) end, 'cross', '[2 x 4]')
    fails(function() tensor.cross(T(3, 4), T(3, 4), 2) end, 'cross', 'sizes 4 and 4')
    fails(function() tensor.cross(T(3), T(4)) end, 'cross', '[3]', '[4]')
  end)

  it('of -0 and of no elements are not negative', function()
    for _, type in ipairs { 'Half', 'Float', 'Double' } do
      local t = tensor[type .. 'Tensor'] { 2, -0.0, 0 }
      for _, p in ipairs { -1, -3, -math.huge } do
        for _, norm in ipairs { t:norm(p), t:norm(p, 1)[1] } do
          assert.are.same({ 0, math.huge }, { norm, 1 / norm })
        end
      end
    end
    assert.are.equal(0, tensor.zeros(0):norm(math.huge))
    assert.are.same({ 0, 0 }, tensor.zeros(2, 0):norm(math.huge, 2):view(2):totable())
  end)

  it('are scaled down to a norm', function()
    local t = T { { 3, 4 }, { 0.3, 0.4 } }
    local r = tensor.renorm(t, 2, 1, 1)
    assert.is_true(math.abs(r[1]:norm() - 1) < 1e-6)
    assert.is_true(r[2]:equal(t[2]))
    fails(function() T(3):renorm(2, 1, 1) end, 'renorm', '[3]')
    fails(function() t:renorm(0, 1, 1) end, 'renorm', 'positive')
    for _, size in ipairs { { 5 }, { 2, 2 } } do
      local none, three = T(0, unpack(size)), T(3, unpack(size))
      assert.are.same({ 0, 3 }, tensor.match(none, three):size():totable())
      assert.are.same({ 3, 0 }, tensor.match(three, none):size():totable())
    end
    fails(function() tensor.match(T(2, 3), T(2, 4)) end, 'match', '[2 x 3]', '[2 x 4]')
  end)
end)

describe("Torch7's names", function()
  it('of remainders', function()
    same(T { 7, -7 }:mod(4), { 3, -3 }, 0)
    same(tensor.cmod(L { 7, -7 }, L { 4, 4 }), { 3, -3 }, 0)
  end)

  it('of bits are for integers', function()
    same(L { 12, 10 }:bitand(6), { 4, 2 }, 0)
    same(T { 1, 3 }:lshift(2), { 4, 12 }, 0)
    same(tensor.crshift(T { 4, 12 }, T { 1, 2 }), { 2, 3 }, 0)
    fails(function() T { 1 }:bitand(1) end, 'bitand', 'DoubleTensor')
  end)

  it('of shifts multiply floats by the same power wherever they lie', function()
    for _, class in ipairs { tensor.FloatTensor, tensor.DoubleTensor } do
      local values, bits = class(67), class(67)
      for i = 1, 67 do values[i], bits[i] = i / 7, i * 0.37 - 9 end
      local function apart(t) return class(67, 3):select(2, 2):copy(t) end
      for _, name in ipairs { 'lshift', 'rshift', 'clshift', 'crshift' } do
        local by = name:find '^c' and bits or 1.7
        local together = tensor[name](values, by)
        assert.is_true(together:equal(tensor[name](apart(values), by == bits and apart(by) or by)))
      end
      for k = -60, 60 do assert.are.equal(2 ^ k, class(40):fill(1):lshift(k)[3]) end
      local ends = class { 0, math.huge, 2 ^ -126 }  -- floats end below 2^128
      assert.are.same({ 0, math.huge, 2 ^ 74 }, ends:clone():lshift(200):totable())
      assert.are.same({ 0, math.huge, 2 ^ 74 }, ends:rshift(-200):totable())
    end
  end)

  it('in the tables of classes make tensors of the class', function()
    for _, class in ipairs { 'FloatTensor', 'DoubleTensor', 'HalfTensor' } do
      for _, f in ipairs { tensor[class].torch.randn, tensor[class].randn } do
        local t = f(2, 3)
        assert.are.equal('torch.' .. class, t:type())
        assert.are.same({ 2, 3 }, t:size():totable())
      end
    end
    assert.are.equal('torch.IntTensor', tensor.IntTensor.torch.range(1, 3):type())
    assert.is_nil(tensor.IntTensor.torch.nothing)
    fails(function() tensor.FloatTensor.sum(5) end, 'sum', 'number')
  end)

  it('lie between elements', function()
    local inf = 1 / 0
    same(T { inf, inf, 0 }:quantile(0.75), { inf }, 0)
    same(T { -inf, 0, inf }:quantile(T { 0.25, 0.5, 0.75 }), { -inf, 0, inf }, 0)
    same(T { 1, nan }:quantile(0), { nan }, 0)
    same(tensor.FloatTensor { 1, 2 }:quantile(0.1), { 1.1 }, 1e-15)
    same(T(0, 3):quantile(0.5, 2), {}, 0)
    local t = T { { 3, 1 }, { 2, 5 } }
    assert.are.same({ 1, 2 }, t:quantile(0.5, 1, true):size():totable())
    assert.are.same({ 3, 2, 1 }, t:quantile(T(3):fill(0.5), 2, true):size():totable())
    assert.is_true(rawequal(t, tensor.quantile(t, t, 0.5, 1)))
    same(t, { 2.5, 3 }, 0)
    fails(function() T { 1 }:quantile(1.5) end, 'quantile', 'from 0 to 1', '1.5')
    fails(function() T { 1 }:quantile(nan) end, 'from 0 to 1')
    fails(function() T { 1 }:quantile(T { 0.5, -1 }) end, 'from 0 to 1', '-1')
    fails(function() T { 1 }:quantile(T(1, 1)) end, 'vector', '[1 x 1]')
    fails(function() T(2, 0):quantile(0.5, 2) end, 'dimension 2 of [2 x 0]')
    fails(function() L { 1 }:quantile(0.5) end, 'quantile', 'LongTensor')
    fails(function() T(2, 2, 2):cov() end, 'cov', '[2 x 2 x 2]')
    same(T { 5 }:cov(), { nan }, 0)
    same(T { 5 }:cov(true), { 0 }, 0)
    same(T { { 1, 2 }, { 3, 3 } }:corrcoef()[1], { 1, nan }, 1e-15)
    same(T { { 1, 2, 4 }, { -2, -4, -8 } }:corrcoef(), { 1, -1, -1, 1 }, 1e-15)
  end)

  it('put elements around others', function()
    local t = T { 1, 2, 3 }
    assert.is_true(rawequal(t, tensor.pad(t, t, { 1, 0 }, 9)))
    same(t, { 9, 1, 2, 3 }, 0)
    same(L { 4 }:pad({ 1, 2 }, 'reflect'), { 4, 4, 4, 4 }, 0)
    fails(function() t:pad { 1 } end, 'pad', 'two numbers for each of 1 dimensions', 'got 1')
    fails(function() t:pad { 0, -5 } end, 'pad', 'dimension 1 of [4]')
    fails(function() t:pad({ 0, 1 }, 'mirror') end, 'reflect', 'mirror')
    fails(function() T(0):pad({ 0, 1 }, 'edge') end, 'no elements to repeat')
    fails(function() t:pad { 2 ^ 62, 2 ^ 62 } end, 'too large')
    fails(function() t:pad { 2 ^ 55, 0 } end, 'does not fit')
    fails(function() t:pad({ 2 ^ 55, 0 }, 'wrap') end, 'does not fit')
    same(t, { 9, 1, 2, 3 }, 0)
  end)

  it('draw by alias tables', function()
    local p = T { 0.5, 0.25, 0.25 }
    local state = tensor.multinomialAliasSetup(p)
    local same_state = tensor.multinomialAliasSetup(p, state)
    assert.are.equal(state, same_state)
    local drawn = tensor.multinomialAlias(L(1000), state)
    assert.is_true(drawn:min() >= 1 and drawn:max() <= 3)
    -- The first category is an alias of others, and the second one is never drawn.
    p = T { 0.6, 0, 0.3, 0.1 }
    tensor.manualSeed(1)
    drawn = tensor.multinomialAlias(L(20000), tensor.multinomialAliasSetup(p))
    for k = 1, 4 do
      assert.is_near(p[k], tensor.eq(drawn, k):sum() / 20000, p[k] == 0 and 0 or 0.02)
    end
    fails(function() tensor.multinomialAliasSetup(T { 0.5, -1 }) end, '-1')
    fails(function() tensor.multinomialAliasSetup(T()) end, 'no categories')
    fails(function() tensor.multinomialAliasSetup(p, 5) end, 'table')
    fails(function() tensor.multinomialAlias(L(2), {}) end, 'table')
    fails(function() tensor.multinomialAlias_(L(2), L { 1, 2 }, T { 1 }) end, '[2]', '[1]')
  end)

  it('draw integers from negative numbers on', function()
    local words, numbers = {}, {}
    tensor.manualSeed(7)
    for i = 1, 20 do words[i] = tensor.random() end
    tensor.manualSeed(7)
    for i = 1, 20 do numbers[i] = tensor.random(-5, 5) end
    for i = 1, 20 do assert.are.equal(words[i] % 11 - 5, numbers[i]) end
    tensor.manualSeed(7)
    same(tensor.FloatTensor(20):random(-5, 5), numbers, 0)
    assert.are.equal(-3, tensor.random(-3, -3))
    fails(function() tensor.random(2, 1) end, 'random')
  end)
end)
