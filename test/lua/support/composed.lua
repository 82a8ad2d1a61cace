-- Helpers of the cases of composed rows.

local model = require 'support.model'

local composed = {}

function composed.changed(values, d, value)
  local copy = {}
  for i, x in ipairs(values) do copy[i] = x end
  copy[d] = value
  return copy
end
function composed.inserted(values, d, value)
  local copy = composed.changed(values, #values + 1, nil)
  table.insert(copy, d, value)
  return copy
end

--- Returns the number from 1 of a dimension of m, which may count from the end.
function composed.own(dim, m) return dim < 0 and #m.shape + 1 + dim or dim end

-- scale: of the scenarios; nil: none, so that errors are relative to each element.
local function over(scale)
  return function(list, f, kind)
    return function(e, random)
      local all = {}
      for _, shape in ipairs(list) do
        local m = model.random(e, kind or 'any', shape, random)
        for _, args in ipairs { f(m, #shape, shape, e, random) } do
          all[#all + 1] = { args = args, scale = scale }
        end
      end
      return all
    end
  end
end
--- f(model, dims, shape, e, random) returns lists of arguments for a model of each shape.
composed.over, composed.exactly_over = over(64), over(nil)

--- Scenarios of lists of models: each argument is a list of shapes.
function composed.lists(...)
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

--- Joins models along a dimension.
function composed.join(parts, dim)
  local shape, ends = composed.changed(parts[1].shape, dim, 0), {}
  for i, m in ipairs(parts) do
    shape[dim] = shape[dim] + m.shape[dim]
    ends[i] = shape[dim]
  end
  return model.build(shape, function(index)
    local part = 1
    while index[dim] > ends[part] do part = part + 1 end
    local at = index[dim] - (ends[part - 1] or 0)
    return (model.at(parts[part], composed.changed(index, dim, at)))
  end)
end

function composed.vector(...) return model.new({ select('#', ...) }, { ... }) end

return composed
