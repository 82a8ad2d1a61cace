-- Cases of rows that combine other operations: repetitions, diagonals, sets, sampled functions,
-- histograms and reductions by indices.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

local function changed(values, d, value)
  local copy = {}
  for i, x in ipairs(values) do copy[i] = x end
  copy[d] = value
  return copy
end
local function inserted(values, d, value)
  local copy = changed(values, #values + 1, nil)
  table.insert(copy, d, value)
  return copy
end
local function own(dim, m) return dim < 0 and #m.shape + 1 + dim or dim end

function cases.install(shared)
  local omit, elements = shared.omit, shared.elements
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }

  -- f(model, dims, shape, e, random) returns lists of arguments for a model of each shape.
  local function over(list, f, kind)
    return function(e, random)
      local all = {}
      for _, shape in ipairs(list) do
        local m = model.random(e, kind or 'any', shape, random)
        for _, args in ipairs { f(m, #shape, shape, e, random) } do
          all[#all + 1] = { args = args, scale = 64 }
        end
      end
      return all
    end
  end
  local function vector(...) return model.new({ select('#', ...) }, { ... }) end
  local function given(x, default) return x == omit and default or x end

  ---- joining
  local function parts_of(list, ndim, as_column)
    local parts = {}
    for i, m in ipairs(list) do
      local shape = changed(m.shape, 1, m.shape[1])
      if #shape == 1 then shape = as_column and { shape[1], 1 } or { 1, shape[1] } end
      if #shape == 2 and ndim == 3 then shape = { shape[1], shape[2], 1 } end
      parts[i] = model.new(shape, m.data)
    end
    return parts
  end
  local function join(parts, dim)
    local shape, ends = changed(parts[1].shape, dim, 0), {}
    for i, m in ipairs(parts) do
      shape[dim] = shape[dim] + m.shape[dim]
      ends[i] = shape[dim]
    end
    return model.build(shape, function(index)
      local at = 1
      while index[dim] > ends[at] do at = at + 1 end
      return (model.at(parts[at], changed(index, dim, index[dim] - (ends[at - 1] or 0))))
    end)
  end
  local function lists(...)
    local all = { ... }
    return function(e, random)
      local scenarios = {}
      for i, list in ipairs(all) do
        local models = {}
        for k, shape in ipairs(list) do models[k] = model.random(e, 'any', shape, random) end
        scenarios[i] = { args = { { list = models } } }
      end
      return scenarios
    end
  end
  c.dstack = {
    scenarios = lists({ { 3 }, { 3 } }, { { 2, 3 }, { 2, 3 } }, { { 2, 3, 2 }, { 2, 3 } }),
    reference = function(_, list) return join(parts_of(list.list, 3), 3) end,
  }
  c.columnStack = {
    scenarios = lists({ { 3 }, { 3 } }, { { 2, 3 }, { 2 } }, { { 2, 3, 2 }, { 2, 1, 2 } }),
    reference = function(_, list) return join(parts_of(list.list, 2, true), 2) end,
  }
  c.blockDiag = {
    scenarios = lists({ { 3 }, { 2, 2 } }, { { 2, 3 }, { 1, 1 }, { 3, 2 } }, { { 2, 2 } }),
    reference = function(_, list)
      local parts, rows, columns = parts_of(list.list, 2), 0, 0
      for _, m in ipairs(parts) do rows, columns = rows + m.shape[1], columns + m.shape[2] end
      local r = model.fill({ rows, columns }, function() return 0 end)
      local row, column = 0, 0
      for _, m in ipairs(parts) do
        for i = 1, m.shape[1] do
          for j = 1, m.shape[2] do
            r.data[(row + i - 1) * columns + column + j] = model.at(m, { i, j })
          end
        end
        row, column = row + m.shape[1], column + m.shape[2]
      end
      return r
    end,
  }
  c.cartesianProd = {
    scenarios = lists({ { 3 } }, { { 2 }, { 3 } }, { { 2 }, { 1 }, { 3 } }, { { 2 }, { 0 } }),
    reference = function(_, list)
      local shape = {}
      for k, m in ipairs(list.list) do shape[k] = m.shape[1] end
      return model.build({ model.count(shape), #shape }, function(index)
        return list.list[index[2]].data[model.indices(shape, index[1] - 1)[index[2]]]
      end)
    end,
  }

  ---- diagonals and views
  c.diagEmbed = {
    scenarios = over(shapes, function(m) return { m, omit }, { m, 1 }, { m, -2 } end),
    reference = function(_, m, offset)
      offset = given(offset, 0)
      local n = m.shape[#m.shape] + math.abs(offset)
      return model.build(inserted(changed(m.shape, #m.shape, n), #m.shape + 1, n), function(i)
        local column = i[#i]
        if column - i[#i - 1] ~= offset then return 0 end
        local at = changed(i, #i, nil)
        at[#at] = math.min(i[#i - 1], column)
        return (model.at(m, at))
      end)
    end,
  }
  c.diagonal = {
    view = true,
    scenarios = over({ { 3, 4 }, { 2, 3, 4 }, { 4, 4 } }, function(m, dims)
      return { m, omit, omit, omit }, { m, 1, omit, omit }, { m, -1, 1, -1 }, { m, 1, dims, 1 }
    end),
    reference = function(_, m, offset, a, b)
      offset, a, b = given(offset, 0), own(given(a, 1), m), own(given(b, 2), m)
      local row, column = math.max(-offset, 0), math.max(offset, 0)
      local shape = {}
      for d, n in ipairs(m.shape) do
        if d ~= a and d ~= b then shape[#shape + 1] = n end
      end
      shape[#shape + 1] = math.max(math.min(m.shape[a] - row, m.shape[b] - column), 0)
      return model.build(shape, function(i)
        local at, next_one = {}, 1
        for d = 1, #m.shape do
          if d == a then
            at[d] = i[#i] + row
          elseif d == b then
            at[d] = i[#i] + column
          else
            at[d], next_one = i[next_one], next_one + 1
          end
        end
        return (model.at(m, at))
      end)
    end,
  }
  for n = 1, 3 do
    c[('atleast%dd'):format(n)] = {
      view = true, scenarios = over(shapes, function(m) return { m } end),
      reference = function(_, m)
        local shape = m.shape
        if #shape == 1 and n > 1 then shape = { 1, shape[1] } end
        if #shape == 2 and n == 3 then shape = { shape[1], shape[2], 1 } end
        return model.new(shape, m.data)
      end,
    }
  end

  ---- repetitions
  local function repeated(m, d, count)
    local from = {}
    for k = 1, m.shape[d] do
      for _ = 1, count(k) do from[#from + 1] = k end
    end
    return model.build(changed(m.shape, d, #from), function(i)
      return (model.at(m, changed(i, d, from[i[d]])))
    end)
  end
  local function flat(m) return model.new({ #m.data }, m.data) end
  local function by(counts) return function(k) return counts.data[k] end end
  local function counts_for(n)
    return model.fill({ n }, function(k) return k % 3 end)
  end
  c.repeatInterleave = {
    scenarios = over(shapes, function(m, dims)
      return { m, 2, 1 }, { m, 3, dims }, { m, 0, -1 }
    end),
    reference = function(_, m, n, d) return repeated(m, own(d, m), function() return n end) end,
  }
  c.repeatInterleaveAll = {
    -- Two LongTensors and a number are a tensor, its counts and a dimension.
    ambiguous_result = 'Long',
    scenarios = over(shapes, function(m) return { m, 2 }, { m, 0 } end),
    reference = function(_, m, n) return repeated(flat(m), 1, function() return n end) end,
  }
  c.repeatInterleaveCounts = {
    scenarios = over(shapes, function(m, dims, shape)
      return { m, counts_for(shape[1]), 1 }, { m, counts_for(shape[dims]), -1 }
    end),
    reference = function(_, m, counts, d) return repeated(m, own(d, m), by(counts)) end,
  }
  c.repeatInterleaveCountsAll = {
    scenarios = over(shapes, function(m) return { m, counts_for(#m.data) } end),
    reference = function(_, m, counts) return repeated(flat(m), 1, by(counts)) end,
  }
  c.combinations = {
    scenarios = over({ { 4 }, { 1 }, { 5 } }, function(m)
      return { m, omit, omit }, { m, 3, omit }, { m, 2, true }, { m, 1, false }
    end),
    reference = function(_, m, r, repeats)
      r = given(r, 2)
      local data, rows = {}, 0
      local function extend(chosen, first)
        if #chosen == r then
          rows = rows + 1
          for _, x in ipairs(chosen) do data[#data + 1] = x end
          return
        end
        for k = first, #m.data do
          extend(inserted(chosen, #chosen + 1, m.data[k]), repeats == true and k or k + 1)
        end
      end
      extend({}, 1)
      return model.new({ rows, r }, data)
    end,
  }

  ---- sets and order
  local function distinct(list)
    local values = {}
    for _, at in ipairs(lines.order(list)) do
      if list[at] ~= values[#values] then values[#values + 1] = list[at] end
    end
    return values
  end
  local function contains(list, x)
    for _, y in ipairs(list) do
      if x == y then return true end
    end
    return false
  end
  local function joined(a, b)
    local all = {}
    for _, list in ipairs { a, b } do
      for _, x in ipairs(list) do all[#all + 1] = x end
    end
    return all
  end
  local function chosen(list, f)
    local all = {}
    for _, x in ipairs(list) do
      if f(x) then all[#all + 1] = x end
    end
    return model.new({ #all }, all)
  end
  local function two_sets(e, random)
    local all = {}
    for i, pair in ipairs { { { 7 }, { 3, 4 } }, { { 2, 3 }, { 2 } }, { { 4 }, { 0 } } } do
      all[i] = { args = { model.random(e, 'small', pair[1], random),
                          model.random(e, 'small', pair[2], random) } }
    end
    return all
  end
  c.setUnion = {
    scenarios = two_sets,
    reference = function(_, a, b)
      return chosen(distinct(joined(a.data, b.data)), function() return true end)
    end,
  }
  c.setIntersection = {
    scenarios = two_sets,
    reference = function(_, a, b)
      return chosen(distinct(a.data), function(x) return contains(b.data, x) end)
    end,
  }
  c.setDifference = {
    scenarios = two_sets,
    reference = function(_, a, b)
      return chosen(distinct(a.data), function(x) return not contains(b.data, x) end)
    end,
  }
  c.isin = {
    scenarios = function(e, random)
      local all = {}
      for _, scenario in ipairs(two_sets(e, random)) do
        for _, invert in ipairs { omit, true } do
          all[#all + 1] = { args = { scenario.args[1], scenario.args[2], invert } }
        end
      end
      return all
    end,
    reference = function(_, m, values, invert)
      return model.map(function(x)
        return contains(values.data, x) ~= (invert == true) and 1 or 0
      end, m)
    end,
  }
  c.uniqueValues = {
    scenarios = over(shapes, function(m) return { m } end, 'small'),
    reference = function(_, m)
      local values = distinct(m.data)
      return model.new({ #values }, values)
    end,
  }
  c.uniqueAll = {
    scenarios = over(shapes, function(m) return { m } end, 'small'),
    reference = function(_, m)
      local values, first, counts, inverse = distinct(m.data), {}, {}, {}
      for i, x in ipairs(m.data) do
        for k, value in ipairs(values) do
          if x == value then
            first[k] = first[k] or i
            counts[k] = (counts[k] or 0) + 1
            inverse[i] = k
          end
        end
      end
      local n = { #values }
      return model.new(n, values), model.new(n, first), model.new(m.shape, inverse),
             model.new(n, counts)
    end,
  }
  c.uniqueConsecutive = {
    scenarios = over(shapes, function(m) return { m } end, 'logical'),
    reference = function(_, m)
      local values, counts, inverse = {}, {}, {}
      for i, x in ipairs(m.data) do
        if i == 1 or x ~= values[#values] then
          values[#values + 1], counts[#counts + 1] = x, 0
        end
        counts[#counts] = counts[#counts] + 1
        inverse[i] = #values
      end
      return model.new({ #values }, values), model.new(m.shape, inverse),
             model.new({ #counts }, counts)
    end,
  }
  c.lexsort = {
    scenarios = function(e, random)
      local function keys(n, count)
        local list = {}
        for k = 1, count do list[k] = model.random(e, 'small', { n }, random) end
        return { args = { { list = list } } }
      end
      return { keys(7, 2), keys(9, 3), keys(1, 1), keys(0, 2) }
    end,
    reference = function(_, keys)
      local order = {}
      for i = 1, keys.list[1].shape[1] do order[i] = i end
      table.sort(order, function(i, j)
        for k = #keys.list, 1, -1 do
          local x, y = keys.list[k].data[i], keys.list[k].data[j]
          if x ~= y then return x < y end
        end
        return i < j
      end)
      return model.new({ #order }, order)
    end,
  }
  c.argpartition = {
    scenarios = over(shapes, function(m, _, shape)
      return { m, 1, omit }, { m, shape[1], 1 }
    end, 'small'),
    -- The elements on each side may have any order; here they are sorted.
    reference = function(_, m, _, d)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        return lines.order(list)
      end))
    end,
  }
  local function before(list, x, right)
    local n = 0
    for _, y in ipairs(list) do
      if y < x or (right == true and y == x) then n = n + 1 end
    end
    return n + 1
  end
  c.searchsortedValue = {
    scenarios = function(e, random)
      local m = model.random(e, 'small', { 9 }, random)
      table.sort(m.data)
      return { { args = { m, 2, omit } }, { args = { m, 1, true } }, { args = { m, 9, false } } }
    end,
    reference = function(_, m, x, right) return before(m.data, x, right) end,
  }
  c.searchsortedBy = {
    singular_expanded = true,
    scenarios = function(e, random)
      local m = model.random(e, 'small', { 9 }, random)
      local order = model.new({ 9 }, lines.order(m.data))
      local values = model.random(e, 'small', { 2, 3 }, random)
      return { { args = { m, values, order, omit } }, { args = { m, values, order, true } } }
    end,
    reference = function(_, m, values, _, right)
      return model.map(function(x) return before(m.data, x, right) end, values)
    end,
  }
  c.nanmedian = {
    scenarios = over(shapes, function(m, dims)
      return { m, omit, omit }, { m, 1, false }, { m, dims, true }
    end, 'maybe_nan'),
    reference = function(_, m, d, keep)
      local function at(list)
        local numbers = {}
        for i, x in ipairs(list) do
          if x == x then numbers[#numbers + 1] = i end
        end
        if #numbers == 0 then return 1 end
        table.sort(numbers, function(i, j)
          if list[i] ~= list[j] then return list[i] < list[j] end
          return i < j
        end)
        return numbers[math.floor((#numbers + 1) / 2)]
      end
      d = d == omit and #m.shape or d
      return lines.reduced(m, d, keep, function(list) return list[at(list)] end),
             lines.reduced(m, d, keep, at)
    end,
  }

  ---- element by element
  c.iscloseNan = {
    scenarios = over(shapes, function(m, _, shape, e, random)
      local other = model.random(e, 'maybe_nan', shape, random)
      return { m, other, 0.25, 0.5, true }, { m, other, 0, 1, false }
    end, 'maybe_nan'),
    reference = function(_, a, b, relative, absolute, equal_nan)
      return model.map(function(x, y)
        if equal_nan and x ~= x and y ~= y then return 1 end
        return (x == y or math.abs(x - y) <= absolute + relative * math.abs(y)) and 1 or 0
      end, a, b)
    end,
  }
  c.roundTo = {
    ulps = 2,
    scenarios = over(shapes, function(m) return { m, 0 }, { m, 1 }, { m, -1 } end),
    reference = function(e, m, decimals)
      return model.map(function(x)
        local y = x * 10 ^ decimals
        local whole = y < 0 and -math.floor(-y + 0.5) or math.floor(y + 0.5)
        if e.integral and decimals > 0 then return x end
        return e.store(whole / 10 ^ decimals)
      end, m)
    end,
  }
  c.frexp = {
    scenarios = over(shapes, function(m) return { m } end),
    reference = function(_, m)
      return model.map(function(x) return (math.frexp(x)) end, m),
             model.map(function(x) return select(2, math.frexp(x)) end, m)
    end,
  }

  ---- sampled functions
  local function along(m, d, keep, f) return lines.reduced(m, d, keep, f) end
  local function trapezoids(list, x)
    local sum = 0
    for i = 2, #list do sum = sum + (list[i] + list[i - 1]) / 2 * (x(i) - x(i - 1)) end
    return sum
  end
  local function points(n) return model.fill({ n }, function(k) return k * k / 4 + k end) end
  local wide = { { 7 }, { 3, 4 }, { 2, 3, 4 } }
  c.trapezoid = {
    ulps = 4,
    scenarios = over(shapes, function(m) return { m, omit, omit }, { m, 0.5, 1 } end),
    reference = function(e, m, spacing, d)
      spacing = given(spacing, 1)
      return along(m, d == omit and #m.shape or d, false, function(list)
        return e.store(trapezoids(list, function(i) return i * spacing end))
      end)
    end,
  }
  c.trapezoidAt = {
    ulps = 4,
    scenarios = over(wide, function(m, _, shape)
      return { m, points(shape[#shape]), omit }, { m, points(shape[1]), 1 }
    end),
    reference = function(e, m, x, d)
      return along(m, d == omit and #m.shape or d, false, function(list)
        return e.store(trapezoids(list, function(i) return x.data[i] end))
      end)
    end,
  }
  local function slopes(e, list, x)
    local r, n = {}, #list
    local function between(i, j) return (list[j] - list[i]) / (x(j) - x(i)) end
    for i = 1, n do
      if i == 1 or i == n then
        r[i] = e.store(between(math.max(i - 1, 1), math.min(i + 1, n)))
      else
        local left, right = x(i) - x(i - 1), x(i + 1) - x(i)
        r[i] = e.store((between(i - 1, i) * right + between(i, i + 1) * left) / (left + right))
      end
    end
    return r
  end
  c.slope = {
    ulps = 8,
    scenarios = over(wide, function(m) return { m, omit, omit }, { m, 0.5, 1 } end),
    reference = function(e, m, spacing, d)
      spacing = given(spacing, 1)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        return slopes(e, list, function(i) return i * spacing end)
      end))
    end,
  }
  c.slopeAt = {
    singular_expanded = true,
    ulps = 16,
    scenarios = over(wide, function(m, _, shape)
      return { m, points(shape[#shape]), omit }, { m, points(shape[1]), 1 }
    end),
    reference = function(e, m, x, d)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        return slopes(e, list, function(i) return x.data[i] end)
      end))
    end,
  }
  c.interp = {
    singular_expanded = true,
    ulps = 16,
    scenarios = over(shapes, function(m, _, _, e, random)
      return { m, vector(-4, -1, 0, 2, 5), model.random(e, 'any', { 5 }, random) },
             { m, vector(1), model.random(e, 'any', { 1 }, random) }
    end),
    reference = function(e, m, x, y)
      local n = #x.data
      return model.map(function(t)
        if t <= x.data[1] then return y.data[1] end
        if t >= x.data[n] then return y.data[n] end
        local k = 1
        while x.data[k + 1] <= t do k = k + 1 end
        local part = (t - x.data[k]) / (x.data[k + 1] - x.data[k])
        return e.store(y.data[k] + part * (y.data[k + 1] - y.data[k]))
      end, m)
    end,
  }
  c.unwrap = {
    ulps = 16,
    scenarios = over(shapes, function(m) return { m, omit, omit }, { m, 1, 4 } end),
    reference = function(e, m, d, period)
      period = given(period, 2 * math.pi)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        local r, shift = { list[1] }, 0
        for i = 2, #list do
          local step = list[i] - list[i - 1]
          local whole = (step + period / 2) % period - period / 2
          if whole == -period / 2 and step > 0 then whole = period / 2 end
          if math.abs(step) >= period / 2 then shift = shift + whole - step end
          r[i] = e.store(list[i] + shift)
        end
        return r
      end))
    end,
  }
  c.logcumsumexp = {
    ulps = 16,
    scenarios = over(shapes, function(m, dims) return { m, omit }, { m, dims } end),
    reference = function(e, m, d)
      return (lines.mapped(m, given(d, 1), 1, function(list)
        local r, sum = {}, 0
        for i, x in ipairs(list) do
          sum = sum + math.exp(x)
          r[i] = e.store(math.log(sum))
        end
        return r
      end))
    end,
  }
  c.cdist = {
    ulps = 8,
    scenarios = function(e, random)
      local all = {}
      for _, pair in ipairs { { { 3, 4 }, { 2, 4 } }, { { 3, 2 }, { 3, 2 } },
                              { { 2, 3, 2 }, { 4, 2 } } } do
        for _, p in ipairs { omit, 1, math.huge, 3 } do
          all[#all + 1] = { scale = 64, args = { model.random(e, 'any', pair[1], random),
                                                 model.random(e, 'any', pair[2], random), p } }
        end
      end
      return all
    end,
    reference = function(e, a, b, p)
      p = given(p, 2)
      local shape = changed(a.shape, #a.shape, b.shape[#b.shape - 1])
      return model.build(shape, function(i)
        local total = 0
        for k = 1, a.shape[#a.shape] do
          local x = model.at(a, changed(i, #i, k))
          local y = model.at(b, { i[#i], k })
          local step = math.abs(x - y)
          total = p == math.huge and math.max(total, step) or total + step ^ p
        end
        return e.store(p == math.huge and total or total ^ (1 / p))
      end)
    end,
  }

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
      return { m, mask_of(shape, random), 3 }
    end),
    reference = function(_, m, mask, x)
      return model.map(function(y, chosen_here) return chosen_here == 1 and x or y end, m, mask)
    end,
  }
  c.indexPutMask = {
    inout = true, singular_expanded = true,
    scenarios = over(wide, function(m, _, shape, e, random)
      local mask, ones = mask_of(shape, random), 0
      for _, x in ipairs(mask.data) do ones = ones + x end
      return { m, mask, model.random(e, 'any', { ones }, random) },
             { m, mask, model.random(e, 'any', { 1 }, random) }
    end),
    reference = function(_, m, mask, src)
      local r, next_one = model.copy(m), 0
      for i, x in ipairs(mask.data) do
        if x == 1 then
          next_one = #src.data == 1 and 1 or next_one + 1
          r.data[i] = src.data[next_one]
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
