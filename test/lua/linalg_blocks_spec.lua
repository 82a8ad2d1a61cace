-- Linear algebra on matrices that are not factored by LAPACK: small ones, and those that are
-- factored by blocks. Residuals, layouts, failures, threads.

local tensor = require 'tensor'
local elements = require 'support.elements'
local same_on_threads = require 'support.same_on_threads'

local reals = { elements.Double, elements.Float }
-- Small sizes, and sizes around those of blocks, panels and registers.
local SIZES = { 1, 3, 8, 47, 48, 57, 64, 97, 113, 130 }

local function random(e, rows, columns)
  return (tensor.rand(rows, columns) - 0.5):type(e.class)
end
local function identity(n) return tensor.eye(n) end
local function largest(t) return t:nElement() > 0 and tensor.abs(t:double()):max() or 0 end

-- Fails unless a * x = b within `units` rounding errors. x and b are matrices.
local function solves(e, a, x, b, units, what)
  local n = a:size(1)
  local left = a:double() * x:double() - b:double()
  local limit = units * n * e.eps * largest(a) * largest(x)
  local found = largest(left)
  if found > limit or found ~= found then
    error(('%s of %s, %d rows: the residual is %g, the limit %g'):format(what, e.name, n, found,
                                                                         limit), 2)
  end
end

local function each(f)
  for _, e in ipairs(reals) do
    for _, n in ipairs(SIZES) do f(e, n) end
  end
end

-- A well-conditioned lower triangle.
local function triangle(e, n)
  return (random(e, n, n):double():tril(-1):div(n) + identity(n)):type(e.class)
end
local function definite(e, n)
  local half = random(e, n, n):double()
  return (half * half:t() + identity(n)):type(e.class)
end

-- Fails unless each function raises an error with this text.
local function fails(text, ...)
  for k, f in ipairs { ... } do
    local ok, got = pcall(f)
    if ok or not got:find(text, 1, true) then
      error(('function %d: %s instead of %s'):format(k, ok and 'no error' or got, text), 2)
    end
  end
end

before_each(function() tensor.manualSeed(11) end)

