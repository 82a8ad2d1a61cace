-- More cases of linear algebra: eigenvalues, singular values, and the batched operations with names
-- of NumPy and PyTorch.

local model = require 'support.model'
local matrices = require 'support.matrices'

local cases = {}

function cases.install(c, tools)
  local case, sized, given, omit = tools.case, tools.sized, tools.given, tools.omit
  local R, S, A = tools.R, tools.S, tools.A
  local at, mul, t = matrices.at, matrices.mul, matrices.t

  -- Also for NaN.
  local function is_far(x, y, limit)
    local difference = math.abs(x - y)
    return difference > limit or difference ~= difference
  end
  local function leading_of(a) return { unpack(a.shape, 1, #a.shape - 2) } end
  local function leading_shape(a)
    local shape = leading_of(a)
    return sized(unpack(#shape > 0 and shape or { 1 }))
  end
  local function inserted(list, k, x)
    table.insert(list, k, x)
    return list
  end
  local function unordered(list, sign)
    for i = 2, #list do
      local step = sign * (list[i] - list[i - 1])
      if step < 0 or step ~= step then return 'the values are in no order' end
    end
  end
  local function not_eigen(e, a, values, vectors)
    return unordered(values, 1) or matrices.skew(e, vectors)
           or matrices.differs(e, "V D V'", mul(mul(vectors, matrices.diag(values)), t(vectors)), a)
  end
  -- Checks the sums of the values and of their squares, which equal the trace and the sum of all
  -- squares.
  local function wrong_sums(e, a, values)
    local trace, squares, sum, sum2 = 0, 0, 0, 0
    for i = 1, a.shape[1] do trace = trace + at(a, i, i) end
    for _, x in ipairs(a.data) do squares = squares + x * x end
    for _, x in ipairs(values) do sum, sum2 = sum + x, sum2 + x * x end
    local size = math.max(squares, 1) * math.max(#values, 1) * e.eps * matrices.limit
    if is_far(trace, sum, size) or is_far(squares, sum2, size) then
      return 'wrong sums'
    end
  end
  local function same_count(a) return sized(a.shape[1]) end
  case('syev', { { S(4, 4), 'V', omit }, { R(4, 4), 'V', 'L' }, { R(5, 5), 'V', 'U' },
                 { R(4, 4), omit, omit }, { R(4, 4), 'N', 'L' }, { A(1, 1), 'V', omit },
                 { A(0, 0), 'V', omit } }, { S(50, 50), 'V', 'L' },
       function(a, job) return same_count(a), job == 'V' and tools.same(a) or sized() end,
       function(e, args, values, vectors)
         local a = matrices.symmetric(args[1], given(args[3], 'U'))
         if args[2] ~= 'V' then
           return unordered(values.data, 1) or wrong_sums(e, a, values.data)
         end
         return not_eigen(e, a, values.data, vectors)
       end)
  case('eigh', { { S(4, 4), omit }, { R(4, 4), 'L' }, { R(5, 5), 'U' }, { R(2, 3, 3), 'U' },
                 { A(1, 1), omit }, { A(0, 0), omit }, { A(0, 2, 2), omit } }, { R(40, 40), 'L' },
       function(a) return sized(unpack(a.shape, 1, #a.shape - 1)), tools.same(a) end,
       function(e, args, values, vectors)
         local n = args[1].shape[#args[1].shape]
         for k = 1, tools.batch_of(args[1]) do
           local a = matrices.symmetric(matrices.of_batch(args[1], k), given(args[2], 'L'))
           local text = not_eigen(e, a, { unpack(values.data, (k - 1) * n + 1, k * n) },
                                  matrices.of_batch(vectors, k))
           if text then return text end
         end
       end)

  case('eigvalsh', { { S(4, 4), omit }, { R(5, 5), 'U' }, { R(2, 3, 3), 'L' }, { A(0, 0), omit } },
       { R(40, 40), 'L' },
       function(a) return sized(unpack(a.shape, 1, #a.shape - 1)) end,
       function(e, args, values)
         local n = args[1].shape[#args[1].shape]
         for k = 1, tools.batch_of(args[1]) do
           local a = matrices.symmetric(matrices.of_batch(args[1], k), given(args[2], 'L'))
           local list = { unpack(values.data, (k - 1) * n + 1, k * n) }
           local text = unordered(list, 1) or wrong_sums(e, a, list)
           if text then return text end
         end
       end)

  -- Checks A v = (real + i imaginary) v for each eigenvalue, by real and imaginary parts.
  local function not_eigen_general(e, a, values, v)
    local n, j = a.shape[1], 1
    while j <= n do
      local re, im = at(values, j, 1), at(values, j, 2)
      local function vector(k)
        return matrices.new(n, 1, function(i) return k > n and 0 or at(v, i, k) end)
      end
      local x, y = vector(j), im ~= 0 and vector(j + 1) or sized(n, 1)
      local ax, ay = mul(a, x), mul(a, y)
      local left = matrices.new(n, 2, function(i, part)
        if part == 1 then return ax.data[i] - re * x.data[i] + im * y.data[i] end
        return ay.data[i] - re * y.data[i] - im * x.data[i]
      end)
      local text = matrices.excess('A V - V D', e, left, matrices.norm(a) * n)
      if text then return text end
      local length = 0
      for i = 1, n do length = length + x.data[i] ^ 2 + y.data[i] ^ 2 end
      if is_far(length, 1, matrices.limit * n * e.eps) then return 'length of a vector' end
      if im ~= 0 and (at(values, j + 1, 1) ~= re or at(values, j + 1, 2) ~= -im) then
        return 'no conjugate pair'
      end
      j = j + (im ~= 0 and 2 or 1)
    end
  end
  case('geev', { { A(4, 4), 'V' }, { A(7, 7), 'V' }, { R(3, 3), omit }, { A(5, 5), 'N' },
                 { A(1, 1), 'V' }, { A(0, 0), 'V' } }, { A(30, 30), 'V' },
       function(a, job) return sized(a.shape[1], 2), job == 'V' and tools.same(a) or sized() end,
       function(e, args, values, vectors)
         if args[2] == 'V' then return not_eigen_general(e, args[1], values, vectors) end
         local trace, sum = 0, 0
         for i = 1, args[1].shape[1] do
           trace, sum = trace + at(args[1], i, i), sum + at(values, i, 1)
         end
         if is_far(trace, sum, 1000 * e.eps) then return 'wrong sum' end
       end)
  case('gesvd', { { A(5, 3), omit }, { A(3, 5), 'S' }, { A(5, 3), 'A' }, { A(3, 5), 'A' },
                  { A(4, 4), 'S' }, { A(1, 1), 'A' }, { A(0, 3), 'A' }, { A(3, 0), omit } },
       { A(40, 25), 'A' },
       function(a, job)
         local m, n, k = a.shape[1], a.shape[2], tools.smaller(a)
         return sized(m, job == 'A' and m or k), sized(k), sized(n, job == 'A' and n or k)
       end,
       function(e, args, u, s, v)
         local a, k = args[1], #s.data
         if k > 0 and s.data[k] < 0 then return 'a singular value is negative' end
         local product = mul(mul(matrices.columns(u, k), matrices.diag(s.data)),
                             t(matrices.columns(v, k)))
         return unordered(s.data, -1) or matrices.skew(e, u, "I - U'U")
                or matrices.skew(e, v, "I - V'V") or matrices.differs(e, "U S V'", product, a)
       end)

  local tall = { { A(5, 3) }, { A(2, 3, 4) }, { A(1, 1) }, { A(4, 4) } }
  local function batch_and_values(a)
    return sized(unpack(inserted(leading_of(a), #leading_of(a) + 1,
                                 math.min(a.shape[#a.shape - 1], a.shape[#a.shape]))))
  end
  -- Checks the singular values of each matrix of a batch.
  local function wrong_values(e, batch, values)
    local n = math.min(batch.shape[#batch.shape], batch.shape[#batch.shape - 1])
    for k = 1, n > 0 and tools.batch_of(batch) or 0 do
      local a = matrices.of_batch(batch, k)
      local got = matrices.new(n, 1, function(i) return values.data[(k - 1) * n + i] end)
      local want = model.new({ n, 1 }, matrices.singular_values(a))
      local text = matrices.excess('singular values', e, matrices.sub(got, want), matrices.norm(a))
      if text then return text end
    end
  end
  case('svdvals', tall, { A(40, 25) }, batch_and_values, function(e, args, s)
    return wrong_values(e, args[1], s)
  end)
  -- Checks the result for each matrix of a batch against f(matrix, other arguments).
  local function each_matrix(f)
    return function(e, args, ...)
      local results = { ... }
      for k = 1, tools.batch_of(args[1]) do
        local want = { f(matrices.of_batch(args[1], k), unpack(args, 2)) }
        for i, m in ipairs(want) do
          local text = matrices.differs(e, 'result ' .. i, matrices.of_batch(results[i], k), m)
          if text then return text end
        end
      end
    end
  end
  local function power(a, n)
    local r = matrices.eye(a.shape[1])
    for _ = 1, n do r = mul(r, a) end
    return r
  end
  local squares = { { R(3, 3), 3 }, { A(2, 4, 4), 2 }, { A(3, 3), 0 }, { A(3, 3), 1 },
                    { A(1, 1), 5 } }
  case('matrixPower', squares, { R(9, 9), 4 }, tools.same, each_matrix(power))
  -- The Taylor series, for matrices with a small norm.
  case('matrixExp', { { A(3, 3) }, { A(2, 2, 2) }, { A(1, 1) }, { A(0, 0) } }, { A(5, 5) },
       tools.same, each_matrix(function(a)
         local r, term = matrices.eye(a.shape[1]), matrices.eye(a.shape[1])
         for k = 1, 40 do
           term = mul(term, a)
           for i, x in ipairs(term.data) do
             term.data[i] = x / k
             r.data[i] = r.data[i] + x / k
           end
         end
         return r
       end))
  local function with_rows(a, rows, columns)
    local shape = leading_of(a)
    shape[#shape + 1], shape[#shape + 2] = rows, columns
    return sized(unpack(shape))
  end
  local function is_zero(a) return matrices.norm(a) == 0 end
  case('lu', { { R(3, 3) }, { A(2, 4, 4) }, { A(1, 1) }, { A(0, 0) }, { A(5, 3) }, { A(2, 3, 5) },
               { A(3, 0) }, { A(0, 3) } }, { A(20, 20) },
       function(a)
         local m, n = a.shape[#a.shape - 1], a.shape[#a.shape]
         local k = math.min(m, n)
         return with_rows(a, m, m), with_rows(a, m, k), with_rows(a, k, n)
       end,
       function(e, args, p, l, u)
         for k = 1, tools.batch_of(args[1]) do
           local a, own_p = matrices.of_batch(args[1], k), matrices.of_batch(p, k)
           local own_l, own_u = matrices.of_batch(l, k), matrices.of_batch(u, k)
           local text = matrices.differs(e, 'P L U', mul(own_p, mul(own_l, own_u)), a)
           if text then return text end
           for _, x in ipairs(own_p.data) do
             if x ~= 0 and x ~= 1 then return 'no permutation' end
           end
           if not is_zero(matrices.sub(mul(own_p, t(own_p)), matrices.eye(a.shape[1])))
              or not is_zero(matrices.sub(matrices.triangle(own_l, 'L', 1), own_l))
              or not is_zero(matrices.sub(matrices.triangle(own_u, 'U'), own_u)) then
             return 'P, L or U'
           end
           for _, x in ipairs(own_l.data) do
             if math.abs(x) > 1 then return 'no pivoting' end
           end
         end
       end)
  -- Numbers of each matrix, by f(matrix, other arguments).
  local function number_of_each(f)
    return function(e, args, r)
      for k = 1, tools.batch_of(args[1]) do
        local want = f(matrices.of_batch(args[1], k), unpack(args, 2))
        if is_far(r.data[k], want, 1000 * e.eps * math.max(1, math.abs(want))) then
          return ('%.17g instead of %.17g'):format(r.data[k], want)
        end
      end
    end
  end
  local function sums(a, by_columns)
    local list = {}
    local m, n = a.shape[1], a.shape[2]
    for i = 1, m do
      for j = 1, n do
        local k = by_columns and j or i
        list[k] = (list[k] or 0) + math.abs(at(a, i, j))
      end
    end
    return list
  end
  local function norm(a, p)
    local list = math.abs(p) == 2 and matrices.singular_values(a) or sums(a, math.abs(p) == 1)
    return (p > 0 and math.max or math.min)(unpack(list))
  end
  local inf = math.huge
  -- functions_spec tests that a single matrix gives a number.
  local any = { { A(2, 3, 2) }, { A(2, 3, 4) }, { A(3, 1, 1) } }
  local function with(list, values)
    local all = {}
    for _, operands in ipairs(list) do
      for _, x in ipairs(values) do all[#all + 1] = { operands[1], x } end
    end
    return all
  end
  case('matrixNorm', any, { A(2, 9, 9) }, leading_shape, number_of_each(function(a)
    local sum = 0
    for _, x in ipairs(a.data) do sum = sum + x * x end
    return math.sqrt(sum)
  end))
  case('matrixNormOrder', with(any, { 1, -1, inf, -inf, 2, -2 }), { A(2, 9, 9), 1 }, leading_shape,
       number_of_each(norm))
  case('nuclearNorm', any, { A(2, 9, 9) }, leading_shape, number_of_each(function(a)
    local sum = 0
    for _, x in ipairs(matrices.singular_values(a)) do sum = sum + x end
    return sum
  end))
  local regular = { { R(2, 3, 3) }, { R(2, 4, 4) }, { R(2, 1, 1) } }
  local condition = number_of_each(function(a, p)
    local _, inverse = matrices.eliminate(a, matrices.eye(a.shape[1]))
    return norm(a, p or 2) * norm(inverse, p or 2)
  end)
  case('cond', regular, { R(2, 9, 9) }, leading_shape, condition)
  case('condOrder', with(regular, { 1, inf, 2 }), { R(2, 9, 9), 1 }, leading_shape, condition)

  -- ---- batched operations
  -- One number for each matrix. linalg_spec tests that a single matrix gives a number.
  local batches = { { R(2, 3, 3) }, { A(2, 3, 4, 4) }, { A(3, 1, 1) }, { A(2, 0, 0) },
                    { A(0, 2, 2) }, { R(1, 5, 5) } }
  local function leading(a) return sized(unpack(a.shape, 1, #a.shape - 2)) end
  local function of_each(number_of)
    return function(e, args, ...)
      for k = 1, tools.batch_of(args[1]) do
        local det = matrices.eliminate(matrices.of_batch(args[1], k))
        for i, got in ipairs { ... } do
          local want = number_of(det, i)
          -- Near a singular matrix, the logarithm of the determinant is less accurate.
          local eps = e.eps * 200 * math.max(math.abs(want), 1, 1 / math.abs(det))
          if not (got.data[k] == want or want ~= want and got.data[k] ~= got.data[k]
                  or math.abs(got.data[k] - want) <= eps) then
            return ('%.17g instead of %.17g'):format(got.data[k], want)
          end
        end
      end
    end
  end
  local big = { R(9, 20, 20) }
  -- For larger determinants this tolerance would be too small.
  case('det', batches, { A(9, 5, 5) }, leading, of_each(function(det) return det end))
  case('logdet', batches, big, leading,
       of_each(function(det) return det < 0 and 0 / 0 or math.log(det) end))
  case('slogdet', batches, big, function(a) return leading(a), leading(a) end,
       of_each(function(det, i)
         if i == 2 then return math.log(math.abs(det)) end
         return det > 0 and 1 or det < 0 and -1 or 0
       end))

  local function part(m, k, rows, cols)
    return matrices.of_batch(model.new({ #m.data / math.max(rows * cols, 1), rows, cols }, m.data),
                             k)
  end
  -- Larger matrices are solved by blocks with AVX-512 only, so their last bits differ.
  case('solve', { { R(3, 3), A(3) }, { R(3, 3), A(3, 2) }, { R(2, 4, 4), A(2, 4, 3) },
                  { R(2, 4, 4), A(2, 4) }, { R(1, 1), A(1, 1) }, { A(0, 0), A(0, 2) },
                  { A(2, 0, 0), A(2, 0, 1) } }, { R(44, 44), A(44, 20) },
       function(_, b) return tools.same(b) end,
       function(e, args, x)
         local a, b = args[1], args[2]
         local n = a.shape[#a.shape]
         local cols = #b.shape == #a.shape and b.shape[#b.shape] or 1
         for k = 1, tools.batch_of(a) do
           local text = matrices.unsolved(e, matrices.of_batch(a, k), part(x, k, n, cols),
                                          part(b, k, n, cols))
           if text then return text end
         end
       end)
  case('lstsq', { { R(5, 3), A(5, 2), omit }, { R(3, 5), A(3), omit }, { R(6, 4), A(6), 0 },
                  { R(2, 5, 3), A(2, 5, 2), omit }, { R(4, 4), A(4, 1), omit },
                  { A(3, 0), A(3, 1), omit }, { A(0, 3), A(0, 2), omit } },
       { R(40, 20), A(40, 5), omit },
       function(a, b)
         local d = #a.shape
         local m, n = a.shape[d - 1], a.shape[d]
         local vector = #b.shape < d
         local x = { unpack(a.shape, 1, d - 2) }
         local residuals, values, rank = { unpack(x) }, { unpack(x) }, { unpack(x) }
         x[#x + 1] = n
         if not vector then x[#x + 1] = b.shape[d] end
         residuals[#residuals + 1] = vector and 1 or b.shape[d]
         values[#values + 1] = math.min(m, n)
         if #rank == 0 then rank[1] = 1 end
         return sized(unpack(x)), m > n and sized(unpack(residuals)) or sized(),
                sized(unpack(rank)), sized(unpack(values))
       end,
       function(e, args, x, residuals, rank, values)
         local a, b = args[1], args[2]
         local d = #a.shape
         local m, n, cols = a.shape[d - 1], a.shape[d], #b.shape == d and b.shape[d] or 1
         local text = wrong_values(e, a, values)
         for k = 1, text and 0 or tools.batch_of(a) do
           local own, left = matrices.of_batch(a, k), part(b, k, m, cols)
           text = text or tools.not_least(e, own, part(x, k, n, cols), left)
           if rank.data[k] ~= math.min(m, n) then return 'rank ' .. rank.data[k] end
           local rest = n > 0 and matrices.sub(mul(own, part(x, k, n, cols)), left) or left
           for j = 1, m > n and cols or 0 do
             local sum = 0
             for i = 1, m do sum = sum + at(rest, i, j) ^ 2 end
             local got = residuals.data[(k - 1) * cols + j]
             if is_far(sum, got, 1000 * e.eps * (1 + sum)) then
               return 'residuals'
             end
           end
         end
         return text
       end)
  case('cholesky', { { S(4, 4), omit }, { S(4, 4), true }, { S(2, 3, 3), false }, { S(1, 1), true },
                     { A(0, 0), omit } }, { S(44, 44), omit }, tools.same,
       function(e, args, r)
         for k = 1, tools.batch_of(args[1]) do
           local text = tools.not_factor(e, matrices.of_batch(args[1], k), matrices.of_batch(r, k),
                                         args[2] == true and 'U' or 'L')
           if text then return text end
         end
       end)
  -- The four Moore-Penrose conditions.
  local function not_pseudoinverse(e, a, p)
    local ap, pa = mul(a, p), mul(p, a)
    local size = matrices.norm(a) * matrices.norm(p) * math.max(a.shape[1], a.shape[2], 1)
    return matrices.excess('A P A - A', e, matrices.sub(mul(ap, a), a), size * matrices.norm(a))
           or matrices.excess('P A P - P', e, matrices.sub(mul(pa, p), p), size * matrices.norm(p))
           or matrices.excess("A P - (A P)'", e, matrices.sub(ap, t(ap)), size)
           or matrices.excess("P A - (P A)'", e, matrices.sub(pa, t(pa)), size)
  end
  case('pinverse', { { A(4, 3), omit }, { A(3, 4), omit }, { R(2, 3, 3), omit }, { A(4, 4), 1e-4 },
                     { A(1, 1), omit }, { A(0, 3), omit }, { A(3, 0), omit } },
       { R(40, 30), omit },
       function(a)
         local shape = { unpack(a.shape) }
         shape[#shape], shape[#shape - 1] = shape[#shape - 1], shape[#shape]
         return sized(unpack(shape))
       end,
       function(e, args, r)
         for k = 1, tools.batch_of(args[1]) do
           local text = not_pseudoinverse(e, matrices.of_batch(args[1], k), matrices.of_batch(r, k))
           if text then return text end
         end
       end)
  case('matrixRank', { { R(2, 3, 3), omit }, { R(2, 3, 4), 1e-3 }, { R(2, 2, 3, 3), 1e6 },
                       { R(2, 3, 3), 0, 2 }, { R(2, 3, 3), 0, 1e-9 },
                       { A(2, 0, 3), omit }, { A(0, 2, 2), omit } }, { R(5, 20, 20), omit },
       leading, function(_, args, r)
         local a = args[1]
         local none = args[2] == 1e6 or args[3] == 2
         local want = none and 0 or math.min(a.shape[#a.shape], a.shape[#a.shape - 1])
         for _, rank in ipairs(r.data) do
           if rank ~= want then return rank .. ' instead of ' .. want end
         end
       end)
  assert(c.matrixRank)
end

return cases
