-- Functions that users of NumPy, SciPy and PyTorch expect: against figures from NumPy and SciPy,
-- which test/reference/functions.py wrote; corner cases, and errors.

local tensor = require 'tensor'
local fails = require 'support.raises'.texts
local reference = require 'support.figures'

local inf, nan = math.huge, 0 / 0
local T, L, B, I = tensor.DoubleTensor, tensor.LongTensor, tensor.ByteTensor, tensor.IntTensor

local figures, list_of, same = reference.read 'functions.txt', reference.list_of, reference.same
local x, n, y = reference.operands()
local p = tensor.abs(x) + 0.25
local cubes = x:view(2, 3, 9)
local square = x[{ { 1, 5 }, { 1, 5 } }] + tensor.eye(5) * 4
local up = x[1]:sort() + tensor.arange(9) / 8
local upside = x:flip(1)

local edges = T { -2, 0, 0.5, 2.75 }
local grid = { T { -3, -1, 0, 3 }, T { -3, 1, 3 } }
local corner = x[{ {}, { 1, 2 } }]
local function result(k, f, ...) return (select(k, f(...))) end

local made = {
  ['asinh'] = function() return tensor.asinh(x) end,
  ['acosh'] = function() return tensor.acosh(p + 1) end,
  ['atanh'] = function() return tensor.atanh(x / 3) end,
  ['sinc'] = function() return tensor.sinc(x) end,
  ['sinc far'] = function() return tensor.sinc(T { 1e6 + 0.5, -3, 1e300 }) end,
  ['i0'] = function() return tensor.i0(x * 10) end,
  ['i1'] = function() return tensor.i1(x * 10) end,
  ['i0 large'] = function() return tensor.i0(T { 100, 500, 700, 712 }) end,
  ['polygamma 1'] = function() return tensor.polygamma(p, 1) end,
  ['polygamma 3'] = function() return tensor.polygamma(p, 3) end,
  ['igamma'] = function() return tensor.igamma(p, n:double()) end,
  ['igammac'] = function() return tensor.igammac(p, n:double()) end,
  ['igammac tail'] = function() return tensor.igammac(p * 100, n:double() * 40) end,
  ['igamma large'] = function()
    return tensor.igamma(T { 1e4, 1e6, 1e8 }, T { 1e4 + 30, 1e6 - 400, 1e8 })
  end,
  ['xlogy'] = function() return tensor.xlogy(x, p) end,
  ['floorDivide'] = function() return tensor.floorDivide(x, n:double() - 4.5) end,
  ['gcd'] = function() return tensor.gcd(n * 6, n:t():contiguous():view(6, 9) * 4) end,
  ['lcm'] = function() return tensor.lcm(n * 6, n:t():contiguous():view(6, 9) * 4) end,
  ['copysign'] = function() return tensor.copysign(n:double(), x) end,
  ['fmax'] = function() return tensor.fmax(y, upside) end,
  ['fmin'] = function() return tensor.fmin(y, upside) end,
  ['round 1'] = function() return tensor.round(x, 1) end,
  ['frexp mantissa'] = function() return (tensor.frexp(x)) end,
  ['frexp exponent'] = function() return result(2, tensor.frexp, x) end,
  ['nanprod'] = function() return y:nanprod(2) end,
  ['nanmin'] = function() return y:nanmin(1) end,
  ['nanmax'] = function() return y:nanmax(2) end,
  ['nanvar'] = function() return y:nanvar(2) end,
  ['nanstd all'] = function() return y:nanstd(true) end,
  ['nanquantile'] = function() return y:nanquantile(0.3, 2) end,
  ['nanquantile all'] = function() return y:nanquantile(0.77) end,
  ['countNonzero'] = function() return tensor.remainder(n, 2):countNonzero(1) end,
  ['var correction'] = function() return x:var(2, 2) end,
  ['std correction'] = function() return cubes:std({ 1, 3 }, 0.5) end,
  ['cov counts'] = function() return x:cov(n[1]) end,
  ['cov weights'] = function() return x:covWeights(p[1]) end,
  ['logcumsumexp'] = function() return (x * 100):logcumsumexp(2) end,
  ['trapezoid'] = function() return x:trapezoid(0.5, 1) end,
  ['trapezoid at'] = function() return x:trapezoid(up) end,
  ['slope'] = function() return x:slope(0.5, 1) end,
  ['slope at'] = function() return x:slope(up) end,
  ['interp'] = function() return tensor.interp(x, up, n[1]:double()) end,
  ['unwrap'] = function() return tensor.unwrap(x * 3) end,
  ['unwrap period'] = function() return tensor.unwrap(x * 3, 1, 4) end,
  ['histogram'] = function() return (tensor.histogram(x, 7)) end,
  ['histogram edges'] = function() return result(2, tensor.histogram, x, 7) end,
  ['histogram density'] = function() return tensor.histogram(x, edges, true) end,
  ['histogram weights'] = function() return tensor.histogram(x, edges, p) end,
  ['histogramdd'] = function() return tensor.histogramdd(corner, grid) end,
  ['histogramdd density'] = function() return tensor.histogramdd(corner, grid, true) end,
  ['union'] = function() return tensor.union(n[1], n[2] + 3) end,
  ['intersect'] = function() return tensor.intersect(n[1], n[2] + 3) end,
  ['setDifference'] = function() return tensor.setDifference(n[1], n[2] + 3) end,
  ['isin'] = function() return tensor.isin(n, L { 1, 4, 9 }) end,
  ['uniqueAll first'] = function() return result(2, n.uniqueAll, n) end,
  ['uniqueAll counts'] = function() return result(4, n.uniqueAll, n) end,
  ['lexsort'] = function() return tensor.lexsort { x[1], tensor.remainder(n[1], 3):double() } end,
  ['searchsorted sorter'] = function()
    return tensor.searchsortedBy(x[1], x[2], x[1]:argsort())
  end,
  ['matrixPower 5'] = function() return tensor.matrixPower(square, 5) end,
  ['matrixPower -3'] = function() return tensor.matrixPower(square, -3) end,
  ['matrixExp'] = function() return tensor.matrixExp(square) end,
  ['matrixExp small'] = function() return tensor.matrixExp(square / 100) end,
  ['matrixNorm'] = function() return tensor.matrixNorm(x) end,
  ['nuclearNorm'] = function() return tensor.nuclearNorm(x) end,
  ['cond'] = function() return tensor.cond(square) end,
  ['cond 1'] = function() return tensor.cond(square, 1) end,
  ['cond -inf'] = function() return tensor.cond(square, -inf) end,
  ['svdvals'] = function() return tensor.svdvals(cubes) end,
  ['lu permutation'] = function() return (tensor.lu(square)) end,
  ['lu lower'] = function() return result(2, tensor.lu, square) end,
  ['lu upper'] = function() return result(3, tensor.lu, square) end,
  ['combinations'] = function() return tensor.combinations(x[1]:narrow(1, 1, 4), 3) end,
  ['repeatInterleave'] = function() return tensor.repeatInterleave(x, n[1], 2) end,
  ['blockDiag'] = function()
    return tensor.blockDiag { x[{ { 1, 2 }, { 1, 3 } }], x[{ { 1 }, { 1, 2 } }],
                              n[{ { 1, 3 }, { 1 } }]:double() }
  end,
  ['diagonal'] = function() return cubes:diagonal(1, 1, 3) end,
  ['pad crop'] = function() return x:pad({ -1, 2, 1, -2 }, 'reflect') end,
  ['tril'] = function() return cubes:tril(-1) end,
}
for _, method in ipairs { 'lower', 'higher', 'nearest', 'midpoint' } do
  made['quantile ' .. method] = function()
    return x:quantile(T { 0.1, 0.25, 0.77 }, 2, false, method)
  end
