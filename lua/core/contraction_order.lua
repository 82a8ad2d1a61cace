-- The order in which einsum contracts three or more operands, two at a time.

local MOST_FOR_ALL_ORDERS = 4

local function has(labels, label)
   for k = 1, #labels do
      if labels[k] == label then return true end
   end
   return false
end

-- Returns the labels of the contraction of terms[i] and terms[j], and its cost: the number of its
-- multiplications and of the elements of its result.
local function contracted(terms, i, j, wanted, sizes)
   local labels, products, elements = {}, 1, 1
   local function add(label)
      products = products * sizes[label]
      local needed = has(wanted, label)
      for k = 1, #terms do
         needed = needed or k ~= i and k ~= j and has(terms[k], label)
      end
      if needed then
         labels[#labels + 1] = label
         elements = elements * sizes[label]
      end
   end
   for _, label in ipairs(terms[i]) do add(label) end
   for _, label in ipairs(terms[j]) do
      if not has(terms[i], label) then add(label) end
   end
   return labels, products + elements
end

-- Returns the terms after the contraction of terms i and j, i < j, to one with these labels.
local function after(terms, i, j, labels)
   local rest = {}
   for k = 1, #terms do
      if k ~= j then rest[#rest + 1] = k == i and labels or terms[k] end
   end
   return rest
end

-- Returns a list of pairs {i, j}, i < j: contract operands i and j, put the result in place of
-- operand i, and remove operand j. `terms` has the labels of each operand, `sizes` the size of each
-- label. With at most four operands, the list has the smallest cost of all. With more, the pair
-- with the smallest cost is contracted until four operands are left. Among equal costs the first
-- pair is taken.
-- The second result is the total cost.
local function order(terms, wanted, sizes)
   if #terms < 2 then
      return {}, 0
   end
   local compare_all = #terms <= MOST_FOR_ALL_ORDERS
   local lowest, first, rest = math.huge, nil, nil
   for i = 1, #terms - 1 do
      for j = i + 1, #terms do
         local labels, cost = contracted(terms, i, j, wanted, sizes)
         local pairs_after
         if compare_all then
            local cost_after
            pairs_after, cost_after = order(after(terms, i, j, labels), wanted, sizes)
            cost = cost + cost_after
         end
         if not first or cost < lowest then
            lowest, first = cost, { i, j }
            rest = pairs_after or after(terms, i, j, labels)
         end
      end
   end
   local list = { first }
   if not compare_all then
      local cost_after
      rest, cost_after = order(rest, wanted, sizes)
      lowest = lowest + cost_after
   end
   for k = 1, #rest do list[k + 1] = rest[k] end
   return list, lowest
end

return order
