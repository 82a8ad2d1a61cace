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
end)
