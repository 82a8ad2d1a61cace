-- Cases of the rows that are based on sorting.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 1, 1, 1 }, { 40, 3 } }

  -- args(sizes of the tensor) returns lists of arguments after the tensor.
  local function scenarios(list_args)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { { 3, 4009 } } or shapes) do
        for k, args in ipairs(list_args(shape)) do
          local list = { model.random(e, k % 2 == 0 and 'wide' or 'small', shape, random) }
          for _, x in ipairs(args) do list[#list + 1] = x end
          all[#all + 1] = { args = list }
        end
      end
      return all
    end
  end

  -- Removes the dimension unless it is kept.
  local function dropped(m, d, keep)
    local shape = {}
    for i, size in ipairs(m.shape) do
      if keep ~= false or i ~= d or #m.shape == 1 then shape[#shape + 1] = size end
    end
    return model.new(shape, m.data)
  end
  local function dimension(m, d) return d == omit and #m.shape or lines.dimension(m, d) end

  -- Selects one element of each slice. f(list, order) returns its position in the sorted order.
  local function single(f)
    return function(m, dim, keep, ...)
      local d, rest = dimension(m, dim), { ... }
      local values, places = lines.mapped(m, d, 2, function(list)
        local order = lines.order(list)
        local at = order[f(list, order, unpack(rest))]
        return { list[at] }, { at }
      end)
      return dropped(values, d, keep), dropped(places, d, keep)
    end
  end
  local function dims_of(shape)
    return { { omit, omit }, { 1, omit }, { #shape, false }, { -1, true } }
  end

  local kth = single(function(_, _, k) return k end)
  c.kthvalue = {
    scenarios = scenarios(function(shape)
      local last = shape[#shape]
      return { { 1, omit, omit }, { last, omit, true }, { math.ceil(shape[1] / 2), 1, false } }
    end),
    reference = function(_, m, k, d, keep) return kth(m, d, keep, k) end,
  }
  local middle = single(function(list) return math.floor((#list + 1) / 2) end)
  c.median = {
    scenarios = scenarios(dims_of),
    reference = function(_, m, d, keep) return middle(m, d, keep) end,
  }
  local function most_frequent(list, order)
    local most, last, count = 0, nil, 0
    for i, at in ipairs(order) do
      count = i > 1 and list[order[i - 1]] == list[at] and count + 1 or 1
      if count > most then most, last = count, i end
    end
    return last
  end
  local frequent = single(most_frequent)
  c.mode = {
    scenarios = scenarios(dims_of),
    reference = function(_, m, d, keep) return frequent(m, d, keep) end,
  }
  -- Numbers of all elements.
  local function of_all(args, rank_of)
    return {
      scenarios = scenarios(args),
      reference = function(_, m, k)
        local order = lines.order(m.data)
        return m.data[order[rank_of(m.data, order, k)]]
      end,
    }
  end
  c.kthvalueall = of_all(function(shape) return { { 1 }, { shape[1] } } end, function(_, _, k)
    return k
  end)
  c.medianall = of_all(function() return { {}, {} } end, function(list)
    return math.floor((#list + 1) / 2)
  end)
  c.modeall = of_all(function() return { {}, {} } end, most_frequent)
  c.topk = {
    scenarios = scenarios(function(shape)
      return { { omit, omit, omit, omit }, { shape[1], 1, true, true },
               { shape[#shape], omit, false, omit }, { math.ceil(shape[1] / 2), 1, omit, omit },
               { 0, 1, omit, omit } }
    end),
    reference = function(_, m, k, d, largest)
      k = k == omit and 1 or k
      return lines.mapped(m, dimension(m, d), 2, function(list)
        local values, places = {}, {}
        local order = lines.order(list, largest == true)
        for i = 1, k do values[i], places[i] = list[order[i]], order[i] end
        return values, places
      end)
    end,
  }
  c.argsort = {
    scenarios = scenarios(function() return { { omit, omit }, { 1, true }, { 1, false } } end),
    reference = function(_, m, d, descending)
      return (lines.mapped(m, dimension(m, d), 1, function(list)
        return lines.order(list, descending == true)
      end))
    end,
  }

  c.unique = {
    scenarios = scenarios(function() return { {}, {} } end),
    reference = function(_, m)
      local values, inverse, counts = {}, {}, {}
      for i, at in ipairs(lines.order(m.data)) do
        local x = m.data[at]
        if i == 1 or x ~= values[#values] then
          values[#values + 1] = x
          counts[#counts + 1] = 0
        end
        counts[#counts] = counts[#counts] + 1
        inverse[at] = #values
      end
      return model.new({ #values }, values), model.new(m.shape, inverse),
             model.new({ #counts }, counts)
    end,
  }

  -- The cases of the distinct slices of a dimension, sorted or in their order.
  local function unique_slices(sort)
    local function some_slices(e, random, is_large)
      local all = {}
      local few = { { 7 }, { 9, 2 }, { 2, 12 }, { 2, 8, 2 }, { 0, 3 } }
      for _, shape in ipairs(is_large and { { 700, 2 } } or few) do
        for d = 1, is_large and 1 or #shape do
          all[#all + 1] = { args = { model.random(e, 'logical', shape, random), d } }
        end
      end
      return all
    end
    local function reference(_, m, d)
      local slices, order = {}, {}
      for k = 1, m.shape[d] do
        slices[k], order[k] = { at = k, data = {} }, k
      end
      for position = 0, model.count(m.shape) - 1 do
        local index = model.indices(m.shape, position)
        local data = slices[index[d]].data
        data[#data + 1] = m.data[position + 1]
      end
      local function difference(a, b)
        for i, x in ipairs(slices[a].data) do
          if x ~= slices[b].data[i] then return x - slices[b].data[i] end
        end
        return 0
      end
      if sort then
        table.sort(order, function(a, b)
          local x = difference(a, b)
          return x < 0 or x == 0 and a < b
        end)
      end
      local firsts, inverse, counts = {}, {}, {}
      for i, k in ipairs(order) do
        if i == 1 or difference(order[i - 1], k) ~= 0 then
          firsts[#firsts + 1] = k
          counts[#counts + 1] = 0
        end
        counts[#counts] = counts[#counts] + 1
        inverse[k] = #firsts
      end
      local shape = {}
      for i, size in ipairs(m.shape) do shape[i] = i == d and #firsts or size end
      local values = model.build(shape, function(index)
        local from = {}
        for i, x in ipairs(index) do from[i] = i == d and firsts[x] or x end
        return (model.at(m, from))
      end)
      return values, model.new({ #inverse }, inverse), model.new({ #counts }, counts)
    end
    return { scenarios = some_slices, reference = reference }
  end
  c.uniqueDim = unique_slices(true)
  c.uniqueConsecutiveDim = unique_slices(false)

  local function in_order(m)
    return (lines.mapped(m, #m.shape, 1, function(list)
      local sorted = {}
      for i, at in ipairs(lines.order(list)) do sorted[i] = list[at] end
      return sorted
    end))
  end
  c.searchsorted = {
    scenarios = function(e, random, is_large)
      local all = {}
      local shape = is_large and { 317, 331 } or { 3, 5 }
      for _, right in ipairs { omit, true, false } do
        for _, rows in ipairs { { 6 }, { 1 }, { 0 }, { shape[1], 4 } } do
          all[#all + 1] = { args = { in_order(model.random(e, 'small', rows, random)),
                                     model.random(e, 'small', shape, random), right } }
        end
      end
      return all
    end,
    reference = function(_, sorted, m, right)
      local n, rows = sorted.shape[#sorted.shape], #sorted.shape > 1
      local data = {}
      for i, x in ipairs(m.data) do
        local row = rows and math.floor((i - 1) / m.shape[2]) or 0
        local before = 0
        for k = 1, n do
          local y = sorted.data[row * n + k]
          if y < x or (right == true and y == x) then before = before + 1 end
        end
        data[i] = before + 1
      end
      return model.new(m.shape, data)
    end,
  }
  return c
end

return cases
