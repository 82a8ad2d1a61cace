-- Cases of linear algebra. Results are not unique (signs of vectors, order of rows), so each case
-- has a check(e, args, results), which returns nil or a description of the error. The reference
-- gives only the sizes of the results.

local model = require 'support.model'
local matrices = require 'support.matrices'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local at, mul, t = matrices.at, matrices.mul, matrices.t
  local c = {}

  local function sized(...) return model.fill({ ... }, function() return 0 end) end
  local function given(x, default) return x == omit and default or x end

  -- Random matrices of the kinds that the operations accept.
  local kinds = {}
  function kinds.any(e, random, shape) return model.random(e, 'unit', shape, random) end
  -- Far from singular, like both of its triangles.
  function kinds.regular(e, random, shape)
    local m = kinds.any(e, random, shape)
    local rows, cols = shape[#shape - 1], shape[#shape]
    return model.fill(shape, function(k)
      local diagonal = math.floor(k / cols) % rows == k % cols
      return e.store(m.data[k + 1] + (diagonal and cols + 1 or 0))
    end)
  end
  function kinds.symmetric(e, random, shape)
    local m = kinds.regular(e, random, shape)
    local n = shape[#shape]
    return model.fill(shape, function(k)
      local i, j = math.floor(k / n) % n, k % n
      local first = k - k % (n * n)
      return m.data[first + math.min(i, j) * n + math.max(i, j) + 1]
    end)
  end

  -- Returns scenarios from a list of tables of operands ({kind, sizes...} or plain values).
  local function scenarios(list, big)
    return function(e, random, large)
      local all = {}
      for _, operands in ipairs(large and { big } or list) do
        local args = {}
        for k, x in ipairs(operands) do
          args[k] = x
          if type(x) == 'table' and x ~= omit then
            args[k] = kinds[x[1]](e, random, { unpack(x, 2) })
          end
        end
        all[#all + 1] = { args = args }
      end
      return all
    end
  end
  local function case(name, list, big, reference, check)
    c[name] = { singular_expanded = true, scenarios = scenarios(list, big),
                reference = function(_, ...) return reference(...) end, check = check }
  end
  local function R(...) return { 'regular', ... } end
  local function S(...) return { 'symmetric', ... } end
  local function A(...) return { 'any', ... } end

  -- ---- linear systems. Large cases have fewer than 48 rows: AVX-512 computes others by blocks, so
  -- that their last bits differ between instruction sets.
  local function columns_of(b) return b.shape[2] or 1 end
  local equations = { { A(3, 2), R(3, 3) }, { A(4), R(4, 4) }, { A(1, 1), R(1, 1) },
                      { A(7, 1), R(7, 7) }, { A(0, 2), A(0, 0) }, { A(3, 0), R(3, 3) } }
  case('gesv', equations, { A(44, 30), R(44, 44) },
       function(b, a) return sized(b.shape[1], columns_of(b)), sized(unpack(a.shape)) end,
       function(e, args, x, lu)
         local b, a = matrices.as_matrix(args[1]), args[2]
         -- The rows of L U are those of A in some order.
         local product = lu and mul(matrices.triangle(lu, 'L', 1), matrices.triangle(lu, 'U'))
         local used = {}
         for i = 1, lu and a.shape[1] or 0 do
           local found
           for k = 1, a.shape[1] do
             local row = matrices.new(1, a.shape[2], function(_, j)
               return at(product, i, j) - at(a, k, j)
             end)
             if not used[k] and not matrices.excess('', e, row, matrices.norm(a)) then found = k end
           end
           if not found then return ('row %d of L U is not a row of A'):format(i) end
           used[found] = true
         end
         return matrices.unsolved(e, a, x, b)
       end)

  local function triangular(uplo, trans, diag)
    return { A(4, 3), R(4, 4), uplo, trans, diag }
  end
  case('trtrs', { { A(4, 3), R(4, 4), omit, omit, omit }, { A(4), R(4, 4), omit, omit, omit },
                  triangular('U', 'N', 'N'), triangular('L', 'N', 'N'), triangular('U', 'T', 'N'),
                  triangular('L', 'T', 'U'), { A(0, 2), A(0, 0), omit, omit, omit } },
       { A(44, 9), R(44, 44), 'L', 'T', 'N' },
       function(b, a) return sized(b.shape[1], columns_of(b)), sized(unpack(a.shape)) end,
       function(e, args, x, copy)
         local b, a, uplo, trans, diag = unpack(args)
         local triangle = matrices.triangle(a, given(uplo, 'U'), given(diag, 'N') == 'U' and 1)
         if trans == 'T' then triangle = t(triangle) end
         for k, y in ipairs(copy.data) do
           if y ~= a.data[k] then return 'the second result is not a copy of A' end
         end
         return matrices.unsolved(e, triangle, x, matrices.as_matrix(b))
       end)

  -- Checks that x is the least-squares solution of minimum norm.
  local function not_least(e, a, x, b)
    local rows, cols = a.shape[1], a.shape[2]
    if rows == 0 or cols == 0 then return nil end
    if rows >= cols then
      local _, best = matrices.eliminate(mul(t(a), a), mul(t(a), b))
      return matrices.differs(e, 'X', x, best)
    end
    local _, y = matrices.eliminate(mul(a, t(a)), b)
    return matrices.differs(e, 'X', x, mul(t(a), y))
  end
  case('gels', { { A(5, 2), R(5, 3) }, { A(3, 2), R(3, 5) }, { A(6), R(6, 4) },
                 { A(4, 1), R(4, 4) }, { A(0, 2), A(0, 3) }, { A(3, 2), A(3, 0) } },
       { A(40, 7), R(40, 30) },
       function(b, a) return sized(a.shape[2], columns_of(b)), sized(unpack(a.shape)) end,
       function(e, args, x) return not_least(e, args[2], x, matrices.as_matrix(args[1])) end)

  -- ---- inverses and factorizations of symmetric matrices
  local function not_inverse(e, a, inverse)
    local left = matrices.sub(mul(a, inverse), matrices.eye(a.shape[1]))
    return matrices.excess('A A^-1 - I', e, left,
                           matrices.norm(a) * matrices.norm(inverse) * math.max(a.shape[1], 1))
  end
  local function batch_of(a)
    local count = 1
    for d = 1, #a.shape - 2 do count = count * a.shape[d] end
    return count
  end
  local function same(a) return sized(unpack(a.shape)) end
  case('getri', { { R(3, 3) }, { R(1, 1) }, { R(8, 8) }, { A(0, 0) }, { R(2, 3, 4, 4) } },
       { R(44, 44) }, same, function(e, args, r)
         for k = 1, batch_of(args[1]) do
           local text = not_inverse(e, matrices.of_batch(args[1], k), matrices.of_batch(r, k))
           if text then return text end
         end
       end)

  local function not_factor(e, a, r, uplo)
    if matrices.norm(matrices.sub(matrices.triangle(r, uplo), r)) ~= 0 then return 'no triangle' end
    return matrices.differs(e, 'factor', uplo == 'U' and mul(t(r), r) or mul(r, t(r)), a)
  end
  case('potrf', { { S(4, 4), omit }, { S(4, 4), 'U' }, { S(5, 5), 'L' }, { S(1, 1), 'L' },
                  { A(0, 0), omit } }, { S(44, 44), 'L' },
       same, function(e, args, r)
         return not_factor(e, args[1], r, given(args[2], 'U'))
       end)
  case('potri', { { R(4, 4), omit }, { R(4, 4), 'L' }, { R(1, 1), 'U' }, { A(0, 0), omit } },
       { R(40, 40), 'L' }, same, function(e, args, r)
         local uplo = given(args[2], 'U')
         local factor = matrices.triangle(args[1], uplo)
         if matrices.norm(matrices.sub(r, t(r))) ~= 0 then return 'not symmetric' end
         return not_inverse(e, uplo == 'U' and mul(t(factor), factor) or mul(factor, t(factor)), r)
       end)
  case('potrs', { { A(4, 2), R(4, 4), omit }, { A(4), R(4, 4), 'U' }, { A(5, 1), R(5, 5), 'L' },
                  { A(0, 1), A(0, 0), omit } }, { A(40, 7), R(40, 40), 'L' },
       function(b) return sized(b.shape[1], columns_of(b)) end,
       function(e, args, x)
         local b, a, uplo = unpack(args)
         local factor = matrices.triangle(a, given(uplo, 'U'))
         local product = uplo == 'L' and mul(factor, t(factor)) or mul(t(factor), factor)
         return matrices.unsolved(e, product, x, matrices.as_matrix(b))
       end)
  case('pstrf', { { S(4, 4), omit, omit }, { S(5, 5), 'L', omit }, { S(3, 3), 'U', 0 },
                  { S(1, 1), omit, omit }, { A(0, 0), omit, omit } }, { S(44, 44), 'L', omit },
       function(a) return same(a), sized(a.shape[1]) end,
       function(e, args, r, order)
         local a, uplo = args[1], given(args[2], 'U')
         local permuted = matrices.new(a.shape[1], a.shape[2], function(i, j)
           return at(a, order.data[i], order.data[j])
         end)
         for i = 2, a.shape[1] do
           if at(r, i, i) > at(r, i - 1, i - 1) then return 'the pivots do not descend' end
         end
         return not_factor(e, permuted, r, uplo)
       end)

  -- ---- orthogonal factorizations
  local rectangles = { { A(5, 3) }, { A(3, 5) }, { A(4, 4) }, { A(1, 1) }, { A(1, 4) }, { A(4, 1) },
                       { A(0, 3) }, { A(3, 0) } }
  local function smaller(a) return math.min(a.shape[1], a.shape[2]) end
  case('qr', rectangles, { A(60, 40) },
       function(a) return sized(a.shape[1], smaller(a)), sized(smaller(a), a.shape[2]) end,
       function(e, args, q, r)
         local beside = matrices.sub(matrices.triangle(r, 'U'), r)
         if matrices.norm(beside) ~= 0 then return 'no triangle' end
         return matrices.skew(e, q) or matrices.differs(e, 'Q R', mul(q, r), args[1])
       end)
  case('qrComplete', { { A(5, 3), true }, { A(3, 5), true }, { A(5, 3), false }, { A(4, 4), true },
                       { A(4, 1), true }, { A(3, 0), true } }, { A(60, 40), true },
       function(a, complete)
         local k = complete and a.shape[1] or smaller(a)
         return sized(a.shape[1], k), sized(k, a.shape[2])
       end,
       function(e, args, q, r)
         local beside = matrices.sub(matrices.triangle(r, 'U'), r)
         if matrices.norm(beside) ~= 0 then return 'no triangle' end
         return matrices.skew(e, q) or matrices.differs(e, 'Q R', mul(q, r), args[1])
       end)
  case('geqrf', rectangles, { A(40, 50) },
       function(a) return same(a), sized(smaller(a)) end,
       function(e, args, r, tau)
         local q = matrices.reflections(r, tau, smaller(r))
         return matrices.skew(e, q)
                or matrices.differs(e, 'Q R', mul(q, matrices.triangle(r, 'U')), args[1])
       end)
  case('orgqr', { { A(5, 3), A(3) }, { A(4, 4), A(4) }, { A(5, 4), A(2) }, { A(3, 5), A(3) },
                  { A(1, 1), A(1) }, { A(3, 0), A(0) } }, { A(40, 20), A(20) },
       function(a) return sized(a.shape[1], smaller(a)) end,
       function(e, args, q)
         local all = matrices.reflections(args[1], args[2], #args[2].data)
         return matrices.differs(e, 'Q', q, matrices.columns(all, q.shape[2]))
       end)
  case('ormqr', { { A(5, 3), A(3), A(5, 2), omit, omit }, { A(4, 4), A(4), A(4, 4), 'L', 'T' },
                  { A(4, 2), A(2), A(3, 4), 'R', omit }, { A(4, 3), A(2), A(5, 4), 'R', 'T' },
                  { A(1, 1), A(1), A(1, 1), omit, 'N' }, { A(3, 2), A(2), A(3, 0), omit, omit } },
       { A(40, 20), A(20), A(40, 30), 'L', 'T' },
       function(_, _, m) return same(m) end,
       function(e, args, r)
         local a, tau, m, side, trans = unpack(args)
         local q = matrices.reflections(a, tau, #tau.data)
         if trans == 'T' then q = t(q) end
         return matrices.differs(e, 'product', r, side == 'R' and mul(m, q) or mul(q, m))
       end)

  -- ---- batches of linear systems
  case('btrifact', { { omit, R(2, 3, 3) }, { true, R(1, 5, 5) }, { false, R(3, 4, 4) },
                     { omit, R(2, 1, 1) }, { omit, A(0, 3, 3) }, { omit, A(2, 5, 3) },
                     { omit, A(2, 3, 5) } }, { omit, R(20, 20, 20) },
       function(_, a) return same(a), sized(a.shape[1], a.shape[2]), sized(a.shape[1]) end,
       function(e, args, lu, pivots, info)
         local n, columns = args[2].shape[2], args[2].shape[3]
         local inner = math.min(n, columns)
         for k = 1, args[2].shape[1] do
           local own, a = matrices.of_batch(lu, k), matrices.of_batch(args[2], k)
           local lower = matrices.new(n, inner, function(i, j)
             return i == j and 1 or i > j and at(own, i, j) or 0
           end)
           local upper = matrices.new(inner, columns, function(i, j)
             return i <= j and at(own, i, j) or 0
           end)
           local product, rows = mul(lower, upper), {}
           for i = 1, n do rows[i] = i end
           for i = 1, n do
             local p = pivots.data[(k - 1) * n + i]
             if args[1] == false and p ~= i then return 'a row was exchanged' end
             rows[i], rows[p] = rows[p], rows[i]
           end
           local permuted = matrices.new(n, columns, function(i, j) return at(a, rows[i], j) end)
           if info.data[k] ~= 0 then return 'info' end
           local text = matrices.differs(e, 'L U', product, permuted)
           if text then return text end
         end
       end)
  -- Takes the result of btrifact without pivoting.
  c.btrisolve = {
    singular_expanded = true,
    scenarios = function(e, random, large)
      local all = {}
      local shapes = large and { { { 9, 30, 4 }, 30 } }
                     or { { { 2, 3, 2 }, 3 }, { { 3, 4 }, 4 }, { { 1, 1, 1 }, 1 }, { { 0, 2 }, 2 } }
      for _, shape in ipairs(shapes) do
        local count, n = shape[1][1], shape[2]
        all[#all + 1] = { args = { kinds.any(e, random, shape[1]),
                                   kinds.regular(e, random, { count, n, n }),
                                   model.build({ count, n }, function(at_) return at_[2] end) } }
      end
      return all
    end,
    reference = function(_, b) return same(b) end,
    check = function(e, args, x)
      local b, lu = args[1], args[2]
      local n, cols = lu.shape[2], b.shape[3] or 1
      for k = 1, lu.shape[1] do
        local own = matrices.of_batch(lu, k)
        local function part(m)
          return matrices.of_batch(model.new({ lu.shape[1], n, cols }, m.data), k)
        end
        local a = mul(matrices.triangle(own, 'L', 1), matrices.triangle(own, 'U'))
        local text = matrices.unsolved(e, a, part(x), part(b))
        if text then return text end
      end
    end,
  }
  require('support.cases_linalg_values').install(c, {
    case = case, sized = sized, given = given, same = same, R = R, S = S, A = A, omit = omit,
    not_least = not_least, not_factor = not_factor, batch_of = batch_of, smaller = smaller,
  })
  return c
end

return cases
