-- Elements that tensors have in common, for updates in place.

local place = require 'tensor.native'.place
local each = require 'tensor.versions'.each

local overlap = {}

--- Returns true if elements of a tensor may share memory, as those of expand do.
function overlap.within(t)
   if t:isContiguous() then
      return false
   end
   local dims = {}
   for d = 1, t:dim() do
      if t:size(d) > 1 then
         dims[#dims + 1] = {size = t:size(d), stride = t:stride(d)}
      end
   end
   table.sort(dims, function(a, b) return a.stride < b.stride end)
   local last = 0  -- the distance of the last element of the smaller dimensions
   for _, d in ipairs(dims) do
      if d.stride <= last then
         return true
      end
      last = last + (d.size - 1) * d.stride
   end
   return false
end

-- Returns the positions of a tensor's elements in its storage: those of the first and the last one,
-- and for each stride the largest factor. offset: that of the tensor.
local function span_of(number, t, offset)
   local span = {number = number, first = offset, last = offset, factors = {}}
   for d = 1, t:dim() do
      local factor, stride = t:size(d) - 1, t:stride(d)
      span.last = span.last + factor * stride
      if factor > 0 and stride > 0 then
         span.factors[stride] = (span.factors[stride] or 0) + factor
      end
   end
   return span
end

local function gcd(a, b)
   while b ~= 0 do
      a, b = b, a % b
   end
   return a
end

-- Returns true if `distance` is a sum of the terms from the k-th one on: factor * stride, where the
-- factor is from 0 to term.most.
local function is_sum(terms, k, distance)
   local term = terms[k]
   if not term then
      return distance == 0
   elseif distance > term.total or distance % term.gcd ~= 0 then
      return false
   end
   local rest = term.total - term.most * term.stride
   for factor = math.max(0, math.ceil((distance - rest) / term.stride)),
                math.min(term.most, math.floor(distance / term.stride)) do
      if is_sum(terms, k + 1, distance - factor * term.stride) then
         return true
      end
   end
   return false
end

-- Returns true if two spans have a position in common. An index j of b counts from its end. Then
-- the positions are equal if the sum of all index * stride is b.last - a.first.
local function have_common(a, b)
   local most, terms = {}, {}
   for _, span in ipairs{a, b} do
      for stride, factor in each(span.factors) do
         most[stride] = (most[stride] or 0) + factor
      end
   end
   for stride, factor in each(most) do
      terms[#terms + 1] = {stride = stride, most = factor}
   end
   table.sort(terms, function(x, y) return x.stride > y.stride end)
   local total, divisor = 0, 0
   for k = #terms, 1, -1 do
      local term = terms[k]
      total, divisor = total + term.most * term.stride, gcd(term.stride, divisor)
      term.total, term.gcd = total, divisor
   end
   return is_sum(terms, 1, b.last - a.first)
end

--- Returns the numbers of two tensors in a list that have elements in common, or nil.
function overlap.pair_in(list)
   local of_storage = {}
   for number, t in ipairs(list) do
      if t:nElement() > 0 then
         local key, offset = place(t)
         of_storage[key] = of_storage[key] or {}
         table.insert(of_storage[key], span_of(number, t, offset))
      end
   end
   for _, spans in each(of_storage) do
      table.sort(spans, function(a, b) return a.first < b.first end)
      for k, a in ipairs(spans) do
         for m = k + 1, #spans do
            local b = spans[m]
            if b.first > a.last then
               break
            elseif have_common(a, b) then
               return math.min(a.number, b.number), math.max(a.number, b.number)
            end
         end
      end
   end
end

return overlap