end
for name, order in pairs { ['1'] = 1, ['-1'] = -1, ['2'] = 2, ['-2'] = -2, ['inf'] = inf,
                           ['-inf'] = -inf } do
  made['matrixNorm ' .. name] = function() return tensor.matrixNorm(x, order) end
end
for name, order in pairs { ['1'] = 1, ['2'] = 2, ['3'] = 3, ['inf'] = inf } do
  made['cdist ' .. name] = function()
    return tensor.cdist(x[{ { 1, 4 } }], x[{ { 3, 6 } }], order)
  end
end

-- Draws many numbers of a distribution.
local drawn = {
  ['gamma'] = function(t) return t:gamma(2.5) end,
  ['beta'] = function(t) return t:beta(0.5, 2) end,
  ['chi2'] = function(t) return t:chi2(3) end,
  ['poisson'] = function(t) return t:poisson(3.5) end,
  ['poisson large'] = function(t) return t:poisson(50) end,
  ['binomial'] = function(t) return t:binomial(12, 0.3) end,
  ['binomial large'] = function(t) return t:binomial(200, 0.7) end,
}

describe('functions agree with NumPy and SciPy:', function()
  for name, want in pairs(figures) do
    if not name:find ' of ' then
      it(name, function() same(made[name](), want, 2e-13) end)
    end
  end

  for name, draw in pairs(drawn) do
    it('random numbers, ' .. name, function()
      tensor.manualSeed(3)
      local count = 20000
      local t = draw(T(count))
      local moments = figures['moments of ' .. name]
      -- Five standard errors.
      assert.is_true(math.abs(t:mean() - moments[1]) < 5 * math.sqrt(moments[2] / count))
      assert.is_true(math.abs(t:var() / moments[2] - 1) < 0.1)
      for k, point in ipairs(figures['points of ' .. name]) do
        local want = figures['parts of ' .. name][k]
        local got = t:le(point):sum() / count
        assert.is_true(math.abs(got - want) < 5 * math.sqrt(want * (1 - want) / count) + 1e-9,
                       ('%g of the numbers are at most %g, instead of %g'):format(got, point, want))
      end
    end)
  end
end)

