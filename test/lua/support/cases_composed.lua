-- Cases of rows that join, repeat and view elements.

local model = require 'support.model'
local composed = require 'support.composed'

local changed, inserted, own = composed.changed, composed.inserted, composed.own
local join, lists, over = composed.join, composed.lists, composed.over

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }
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

  return c
end

return cases
