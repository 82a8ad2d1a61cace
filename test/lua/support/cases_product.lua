-- Cases of the matrix products.

local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  local function factor(x) return x == omit and 1 or x end

  -- Sums a(i, k) b(k, j) over k, for models interpreted as matrices.
  local function product(a, b, rows, inner, columns)
    local data = {}
    for i = 1, rows do
      for j = 1, columns do
        local total = 0
        for k = 1, inner do
          total = total + a[(i - 1) * inner + k] * b[(k - 1) * columns + j]
        end
        data[#data + 1] = total
      end
    end
    return data
  end
  local function matrices(a, b)
    local n = a.shape[1]
    if #b.shape == 1 then return { n }, product(a.data, b.data, n, a.shape[2], 1) end
    return { n, b.shape[2] }, product(a.data, b.data, n, a.shape[2], b.shape[2])
  end
  local function outer(a, b)
    return { #a.data, #b.data }, product(a.data, b.data, #a.data, 1, #b.data)
  end
  local function batches(a, b)
    local rows, inner, columns = a.shape[2], a.shape[3], b.shape[3]
    local data = {}
    for n = 1, a.shape[1] do
      local left, right = {}, {}
      for i = 1, rows * inner do left[i] = a.data[(n - 1) * rows * inner + i] end
      for i = 1, inner * columns do right[i] = b.data[(n - 1) * inner * columns + i] end
      for _, x in ipairs(product(left, right, rows, inner, columns)) do data[#data + 1] = x end
    end
    return { a.shape[1], rows, columns }, data
  end
  local function summed(a, b)
    local shape, data = batches(a, b)
    local n = shape[2] * shape[3]
    local totals = {}
    for i = 1, n do totals[i] = 0 end
    for i, x in ipairs(data) do totals[(i - 1) % n + 1] = totals[(i - 1) % n + 1] + x end
    return { shape[2], shape[3] }, totals
  end

  local function operands(lists, big)
    return function(e, random, large)
      local all = {}
      for _, shapes in ipairs(large and { big } or lists) do
        local args, scale = {}, 0
        for i, shape in ipairs(shapes) do
          args[i] = model.random(e, e.integral and 'any' or 'any', shape, random)
          scale = 64 * shape[#shape]
        end
        all[#all + 1] = { args = args, scale = scale }
      end
      return all
    end
  end
  local matrix = { { { 3, 4 }, { 4, 2 } }, { { 1, 1 }, { 1, 1 } }, { { 2, 5 }, { 5, 7 } },
                   { { 1, 6 }, { 6, 1 } }, { { 17, 9 }, { 9, 33 } } }
  local vector = { { { 3, 4 }, { 4 } }, { { 1, 1 }, { 1 } }, { { 5, 2 }, { 2 } } }
  local vectors = { { { 3 }, { 4 } }, { { 1 }, { 1 } } }
  local batch = { { { 2, 3, 4 }, { 2, 4, 5 } }, { { 1, 1, 1 }, { 1, 1, 1 } },
                  { { 3, 2, 2 }, { 3, 2, 2 } } }
  local sets = {
    mm = { matrix, { { 130, 70 }, { 70, 90 } }, matrices },
    mv = { vector, { { 400, 300 }, { 300 } }, matrices },
    ger = { vectors, { { 317 }, { 331 } }, outer },
    bmm = { batch, { { 8, 30, 20 }, { 8, 20, 25 } }, batches },
  }
  local ulps = 8
  for name, set in pairs(sets) do
    c[name] = {
      ulps = ulps, scenarios = operands(set[1], set[2]),
      reference = function(e, a, b)
        local shape, data = set[3](a, b)
        for i, x in ipairs(data) do data[i] = e.store(x) end
        return model.new(shape, data)
      end,
    }
  end

  local added = {
    addmm = { 'mm', matrices }, addmv = { 'mv', matrices }, addr = { 'ger', outer },
    baddbmm = { 'bmm', batches }, addbmm = { 'bmm', summed },
  }
  for name, row in pairs(added) do
    local set, multiply = sets[row[1]], row[2]
    local base = operands(set[1], set[2])
    c[name] = {
      ulps = ulps,
      scenarios = function(e, random, large)
        local all = {}
        for _, scenario in ipairs(base(e, random, large)) do
          local a, b = scenario.args[1], scenario.args[2]
          local t = model.random(e, 'any', (multiply(a, b)), random)
          local function with(beta, alpha)
            all[#all + 1] = { args = { beta, t, alpha, a, b }, scale = 3 * scenario.scale }
          end
          with(omit, omit)
          with(omit, 2)
          with(2, 3)
          with(0, 1)
        end
        return all
      end,
      reference = function(e, beta, t, alpha, a, b)
        local shape, data = multiply(a, b)
        for i, x in ipairs(data) do
          data[i] = e.store(factor(beta) * t.data[i] + factor(alpha) * x)
        end
        return model.new(shape, data)
      end,
    }
  end

  c.dot = {
    ulps = ulps, accumulated = true,
    scenarios = function(e, random, large)
      local all = {}
      for _, shape in ipairs(large and { { 317, 331 } } or { { 7 }, { 3, 4 }, { 1 }, { 0 } }) do
        all[#all + 1] = { scale = large and 1e6 or 256,
                          args = { model.random(e, 'any', shape, random),
                                   model.random(e, 'any', shape, random) } }
      end
      return all
    end,
    reference = function(_, a, b)
      local total = 0
      for i, x in ipairs(a.data) do total = total + x * b.data[i] end
      return total
    end,
  }
  return c
end

return cases