describe('special functions', function()
  it('at their ends', function()
    same(tensor.polygamma(T { -0.5, -3.25, -2, 0 }, 2),
         { -0.82879664423431999560, 123.95521103942203, nan, nan }, 1e-13)
    same(tensor.polygamma(T { -1000.5, 0, inf }, 1), { 9.8686054001734414, inf, 0 }, 1e-12)
    same(tensor.polygamma(T { 2 }, 0), { 0.42278433509846714 }, 1e-15)
    same(tensor.polygamma(T { 2, 2 }, 1.5), { nan, nan }, 0)
    same(tensor.i0(T { 0, inf, nan, 800 }), { 1, inf, nan, inf }, 0)
    same(tensor.i1(T { 0, -inf, nan }), { 0, -inf, nan }, 0)
    same(tensor.sinc(T { 0, inf, nan, 4, -inf }), { 1, nan, nan, 0, nan }, 0)
    same(tensor.igamma(T { 0, 1, 1, -1, 0, inf, 2 }, T { 1, 0, inf, 1, 0, 1, nan }),
         { 1, 0, 1, nan, nan, 0, nan }, 0)
    same(tensor.igamma(T { 1e300, 1e14, 1e14 }, T { 1e300, 1e14 + 1e7, 1e14 - 1e7 }),
         { 0.5, 0.84134474606854, 0.15865525393146 }, 1e-7)
    same(tensor.xlogy(T { 0, 0, 1 }, T { 0, nan, 0 }), { 0, nan, -inf }, 0)
    same(tensor.ldexp(T { 0.75 * 2 ^ -9, 1, 1, 1 }, T { 1030, -1074, -1e9, 1e9 }),
         { 0.75 * 2 ^ 1021, 2 ^ -1074, 0, inf }, 0)
    same(tensor.nextafter(T { 0, 1, nan }, T { 1, 0, 1 }), { 2 ^ -1074, 1 - 2 ^ -53, nan }, 0)
    same((tensor.frexp(T { 0, inf, -1 })), { 0, inf, -0.5 }, 0)
  end)

  it('of integers', function()
    same(tensor.floorDivide(I { 7, -7, 7, -7 }, I { 2, 2, -2, -2 }), { 3, -4, -4, 3 }, 0)
    same(tensor.gcd(I { 0, 0, -12 }, I { 0, -5, 18 }), { 0, 5, 6 }, 0)
    same(tensor.lcm(I { 0, 4 }, I { 3, -6 }), { 0, 12 }, 0)
    same(tensor.floor(I { 3, -2 }), { 3, -2 }, 0)
    same(tensor.isnan(L { 1, 2 }), { 0, 0 }, 0)
    same(tensor.nanToNum(L { 1, 2 }), { 1, 2 }, 0)
    same(tensor.round(I { 1251, -1249 }, -2), { 1300, -1200 }, 0)
    same(tensor.bitnot(B { 0, 255 }), { 255, 0 }, 0)
    fails(function() tensor.floorDivide(I { 1 }, 0) end, 'floorDivide', 'divided by 0')
  end)
end)

