-- Linear algebra beyond lua.ops: values from mpmath and SciPy, strides, result arguments, batches,
-- errors.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local same_on_threads = require 'support.same_on_threads'
local support = require 'support.on_device'

local reals = { elements.Double, elements.Float }
local layouts = { 'contiguous', 'transposed', 'offset', 'strided' }

local figures = require 'support.figures'.read 'linalg-reference.txt'
local function figure(name) return (assert(figures[name], name)) end

local function matrix(e, name, rows, cols, layout)
  return model.tensor(e, model.new({ rows, cols }, figure(name)), layout)
end

-- Compares within `units` rounding errors of the largest value.
local function near(e, got, want, units, what)
  local list = type(got) == 'number' and { got } or model.read(got).data
  local largest = 1
  for _, x in ipairs(want) do largest = math.max(largest, math.abs(x)) end
  assert.are.equal(#want, #list, what)
  for i, x in ipairs(want) do
    local off = math.abs(list[i] - x)
    if off ~= off or off > units * e.eps * largest then
      error(('%s of %s: element %d is %.17g instead of %.17g'):format(what, e.name, i, list[i], x),
            2)
    end
  end
end

local function each(f)
  for _, e in ipairs(reals) do
    for _, layout in ipairs(layouts) do f(e, layout) end
  end
end

describe('figures of mpmath', function()
  for _, n in ipairs { 1, 2, 5, 8 } do
    it('for a square matrix of ' .. n, function()
      each(function(e, layout)
        local name = 'square ' .. n
        local a = matrix(e, name .. ' A', n, n, layout)
        local b = matrix(e, name .. ' B', n, 3, layout)
        local units = 20 * n * figure(name .. ' condition')[1]
        near(e, (tensor.gesv(b, a)), figure(name .. ' X'), units, 'gesv')
        near(e, tensor.solve(a, b), figure(name .. ' X'), units, 'solve')
        near(e, (tensor.gels(b, a)), figure(name .. ' X'), units, 'gels')
        near(e, (tensor.lstsq(a, b)), figure(name .. ' X'), units, 'lstsq')
        near(e, tensor.inverse(a), figure(name .. ' inverse'), units, 'inverse')
        near(e, tensor.pinverse(a), figure(name .. ' inverse'), units, 'pinverse')
        local det = figure(name .. ' det')
        near(e, tensor.det(a), { det[1] }, units, 'det')
        near(e, tensor.logdet(a), { det[3] }, units, 'logdet')
        local sign, logarithm = tensor.slogdet(a)
        assert.are.equal(det[2], sign)
        near(e, logarithm, { det[3] }, units, 'slogdet')
        local _, s = tensor.svd(a)
        near(e, s, figure(name .. ' singular'), units, 'svd')
        assert.are.equal(n, tensor.matrixRank(a))
        -- Sort both by real, then by imaginary part, to put conjugate pairs in a defined order.
        local got = {}
        for i, pair in ipairs(tensor.eig(a):totable()) do got[i] = pair end
        table.sort(got, function(x, y)
          if math.abs(x[1] - y[1]) > 1e-3 then return x[1] < y[1] end
          return x[2] < y[2]
        end)
        near(e, e.Tensor(got), figure(name .. ' eigenvalues'), units, 'eig')
      end)
    end)
  end

  for _, n in ipairs { 2, 5, 7 } do
    it('for a positive definite and for a symmetric matrix of ' .. n, function()
      each(function(e, layout)
        local a = matrix(e, ('positive %d A'):format(n), n, n, layout)
        local lower, inverse = figure(('positive %d factor'):format(n)),
                               figure(('positive %d inverse'):format(n))
        near(e, tensor.potrf(a, 'L'), lower, 200, 'potrf')
        near(e, tensor.potrf(a):t(), lower, 200, 'potrf')
        near(e, tensor.cholesky(a), lower, 200, 'cholesky')
        near(e, tensor.cholesky(a, true):t(), lower, 200, 'cholesky')
        near(e, tensor.potri(tensor.potrf(a)), inverse, 1000, 'potri')
        near(e, tensor.potri(tensor.potrf(a, 'L'), 'L'), inverse, 1000, 'potri')
        near(e, tensor.potrs(tensor.eye(n):type(e.class), tensor.potrf(a)), inverse, 1000, 'potrs')
        a = matrix(e, ('symmetric %d A'):format(n), n, n, layout)
        for _, call in ipairs { function() return tensor.symeig(a, 'V') end,
                                function() return tensor.symeig(a, 'V', 'L') end,
                                function() return tensor.eigh(a) end,
                                function() return tensor.eigh(a, 'U') end } do
          local values, vectors = call()
          near(e, values, figure(('symmetric %d values'):format(n)), 200, 'values')
          for j = 1, n do
            local column = vectors:select(2, j)
            local _, at = tensor.max(tensor.abs(column), 1)
            if column[at[1]] < 0 then column:mul(-1) end
          end
          near(e, vectors, figure(('symmetric %d vectors'):format(n)), 2000, 'vectors')
        end
        near(e, (tensor.symeig(a)), figure(('symmetric %d values'):format(n)), 200, 'values')
      end)
    end)
  end

  for _, size in ipairs { { 6, 3 }, { 3, 6 }, { 9, 5 } } do
    local m, n = size[1], size[2]
    it(('for a rectangle of %d x %d'):format(m, n), function()
      each(function(e, layout)
        local name = ('rectangle %dx%d '):format(m, n)
        local a = matrix(e, name .. 'A', m, n, layout)
        local b = matrix(e, name .. 'B', m, 2, layout)
        near(e, tensor.pinverse(a), figure(name .. 'pinverse'), 1000, 'pinverse')
        near(e, (tensor.gels(b, a)), figure(name .. 'X'), 1000, 'gels')
        local x, residuals, rank, values = tensor.lstsq(a, b)
        for _, rcond in ipairs { 1, 0 / 0 } do
          assert.is_false((pcall(tensor.lstsq, a, b, rcond)))
          assert.is_false((pcall(tensor.pinverse, a, 0 / 0)))
        end
        near(e, x, figure(name .. 'X'), 1000, 'lstsq')
        if m > n then near(e, residuals, figure(name .. 'residuals'), 1000, 'residuals') end
        assert.are.equal(math.min(m, n), rank[1])
        near(e, values, figure(name .. 'singular'), 200, 'lstsq')
        local _, s = tensor.svd(a, 'A')
        near(e, s, figure(name .. 'singular'), 200, 'svd')
        if m > n then
          local _, r = tensor.qr(a)
          for i = 1, n do
            if r[i][i] < 0 then r[i]:mul(-1) end
          end
          near(e, r, figure(name .. 'R'), 500, 'qr')
        end
      end)
    end)
  end
end)

local function random(rows, cols)
  local g = elements.generator(rows * 100 + cols)
  return model.tensor(elements.Double,
                      model.fill({ rows, cols }, function() return g() * 2 - 1 end))
end
local function regular(n) return random(n, n):add(tensor.eye(n):mul(n + 1)) end
local function strides(t) return t:stride():totable() end

describe('strides', function()
  it("are those of columns where Torch7's are", function()
    local a, b, wide, tall = regular(3), random(3, 2), random(3, 5), random(5, 3)
    local spd = regular(3) * regular(3):t()
    local columns = {
      gesv = { tensor.gesv(b, a) }, trtrs = { tensor.trtrs(b, a) }, inverse = { tensor.inverse(a) },
      potrf = { tensor.potrf(spd) }, potri = { tensor.potri(tensor.potrf(spd)) },
      potrs = { tensor.potrs(b, tensor.potrf(spd)) }, pstrf = { (tensor.pstrf(spd)) },
      symeig = { (select(2, tensor.symeig(spd, 'V'))) }, eig = { tensor.eig(a, 'V') },
      geqrf = { (tensor.geqrf(a)) }, qr = { (tensor.qr(a)) }, svd = { (tensor.svd(a)) },
    }
    for name, results in pairs(columns) do
      for k, t in ipairs(results) do assert.are.same({ 1, 3 }, strides(t), name .. k) end
    end
    assert.are.same({ 1, 5 }, strides((tensor.qr(tall))))
    assert.are.same({ 1, 3 }, strides((tensor.qr(wide))))
    assert.are.same({ 3, 1 }, strides((select(2, tensor.qr(tall)))))
    assert.are.same({ 1, 5 }, strides((tensor.svd(tall))))
    assert.are.same({ 3, 1 }, strides((select(3, tensor.svd(tall)))))
    assert.are.same({ 5, 1 }, strides((select(3, tensor.svd(tall:t(), 'A')))))
    assert.are.same({ 1, 5 }, strides((tensor.gels(random(5, 2), tall))))
    assert.are.same({ 1, 5 }, strides((tensor.gels(random(3, 2), wide))))
    assert.are.same({ 9, 3, 1 }, strides((tensor.btrifact(a:view(1, 3, 3)))))
  end)

  it('are those of rows for the names of NumPy and PyTorch', function()
    local spd = regular(3) * regular(3):t()
    for _, t in ipairs { tensor.solve(spd, random(3, 2)), tensor.cholesky(spd),
                         tensor.pinverse(random(3, 2)), (tensor.lstsq(random(5, 3), random(5, 2))),
                         (select(2, tensor.eigh(spd))) } do
      assert.is_true(t:isContiguous())
    end
  end)
end)

describe('results that are given', function()
  it('keep their storage', function()
    local a, b = regular(3), random(3, 2)
    local x, lu = tensor.Tensor(3, 2), tensor.Tensor(3, 3)
    local storage = x:storage()
    local got, factors = tensor.gesv(x, lu, b, a)
    assert.are.equal(x, got)
    assert.are.equal(lu, factors)
    assert.are.equal(storage, x:storage())
    assert.are.same({ 1, 3 }, strides(x))
    assert.is_true((a * x - b):abs():max() < 1e-14)
  end)

  it('may be the operands, whose layout they keep', function()
    local a, b = regular(3), random(3, 2)
    local want, lu = tensor.gesv(b, a)
    tensor.gesv(b, a, b, a)
    assert.are.same({ 2, 1 }, strides(b))
    assert.are.same({ 3, 1 }, strides(a))
    assert.is_true(b:equal(want:contiguous()) and a:equal(lu:contiguous()))
    local s = regular(4)
    s = s + s:t()
    local values, vectors = tensor.symeig(s, 'V')
    local e = tensor.Tensor()
    tensor.symeig(e, s, s, 'V')
    assert.is_true(e:equal(values) and s:equal(vectors:contiguous()))
    tensor.symeig(e, s, s, 'N')
    assert.is_true(s:equal(vectors:contiguous()))
  end)

  it('may be views, through which they are written', function()
    local whole = tensor.zeros(5, 5)
    local part = whole:narrow(1, 2, 3):narrow(2, 2, 3)
    local a = regular(3)
    tensor.inverse(part, a)
    assert.is_true(part:equal(tensor.inverse(a):contiguous()))
    assert.is_true(math.abs(part:sum() - whole:sum()) < 1e-14)
    assert.are.equal(0, whole[1]:abs():sum() + whole[5]:abs():sum())
  end)

  it('must be different tensors', function()
    local r = tensor.Tensor()
    assert.has_error(function() tensor.gesv(r, r, random(2, 1), regular(2)) end,
                     'gesv: the results must be different tensors')
  end)
end)

it('operands are kept', function()
  for _, name in ipairs { 'inverse', 'symeig', 'eig', 'svd', 'qr', 'geqrf', 'det', 'pinverse',
                          'eigh', 'matrixRank', 'potri', 'slogdet' } do
    local a = regular(4)
    local before = a:clone()
    tensor[name](a)
    tensor[name](a:t())
    assert.is_true(a:equal(before), name)
  end
end)

it('one matrix gives numbers, a batch of one gives tensors', function()
  local a = regular(3)
  assert.are.equal('number', type(tensor.det(a)))
  assert.are.equal('number', type(a:logdet()))
  local sign, logarithm = a:slogdet()
  assert.are.equal(1, sign)
  assert.are.equal(tensor.logdet(a), logarithm)
  assert.are.equal(3, tensor.matrixRank(a))
  assert.are.same({ 1 }, tensor.det(a:view(1, 3, 3)):size():totable())
  local r = tensor.Tensor()
  assert.are.equal(r, tensor.det(r, a))
  assert.are.equal(tensor.det(a), r[1])
  assert.are.equal('torch.LongTensor', tensor.type(tensor.matrixRank(a:view(1, 3, 3))))
  -- A matrix without rows: the empty product.
  assert.are.equal(1, tensor.det(tensor.Tensor(0, 0)))
  assert.are.equal(0, tensor.logdet(tensor.Tensor(0, 0)))
  assert.are.equal(0, tensor.matrixRank(tensor.Tensor(0, 3)))
end)

describe('determinants', function()
  it('are 0 for singular matrices and do not overflow on the way', function()
    local singular = tensor.Tensor { { 1, 2 }, { 2, 4 } }
    assert.are.equal(0, tensor.det(singular))
    assert.are.equal(-math.huge, tensor.logdet(singular))
    local sign, logarithm = tensor.slogdet(singular)
    assert.are.equal(0, sign)
    assert.are.equal(-math.huge, logarithm)
    local scaled = tensor.eye(40):mul(1e200)
    scaled:narrow(1, 21, 20):mul(1e-300):mul(1e-100)
    assert.is_true(math.abs(tensor.det(scaled) - 1) < 1e-10)
    assert.are.equal(math.huge, tensor.det(tensor.eye(4):mul(1e200)))
    local negative = tensor.Tensor { { 0, 1 }, { 1, 0 } }
    assert.are.equal(-1, tensor.det(negative))
    local log = tensor.logdet(negative)
    assert.is_true(log ~= log)
    assert.are.equal(-1, (tensor.slogdet(negative)))
  end)

  it('are NaN of what is not finite, for these matrices of a batch only', function()
    local batch = tensor.eye(2):view(1, 2, 2):expand(3, 2, 2):clone()
    batch[2][1][1] = 0 / 0
    local d = tensor.det(batch)
    assert.are.equal(1, d[1])
    assert.is_true(d[2] ~= d[2])
    assert.are.equal(1, d[3])
  end)
end)

describe('batches', function()
  it('broadcast', function()
    local a, b = regular(3), random(4, 3):view(4, 3, 1)
    local x = tensor.solve(a, b)
    assert.are.same({ 4, 3, 1 }, x:size():totable())
    for k = 1, 4 do
      assert.is_true((a * x[k] - b[k]):abs():max() < 1e-14)
    end
    local many = tensor.Tensor(2, 1, 3, 3)
    many[1][1]:copy(a)
    many[2][1]:copy(a:t())
    assert.are.same({ 2, 4, 3, 1 }, tensor.solve(many, b):size():totable())
    assert.are.same({ 2, 1, 3 }, tensor.solve(many, random(2, 3):view(2, 1, 3)):size():totable())
    local y = tensor.lstsq(random(5, 3), random(10, 2):view(2, 5, 2))
    assert.are.same({ 2, 3, 2 }, y:size():totable())
    assert.has_error(function() tensor.solve(regular(2):view(1, 2, 2):expand(3, 2, 2),
                                             tensor.Tensor(2, 2, 1):zero()) end,
                     'solve: the batches of A [3 x 2 x 2] and B [2 x 2 x 1] do not broadcast')
  end)

  it('may share memory', function()
    local a = regular(3):view(1, 3, 3):expand(4, 3, 3)
    local inverse = tensor.inverse(a)
    -- A batch may have another algorithm on a GPU.
    local one = tensor.inverse(regular(3))
    local tolerance = support.is_gpu and 1e-12 or 0
    for k = 1, 4 do assert.is_true((inverse[k] - one):abs():max() <= tolerance) end
  end)

  it('give the same on one and on two threads', function()
    local a = tensor.randn(300, 8, 8)
    same_on_threads({ 1, 2 }, function() return tensor.inverse(a), tensor.det(a) end)
  end)
end)

it('rank and least squares of what has not full rank', function()
  local a = random(6, 2) * random(2, 4)
  assert.are.equal(2, tensor.matrixRank(a))
  assert.are.equal(0, tensor.matrixRank(a, 1e3))
  local b = random(6, 1)
  local x, residuals, rank, values = tensor.lstsq(a, b)
  assert.are.equal(2, rank[1])
  assert.are.equal(0, residuals:nElement())
  assert.is_true(values[3] < 1e-14 * values[1])
  assert.is_true((x - tensor.pinverse(a) * b):abs():max() < 1e-12)
  local p = tensor.pinverse(tensor.ones(3, 2):select(1, 1):view(1, 2):expand(3, 2))
  assert.is_true((p - 1 / 6):abs():max() < 1e-15)
end)

it('least squares without right sides still finds the rank and the singular values', function()
  local a = random(4, 3)
  a:select(2, 3):copy(a:select(2, 1))
  local x, residuals, rank, values = tensor.lstsq(a, tensor.Tensor():resize(4, 0))
  assert.are.same({ 3, 0 }, x:size():totable())
  assert.are.equal(0, residuals:nElement())
  assert.are.equal(2, rank[1])
  assert.is_true((values - tensor.svdvals(a)):abs():max() < 1e-14)
end)

it('info reports singular LU factors', function()
  local a = tensor.Tensor(2, 2, 2)
  a[1]:copy(tensor.eye(2))
  a[2]:fill(1)
  local lu, pivots, info = tensor.btrifact(a)
  assert.are.same({ 0, 2 }, info:totable())
  assert.are.equal('torch.IntTensor', tensor.type(pivots))
  assert.has_error(function() tensor.btrisolve(tensor.ones(2, 2), lu, pivots) end,
                   'btrisolve: U(2,2) is 0, matrix 2 is singular')
  assert.has_error(function() tensor.btrisolve(tensor.ones(2, 2), lu, pivots:clone():fill(3)) end,
                   'btrisolve: pivot 1 of matrix 1 is not the number of a row, 1 to 2')
end)

describe('errors', function()
  it('are given for sides that LAPACK cannot count', function()
    local wide = tensor.Tensor():resize(0, 2 ^ 31)
    assert.has_error(function() tensor.qr(wide) end,
                     'qr: a matrix side is too large for LAPACK: 2147483648; at most 2147483647')
    assert.is_false(pcall(tensor.svd, wide:t()))
    assert.is_false(pcall(tensor.matrixRank, wide))
  end)

  local ones, nan = tensor.ones(3, 3), tensor.Tensor { { 1, 0 / 0 }, { 2, 3 } }
  local infinite = tensor.Tensor { { 1, math.huge }, { 2, 3 } }
  local upper = tensor.Tensor { { 1, 2, 3 }, { 0, 0, 4 }, { 0, 0, 5 } }
  local not_finite = ': A has an element that is NaN or infinite'
  local square = ': A should be square, got a size of [2 x 3]'
  local calls = {
    { 'gesv', random(3, 1), ones, 'gesv: U(2,2) is 0, A is singular' },
    { 'inverse', ones, 'inverse: U(2,2) is 0, A is singular' },
    { 'solve', ones, random(3, 1), 'solve: U(2,2) is 0, A is singular' },
    { 'trtrs', random(3, 1), upper, 'trtrs: A(2,2) is 0, A is singular' },
    { 'potrs', random(3, 1), upper, 'potrs: A(2,2) is 0, A is singular' },
    { 'potri', upper, 'potri: A(2,2) is 0, A is singular' },
    { 'gels', random(3, 1), tensor.Tensor { { 1, 0 }, { 1, 0 }, { 1, 0 } },
      'gels: R(2,2) is 0, A does not have full rank' },
    { 'potrf', tensor.eye(3):mul(-1),
      'potrf: A is not positive definite, its leading minor of order 1 is not positive' },
    { 'cholesky', tensor.Tensor { { 1, 2 }, { 2, 1 } },
      'cholesky: A is not positive definite, its leading minor of order 2 is not positive' },
    { 'pstrf', ones,
      'pstrf: A is not positive definite: 1 of 3 pivots are above the tolerance' },
    { 'gesv', random(2, 1), random(2, 3), 'gesv' .. square },
    { 'inverse', random(2, 3), 'inverse' .. square },
    { 'symeig', random(2, 3), 'symeig' .. square }, { 'eig', random(2, 3), 'eig' .. square },
    { 'eigh', random(2, 3), 'eigh' .. square }, { 'det', random(2, 3), 'det' .. square },
    { 'potrf', random(2, 3), 'potrf' .. square },
    { 'cholesky', random(2, 3), 'cholesky' .. square },
    { 'gesv', random(2, 1), regular(3),
      'gesv: B should have as many rows as A, 3, got a size of [2 x 1]' },
    { 'gesv', tensor.ones(3, 1, 1), regular(3),
      'gesv: B should be a vector or a matrix, got a tensor of size [3 x 1 x 1]' },
    { 'gels', random(2, 1), random(3, 2),
      'gels: B should have as many rows as A, 3, got a size of [2 x 1]' },
    { 'lstsq', random(3, 2), random(2, 1),
      'lstsq: the numbers of rows differ: A is [3 x 2], B is [2 x 1]' },
    { 'svd', tensor.ones(3),
      'svd: A should be a matrix or a batch of matrices, got a tensor of size [3]' },
    { 'det', tensor.ones(3), 'det: A should be a matrix or a batch of matrices, '
                             .. 'got a tensor of size [3]' },
    { 'orgqr', random(3, 2), tensor.ones(3),
      'orgqr: tau should be a vector of at most 2 elements, got a size of [3]' },
    { 'ormqr', random(3, 2), tensor.ones(2), random(2, 2),
      'ormqr: C should have as many rows as A has rows, 3, got a size of [2 x 2]' },
    { 'btrifact', regular(2), 'btrifact: A should be a batch of matrices, '
                              .. 'got a tensor of size [2 x 2]' },
  }
  for _, name in ipairs { 'inverse', 'symeig', 'eig', 'svd', 'qr', 'geqrf', 'potrf', 'pinverse',
                          'eigh', 'cholesky', 'matrixRank' } do
    -- These two read only the lower triangle.
    local lower = name == 'cholesky' or name == 'eigh'
    calls[#calls + 1] = { name, lower and nan:t() or nan, name .. not_finite }
    calls[#calls + 1] = { name, lower and infinite:t() or infinite, name .. not_finite }
  end
  for number, call in ipairs(calls) do
    it(('%d: %s'):format(number, call[#call]), function()
      assert.has_error(function() tensor[call[1]](unpack(call, 2, #call - 1)) end, call[#call])
    end)
  end

  it('leave given results as they were', function()
    local x, lu = random(2, 2), random(4, 1)
    local before, factors = x:clone(), lu:clone()
    assert.is_false(pcall(tensor.gesv, x, lu, random(3, 1), ones))
    assert.is_true(x:equal(before) and lu:equal(factors))
    local singular = ones:clone()
    assert.is_false(pcall(tensor.inverse, singular, singular))
    assert.is_true(singular:equal(ones))
  end)

  it('free what was taken', function()
    local a, b = tensor.ones(100, 100), random(100, 1)
    collectgarbage()
    collectgarbage()
    local before = tensor.memory and tensor.memory().bytes
    for _ = 1, 20 do assert.is_false(pcall(tensor.gesv, b, a)) end
    collectgarbage()
    collectgarbage()
    if before then assert.are.equal(before, tensor.memory().bytes) end
  end)

  it('do not come of what a triangle leaves unread', function()
    local a = tensor.Tensor { { 2, 1 }, { 0 / 0, 3 } }
    assert.is_true(math.abs(tensor.potrf(a)[1][1] - math.sqrt(2)) < 1e-15)
    assert.are.equal(2, (tensor.symeig(a)):size(1))
    assert.is_false(pcall(tensor.symeig, a, 'N', 'L'))
    assert.is_false(pcall(tensor.eigh, a))
    assert.are.equal(2, (tensor.eigh(a, 'U')):size(1))
    assert.are.equal(1, (tensor.trtrs(tensor.Tensor { 3, 3 }, a))[2][1])
  end)

  it('are raised for invalid option letters', function()
    for _, call in ipairs { { 'symeig', 'X' }, { 'potrf', 'V' }, { 'svd', 'N' }, { 'eig', 'L' },
                            { 'eigh', 'N' } } do
      local done, message = pcall(tensor[call[1]], regular(2), call[2])
      assert.is_false(done)
      assert.is_truthy(message:find('invalid arguments', 1, true), message)
    end
  end)
end)

it('letters may follow one another or stand alone', function()
  local a = regular(3)
  a[3][1], a[2][1] = 9, 8
  local upper, lower = tensor.symeig(a, 'U'), tensor.symeig(a, 'L')
  assert.is_true(upper:equal((tensor.symeig(a))))
  assert.is_false(upper:equal(lower))
  assert.is_true((lower - tensor.symeig(a, 'V', 'L')):abs():max() < 1e-13)
  local b = random(3, 1)
  local x = tensor.trtrs(b, a, 'L', 'T', 'U')
  assert.is_true((tensor.tril(a, -1):t() * x + x - b):abs():max() < 1e-13)
end)
