-- Cases of sets of elements, and of the rows that order and find them.

local lines = require 'support.lines'
local model = require 'support.model'
local composed = require 'support.composed'

local over = composed.over

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }

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
  c.isinValue = {
    scenarios = over(shapes, function(m)
      return { m, m.data[1], omit }, { m, 2, true }, { m, 0.25, omit }
    end, 'small'),
    reference = function(_, m, value, invert)
      return model.map(function(x) return (x == value) ~= (invert == true) and 1 or 0 end, m)
    end,
  }
  c.uniqueValues = {
    scenarios = over(shapes, function(m) return { m } end, 'small'),
    reference = function(_, m)
      local values = distinct(m.data)
      return model.new({ #values }, values)
    end,
  }
  -- Returns the results of uniqueAll as models.
  local function unique_all(m)
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
  end
  c.uniqueAll = {
    scenarios = over(shapes, function(m) return { m } end, 'small'),
    reference = function(_, m) return unique_all(m) end,
  }
  c.uniqueCounts = {
    scenarios = c.uniqueAll.scenarios,
    reference = function(_, m)
      local values, _, _, counts = unique_all(m)
      return values, counts
    end,
  }
  c.uniqueInverse = {
    scenarios = c.uniqueAll.scenarios,
    reference = function(_, m)
      local values, _, inverse = unique_all(m)
      return values, inverse
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

  return c
end

return cases
