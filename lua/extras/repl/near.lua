-- Names that are similar to an unknown name.

local raw_next = require 'tensor.versions'.raw_next

local near = {}

-- The edit distance: insertions, deletions, substitutions and swaps of adjacent letters.
local function distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local next_row = {[0] = i}
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local least = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        least = math.min(least, before[j - 2] + 1)
      end
      next_row[j] = least
    end
    before, row = row, next_row
  end
  return row[#b]
end

--- names(name, tables, most): returns at most `most` string keys of the tables that are nearest to
-- the name, sorted.
function near.names(name, tables, most)
  local lower, seen, list = name:lower(), {}, {}
  local allowed = #name <= 3 and 1 or #name <= 7 and 2 or 3
  for _, t in ipairs(tables) do
    for key in raw_next, t do
      local fits = type(key) == 'string' and not seen[key] and not key:find '^_'
                   and not key:find '_$' and math.abs(#key - #name) <= allowed
      local steps = fits and distance(lower, key:lower())
      if steps and steps <= allowed and steps < #name then
        seen[key] = true
        list[#list + 1] = {key, steps}
      end
    end
  end
  table.sort(list, function(a, b)
    if a[2] ~= b[2] then
      return a[2] < b[2]
    end
    return a[1] < b[1]
  end)
  local names = {}
  for k = 1, math.min(most, #list) do
    if list[k][2] == list[1][2] then
      names[k] = list[k][1]
    end
  end
  return names
end

return near
