-- Cases of the rows that select by indices and masks.

local composed = require 'support.composed'
local model = require 'support.model'

local changed, vector = composed.changed, composed.vector

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  -- Negative indices count from the end.
  local function own(i, m, d) return i < 0 and m.shape[d] + 1 + i or i end
  local function each(shape, f)
    for position = 0, model.count(shape) - 1 do f(model.indices(shape, position)) end
  end

  local shapes = { { 5 }, { 3, 4 }, { 3, 2, 5 } }
  -- f(e, random, shape, d) returns the arguments.
  local function over(f)
    return function(e, random)
      local all = {}
      for _, shape in ipairs(shapes) do
        for d = 1, #shape do all[#all + 1] = { args = f(e, random, shape, d) } end
      end
      return all
    end
  end
  local function part(e, random, shape, d, n)
    return model.random(e, 'any', changed(shape, d, n), random)
  end
  local function whole(e, random, shape) return model.random(e, 'any', shape, random) end

  c.indexSelect = {
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, vector(2, 1, -1, 2, -shape[d]) }
    end),
    reference = function(_, m, d, at)
      return model.build(changed(m.shape, d, #at.data), function(i)
        return (model.at(m, changed(i, d, own(at.data[i[d]], m, d))))
      end)
    end,
  }
  -- Returns a reference that writes combine(old, new) to the indexed slices of a copy.
  local function writing(combine)
    return function(e, m, d, at, source)
      local result = model.copy(m)
      each(changed(m.shape, d, #at.data), function(i)
        local _, position = model.at(m, changed(i, d, own(at.data[i[d]], m, d)))
        local new = type(source) == 'table' and model.at(source, i) or source
        result.data[position] = e.store(combine(result.data[position], new))
      end)
      return result
    end
  end
  local function replace(_, new) return new end
  local function add(old, new) return old + new end
  c.indexCopy = {
    inout = true, reference = writing(replace),
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, vector(2, -shape[d]), part(e, random, shape, d, 2) }
    end),
  }
  c.indexAdd = {
    inout = true, ulps = 2, reference = writing(add),
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, vector(2, -1, 2), part(e, random, shape, d, 3) }
    end),
  }
  c.indexFill = {
    inout = true, reference = writing(replace),
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, vector(-shape[d], 2), 3 }
    end),
  }

  -- Returns indices for gather and scatter: a permutation in each slice, of which two are kept.
  local function places(shape, d)
    return model.build(changed(shape, d, 2), function(i)
      local shift = 0
      for k, x in ipairs(i) do shift = k == d and shift or shift + x end
      local position = (i[d] + shift) % shape[d] + 1
      return shift % 3 == 2 and position - shape[d] - 1 or position
    end)
  end
  -- indexPut: one index tensor for each leading dimension; the last two broadcast.
  local function putting(e, m, given, source, accumulate)
    local list = given.list
    local result = model.copy(m)
    local count, rows = #list, list[1].shape
    local shape = {}
    for k, n in ipairs(rows) do shape[k] = n end
    for d = count + 1, #m.shape do shape[#shape + 1] = m.shape[d] end
    each(shape, function(i)
      local at = {}
      for k, index in ipairs(list) do
        local row = {}
        for r = 1, #index.shape do row[r] = index.shape[r] == 1 and 1 or i[r] end
        at[k] = own(model.at(index, row), m, k)
      end
      for d = count + 1, #m.shape do at[d] = i[#rows + d - count] end
      local _, position = model.at(m, at)
      local new = type(source) == 'table' and model.at(source, i) or source
      local old = accumulate == true and result.data[position] or 0
      result.data[position] = e.store(old + new)
    end)
    return result
  end
  local function put(e, random, value)
    local all = {}
    local function one(shape, list, sizes, accumulate)
      local source = value or model.random(e, 'any', sizes, random)
      all[#all + 1] = { args = { whole(e, random, shape), { list = list }, source, accumulate } }
    end
    for _, accumulate in ipairs { omit, true, false } do
      local repeated = accumulate == true and -1 or 2
      one({ 5 }, { vector(1, repeated, 5) }, { 3 }, accumulate)
      one({ 3, 4 }, { vector(3, 1) }, { 2, 4 }, accumulate)
      one({ 3, 4 }, { vector(3, -3, 2), vector(-1, 1, 4) }, { 3 }, accumulate)
      one({ 3, 2, 5 }, { model.new({ 2, 2 }, { 1, -1, 2, 1 }), model.new({ 2, 1 }, { 2, 1 }) },
          { 2, 2, 5 }, true)
    end
    return all
  end
  c.indexPut = {
    inout = true, ulps = 2, reference = putting,
    scenarios = function(e, random) return put(e, random) end,
  }
  c.indexPutFill = {
    inout = true, ulps = 2, reference = putting,
    scenarios = function(e, random) return put(e, random, 3) end,
  }
  c.gather = {
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, places(shape, d) }
    end),
    reference = function(_, m, d, at)
      return model.build(at.shape, function(i)
        return (model.at(m, changed(i, d, own(model.at(at, i), m, d))))
      end)
    end,
  }
  local function scattering(combine)
    return function(e, m, d, at, source)
      local result = model.copy(m)
      each(at.shape, function(i)
        local _, position = model.at(m, changed(i, d, own(model.at(at, i), m, d)))
        local new = type(source) == 'table' and model.at(source, i) or source
        result.data[position] = e.store(combine(result.data[position], new))
      end)
      return result
    end
  end
  local function scatter_arguments(e, random, shape, d)
    return { whole(e, random, shape), d, places(shape, d), part(e, random, shape, d, 2) }
  end
  c.scatter = { inout = true, scenarios = over(scatter_arguments), reference = scattering(replace) }
  c.scatterAdd = {
    inout = true, ulps = 2, scenarios = over(scatter_arguments), reference = scattering(add),
  }
  c.scatterFill = {
    inout = true, reference = scattering(replace),
    scenarios = over(function(e, random, shape, d)
      return { whole(e, random, shape), d, places(shape, d), 3 }
    end),
  }

  local masked_shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 0 }, { 1 } }
  local large_shape = { 317, 331 }
  local function masked(f)
    return function(e, random, large)
      local all = {}
      for _, shape in ipairs(large and { large_shape } or masked_shapes) do
        local mask = model.random(e, 'logical', shape, random)
        all[#all + 1] = { args = f(e, random, model.random(e, 'any', shape, random), mask) }
      end
      return all
    end
  end
  c.maskedFill = {
    inout = true, scenarios = masked(function(_, _, m, mask) return { m, mask, 3 } end),
    reference = function(_, m, mask, x)
      return model.map(function(old, bit) return bit == 1 and x or old end, m, mask)
    end,
  }
  c.maskedCopy = {
    inout = true,
    scenarios = masked(function(e, random, m, mask)
      return { m, mask, model.random(e, 'any', { #m.data }, random) }
    end),
    reference = function(_, m, mask, source)
      local next = 0
      return model.map(function(old, bit)
        if bit == 0 then return old end
        next = next + 1
        return source.data[next]
      end, m, mask)
    end,
  }
  c.maskedSelect = {
    scenarios = masked(function(_, _, m, mask) return { m, mask } end),
    reference = function(_, m, mask)
      local data = {}
      for i, x in ipairs(m.data) do
        if mask.data[i] == 1 then data[#data + 1] = x end
      end
      return model.new(#data > 0 and { #data } or {}, data)
    end,
    -- If no element is selected, the result has size 0 or no dimension.
    empty_is_empty = true,
  }
  c.nonzero = {
    scenarios = masked(function(e, random, m)
      return { model.map(function(x) return random() < 0.5 and 0 or e.store(x) end, m) }
    end),
    reference = function(_, m)
      local data, n = {}, 0
      for position = 1, #m.data do
        if m.data[position] ~= 0 then
          n = n + 1
          for _, i in ipairs(model.indices(m.shape, position - 1)) do data[#data + 1] = i end
        end
      end
      return model.new(n > 0 and { n, #m.shape } or {}, data)
    end,
    empty_is_empty = true,
  }
  return c
end

return cases
