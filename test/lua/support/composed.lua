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
--- f(model, dims, shape, e, random) returns lists of arguments for a model of each shape.
function composed.over(list, f, kind)
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
function composed.vector(...) return model.new({ select('#', ...) }, { ... }) end

return composed
