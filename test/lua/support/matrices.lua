-- Matrices as two-dimensional models in plain Lua, and the criteria of LAPACK's own tests: norms of
-- residuals in units of size * rounding error. 30 is LAPACK's limit.

local model = require 'support.model'

local matrices = { limit = 30 }

function matrices.new(rows, cols, f)
  return model.fill({ rows, cols }, function(k)
    return f(math.floor(k / cols) + 1, k % cols + 1)
  end)
end

local function at(m, i, j) return m.data[(i - 1) * m.shape[2] + j] end
matrices.at = at

--- Returns matrix k of a batch, or the matrix itself.
function matrices.of_batch(m, k)
  local rows, cols = m.shape[#m.shape - 1], m.shape[#m.shape]
  return matrices.new(rows, cols, function(i, j)
    return m.data[(k - 1) * rows * cols + (i - 1) * cols + j]
  end)
end

--- Returns a vector as a matrix of one column.
function matrices.column(v)
  return matrices.new(#v.data, 1, function(i) return v.data[i] end)
end
function matrices.as_matrix(m)
  return #m.shape == 1 and matrices.column(m) or m
end

function matrices.mul(a, b)
  return matrices.new(a.shape[1], b.shape[2], function(i, j)
    local sum = 0
    for k = 1, a.shape[2] do sum = sum + at(a, i, k) * at(b, k, j) end
    return sum
  end)
end

function matrices.t(a)
  return matrices.new(a.shape[2], a.shape[1], function(i, j) return at(a, j, i) end)
end

function matrices.sub(a, b) return model.map(function(x, y) return x - y end, a, b) end

function matrices.eye(n)
  return matrices.new(n, n, function(i, j) return i == j and 1 or 0 end)
end

function matrices.diag(list)
  return matrices.new(#list, #list, function(i, j) return i == j and list[i] or 0 end)
end

--- The part of a matrix in a triangle, with 0 beside it, or the other value on the diagonal.
function matrices.triangle(a, uplo, diagonal)
  return matrices.new(a.shape[1], a.shape[2], function(i, j)
    if i == j then return diagonal or at(a, i, j) end
    return (uplo == 'U') == (i < j) and at(a, i, j) or 0
  end)
end

--- Returns the symmetric matrix with one triangle of a.
function matrices.symmetric(a, uplo)
  return matrices.new(a.shape[1], a.shape[2], function(i, j)
    if (uplo == 'U') == (i <= j) then return at(a, i, j) end
    return at(a, j, i)
  end)
end

--- Returns the 1-norm: the largest sum of absolute values in a column.
function matrices.norm(a)
  local largest = 0
  for j = 1, a.shape[2] do
    local sum = 0
    for i = 1, a.shape[1] do sum = sum + math.abs(at(a, i, j)) end
    if sum ~= sum then return sum end
    largest = math.max(largest, sum)
  end
  return largest
end

--- Returns nil if the norm of `left` is at most limit * size * eps, otherwise a message.
function matrices.excess(what, e, left, size)
  local norm = matrices.norm(left)
  if norm <= matrices.limit * size * e.eps then return nil end
  return ('%s: %g is left, more than %d times %g'):format(what, norm, matrices.limit, size * e.eps)
end

--- Checks a x = b; returns nil or a message.
function matrices.unsolved(e, a, x, b)
  local size = matrices.norm(a) * matrices.norm(x) * math.max(a.shape[1], a.shape[2], 1)
  return matrices.excess('A X - B', e, matrices.sub(matrices.mul(a, x), b),
                         size + matrices.norm(b))
end

--- Checks that the columns of q are orthonormal; returns nil or a message.
function matrices.skew(e, q, what)
  local left = matrices.sub(matrices.mul(matrices.t(q), q), matrices.eye(q.shape[2]))
  return matrices.excess(what or "I - Q'Q", e, left, math.max(q.shape[1], 1))
end

--- Checks that a product equals the matrix a; returns nil or a message.
function matrices.differs(e, what, product, a)
  return matrices.excess(what, e, matrices.sub(product, a),
                         matrices.norm(a) * math.max(a.shape[1], a.shape[2], 1))
end

--- Gaussian elimination with pivoting. Returns the determinant and, if b is given, the solution of
-- a x = b.
function matrices.eliminate(a, b)
  local n, rows, det = a.shape[1], {}, 1
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do rows[i][j] = at(a, i, j) end
    for j = 1, b and b.shape[2] or 0 do rows[i][n + j] = at(b, i, j) end
  end
  for k = 1, n do
    local best = k
    for i = k + 1, n do
      if math.abs(rows[i][k]) > math.abs(rows[best][k]) then best = i end
    end
    if best ~= k then
      rows[k], rows[best] = rows[best], rows[k]
      det = -det
    end
    det = det * rows[k][k]
    for i = k + 1, n do
      local factor = rows[k][k] == 0 and 0 or rows[i][k] / rows[k][k]
      for j = k, #rows[k] do rows[i][j] = rows[i][j] - factor * rows[k][j] end
    end
  end
  if not b then return det end
  local x = {}
  for i = n, 1, -1 do
    x[i] = {}
    for j = 1, b.shape[2] do
      local sum = rows[i][n + j]
      for k = i + 1, n do sum = sum - rows[i][k] * x[k][j] end
      x[i][j] = sum / rows[i][i]
    end
  end
  return det, matrices.new(n, b.shape[2], function(i, j) return x[i][j] end)
end

--- Returns the list of the singular values, the largest first: the lengths of the columns after
-- rotations that make them orthogonal (one-sided Jacobi method).
function matrices.singular_values(a)
  local tall = a.shape[1] < a.shape[2] and matrices.t(a) or a
  local columns, values = {}, {}
  for j = 1, tall.shape[2] do
    columns[j] = {}
    for i = 1, tall.shape[1] do columns[j][i] = at(tall, i, j) end
  end
  local function dot(x, y)
    local sum = 0
    for i = 1, #x do sum = sum + x[i] * y[i] end
    return sum
  end
  -- Returns false if two columns are orthogonal.
  local function rotate(x, y)
    local xx, yy, xy = dot(x, x), dot(y, y), dot(x, y)
    if math.abs(xy) <= 1e-15 * math.sqrt(xx * yy) then return false end
    local cotangent = (yy - xx) / (2 * xy)
    local tangent = (cotangent < 0 and -1 or 1)
                    / (math.abs(cotangent) + math.sqrt(1 + cotangent ^ 2))
    local cosine = 1 / math.sqrt(1 + tangent ^ 2)
    for i = 1, #x do
      x[i], y[i] = cosine * (x[i] - tangent * y[i]), cosine * (tangent * x[i] + y[i])
    end
    return true
  end
  local sweeps, is_rotated = 0, true
  while is_rotated and sweeps < 30 do
    sweeps, is_rotated = sweeps + 1, false
    for j = 1, #columns do
      for k = j + 1, #columns do is_rotated = rotate(columns[j], columns[k]) or is_rotated end
    end
  end
  for j, column in ipairs(columns) do values[j] = math.sqrt(dot(column, column)) end
  table.sort(values, function(x, y) return x > y end)
  return values
end

--- Returns the product of the first `count` reflections I - tau v v', with v below the diagonal of
-- a.
function matrices.reflections(a, tau, count)
  local m = a.shape[1]
  local q = matrices.eye(m)
  for k = 1, count do
    local v = matrices.new(m, 1, function(i) return i == k and 1 or i > k and at(a, i, k) or 0 end)
    local qv = matrices.mul(q, v)
    q = matrices.new(m, m, function(i, j)
      return at(q, i, j) - tau.data[k] * qv.data[i] * v.data[j]
    end)
  end
  return q
end

--- Return the first n columns or rows.
function matrices.columns(a, n)
  return matrices.new(a.shape[1], n, function(i, j) return at(a, i, j) end)
end
function matrices.rows(a, n)
  return matrices.new(n, a.shape[2], function(i, j) return at(a, i, j) end)
end

return matrices
