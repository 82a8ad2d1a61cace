-- Linear algebra of matrices with very many columns. Floats keep their accuracy, although a simple
-- sum of a million floats does not.

local tensor = require 'tensor'

local columns = 1000000

-- Returns a matrix of ones, except four elements, and its singular values. Their squares are the
-- eigenvalues of the 2 x 2 matrix wide * wide'.
local function ones_with_exceptions()
  local wide = tensor.FloatTensor(2, columns):fill(1)
  wide[{ 1, 1 }], wide[{ 1, 2 }], wide[{ 2, 1 }], wide[{ 2, columns }] = 3, 4, 4, -3
  local one, two = wide[1]:double(), wide[2]:double()
  local products = tensor.Tensor { { one:dot(one), one:dot(two) }, { one:dot(two), two:dot(two) } }
  return wide, tensor.eigvalsh(products):sqrt():flip(1)
end

local function assert_close(wanted, got, tolerance)
  local off = (wanted:double() - got:double()):abs():max()
  assert.is_true(off <= tolerance, ('off by %g'):format(off))
end

describe('wide matrices of floats', function()
  it('have exact singular values and vectors', function()
    local wide, values = ones_with_exceptions()
    local u, s, v = tensor.svd(wide)
    assert_close(values, s, 1e-5 * values[1])
    assert_close(tensor.eye(2), u:t() * u, 1e-5)
    assert_close(tensor.eye(2), v:t():double() * v:double(), 1e-5)
    for _, at in ipairs { 1, columns - 2 } do
      local product = u * tensor.diag(s) * v:narrow(1, at, 3):t()
      assert_close(wide:narrow(2, at, 3), product, 1e-5 * values[1])
    end
  end)

  it('have the singular values of their transposes', function()
    local wide, values = ones_with_exceptions()
    assert_close(values, tensor.svdvals(wide), 1e-5 * values[1])
    assert_close(values, tensor.svdvals(wide:t()), 1e-5 * values[1])
  end)

  it('have exact least squares', function()
    tensor.manualSeed(2)
    local wide = tensor.FloatTensor(3, columns):uniform(0, 1)
    local right = tensor.FloatTensor { { 1, -2 }, { 2, 5 }, { 3, 0 } }
    local wanted = tensor.gels(right:double(), wide:double())
    local x = tensor.gels(right, wide)
    assert_close(wanted, x, 1e-7)
    assert_close(right, wide:double() * x:double(), 5e-5)
    local y, _, rank, values = tensor.lstsq(wide, right)
    assert_close(wanted, y, 1e-7)
    assert_close(right, wide:double() * y:double(), 5e-5)
    assert.are.equal(3, rank[1])
    assert_close(tensor.svdvals(wide:double()), values, 1e-5 * values[1])
  end)
end)

describe('least squares of wide matrices', function()
  it('return the factors of A = L Q', function()
    local a = tensor.Tensor { { 3, 4, 0 }, { 1, 2, 2 } }
    local x, factors = tensor.gels(tensor.Tensor { 5, 3 }, a)
    assert_close(tensor.Tensor { { 5, 3 } }, (a * x):t(), 1e-14)
    -- a * a' = L * L'
    local l = tensor.tril(factors:narrow(2, 1, 2))
    assert_close(a * a:t(), l * l:t(), 1e-13)
    assert.are.same({ 2, 3 }, factors:size():totable())
    assert.are.same({ 1, 2 }, factors:stride():totable())
  end)

  it('have no overflow and no underflow', function()
    for _, case in ipairs { { tensor.FloatTensor, 1e37 }, { tensor.FloatTensor, 1e-35 },
                            { tensor.Tensor, 1e307 }, { tensor.Tensor, 1e-300 } } do
      local class, size = case[1], case[2]
      local plain = class { { 9, 3, 0 }, { 3, 9, 9 } }
      local b = class { 1, 2 }
      local wanted = tensor.lstsq(plain:double(), b:double())
      local x, _, rank, values = tensor.lstsq(plain * size, b * size)
      assert_close(wanted, x, 1e-6)
      assert_close(wanted, tensor.gels(b * size, plain * size):select(2, 1), 1e-6)
      assert.are.equal(2, rank[1])
      assert_close(tensor.svdvals(plain), values / size, 1e-5)
    end
  end)

  it('have any rank, and are computed for each matrix of a batch', function()
    local one = tensor.Tensor { { 1, 2, 3 }, { 2, 4, 6 } }
    local two = tensor.Tensor { { 1, 0, 0 }, { 0, 0, 2 } }
    local batch = tensor.stack({ one, two }, 1)
    local b = tensor.Tensor { { 1, 2 }, { 3, 4 } }
    local x, _, rank = tensor.lstsq(batch, b)
    assert.are.same({ 1, 2 }, rank:totable())
    assert_close(tensor.Tensor { 1 / 14, 1 / 7, 3 / 14 }, x[1], 1e-14)
    assert_close(tensor.Tensor { 3, 0, 2 }, x[2], 1e-14)
  end)
end)