describe('reductions without NaN', function()
  it('of nothing but NaN', function()
    local none = T { { nan, nan }, { 1, nan } }
    same(none:nanmin(2), { nan, 1 }, 0)
    same(none:nanmax(2), { nan, 1 }, 0)
    same(none:nanvar(2, true), { nan, 0 }, 0)
    same(none:nanprod(2), { 1, 1 }, 0)
    same((none:nanmedian(2)), { nan, 1 }, 0)
    same(none:nanquantile(0.5, 2), { nan, 1 }, 0)
    assert.is_true(T { nan }:nanstd() ~= T { nan }:nanstd())
    fails(function() T(0):nanmin() end, 'nanmin', 'no elements')
    fails(function() x:nanquantile(1.5) end, 'nanquantile', '0 to 1')
    same(T { -inf, 1, nan }:nanquantile(0, 1), { -inf }, 0)
  end)
end)

describe('sets and order', function()
  it('of no elements and of NaN', function()
    assert.are.equal(0, tensor.union(T(0), T(0)):nElement())
    same(tensor.intersect(T { 1, nan }, T { nan, 1 }), { 1 }, 0)
    same(tensor.isin(T { nan, 1 }, T { nan }), { 0, 0 }, 0)
    same(tensor.isin(T { 1, 2 }, T(0), true), { 1, 1 }, 0)
    assert.are.equal(3, tensor.searchsorted(T { 1, 2, 4 }, 3))
    assert.are.equal(2, tensor.searchsorted(L { 1, 2, 4 }, 1.5))
    fails(function() tensor.lexsort { T { 1 }, T { 1, 2 } } end, 'lexsort', '[1]', '[2]')
    fails(function() tensor.argpartition(T { 1 }, 2) end, 'argpartition', '2')
    fails(function() x:quantile(0.5, 1, false, 'best') end, 'quantile', 'best')
  end)
end)

describe('sampled functions', function()
  it('have errors', function()
    fails(function() tensor.slope(T { 1 }) end, 'slope', 'fewer than 2')
    fails(function() tensor.trapezoid(x, T { 1, 2 }) end, 'trapezoid', '9 points', '[2]')
    fails(function() tensor.interp(x, T(0), T(0)) end, 'interp', 'at least one point')
    fails(function() tensor.unwrap(x, 1, 0) end, 'unwrap', 'positive')
    fails(function() tensor.histogram(x, T { 1, 0 }) end, 'histogram', 'ascending')
    fails(function() tensor.histogram(x, 0) end, 'histogram', '0')
    fails(function() tensor.histogramdd(x, grid) end, 'histogramdd', '[6 x 9]')
  end)

  it('of one element and of NaN', function()
    same(tensor.trapezoid(T { 5 }), { 0 }, 0)
    same(tensor.interp(T { nan, 1, -inf }, T { 0, 2 }, T { 5, 7 }), { nan, 6, 5 }, 0)
    local ends = tensor.interp(T { -1, 0, 1, 2, 2.5, 3, 4, nan }, T { 0, 2, 3 }, T { 0, 5, inf })
    same(ends, { 0, 0, 2.5, 5, inf, inf, inf, nan }, 0)  -- as in NumPy
    same(tensor.interp(T { 0, 0.5, 1 }, T { 0, 1 }, T { inf, inf }), { inf, inf, inf }, 0)
    same(tensor.slope(T { 0, nan, 1, 2, 1e20, 3 }), { nan, 0.5, nan, 5e19, 0.5, -1e20 }, 0)
    same(tensor.histogram(T { nan, 1, 3, 4 }, T { 1, 2, 3 }), { 1, 1 }, 0)
    same((tensor.histogram(T { 2, 2 }, 2)), { 0, 2 }, 0)
  end)
end)

