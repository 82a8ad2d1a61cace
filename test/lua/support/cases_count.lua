-- Cases of the rows that count, and of those that treat slices along a dimension as vectors.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  -- 16-bit types compute in float.
  local function compute(e)
    return e.reduced and shared.elements.Float.store or e.store
  end
  local function given(x, by_default)
    if x == omit then return by_default end
    return x
  end

  local function extremes(list)
    local low, high = list[1], list[1]
    for _, x in ipairs(list) do low, high = math.min(low, x), math.max(high, x) end
    return low, high
  end
  -- The algorithm of Torch7, with rounding to the type at each step.
  local function histogram(e, list, bins, low, high)
    local store, counts = compute(e), {}
    for i = 1, bins do counts[i] = 0 end
    for _, x in ipairs(list) do
      if x >= low and x <= high then
        local at = store(store(store(x - low) / store(high - low)) * bins)
        at = math.min(math.floor(at), bins - 1) + 1
        counts[at] = counts[at] + 1
      end
    end
    for i = 1, bins do counts[i] = e.store(counts[i]) end
    return counts
  end
  local function range(all, low, high)
    low, high = given(low, 0), given(high, 0)
    if low == high then low, high = extremes(all) end
    if low == high then low, high = low - 1, high + 1 end
    return low, high
  end
  local function histograms(shapes)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { { 37, 331 } } or shapes) do
        for _, args in ipairs { { omit, omit, omit }, { 5, omit, omit }, { 4, -2, 3 } } do
          all[#all + 1] = { args = { model.random(e, 'any', shape, random), unpack(args) } }
        end
      end
      return all
    end
  end
  c.histc = {
    scenarios = histograms { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 } },
    reference = function(e, m, bins, low, high)
      bins = given(bins, 100)
      low, high = range(m.data, low, high)
      return model.new({ bins }, histogram(e, m.data, bins, low, high))
    end,
  }
  c.bhistc = {
    scenarios = histograms { { 7 }, { 3, 4 }, { 5, 2 } },
    reference = function(e, m, bins, low, high)
      bins = given(bins, 100)
      low, high = range(m.data, low, high)
      local matrix = #m.shape == 1 and model.new({ 1, m.shape[1] }, m.data) or m
      return (lines.mapped(matrix, 2, 1, function(list)
        return histogram(e, list, bins, low, high)
      end))
    end,
  }

  local function counts(list, weights, least)
    local sums = {}
    for i = 1, given(least, 0) do sums[i] = 0 end
    for i, x in ipairs(list) do
      for k = #sums + 1, x do sums[k] = 0 end
      sums[x] = sums[x] + (weights and weights[i] or 1)
    end
    return sums
  end
  c.bincount = {
    scenarios = function(e, random)
      local all = {}
      for _, shape in ipairs { { 7 }, { 3, 4 }, { 1 } } do
        for _, least in ipairs { omit, 12 } do
          all[#all + 1] = { args = { model.random(e, 'positive', shape, random), least } }
        end
      end
      return all
    end,
    reference = function(_, m, least)
      local sums = counts(m.data, nil, least)
      return model.new({ #sums }, sums)
    end,
  }
  c.bincountWeights = {
    ulps = 4,
    scenarios = function(e, random)
      local all = {}
      for _, shape in ipairs { { 7 }, { 3, 4 }, { 1 } } do
        for _, least in ipairs { omit, 12 } do
          all[#all + 1] = { scale = 64, args = {
            model.random(shared.elements.Long, 'positive', shape, random),
            model.random(e, 'any', shape, random), least } }
        end
      end
      return all
    end,
    reference = function(e, m, weights, least)
      local sums = counts(m.data, weights.data, least)
      for i, x in ipairs(sums) do sums[i] = e.store(x) end
      return model.new({ #sums }, sums)
    end,
  }

  c.crossDim = {
    ulps = 4,
    scenarios = function(e, random)
      local all = {}
      for _, s in ipairs { { { 3 }, omit }, { { 3 }, 1 }, { { 2, 3 }, omit }, { { 3, 4 }, 1 },
                           { { 3, 3 }, omit }, { { 3, 3 }, -1 }, { { 2, 3, 3 }, 3 } } do
        all[#all + 1] = { scale = 128, args = { model.random(e, 'any', s[1], random),
                                                model.random(e, 'any', s[1], random), s[2] } }
      end
      return all
    end,
    reference = function(e, a, b, d)
      if d == omit then
        d = 1
        while a.shape[d] ~= 3 do d = d + 1 end
      end
      d = lines.dimension(a, d)
      local others = lines.slices(b, d)
      local k = 0
      return (lines.mapped(a, d, 1, function(x)
        k = k + 1
        local y = others[k]
        return { e.store(x[2] * y[3] - x[3] * y[2]), e.store(x[3] * y[1] - x[1] * y[3]),
                 e.store(x[1] * y[2] - x[2] * y[1]) }
      end))
    end,
  }

  c.renorm = {
    ulps = 8,
    scenarios = function(e, random)
      local all = {}
      for _, shape in ipairs { { 3, 4 }, { 2, 3, 5 }, { 1, 6 } } do
        for i, p in ipairs { 2, 1, 3 } do
          all[#all + 1] = { scale = 8, args = { model.random(e, 'any', shape, random), p,
                                                i == 2 and -1 or 1, 4 } }
        end
      end
      return all
    end,
    reference = function(e, m, p, dim, most)
      local d, dims = lines.dimension(m, dim), {}
      for i = 1, #m.shape do
        if i ~= d then dims[#dims + 1] = i end
      end
      local norms = lines.reduced_over(m, dims, false, function(list)
        local total = 0
        for _, x in ipairs(list) do total = total + math.abs(x) ^ p end
        return total ^ (1 / p)
      end)
      return model.build(m.shape, function(index)
        local norm = norms.data[index[d]]
        return e.store((model.at(m, index)) * (norm > most and most / (norm + 1e-7) or 1))
      end)
    end,
  }

  c.match = {
    ulps = 8,
    scenarios = function(e, random, is_large)
      local all = {}
      local sizes = is_large and { { { 40, 20 }, { 300, 20 } } }
                    or { { { 3, 4 }, { 5, 4 } }, { { 2, 3, 2 }, { 4, 6 } }, { { 1, 1 }, { 1, 1 } } }
      for i, s in ipairs(sizes) do
        all[i] = { scale = 512, args = { model.random(e, 'any', s[1], random),
                                         model.random(e, 'any', s[2], random),
                                         i == 1 and omit or 2 } }
      end
      return all
    end,
    reference = function(e, a, b, gain)
      local n, rows, columns = 1, a.shape[1], b.shape[1]
      for i = 2, #a.shape do n = n * a.shape[i] end
      return model.build({ rows, columns }, function(index)
        local total = 0
        for k = 1, n do
          local x, y = a.data[(index[1] - 1) * n + k], b.data[(index[2] - 1) * n + k]
          total = total + (x - y) ^ 2
        end
        return e.store(total * given(gain, 1))
      end)
    end,
  }
  return c
end

return cases
