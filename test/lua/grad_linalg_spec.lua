-- Gradients of linear algebra, convolutions, expressions and digamma: against differences, to the
-- second order, and against closed forms.

local tensor = require 'tensor'

local Double = tensor.DoubleTensor

local function check(name, f, args)
  local ok, message = tensor.gradcheck(f, args, { order = 2, directions = 2 })
  if not ok then error(name .. ': ' .. message, 2) end
end

local function close(expected, found)
  if type(found) == 'number' then expected, found = { expected }, Double{ found } end
  expected = Double(expected)
  assert.are.same(expected:size():totable(), found:size():totable())
  local largest = tensor.csub(expected, found):abs():max()
  assert.is_true(largest < 1e-10, ('the largest difference is %g'):format(largest))
end

local function random(...) return Double(...):uniform(-1, 1) end

-- Square matrices with a condition number below 10, without symmetry.
local function square(...)
  local t = random(...)
  return t + (tensor.eye(t:size(t:dim())):double() * 3):expandAs(t)
end

-- Positive definite matrices.
local function positive(...)
  local t = random(...)
  return tensor.matmul(t, t:transpose(-1, -2))
    + (tensor.eye(t:size(t:dim())):double() * 2):expandAs(t)
end

-- A matrix of full rank with distinct singular values.
local function full_rank(m, n)
  local t = random(m, n) * 0.2
  for k = 1, math.min(m, n) do t[k][k] = t[k][k] + k end
  return t
end

-- With real eigenvalues, which are distinct.
local function real_eigenvalues() return tensor.diag(Double{ 1, 2, 4, 7 }) + random(4, 4) * 0.3 end

-- a * b * c', where b is the diagonal of a matrix
local function scaled(a, b, c) return tensor.matmul(tensor.matmul(a, tensor.diag(b)), c:t()) end