describe('arranging', function()
  it('splits', function()
    local parts = tensor.range(1, 7):tensorSplit(3)
    assert.are.same({ 3, 2, 2 }, { parts[1]:size(1), parts[2]:size(1), parts[3]:size(1) })
    parts = tensor.range(1, 7):tensorSplit { 3, 3, 8 }
    assert.are.same({ 2, 0, 5, 0 }, { parts[1]:nElement(), parts[2]:nElement(),
                                      parts[3]:nElement(), parts[4]:nElement() })
    same(x:hsplit(3)[2], list_of(x[{ {}, { 4, 6 } }]), 0)
    same(x:vsplit { 3 }[2], list_of(x[{ { 3, 6 } }]), 0)
    same(cubes:dsplit(9)[9], list_of(cubes[{ {}, {}, { 9 } }]), 0)
    same(x:unbind(2)[4], list_of(x[{ {}, 4 }]), 0)
    fails(function() x:hsplit(2) end, 'hsplit', '9', '2 equal parts')
    fails(function() x:tensorSplit { 9 } end, 'tensorSplit', '9')
    fails(function() T(3):dsplit(1) end, 'dsplit', '3 dimensions')
  end)

  it('splits indices by dimension', function()
    local rows, columns = unpack(T { { 0, 5 }, { 6, 0 } }:nonzero():unbind(2))
    assert.are.same({ 1, 2 }, rows:totable())
    assert.are.same({ 2, 1 }, columns:totable())
  end)

  it('broadcasts', function()
    local a, b = tensor.broadcastTensors(T { { 1 }, { 2 } }, T { 3, 4 })
    same(a, { 1, 1, 2, 2 }, 0)
    same(b, { 3, 4, 3, 4 }, 0)
    fails(function() tensor.broadcastTensors(T(2), T(3)) end, 'broadcastTensors', '2', '3')
  end)

  it('numbers positions', function()
    local rows, columns = tensor.trilIndices(3, 3, -1)
    same(rows, { 2, 3, 3 }, 0)
    same(columns, { 1, 1, 2 }, 0)
    same(select(2, tensor.triuIndices(2, 3)), { 1, 2, 3, 2, 3 }, 0)
    for _, size in ipairs { { 2, 2 }, { 5, 3 }, { 3, 7 }, { 1, 1 }, { 0, 3 }, { 3, 0 },
                            { 150, 140 }, { 140, 150 } } do
      for _, diagonal in ipairs { -2 ^ 60, -139, -9, -2, 0, 1, 2, 5, 2 ^ 60 } do
        for part, name in pairs { [tensor.tril] = 'trilIndices', [tensor.triu] = 'triuIndices' } do
          local i, j = tensor[name](size[1], size[2], diagonal)
          local ones = tensor.ByteTensor(size[1], size[2]):fill(1)
          local want = part(ones, math.max(-500, math.min(diagonal, 500))):nonzero()
          assert.are.equal(want:nElement() / 2, i:nElement())
          if want:nElement() > 0 then
            assert.is_true(i:equal(want[{ {}, 1 }]))
            assert.is_true(j:equal(want[{ {}, 2 }]))
          end
        end
      end
    end
    local positions = L { 1, 6, 4 }
    local i, j = tensor.unravelIndex(positions, { 2, 3 })
    same(i, { 1, 2, 2 }, 0)
    same(j, { 1, 3, 1 }, 0)
    same(tensor.ravelMultiIndex({ i, j }, { 2, 3 }), { 1, 6, 4 }, 0)
    fails(function() tensor.unravelIndex(7, { 2, 3 }) end, 'unravelIndex', '7')
    fails(function() tensor.ravelMultiIndex({ L { 3 }, L { 1 } }, { 2, 3 }) end, 'out of range')
    local large = L { 2 ^ 26 }
    same(tensor.ravelMultiIndex({ large, large * 2 }, { 2 ^ 26, 2 ^ 27 }), { 2 ^ 53 }, 0)
    fails(function() tensor.ravelMultiIndex({ large, large }, { 2 ^ 40, 2 ^ 40 }) end, 'too large')
    fails(function() tensor.unravelIndex(large, { 2 ^ 40, 2 ^ 40 }) end, 'too large')
  end)

  it('repeats and crops', function()
    fails(function() tensor.repeatInterleave(x, L { 1 }, 1) end, 'repeatInterleave', '6 counts')
    fails(function() tensor.repeatInterleave(T { 1 }, L { -1 }) end, 'negative')
    same(T { 1, 2, 3 }:pad { -1, 2 }, { 2, 3, 0, 0 }, 0)
    fails(function() T { 1, 2, 3 }:pad { -2, -2 } end, 'pad', '[3]')
    same(tensor.linspace(3, 5, 1), { 3 }, 0)
  end)
end)