describe('by blocks', function()
  it('systems are solved and matrices inverted', function()
    each(function(e, n)
      local a = random(e, n, n)
      for _, sides in ipairs { 1, 5, 33, n } do
        local b = random(e, n, sides)
        local x, lu = tensor.gesv(b, a)
        solves(e, a, x, b, 4, 'gesv')
        solves(e, a, tensor.solve(a, b), b, 4, 'solve')
        assert.is_true(largest(tensor.tril(lu, -1)) <= 1)
      end
      solves(e, a, tensor.inverse(a), identity(n), 4, 'inverse')
      local sign, logarithm = tensor.slogdet(a)
      local _, other = tensor.slogdet(tensor.inverse(a))
      assert.is_true(math.abs(sign) == 1)
      assert.is_true(math.abs(logarithm + other) < 1e4 * n * e.eps)
    end)
  end)

  it('triangles are solved with all options', function()
    each(function(e, n)
      local lower = triangle(e, n)
      for _, part in ipairs { 'U', 'L' } do
        for _, trans in ipairs { 'N', 'T' } do
          for _, diag in ipairs { 'N', 'U' } do
            local a = part == 'L' and lower or lower:t()
            -- Elements that are not read: the other triangle, and a unit diagonal.
            local ones = tensor.ones(n, n)
            local full = a + (part == 'L' and ones:triu(1) or ones:tril(-1)):type(e.class)
            if diag == 'U' then
              for i = 1, n do full[i][i] = 7 end
            end
            for _, sides in ipairs { 1, 18, 40 } do
              local b = random(e, n, sides)
              local x = tensor.trtrs(b, full, part, trans, diag)
              solves(e, trans == 'N' and a or a:t(), x, b, 2, 'trtrs ' .. part .. trans .. diag)
            end
          end
        end
      end
    end)
  end)

  it('positive definite matrices are factored, solved and inverted', function()
    each(function(e, n)
      local a = definite(e, n)
      for _, part in ipairs { 'U', 'L' } do
        local other = part == 'U' and tensor.tril(a, -1) or tensor.triu(a, 1)
        local factor = tensor.potrf(a - other, part)
        local square = part == 'U' and factor:t() or factor
        solves(e, square, square:t(), a, 2, 'potrf')
        local zeros = part == 'U' and tensor.tril(factor, -1) or tensor.triu(factor, 1)
        assert.are.equal(0, largest(zeros))
        local b = random(e, n, 21)
        solves(e, a, tensor.potrs(b, factor, part), b, 2, 'potrs')
        local inverse = tensor.potri(factor, part)
        solves(e, a, inverse, identity(n), 2, 'potri')
        assert.are.equal(0, largest(inverse - inverse:t()))
      end
      local lower = tensor.cholesky(a)
      solves(e, lower, lower:t(), a, 2, 'cholesky')
    end)
  end)

  it('operands and results have any layout', function()
    local n = 70
    for _, e in ipairs(reals) do
      local a, b, s = random(e, n, n), random(e, n, 9), definite(e, n)
      local function wide() return random(e, 2 * n, 3 * n) end
      local layouts = {
        function(t) return t:t():clone():t() end,
        function(t) return wide():narrow(1, 4, n):narrow(2, 5, t:size(2)):copy(t) end,
        function(t) return wide():t():narrow(1, 4, n):narrow(2, 5, t:size(2)):copy(t) end,
        function(t) return e.Tensor(n, t:size(2), 2):select(3, 2):copy(t) end,
      }
      local results = function(x, y, z)
        local r = { tensor.gesv(y, x) }
        r[3], r[4] = tensor.inverse(x), tensor.trtrs(y, x, 'U')
        r[5] = tensor.potrf(z)
        r[6], r[7] = tensor.potri(r[5]), tensor.potrs(y, r[5])
        return r
      end
      local want = results(a, b, s)
      for _, layout in ipairs(layouts) do
        local got = results(layout(a), layout(b), layout(s))
        for k, r in ipairs(want) do
          assert.is_true(r:equal(got[k]), e.name .. ' result ' .. k)
        end
      end
      -- Columns of a larger matrix as results: the elements around them stay.
      local space = e.Tensor(n + 9, n + 5):fill(3):t()
      local x, lu = space:narrow(1, 2, n):narrow(2, 1, 9), space:narrow(1, 2, n):narrow(2, 10, n)
      tensor.gesv(x, lu, b, a)
      assert.is_true(x:equal(want[1]))
      assert.is_true(lu:equal(want[2]))
      assert.are.equal(0, largest(space:narrow(1, n + 2, 4) - 3))
      assert.are.equal(0, largest(space:narrow(1, 1, 1) - 3))
    end
  end)

  it('batches have the results of their matrices', function()
    each(function(e, n)
      if n > 66 then return end
      local count = 5
      local a, s = e.Tensor(count, n, n), e.Tensor(count, n, n)
      for k = 1, count do
        a[k]:copy(random(e, n, n))
        s[k]:copy(definite(e, n))
      end
      local inverse, factor = tensor.inverse(a), tensor.potrf(s)
      local solution, lu, pivots = tensor.solve(a, s), tensor.btrifact(a)
      for k = 1, count do
        assert.is_true(inverse[k]:equal(tensor.inverse(a[k])))
        assert.is_true(factor[k]:equal(tensor.potrf(s[k])))
        assert.is_true(solution[k]:equal(tensor.solve(a[k], s[k])))
        local one, own = tensor.btrifact(a:narrow(1, k, 1))
        assert.is_true(lu[k]:equal(one[1]))
        assert.is_true(pivots[k]:equal(own[1]))
      end
      solves(e, a[2], tensor.btrisolve(s, lu, pivots)[2], s[2], 4, 'btrisolve')
    end)
  end)
end)

