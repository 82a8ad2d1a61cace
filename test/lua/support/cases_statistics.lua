-- Cases of quantiles, covariances and correlations.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 } }
  local parts = { 0, 0.3, 0.5, 1 }

  local rank_by
  local function quantile(list, q, method)
    local sorted = {}
    for i, x in ipairs(list) do
      if x ~= x then return x end
      sorted[i] = x
    end
    table.sort(sorted)
    local rank = rank_by(method, q * (#sorted - 1))
    local below = math.floor(rank)
    local low, high = sorted[below + 1], sorted[below + 2]
    return rank == below and low or low + (rank - below) * (high - low)
  end
  function rank_by(method, rank)
    if method == 'lower' then return math.floor(rank) end
    if method == 'higher' then return math.ceil(rank) end
    if method == 'midpoint' then return (math.floor(rank) + math.ceil(rank)) / 2 end
    if method == 'nearest' then
      local down = math.floor(rank)
      local rest = rank - down
      return (rest > 0.5 or rest == 0.5 and down % 2 == 1) and down + 1 or down
    end
    return rank
  end
  local function along(e, m, q, dim, keep)
    return lines.reduced(m, dim, keep, function(list) return e.store(quantile(list, q)) end)
  end
  local function scenarios(list_args)
    return function(e, random, is_large)
      local all = {}
      for i, shape in ipairs(is_large and { { 317, 331 } } or shapes) do
        for _, args in ipairs(list_args(#shape)) do
          local kind = i % 2 == 0 and 'maybe_nan' or 'any'
          all[#all + 1] = { scale = 512, args = { model.random(e, kind, shape, random),
                                                  unpack(args) } }
        end
      end
      return all
    end
  end
  local function vector() return model.new({ #parts }, parts) end

  c.quantile = {
    ulps = 4,
    scenarios = scenarios(function(dims)
      return { { 0.5, dims, omit }, { 0.3, 1, true }, { 1, -1, false } }
    end),
    reference = function(e, m, q, dim, keep)
      return along(e, m, q, dim, keep == true)
    end,
  }
  c.quantileall = {
    ulps = 4, accumulated = true,
    scenarios = scenarios(function() return { { 0 }, { 0.5 }, { 0.7 } } end),
    reference = function(_, m, q) return quantile(m.data, q) end,
  }
  c.quantiles = {
    ulps = 4,
    scenarios = scenarios(function(dims)
      return { { vector(), dims, omit }, { vector(), 1, true } }
    end),
    reference = function(e, m, qs, dim, keep)
      local data, shape = {}, nil
      for _, q in ipairs(qs.data) do
        local one = along(e, m, q, dim, true)
        for _, x in ipairs(one.data) do data[#data + 1] = x end
        shape = one.shape
      end
      if keep ~= true then table.remove(shape, lines.dimension(m, dim)) end
      table.insert(shape, 1, #qs.data)
      return model.new(shape, data)
    end,
  }
  c.quantileMethod = {
    ulps = 4,
    scenarios = scenarios(function(dims)
      return { { 0.5, dims, omit, 'lower' }, { 0.3, 1, true, 'higher' },
               { 0.3, 1, omit, 'nearest' }, { 0.6, -1, false, 'midpoint' },
               { 0.3, 1, omit, 'linear' } }
    end),
    reference = function(e, m, q, dim, keep, method)
      return lines.reduced(m, dim, keep == true, function(list)
        return e.store(quantile(list, q, method))
      end)
    end,
  }
  c.quantileallMethod = {
    ulps = 4, accumulated = true,
    scenarios = scenarios(function() return { { 0.5, 'lower' }, { 0.7, 'midpoint' } } end),
    reference = function(_, m, q, method) return quantile(m.data, q, method) end,
  }
  c.quantilesMethod = {
    ulps = 4,
    scenarios = scenarios(function() return { { vector(), 1, true, 'higher' } } end),
    reference = function(e, m, qs, dim, _, method)
      local data, shape = {}, nil
      for _, q in ipairs(qs.data) do
        local one = lines.reduced(m, dim, true, function(list)
          return e.store(quantile(list, q, method))
        end)
        for _, x in ipairs(one.data) do data[#data + 1] = x end
        shape = one.shape
      end
      table.insert(shape, 1, #qs.data)
      return model.new(shape, data)
    end,
  }
  local function nanquantile(list, q)
    local numbers = {}
    for _, x in ipairs(list) do
      if x == x then numbers[#numbers + 1] = x end
    end
    return #numbers == 0 and 0 / 0 or quantile(numbers, q)
  end
  c.nanquantile = {
    ulps = 8,
    scenarios = scenarios(function(dims)
      return { { 0.5, dims, omit }, { 0.3, 1, true }, { 1, -1, false } }
    end),
    reference = function(e, m, q, dim, keep)
      return lines.reduced(m, dim, keep == true, function(list)
        return e.store(nanquantile(list, q))
      end)
    end,
  }
  c.nanquantileall = {
    ulps = 8, accumulated = true,
    scenarios = scenarios(function() return { { 0 }, { 0.7 } } end),
    reference = function(_, m, q) return nanquantile(m.data, q) end,
  }
  c.quantilesall = {
    ulps = 4,
    scenarios = scenarios(function() return { { vector() } } end),
    reference = function(e, m, qs)
      return model.fill({ #qs.data }, function(i)
        return e.store(quantile(m.data, qs.data[i + 1]))
      end)
    end,
  }

  -- Returns the sums of products of the centered rows.
  local function products(m)
    local rows = #m.shape == 1 and 1 or m.shape[1]
    local n = m.shape[#m.shape]
    local means = {}
    for i = 1, rows do
      means[i] = 0
      for k = 1, n do means[i] = means[i] + m.data[(i - 1) * n + k] / n end
    end
    return rows, n, function(i, j)
      local total = 0
      for k = 1, n do
        total = total + (m.data[(i - 1) * n + k] - means[i]) * (m.data[(j - 1) * n + k] - means[j])
      end
      return total
    end
  end
  local function matrices(list_args)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { { 40, 331 } } or { { 7 }, { 3, 4 }, { 4, 9 } }) do
        for _, args in ipairs(list_args) do
          all[#all + 1] = { scale = 512, args = { model.random(e, 'any', shape, random),
                                                  unpack(args) } }
        end
      end
      return all
    end
  end
  c.cov = {
    ulps = 8, scenarios = matrices { { omit }, { true }, { false } },
    reference = function(e, m, biased)
      local rows, n, product = products(m)
      return model.build({ rows, rows }, function(at)
        return e.store(product(at[1], at[2]) / (biased == true and n or n - 1))
      end)
    end,
  }
  -- By sums of products of the weighted rows.
  local function weighted(kind, divisor)
    return {
      ulps = 16,
      scenarios = function(e, random)
        local all = {}
        for _, shape in ipairs { { 7 }, { 3, 4 }, { 4, 9 } } do
          local n = shape[#shape]
          local weights = model.fill({ n }, function(k)
            return kind == 'Long' and k % 3 + 1 or (k % 4 + 1) / 4
          end)
          for _, correction in ipairs { omit, 0 } do
            all[#all + 1] = { scale = 512, args = { model.random(e, 'any', shape, random), weights,
                                                    correction } }
          end
        end
        return all
      end,
      reference = function(e, m, weights, correction)
        if correction == omit then correction = 1 end
        local rows = #m.shape == 1 and 1 or m.shape[1]
        local n, w = m.shape[#m.shape], weights.data
        local total, squares, means = 0, 0, {}
        for k = 1, n do total, squares = total + w[k], squares + w[k] ^ 2 end
        for i = 1, rows do
          means[i] = 0
          for k = 1, n do means[i] = means[i] + w[k] * m.data[(i - 1) * n + k] / total end
        end
        return model.build({ rows, rows }, function(at)
          local sum, i, j = 0, at[1], at[2]
          for k = 1, n do
            sum = sum + w[k] * (m.data[(i - 1) * n + k] - means[i])
                        * (m.data[(j - 1) * n + k] - means[j])
          end
          return e.store(sum / divisor(total, squares, correction))
        end)
      end,
    }
  end
  c.covCounts = weighted('Long', function(total, _, correction) return total - correction end)
  c.covWeights = weighted('own', function(total, squares, correction)
    return total - correction * squares / total
  end)
  c.corrcoef = {
    ulps = 16, scenarios = matrices { {} }, singular_expanded = true,
    reference = function(e, m)
      local rows, _, product = products(m)
      return model.build({ rows, rows }, function(at)
        local i, j = at[1], at[2]
        return e.store(product(i, j) / math.sqrt(product(i, i) * product(j, j)))
      end)
    end,
  }
  return c
end

return cases