describe('masks and indices', function()
  it('reduce', function()
    local t = T { 1, 2, 3 }
    same(t:clone():scatterReduce(1, L { 1, 1 }, T { 4, 6 }, 'mean', false), { 5, 2, 3 }, 0)
    same(I { 1, 2 }:scatterReduce(1, L { 1, 1 }, I { 4, 6 }, 'amax', false), { 6, 2 }, 0)
    same(t:clone():indexPut(t:gt(1), T { 8, 9 }), { 1, 8, 9 }, 0)
    same(t:clone():indexPut(t:gt(1), 7), { 1, 7, 7 }, 0)
    fails(function() t:indexPut(t:gt(1), T { 1, 2, 3 }) end, 'indexPut', '2 ones')
    fails(function() t:scatterReduce(1, L { 1 }, T { 1 }, 'most') end, 'scatterReduce', 'most')
  end)
end)

describe('cumulative results, bits and ends', function()
  it('of corner cases', function()
    same(tensor.cumsum(B { 200, 100 }, 1, true), { 0, 200, 300 }, 0)
    same(tensor.cumprod(T { 2, 3 }, 1, true), { 1, 2, 6 }, 0)
    same(tensor.cumsum(T(0), 1, true), { 0 }, 0)
    same(tensor.nancumsum(T { nan, 1, nan, 2 }), { 0, 1, 1, 3 }, 0)
    same(tensor.nancumsum(B { 200, 100 }), { 200, 300 }, 0)
    same(tensor.nancumprod(I { 2, 3 }), { 2, 6 }, 0)
    assert.are.equal(0, tensor.cumulativeTrapezoid(T { 5 }):nElement())
    same(tensor.cumulativeTrapezoid(T { 1, 2, 4 }, 2), { 3, 9 }, 0)
    same(tensor.diff(T { 1, 4 }, 1, 1, nil, T { 9 }), { 3, 5 }, 0)
    fails(function() tensor.diff(x, 1, 1, T { 1 }) end, 'diff', 'sizes')
    same(tensor.packbits(tensor.ones(9):int()), { 255, 128 }, 0)
    assert.are.equal(0, tensor.packbits(B(0)):nElement())
    same(tensor.unpackbits(B { 129 }), { 1, 0, 0, 0, 0, 0, 0, 1 }, 0)
    local bits = x:gt(0)
    assert.is_true(tensor.unpackbits(tensor.packbits(bits, 1), 1)[{ { 1, 6 } }]:equal(bits))
    same(tensor.linspace(0, 1, 4, false), { 0, 0.25, 0.5, 0.75 }, 0)
    same(tensor.eye(2, 3, -1), { 0, 0, 0, 1, 0, 0 }, 0)
    assert.are.equal(2, T { 1, nan, 3, 2 }:nanmedian())
    assert.is_true(T { nan }:nanmedian() ~= T { nan }:nanmedian())
    same(tensor.heaviside(T { -1, 0, 2, nan }, T { 0.5 }), { 0, 0.5, 1, nan }, 0)
    same(tensor.logit(T { 0, 0.5, 1, 2 }), { -inf, 0, inf, nan }, 0)
    same(tensor.cbrt(T { -8, 0, inf }), { -2, 0, inf }, 0)
    same(tensor.exp2(T { -1075, 10, 1024 }), { 0, 1024, inf }, 0)
    same(tensor.hfft(tensor.ihfft(T { 1, 2, 3, 4, 5 }), 5), { 1, 2, 3, 4, 5 }, 1e-14)
  end)
end)