describe('by blocks, failures', function()
  it('name the position', function()
    for _, e in ipairs(reals) do
      for _, n in ipairs { 5, 48, 101 } do
        for _, k in ipairs(n == 5 and { 1, 3, n } or { 1, 8, 9, 30, n }) do
          local a = random(e, n, n)
          a:narrow(2, k, 1):zero()
          fails(('U(%d,%d) is 0, A is singular'):format(k, k),
                function() tensor.gesv(a, a) end,
                function() tensor.inverse(a) end,
                -- Its factors are those of the transposed operand.
                function() tensor.solve(a:t(), a) end)
          assert.are.equal(0, tensor.det(a))
          local lower = triangle(e, n)
          lower[k][k] = 0
          fails(('A(%d,%d) is 0, A is singular'):format(k, k),
                function() tensor.trtrs(a, lower, 'L') end,
                function() tensor.potri(lower, 'L') end,
                function() tensor.potrs(a, lower, 'L') end)
          for _, value in ipairs { 0, -1 } do
            local s = definite(e, n)
            s[k]:zero()
            s:select(2, k):zero()
            s[k][k] = value
            fails(('leading minor of order %d is not positive'):format(k),
                  function() tensor.potrf(s) end)
          end
        end
      end
    end
  end)

  it('include NaN and infinity', function()
    for _, e in ipairs(reals) do
      for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
        for _, at in ipairs { { 1, 1 }, { 60, 1 }, { 60, 60 }, { 47, 33 } } do
          local a = definite(e, 60)
          a[at[1]][at[2]] = value
          local b = random(e, 60, 2)
          fails('A has an element that is NaN or infinite',
                function() tensor.gesv(b, a) end,
                function() tensor.inverse(a) end,
                function() tensor.potrf(a, 'L') end)
          assert.is_true(tensor.det(a) ~= tensor.det(a))
        end
      end
    end
  end)

  it('do not include the largest growth of factors', function()
    -- Each step doubles the last column: Wilkinson, 1961. All numbers are exact.
    local n = 50
    local a = tensor.DoubleTensor(n, n):fill(-1):tril(-1) + identity(n)
    a:select(2, n):fill(1)
    local _, lu = tensor.gesv(tensor.ones(n, 1), a)
    for i = 1, n do assert.are.equal(2 ^ (i - 1), lu[i][n]) end
    assert.are.equal(2 ^ (n - 1), tensor.det(a))
  end)
end)

describe('by blocks, threads', function()
  it('do not change results', function()
    for _, e in ipairs(reals) do
      local n = 230
      local a, s, b = random(e, n, n), definite(e, n), random(e, n, 150)
      local batch = tensor.cat(a:narrow(1, 1, 140):narrow(2, 1, 140):clone():view(1, 140, 140),
                               s:narrow(1, 1, 140):narrow(2, 1, 140):clone():view(1, 140, 140), 1)
      same_on_threads({ 1, 2, 3, 5 }, function()
        local r = { tensor.gesv(b, a) }
        r[3], r[4] = tensor.inverse(a), tensor.potrf(s)
        r[5], r[6], r[7] = tensor.potri(r[4]), tensor.potrs(b, r[4]), tensor.trtrs(b, s, 'L', 'T')
        r[8], r[9] = tensor.inverse(batch), tensor.solve(a, a:t())
        return unpack(r)
      end)
    end
  end)
end)

it('lu factorizes matrices that are not square', function()
  tensor.manualSeed(1)
  for _, class in ipairs { tensor.DoubleTensor, tensor.FloatTensor } do
    for _, size in ipairs { { 5, 3 }, { 3, 5 }, { 1, 4 }, { 4, 1 }, { 2, 70, 33 }, { 2, 33, 70 },
                            { 200, 90 }, { 0, 3 }, { 3, 0 }, { 2, 3, 0 }, { 0, 5, 3 } } do
      local a = class(unpack(size)):normal()
      local m, n = a:size(-2), a:size(-1)
      local k = math.min(m, n)
      local p, l, u = tensor.lu(a)
      assert.are.same({ m, m, m, k, k, n }, { p:size(-2), p:size(-1), l:size(-2), l:size(-1),
                                              u:size(-2), u:size(-1) })
      assert.is_true(p:matmul(p:transpose(-1, -2)):equal(tensor.eye(m):typeAs(p):expandAs(p)))
      if k > 0 and a:nElement() > 0 then
        assert.is_true((p:matmul(l):matmul(u) - a):abs():max() < 1e-4)
        assert.is_true(l:abs():max() <= 1)
        assert.is_true(tensor.tril(l):equal(l) and tensor.triu(u):equal(u))
        assert.are.equal(1, l:select(-1, 1):abs():max())
      end
    end
  end
  local tall = tensor.Tensor { { 1, 2 }, { 3, 4 }, { 6, 5 } }
  local lu, pivots, info = tensor.btrifact(tall:view(1, 3, 2))
  assert.are.same({ 1, 3, 2 }, lu:size():totable())
  assert.are.same({ { 3, 2, 3 } }, pivots:totable())
  assert.are.equal(0, info[1])
end)
