-- Slices of a model along one or several dimensions, as lists.

local model = require 'support.model'

local lines = {}

--- Returns the slices of m along dimension d, and the model's shape with size 1 in dimension d.
function lines.slices(m, d)
  local all, outer = lines.blocks(m, { d })
  return all, outer
end

--- Returns one list of elements for each position in the other dimensions, and m's shape with size
-- 1 in these dimensions.
function lines.blocks(m, dims)
  local outer, inner = {}, {}
  for i, size in ipairs(m.shape) do outer[i] = size end
  for k, d in ipairs(dims) do
    inner[k] = outer[d]
    outer[d] = 1
  end
  local all = {}
  for position = 0, model.count(outer) - 1 do
    local index, list = model.indices(outer, position), {}
    for i = 0, model.count(inner) - 1 do
      local at = model.indices(inner, i)
      for k, d in ipairs(dims) do index[d] = at[k] end
      list[i + 1] = model.at(m, index)
    end
    all[position + 1] = list
  end
  return all, outer
end

function lines.dimension(m, d)
  return d < 0 and #m.shape + 1 + d or d
end

--- Applies f to each slice along a dimension. The dimension keeps size 1 unless keep is false.
function lines.reduced(m, dim, keep, f)
  local d = lines.dimension(m, dim)
  local lists, shape = lines.slices(m, d)
  local data = {}
  for i, list in ipairs(lists) do data[i] = f(list) end
  if keep == false and #shape > 1 then table.remove(shape, d) end
  return model.new(shape, data)
end

--- Like lines.reduced, but over several dimensions.
function lines.reduced_over(m, dims, keep, f)
  local gone, sorted = {}, {}
  for k, d in ipairs(dims) do
    sorted[k] = lines.dimension(m, d)
    gone[sorted[k]] = true
  end
  table.sort(sorted)
  local lists, shape = lines.blocks(m, sorted)
  local data, left = {}, {}
  for i, list in ipairs(lists) do data[i] = f(list) end
  for d, size in ipairs(shape) do
    if keep or not gone[d] then left[#left + 1] = size end
  end
  return model.new(#left > 0 and left or { 1 }, data)
end

--- f(list) returns lists for each slice along a dimension. Returns one model for each of these
-- results.
function lines.mapped(m, d, count, f)
  local results = {}
  local lists, outer = lines.slices(m, d)
  for k, list in ipairs(lists) do
    local made = { f(list) }
    for r = 1, count do
      local shape = {}
      for i, size in ipairs(m.shape) do shape[i] = i == d and #made[r] or size end
      results[r] = results[r] or model.new(shape)
      local index = model.indices(outer, k - 1)
      for i, x in ipairs(made[r]) do
        index[d] = i
        local _, at = model.at(results[r], index)
        results[r].data[at] = x
      end
    end
  end
  return unpack(results)
end

--- Returns the sorted positions of a list's elements. The sort is stable.
function lines.order(list, descending)
  local order = {}
  for i = 1, #list do order[i] = i end
  table.sort(order, function(i, j)
    local x, y = list[i], list[j]
    if x == y then return i < j end
    if descending then return x > y end
    return x < y
  end)
  return order
end

return lines