describe('gradients of linear algebra', function()
  before_each(function() tensor.manualSeed(17) end)

  it('of determinants', function()
    for _, a in ipairs{ square(4, 4), square(3, 4, 4), square(2, 2, 3, 3) } do
      check('det', tensor.det, { a })
      check('slogdet', function(x)
        local _, logarithm = tensor.slogdet(x)
        return logarithm
      end, { -a })
    end
    check('logdet', tensor.logdet, { positive(4, 4) })
    check('logdet', tensor.logdet, { positive(3, 2, 2) })
    local df = tensor.grad(tensor.det)
    close({ { 4, -3 }, { -2, 1 } }, (df(Double{ { 1, 2 }, { 3, 4 } })))
    df = tensor.grad(tensor.logdet)
    close({ { 5 / 2, -1 / 2 }, { -3 / 2, 1 / 2 } }, (df(Double{ { 1, 3 }, { 1, 5 } })))
  end)

  it('of determinants of singular matrices', function()
    local df = tensor.grad(function(a) return tensor.det(a):sum() end)
    close({ { 4, -2 }, { -2, 1 } }, (tensor.grad(tensor.det)(Double{ { 1, 2 }, { 2, 4 } })))
    close({ { 0, 0 }, { 0, 1 } }, (tensor.grad(tensor.det)(Double{ { 1, 0 }, { 0, 0 } })))
    close(Double(3, 3):zero():totable(), (tensor.grad(tensor.det)(Double(3, 3):fill(1))))
    close({ { { 4, -2 }, { -2, 1 } }, { { 4, -3 }, { -2, 1 } } },
          (df(Double{ { { 1, 2 }, { 2, 4 } }, { { 1, 2 }, { 3, 4 } } })))
    check('a rank of n - 1', tensor.det, { tensor.diag(Double{ 3, 0, 1 }) })
  end)

  it('of the derivatives of determinants of singular matrices', function()
    for rank = 0, 6 do
      local a = rank == 0 and Double(6, 6):zero() or tensor.matmul(random(6, rank), random(rank, 6))
      check('rank ' .. rank, tensor.det, { a })
    end
    -- The determinant of this matrix is 0, but LU factors give a number near 0.
    local rounded = Double{ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }
    local zeros, ones = Double(3, 3):zero(), Double(3, 3):fill(1)
    check('a batch', tensor.det, { tensor.stack({ rounded, tensor.eye(3):double(), zeros }, 1) })
    check('equal singular values', tensor.det, { tensor.diag(Double{ 2, 2, 2, 0, 0 }) })
    check('many zeros', tensor.det, { Double(20, 20):zero() })
    close({ { 0, 0, 0, 1 }, { 0, 0, -1, 0 }, { 0, -1, 0, 0 }, { 1, 0, 0, 0 } },
          tensor.hessian(function(x) return tensor.det(x:view(2, 2)) end, Double(4):zero()))
    -- Many small singular values beside a large one.
    local function diagonal(first, last)
      local d = Double(19):fill(1)
      d[1], d[19] = first, last
      return tensor.diag(d)
    end
    local slope = tensor.grad(function(x) return tensor.det(x):sum() end)
    assert.are.equal(1e10, slope(diagonal(1e10, 0))[{ 19, 19 }])
    assert.are.equal(1e4, slope(diagonal(1e4, 0):float())[{ 19, 19 }])
    local both = tensor.stack({ diagonal(1e10, 1), Double(19, 19):zero() }, 1)
    assert.are.equal(1, slope(both)[{ 1, 1, 1 }])
    local by_corner = tensor.grad(function(x) return slope(x)[{ 1, 1 }] end)
    close(1, by_corner(diagonal(1e10, 0))[{ 19, 19 }])
    close(1, by_corner(diagonal(1e10, 1))[{ 2, 2 }])
    -- The third derivative by elements 11, 22 and 33 is 1, and 0 by all others of column 3.
    local first = function(x) return tensor.grad(tensor.det)(x)[{ 1, 1 }] end
    local second = function(x) return tensor.grad(first)(x)[{ 2, 2 }] end
    for _, a in ipairs{ rounded, zeros, ones } do
      close({ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 1 } }, (tensor.grad(second)(a)))
    end
  end)

  it('of inverses and pseudoinverses', function()
    check('inverse', tensor.inverse, { square(4, 4) })
    check('inverse', tensor.inverse, { square(3, 4, 4) })
    -- The derivative of 1 / x.
    close({ { -0.25 } }, tensor.vjp(tensor.inverse, { Double{ { 2 } } }, { Double{ { 1 } } })[1])
    for _, size in ipairs{ { 5, 3 }, { 3, 5 }, { 4, 4 } } do
      check('pinverse', tensor.pinverse, { full_rank(size[1], size[2]) })
    end
    local batch = tensor.stack({ full_rank(3, 4), full_rank(3, 4) }, 1)
    check('pinverse of a batch', tensor.pinverse, { batch })
  end)

  it('of linear systems', function()
    local a, batch = square(4, 4), square(3, 4, 4)
    for _, args in ipairs{ { a, random(4) }, { a, random(4, 2) }, { batch, random(3, 4) },
                           { batch, random(4) }, { batch, random(3, 4, 2) },
                           { batch, random(4, 2) }, { a, random(3, 4, 2) },
                           { a:t(), random(2, 4):t() } } do
      check('solve', tensor.solve, args)
    end
    for _, b in ipairs{ random(4), random(4, 2) } do
      check('gesv', function(x, y) return (tensor.gesv(y, x)) end, { a, b })
      for _, options in ipairs{ 'UNN', 'LNN', 'UTN', 'LTN', 'UNU', 'LTU' } do
        check('trtrs ' .. options, function(x, y)
          return tensor.trtrs(y, x, options:sub(1, 1), options:sub(2, 2), options:sub(3, 3))
        end, { a, b })
      end
    end
    -- x = b / a
    local slopes = tensor.vjp(tensor.solve, { Double{ { 4 } }, Double{ 2 } }, { Double{ 1 } })
    close({ { -2 / 16 } }, slopes[1])
    close({ 1 / 4 }, slopes[2])
  end)

  it('of LU factors', function()
    local a = random(3, 4, 4)
    local function factors(x) return (tensor.btrifact(x)) end
    check('btrifact', factors, { a })
    check('btrifact without pivots', function(x)
      local lu, pivots, info = Double(), tensor.IntTensor(), tensor.IntTensor()
      tensor.btrifact(lu, pivots, info, false, x)
      return lu
    end, { square(3, 4, 4) })
    for _, b in ipairs{ random(3, 4), random(3, 4, 2) } do
      check('btrisolve', function(x, y)
        local lu, pivots = tensor.btrifact(x)
        return tensor.btrisolve(y, lu, pivots)
      end, { a, b })
    end
    check('gesv', tensor.gesv, { random(4, 2), random(4, 4) })
  end)

  it('of least squares', function()
    for _, size in ipairs{ { 5, 3 }, { 3, 5 }, { 4, 4 } } do
      local m, n = size[1], size[2]
      for _, b in ipairs{ random(m), random(m, 2) } do
        check('gels', function(x, y) return (tensor.gels(y, x)) end, { full_rank(m, n), b })
        check('lstsq', function(x, y)
          local solution, sums, _, values = tensor.lstsq(x, y)
          if m > n then return solution, sums, values end
          return solution, values
        end, { full_rank(m, n), b })
      end
    end
    assert.has_error(function()
      tensor.vjp(tensor.gels, { random(4), full_rank(4, 3) }, { false, random(4, 3) })
    end)
    local batch = tensor.stack({ full_rank(5, 3), full_rank(5, 3) }, 1)
    for _, args in ipairs{ { batch, random(2, 5, 2) }, { batch, random(2, 5) },
                           { batch, random(5, 2) }, { full_rank(5, 3), random(2, 5, 2) } } do
      check('lstsq of a batch', function(x, y)
        local solution, sums, _, values = tensor.lstsq(x, y)
        return solution, sums, values
      end, args)
    end
  end)

  it('of Cholesky factors', function()
    local a = positive(4, 4)
    check('cholesky', tensor.cholesky, { a })
    check('cholesky of a batch', tensor.cholesky, { positive(2, 3, 4, 4) })
    check('cholesky', function(x) return tensor.cholesky(x, true) end, { a })
    for _, uplo in ipairs{ 'U', 'L' } do
      local factor = tensor.potrf(a, uplo)
      check('potrf', function(x) return tensor.potrf(x, uplo) end, { a })
      check('pstrf', function(x) return (tensor.pstrf(x, uplo)) end, { a })
      check('potri', function(x) return tensor.potri(x, uplo) end, { factor })
      for _, b in ipairs{ random(4), random(4, 2) } do
        check('potrs', function(x, y) return tensor.potrs(x, y, uplo) end, { b, factor })
      end
    end
    -- The other triangle is not read. For a diagonal matrix, the factor is the root.
    local sum = tensor.grad(function(x) return tensor.cholesky(x):sum() end)
    close({ { 1 / 4, 0 }, { 1 / 2, 1 / 6 } }, (sum(Double{ { 4, 0 }, { 0, 9 } })))
  end)

  it('of QR', function()
    for _, size in ipairs{ { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      local a = full_rank(size[1], size[2])
      check('qr', tensor.qr, { a })
      check('only R', function(x)
        local _, r = tensor.qr(x)
        return r
      end, { a })
      check('only Q', function(x) return (tensor.qr(x)) end, { a })
    end
    local qr, tau = tensor.geqrf(random(4, 3))
    for _, options in ipairs{ 'LN', 'LT', 'RN', 'RT' } do
      check('ormqr', function(c)
        return tensor.ormqr(qr, tau, c, options:sub(1, 1), options:sub(2, 2))
      end, { random(4, 4) })
    end
    assert.has_error(function()
      tensor.vjp(tensor.geqrf, { random(4, 3) }, { random(4, 3) })
    end)
  end)

  it('of singular values', function()
    for _, size in ipairs{ { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      local a = full_rank(size[1], size[2])
      for _, job in ipairs{ 'S', 'A' } do
        check('values', function(x)
          local _, s = tensor.svd(x, job)
          return s
        end, { a })
      end
      -- Functions that do not depend on the signs of the vectors.
      check('svd', function(x)
        local u, s, v = tensor.svd(x)
        return tensor.cmul(u, u), tensor.cmul(v, v), scaled(u, tensor.exp(s), v)
      end, { a })
      local u = tensor.svd(a)
      check('the same matrix', function(x)
        local p, s, q = tensor.svd(x)
        return scaled(p, s, q)
      end, { a })
      assert.are.equal(math.min(size[1], size[2]), u:size(2))
    end
    assert.has_error(function()
      tensor.vjp(function(x) return (tensor.svd(x, 'A')) end, { random(4, 2) }, { random(4, 4) })
    end)
    -- The sum of singular values of a positive definite matrix is its trace.
    local nuclear = tensor.grad(function(x)
      local _, s = tensor.svd(x)
      return s:sum()
    end)
    close(tensor.eye(3):totable(), (nuclear(positive(3, 3))))
    -- The values alone have a gradient where they are equal.
    close(tensor.eye(3):totable(), (nuclear(tensor.eye(3):double())))
  end)

  it('of eigenvalues of symmetric matrices', function()
    local a, batch = positive(4, 4), positive(2, 3, 3)
    for _, uplo in ipairs{ 'U', 'L' } do
      check('values', function(x) return (tensor.symeig(x, 'N', uplo)) end, { a })
      check('vectors', function(x)
        local values, vectors = tensor.symeig(x, 'V', uplo)
        return values, tensor.cmul(vectors, vectors), scaled(vectors, tensor.exp(values), vectors)
      end, { a })
      for _, t in ipairs{ a, batch } do
        check('eigh', function(x)
          local values, vectors = tensor.eigh(x, uplo)
          return values, tensor.cmul(vectors, vectors)
        end, { t })
      end
    end
    -- The eigenvalues of {{x, y}, {y, x}} are x - y and x + y. One triangle is read.
    local function largest(uplo)
      return tensor.grad(function(x) return tensor.symeig(x, 'N', uplo)[2] end)
    end
    close({ { 0.5, 1 }, { 0, 0.5 } }, (largest('U')(Double{ { 3, 1 }, { 1, 3 } })))
    close({ { 0.5, 0 }, { 1, 0.5 } }, (largest('L')(Double{ { 3, 1 }, { 1, 3 } })))
  end)

  it('of real eigenvalues', function()
    check('values', function(x) return (tensor.eig(x)) end, { real_eigenvalues() })
    check('vectors', function(x)
      local values, vectors = tensor.eig(x, 'V')
      return values, tensor.cmul(vectors, vectors)
    end, { real_eigenvalues() })
    local sum = tensor.grad(function(x) return tensor.eig(x):sum() end)
    close({ { 1, 0 }, { 0, 1 } }, (sum(Double{ { 2, 1 }, { 1, 5 } })))
    assert.has_error(function() sum(Double{ { 0, 1 }, { -1, 0 } }) end)
  end)

  it('of a chain of operations', function()
    -- The log-likelihood of a Gaussian process by its factor, and without it.
    local x, y = random(5, 2), random(5)
    local function kernel(t, scale)
      return tensor.exp(tensor.match(t, t) * -1) * scale + tensor.eye(5):double()
    end
    local function by_factor(t, scale)
      local l = tensor.cholesky(kernel(t, scale))
      return tensor.log(tensor.diag(l)):sum() * 2 + tensor.dot(y, tensor.potrs(y, l, 'L'))
    end
    local function by_determinant(t, scale)
      local k = kernel(t, scale)
      return tensor.logdet(k) + tensor.dot(y, tensor.solve(k, y))
    end
    check('by the factor', by_factor, { x, 2 })
    close(tensor.grad(by_determinant)(x, 2):totable(), (tensor.grad(by_factor)(x, 2)))
  end)
end)

describe('gradients of convolutions', function()
  before_each(function() tensor.manualSeed(18) end)

  for _, name in ipairs{ 'conv2', 'xcorr2', 'conv3', 'xcorr3' } do
    it('by ' .. name, function()
      local image, kernel = { 4, 5 }, { 3, 2 }
      if name:match '3' then image, kernel = { 3, 4, 3 }, { 2, 3, 1 } end
      for _, mode in ipairs{ 'V', 'F' } do
        for _, planes in ipairs{ { {}, {} }, { { 2 }, { 2 } }, { { 2 }, { 3, 2 } } } do
          local function shaped(leading, size)
            local all = {}
            for _, n in ipairs(leading) do all[#all + 1] = n end
            for _, n in ipairs(size) do all[#all + 1] = n end
            return random(tensor.LongStorage(all))
          end
          check(mode, function(t, k) return tensor[name](t, k, mode) end,
                { shaped(planes[1], image), shaped(planes[2], kernel) })
        end
      end
    end)
  end
end)

describe('gradients of expressions', function()
  it('agree with differences', function()
    tensor.manualSeed(19)
    local a, b = random(3, 4), random(4)
    for _, text in ipairs{ 'tanh(a*b) + exp(-a/2)*sum(b)', 'a*b + max(a, 2) - 3', 'mean((a-b)^2)',
                           'a/(b+3) - min(a)', 'a' } do
      check(text, tensor.fuse(text), text:find 'b' and { a, b } or { a })
    end
    check('one operand twice', function(x) return tensor.fuse('a*b')(x, x) end, { a })
    check('a constant operand', function(x) return tensor.fuse('a*b')(x, b) end, { a })
    check('expanded operands', function(x)
      return tensor.fuse('a*b')(x:view(1, 4):expand(3, 4), a)
    end, { b })
  end)
end)

describe('gradients of digamma', function()
  it('are trigamma', function()
    local x = Double{ 0.1, 0.5, 1, 1.5, 3, 10, -0.3, -2.7, 100 }
    check('digamma', tensor.digamma, { x })
    local pi2 = math.pi ^ 2
    -- trigamma(x) = trigamma(x + 1) + 1 / x^2
    close({ pi2 / 6, pi2 / 2, pi2 / 6 - 1.25, pi2 / 2 + 4 },
          tensor.vjp(tensor.digamma, { Double{ 1, 0.5, 3, -0.5 } }, { Double{ 1, 1, 1, 1 } })[1])
  end)
end)

describe('gradients of quantiles', function()
  it('are refused for the fractions', function()
    tensor.manualSeed(20)
    local x, q = random(5), Double{ 0.25, 0.5 }
    check('quantile', function(t) return tensor.quantile(t, q) end, { x })
    check('quantile', function(t) return tensor.quantile(t, 0.3) end, { x })
    local ok, message = pcall(tensor.vjp, function(p) return tensor.quantile(x, p) end, { q },
                              { Double{ 1, 1 } })
    assert.is_false(ok)
    assert.is_truthy(message:find("'q'", 1, true))
  end)
end)