describe('matrices', function()
  it('in batches', function()
    local batch = tensor.stack { square, square * 2 }
    local q, r = batch:qr()
    assert.is_true(tensor.allclose(tensor.matmul(q, r), batch))
    local u, s, v = batch:svd()
    assert.is_true(tensor.allclose(tensor.matmul(u, tensor.matmul(tensor.diagEmbed(s),
                                                                  v:transpose(2, 3))), batch))
    local values, of_second = (batch:eig()), ((square * 2):eig())
    assert.is_true(tensor.allclose(values[2], of_second))
    local even = tensor.matmul(batch, batch:transpose(2, 3):contiguous())
    local right = tensor.stack { x[{ { 1, 5 } }], x[{ { 2, 6 } }] }
    local factor = even:potrf 'L'
    assert.is_true(tensor.allclose(factor[2], even[2]:potrf 'L'))
    assert.is_true(tensor.allclose(tensor.matmul(even, tensor.potrs(right, factor, 'L')), right))
    local solved = (tensor.trtrs(right, factor, 'L'))
    assert.is_true(tensor.allclose(tensor.matmul(factor, solved), right))
    fails(function() tensor.trtrs(x, factor) end, 'trtrs', '[6 x 9]')
    local packed, scales = batch:geqrf()
    local first, first_scales = batch[1]:geqrf()
    assert.is_true(tensor.allclose(packed[1], first) and tensor.allclose(scales[1], first_scales))
    assert.is_true(tensor.allclose(packed[2]:clone():triu(), r[2]))
    local values2 = even:eigvalsh()
    assert.is_true(tensor.allclose(values2, (even:eigh())))
    local all, rest = tensor.stack { x:t(), x:t() * 2 }:qr(true)
    assert.are.same({ 2, 9, 9 }, all:size():totable())
    assert.is_true(tensor.allclose(tensor.matmul(all, rest)[2], x:t() * 2))
  end)

  it('have traces of any diagonal', function()
    assert.are.equal(square:trace(), tensor.trace(square, 0))
    assert.are.equal(tensor.diag(square, 2):sum(), tensor.trace(square, 2))
    assert.are.equal(0, tensor.trace(square, 99))
    assert.are.equal('torch.LongTensor', tensor.ones(2, 3, 3):byte():trace(0):type())
    assert.are.same({ 9, 6 }, x:matrixTranspose():size():totable())
    fails(function() tensor.trace(T(3), 1) end, 'trace', '[3]')
    fails(function() tensor.trace(square, 2 ^ 50) end, 'trace', 'out of range')
    fails(function() T(3):matrixTranspose() end, 'matrixTranspose', '[3]')
  end)

  it('have ranks with an absolute and a relative limit', function()
    local d = tensor.diag(T { 100, 1, 1e-3 })
    for limits, rank in pairs { ['0 1e-6'] = 3, ['0 1e-4'] = 2, ['0 0.5'] = 1, ['10 1e-4'] = 1,
                                ['-1 1e-4'] = 2, ['1e-4 -1'] = 3, ['-1 -1'] = 3 } do
      local absolute, relative = limits:match '(%S+) (%S+)'
      assert.are.equal(rank, tensor.matrixRank(d, tonumber(absolute), tonumber(relative)), limits)
    end
  end)

  it('have powers and norms', function()
    same(tensor.matrixPower(T { { 1, 2 }, { 3, 4 } }, 0), { 1, 0, 0, 1 }, 0)
    same(tensor.matrixExp(tensor.zeros(2, 2)), { 1, 0, 0, 1 }, 1e-15)
    fails(function() tensor.matrixNorm(square, 3) end, 'matrixNorm', '3')
    fails(function() tensor.matrixPower(x, 2) end, 'matrixPower', 'square')
    same(tensor.vecdot(x, x[1], 2), list_of(x * x[1]), 1e-13)
    fails(function() tensor.cdist(x, square) end, 'cdist', '[6 x 9]', '[5 x 5]')
  end)
end)

