-- The definition of einsum: the sum of products over all values of all labels.

local model = require 'support.model'

local function by_definition(terms, result, models)
  local size, labels = {}, {}
  for k, term in ipairs(terms) do
    for d = 1, #term do
      local label = term:sub(d, d)
      if not size[label] then labels[#labels + 1] = label end
      if (size[label] or 1) == 1 then size[label] = models[k].shape[d] end
    end
  end
  local shape, space = {}, {}
  for d = 1, #result do shape[d] = size[result:sub(d, d)] end
  for d, label in ipairs(labels) do space[d] = size[label] end
  local total = model.fill(#shape > 0 and shape or { 1 }, function() return 0 end)
  for position = 0, model.count(space) - 1 do
    local at, product = {}, 1
    for d, i in ipairs(model.indices(space, position)) do at[labels[d]] = i end
    for k, term in ipairs(terms) do
      local index = {}
      for d = 1, #term do index[d] = math.min(at[term:sub(d, d)], models[k].shape[d]) end
      product = product * model.at(models[k], index)
    end
    local out = { 1 }
    for d = 1, #result do out[d] = at[result:sub(d, d)] end
    local _, place = model.at(total, out)
    total.data[place] = total.data[place] + product
  end
  return total
end

return by_definition