describe('least squares of matrices with few more columns than rows', function()
  for _, n in ipairs { 40, 41, 60, 61 } do
    it(('of 40 x %d are exact'):format(n), function()
      tensor.manualSeed(4)
      local batch, b = tensor.randn(3, 40, n), tensor.randn(3, 40, 2)
      batch[2][40]:copy(batch[2][1])  -- rank 39
      b[2][40]:copy(b[2][1])
      local x, residuals, rank, values = tensor.lstsq(batch, b)
      assert.are.same({ 40, 39, 40 }, rank:totable())
      assert.are.equal(0, residuals:nElement())
      for k = 1, 3 do
        assert_close(tensor.pinverse(batch[k]) * b[k], x[k], 1e-10)
        assert_close(tensor.svdvals(batch[k]), values[k], 1e-12)
      end
    end)
  end

  it('have more right sides than LAPACK gets at once', function()
    tensor.manualSeed(4)
    local a, b = tensor.randn(4, 5), tensor.randn(4, 70000)
    assert_close(tensor.pinverse(a) * b, (tensor.lstsq(a, b)), 1e-10)
  end)
end)

-- The right sides need more rows than the empty solution.
describe('a solution without elements', function()
  it('may have its shape before', function()
    local x = tensor.FloatTensor(0, 4)
    local result = tensor.gels(x, tensor.FloatTensor(), tensor.ones(4, 4):float(),
                             tensor.FloatTensor(4, 0))
    assert.are.equal(x, result)
    assert.are.same({ 0, 4 }, x:size():totable())
    local one = tensor.FloatTensor(1, 4):fill(7)
    local empty = one:narrow(1, 1, 0)
    tensor.gels(empty, tensor.FloatTensor(), tensor.ones(4, 4):float(), tensor.FloatTensor(4, 0))
    assert.are.equal(28, one:sum())
    assert.are.same({ 0, 4 }, empty:size():totable())
  end)
end)

-- More columns than LAPACK gets at once.
describe('blocks of columns', function()
  local many = 150000
  before_each(function() tensor.manualSeed(5) end)

  it('give the same factors as one block', function()
    local a = tensor.randn(3, many)
    local factors, tau = tensor.geqrf(a)
    local first_factors, first_tau = tensor.geqrf(a:narrow(2, 1, 4))
    assert_close(first_tau, tau, 1e-14)
    assert_close(first_factors, factors:narrow(2, 1, 4), 1e-14)
    local q, r = tensor.qr(a)
    assert_close(a, q * r, 1e-12)
  end)

  it('are multiplied by Q', function()
    local factors, tau = tensor.geqrf(tensor.randn(3, 3))
    local q, c = tensor.orgqr(factors, tau), tensor.randn(3, many)
    assert_close(q * c, tensor.ormqr(factors, tau, c), 1e-12)
    assert_close(q:t() * c, tensor.ormqr(factors, tau, c, 'L', 'T'), 1e-12)
    assert_close(c:t() * q, tensor.ormqr(factors, tau, c:t(), 'R'), 1e-12)
  end)

  it('are right sides of least squares', function()
    for _, size in ipairs { { 4, 2 }, { 2, 2 }, { 2, 4 } } do
      local a, b = tensor.randn(size[1], size[2]), tensor.randn(size[1], many)
      local wanted = tensor.pinverse(a) * b
      local x, factors = tensor.gels(b, a)
      assert_close(wanted, x, 1e-10)
      local _, factors_for_one = tensor.gels(b:narrow(2, 1, 1), a)
      assert_close(factors_for_one, factors, 1e-14)
      local y, _, rank, values = tensor.lstsq(a, b)
      assert_close(wanted, y, 1e-10)
      assert.are.equal(2, rank[1])
      assert_close(tensor.svdvals(a), values, 1e-13)
    end
  end)
end)