describe('element types', function()
  it('have limits', function()
    for name, eps in pairs { Half = 2 ^ -10, BFloat16 = 2 ^ -7, Float = 2 ^ -23,
                             Double = 2 ^ -52 } do
      local info, Tensor = tensor.finfo(name), tensor[name .. 'Tensor']
      assert.are.equal(eps, info.eps)
      assert.are.equal(info.max, Tensor { info.max }[1])
      assert.are.equal(inf, (Tensor { info.max } * 1.01)[1])
      assert.are.equal(info.tiny, Tensor { info.tiny }[1])
      assert.are.equal(8 * Tensor():elementSize(), info.bits)
    end
    for name, max in pairs { Byte = 255, Char = 127, Short = 32767, Int = 2 ^ 31 - 1 } do
      local info = tensor.iinfo(tensor[name .. 'Tensor'](1))
      assert.are.equal(max, info.max)
      assert.are.equal(name == 'Byte' and 0 or -max - 1, info.min)
    end
    assert.are.equal(rawget(math, 'maxinteger') or 2 ^ 63 - 1, tensor.iinfo('Long').max)
    fails(function() tensor.finfo 'Int' end, 'finfo', 'iinfo')
    fails(function() tensor.iinfo 'Half' end, 'iinfo', 'finfo')
    fails(function() tensor.finfo {} end, 'finfo', 'got table')
  end)

  it('have a common type, that of results', function()
    local names = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
    for _, a in ipairs(names) do
      for _, b in ipairs(names) do
        local sum = tensor[a .. 'Tensor'](1):fill(1) + tensor[b .. 'Tensor'](1):fill(1)
        assert.are.equal(sum:type(), tensor.resultType(a, b))
        assert.are.equal(sum:type() == ('torch.%sTensor'):format(b), tensor.canCast(a, b))
      end
    end
    assert.are.equal('torch.FloatTensor', tensor.resultType('Int', 'Half', tensor.BFloat16Tensor()))
    fails(function() tensor.resultType('Int', 'Real') end, 'resultType', 'got Real')
  end)
end)

describe('random numbers', function()
  it('check their parameters', function()
    fails(function() T(2):gamma(0) end, 'gamma', 'positive')
    fails(function() T(2):poisson(-1) end, 'poisson', '-1')
    fails(function() T(2):binomial(-1, 0.5) end, 'binomial', '-1')
    fails(function() T(2):binomial(2, 1.5) end, 'binomial', '1.5')
    fails(function() tensor.beta(T { 1 }, T { 0 }) end, 'beta', 'positive')
  end)

  it('of extreme parameters', function()
    same(T(2):poisson(0), { 0, 0 }, 0)
    same(I(2):binomial(7, 1), { 7, 7 }, 0)
    same(T(2):binomial(0, 0.5), { 0, 0 }, 0)
    local tiny = T(100):gamma(1e-3)
    assert.is_true(tiny:min() >= 0 and tiny:max() < 10)
    local halves = T(100):beta(1e-3, 1e-3)
    assert.is_true(halves:min() >= 0 and halves:max() <= 1)
    assert.are.equal('torch.FloatTensor', tensor.gamma(tensor.FloatTensor { 1, 2 }):type())
    assert.are.equal('number', type(tensor.poisson(3)))
  end)
end)
