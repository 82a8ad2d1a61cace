-- Cases of histograms, and of writes by masks and reductions by indices.

local model = require 'support.model'
local composed = require 'support.composed'

local changed, over, vector = composed.changed, composed.over, composed.vector

local cases = {}

function cases.install(shared)
  local omit, elements = shared.omit, shared.elements
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }
  local wide = { { 7 }, { 3, 4 }, { 2, 3, 4 } }

  ---- histograms
  local function bin_of(edges, x)
    local n = #edges
    if not (x >= edges[1] and x <= edges[n]) then return nil end
    for k = 1, n - 1 do
      if x < edges[k + 1] then return k end
    end
    return n - 1
  end
  local function counted(m, edges, weight, density)
    local counts, total = {}, 0
    for k = 1, #edges - 1 do counts[k] = 0 end
    for i, x in ipairs(m.data) do
      local k = bin_of(edges, x)
      if k then
        counts[k] = counts[k] + weight(i)
        total = total + weight(i)
      end
    end
    for k = 1, #counts do
      if density == true then counts[k] = counts[k] / total / (edges[k + 1] - edges[k]) end
    end
    return model.new({ #counts }, counts)
  end
  local function one() return 1 end
  local uneven = { -6, -2, 0, 0.5, 4 }
  c.histogram = {
    ulps = 4,
    scenarios = over(shapes, function(m)
      return { m, 4, -4, 4, omit }, { m, 10, -5, 5, omit }, { m, 3, -9, 9, true }
    end),
    reference = function(e, m, bins, low, high, density)
      local edges = {}
      for k = 0, bins do edges[k + 1] = e.store(low + (high - low) / bins * k) end
      local counts = counted(m, edges, one, density)
      return model.map(e.store, counts), model.new({ bins + 1 }, edges)
    end,
  }
  c.histogramEdges = {
    singular_expanded = true,
    ulps = 4,
    scenarios = over(shapes, function(m)
      return { m, vector(unpack(uneven)), omit }, { m, vector(-9, 1, 9), true }
    end),
    reference = function(e, m, edges, density)
      return model.map(e.store, counted(m, edges.data, one, density))
    end,
  }
  c.histogramWeights = {
    singular_expanded = true,
    ulps = 4,
    scenarios = over(shapes, function(m, _, shape, e, random)
      local weights = model.random(e, 'positive', shape, random)
      return { m, vector(unpack(uneven)), weights, omit }, { m, vector(-9, 1, 9), weights, true }
    end),
    reference = function(e, m, edges, weights, density)
      return model.map(e.store, counted(m, edges.data, function(i) return weights.data[i] end,
                                        density))
    end,
  }
  c.histogramdd = {
    singular_expanded = true,
    ulps = 4,
    scenarios = over({ { 9, 2 }, { 1, 2 } }, function(m)
      local list = { list = { vector(unpack(uneven)), vector(-9, 1, 9) } }
      return { m, list, omit }, { m, { list = { vector(-9, 0, 9), vector(-9, 2, 9) } }, true }
    end),
    reference = function(e, m, list, density)
      local x, y = list.list[1].data, list.list[2].data
      local columns = #y - 1
      local r = model.fill({ #x - 1, columns }, function() return 0 end)
      local total = 0
      for row = 1, m.shape[1] do
        local i, j = bin_of(x, m.data[2 * row - 1]), bin_of(y, m.data[2 * row])
        if i and j then
          local at = (i - 1) * columns + j
          r.data[at], total = r.data[at] + 1, total + 1
        end
      end
      return model.build(r.shape, function(at)
        local i, j = at[1], at[2]
        local count = model.at(r, at)
        if density ~= true then return count end
        return e.store(count / total / ((x[i + 1] - x[i]) * (y[j + 1] - y[j])))
      end)
    end,
  }

  ---- by masks and indices
  local function mask_of(shape, random)
    return model.random(elements.Byte, 'logical', shape, random)
  end
  c.indexPutMaskFill = {
    inout = true,
    scenarios = over(wide, function(m, _, shape, _, random)
      return { m, mask_of(shape, random), 3 }, { m, mask_of(shape, random), 3, true }
    end),
    reference = function(e, m, mask, x, accumulate)
      return model.map(function(y, chosen_here)
        if chosen_here ~= 1 then return y end
        return e.store(accumulate and y + x or x)
      end, m, mask)
    end,
  }
  c.indexPutMask = {
    inout = true, singular_expanded = true,
    scenarios = over(wide, function(m, _, shape, e, random)
      local mask, ones = mask_of(shape, random), 0
      for _, x in ipairs(mask.data) do ones = ones + x end
      return { m, mask, model.random(e, 'any', { ones }, random) },
             { m, mask, model.random(e, 'any', { 1 }, random) },
             { m, mask, model.random(e, 'any', { ones }, random), true },
             { m, mask, model.random(e, 'any', { 1 }, random), true }
    end),
    reference = function(e, m, mask, src, accumulate)
      local r, next_one = model.copy(m), 0
      for i, x in ipairs(mask.data) do
        if x == 1 then
          next_one = #src.data == 1 and 1 or next_one + 1
          r.data[i] = e.store(src.data[next_one] + (accumulate and r.data[i] or 0))
        end
      end
      return r
    end,
  }
  local combine = {
    sum = function(x, y) return x + y end, mean = function(x, y) return x + y end,
    prod = function(x, y) return x * y end, amax = math.max, amin = math.min,
  }
  -- The positions of index: a list of the source's elements for each element of the tensor.
  local function reduced_by(e, m, lists_of, reduce, include)
    return model.fill(m.shape, function(position)
      local list = lists_of[position + 1]
      local x = m.data[position + 1]
      if not list then return x end
      local first, count = 2, #list
      if include == false then
        x = list[1]
      else
        first, count = 1, count + 1
      end
      for k = first, #list do x = e.store(combine[reduce](x, list[k])) end
      if reduce == 'mean' then
        x = e.integral and math.floor(x / count) or e.store(x / count)
      end
      return x
    end)
  end
  local reductions = { 'sum', 'mean', 'prod', 'amax', 'amin' }
  local function reducing(kind)
    return over({ { 5 }, { 3, 4 } }, function(m, dims, shape, e, random)
      local all = {}
      for d = 1, dims do
        for k, reduce in ipairs(reductions) do
          local sizes = changed(shape, d, 4)
          local index = model.fill(kind == 'full' and sizes or { 4 }, function()
            return math.floor(random() * shape[d]) + 1
          end)
          all[#all + 1] = { m, d, index, model.random(e, 'small', sizes, random), reduce,
                            ({ omit, false, true })[k % 3 + 1] }
        end
      end
      return unpack(all)
    end, 'small')
  end
  local function reference(index_at)
    return function(e, m, d, index, src, reduce, include)
      local lists_of = {}
      for position = 0, #src.data - 1 do
        local i = model.indices(src.shape, position)
        local _, at = model.at(m, changed(i, d, index_at(index, i, d)))
        lists_of[at] = lists_of[at] or {}
        table.insert(lists_of[at], src.data[position + 1])
      end
      return reduced_by(e, m, lists_of, reduce, include)
    end
  end
  c.scatterReduce = {
    inout = true, ulps = 4, scenarios = reducing 'full',
    reference = reference(function(index, i) return (model.at(index, i)) end),
  }
  c.indexReduce = {
    inout = true, ulps = 4, scenarios = reducing 'vector',
    reference = reference(function(index, i, d) return index.data[i[d]] end),
  }
  return c
end

return cases
