-- einsum: sums of products by the labels of dimensions, as 'ij,jk->ik'. Operands are contracted
-- from left to right, two at a time, by a batch of matrix products. A label is summed over as soon
-- as no remaining operand needs it.

local versions = require 'tensor.versions'
local files = require 'tensor.files'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'

local each, unpack = versions.each, versions.unpack

local function install(tensor)
   local function fail(...)
      error('einsum: ' .. string.format(...), 0)
   end

   -- Returns the labels of a term. Labels of '...' are numbers, which count from its last
   -- dimension.
   local function labels_of(term, dims)
      local before, after = term:match '^(%a*)%.%.%.(%a*)$'
      if not before and not term:find '^%a*$' then
         fail("invalid list of labels '%s'", term)
      end
      local labels = {}
      local hidden = before and dims - #before - #after or 0
      if hidden < 0 or not before and dims ~= #term then
         fail("'%s' does not label a tensor of %d dimensions", term, dims)
      end
      for label in (before or term):gmatch '.' do labels[#labels + 1] = label end
      for k = hidden, 1, -1 do labels[#labels + 1] = k end
      for label in (after or ''):gmatch '.' do labels[#labels + 1] = label end
      return labels, hidden
   end

   local function sizes_of(operand)
      local sizes = {}
      for d, label in ipairs(operand.labels) do sizes[label] = operand.t:size(d) end
      return sizes
   end

   -- Returns a view with each label once: the diagonal of the dimensions with the same label.
   local function distinct(t, labels)
      local seen, repeated = {}, false
      for _, label in ipairs(labels) do
         repeated = repeated or seen[label]
         seen[label] = true
      end
      if not repeated then
         return { t = t, labels = labels }
      end
      local own, sizes, strides, index_of = {}, {}, {}, {}
      for d, label in ipairs(labels) do
         local k = index_of[label]
         if k then
            if sizes[k] ~= t:size(d) then
               fail("label '%s' has sizes %d and %d", label, sizes[k], t:size(d))
            end
            strides[k] = strides[k] + t:stride(d)
         else
            k = #own + 1
            index_of[label], own[k], sizes[k], strides[k] = k, label, t:size(d), t:stride(d)
         end
      end
      if t:nElement() > 0 then
         t = t.new():set(t:storage(), t:storageOffset(), tensor.LongStorage(sizes),
                         tensor.LongStorage(strides))
      else
         t = t.new(tensor.LongStorage(sizes))
      end
      return { t = t, labels = own }
   end

   -- Sums over the labels that are not needed: one sum, which rounds 16-bit types once.
   local function summed(operand, needed)
      local all = true
      for _, label in ipairs(operand.labels) do all = all and needed[label] end
      if all then
         return operand
      end
      local labels, dims = {}, {}
      for d, label in ipairs(operand.labels) do
         local list = needed[label] and labels or dims
         list[#list + 1] = needed[label] and label or d
      end
      return { t = operand.t:sum(dims, #labels == 0), labels = labels }
   end

   -- Returns the operand with its dimensions in the order of `labels`, viewed with these sizes.
   -- Small tensors take longer to view than to multiply, so it makes only the views that it needs.
   local function arranged(operand, order, sizes, shape)
      local t, index_of, dims, expanded = operand.t, {}, {}, {}
      local in_order, of_sizes, of_shape = true, true, #shape == #order
      for d, label in ipairs(operand.labels) do index_of[label] = d end
      for k, label in ipairs(order) do
         local d, size = index_of[label], sizes[label]
         dims[k], expanded[k] = d, size
         in_order = in_order and d == k
         of_sizes = of_sizes and t:size(d) == size
         of_shape = of_shape and shape[k] == size
      end
      if not in_order then
         t = t:permute(unpack(dims))
      end
      if not of_sizes then
         t = t:expand(unpack(expanded))
      end
      t = t:contiguous()
      return of_shape and t or t:view(unpack(shape))
   end

   local function joined(...)
      local all = {}
      for _, list in ipairs {...} do
         for _, x in ipairs(list) do all[#all + 1] = x end
      end
      return all
   end

   local function contracted(a, b, needed)
      local sizes, size_a, size_b = {}, sizes_of(a), sizes_of(b)
      local batch, inner, free_a, free_b = {}, {}, {}, {}
      for _, label in ipairs(a.labels) do
         local x, y = size_a[label], size_b[label]
         sizes[label] = (y and x == 1) and y or x
         local list = not y and free_a or needed[label] and batch or inner
         list[#list + 1] = label
      end
      for _, label in ipairs(b.labels) do
         if not size_a[label] then
            sizes[label] = size_b[label]
            free_b[#free_b + 1] = label
         end
      end
      local function numel(list)
         local n = 1
         for _, label in ipairs(list) do n = n * sizes[label] end
         return n
      end
      local s, m, n, k = numel(batch), numel(free_a), numel(free_b), numel(inner)
      local left = arranged(a, joined(batch, free_a, inner), sizes, { s, m, k })
      local right = arranged(b, joined(batch, inner, free_b), sizes, { s, k, n })
      local labels = joined(batch, free_a, free_b)
      local shape = {}
      for d, label in ipairs(labels) do shape[d] = sizes[label] end
      local product = tensor.bmm(left, right)
      if #shape == 0 then
         shape[1] = 1
      end
      return { t = product:view(unpack(shape)), labels = labels }
   end

   -- Returns the labels of the result: as given, or those that occur once, in alphabetical order.
   local function result_labels(text, terms, hidden)
      local count, labels = {}, {}
      for _, labels_of_term in ipairs(terms) do
         for _, label in ipairs(labels_of_term) do count[label] = (count[label] or 0) + 1 end
      end
      if text then
         local dims = #text:gsub('%.%.%.', '') + (text:find('...', 1, true) and hidden or 0)
         labels = labels_of(text, dims)
         local seen = {}
         for _, label in ipairs(labels) do
            if not count[label] then fail("label '%s' of the result is in no operand", label) end
            if seen[label] then fail("label '%s' occurs twice in the result", label) end
            seen[label] = true
         end
         return labels
      end
      for k = hidden, 1, -1 do labels[#labels + 1] = k end
      local once = {}
      for label, n in each(count) do
         if type(label) == 'string' and n == 1 then once[#once + 1] = label end
      end
      table.sort(once)
      return joined(labels, once)
   end

   -- Returns whether 16-bit operands are rounded more than once: by several products, or by sums
   -- beside the product.
   local function rounds_twice(labels, wanted)
      if #labels ~= 2 then
         return #labels > 2
      end
      local count = {}
      for _, term in ipairs {labels[1], labels[2], wanted} do
         local seen = {}
         for _, label in ipairs(term) do
            if not seen[label] then
               seen[label], count[label] = true, (count[label] or 0) + 1
            end
         end
      end
      for _, n in each(count) do
         if n == 1 then return true end
      end
      return false
   end

   local INTEGRAL = {}
   for _, name in ipairs {'Byte', 'Char', 'Short', 'Int'} do
      INTEGRAL[('torch.%sTensor'):format(name)] = true
   end

   -- Returns the operands in their common type, as operations convert them. Integers become Long,
   -- as sums do. By Torch7's rules the types must be equal, and stay.
   local function in_one_type(operands)
      local class = tensor.type(operands[1])
      for _, t in ipairs(operands) do
         if tensor.type(t) ~= class then
            if tensor.getRule 'types' == 'torch7' then
               fail('a %s and a %s do not go together: convert one of them', class, tensor.type(t))
            end
            local ones = {}
            for k, operand in ipairs(operands) do ones[k] = operand.new(1) end
            class = tensor.type(tensor.cat(ones))
            break
         end
      end
      if INTEGRAL[class] and tensor.getRule 'sums' == 'tensor' then
         class = 'torch.LongTensor'
      end
      local converted = {}
      for k, t in ipairs(operands) do converted[k] = t:type(class) end
      return converted
   end

   local REDUCED = {['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true}

   local einsum
   function einsum(equation, operands)
      local left, right = equation:gsub('%s', ''):match '^(.-)%->(.*)$'
      left = left or equation:gsub('%s', '')
      local labels, hidden = {}, 0
      for term in (left .. ','):gmatch '([^,]*),' do
         local t = operands[#labels + 1]
         if not t then fail('%d operands are too few for "%s"', #operands, equation) end
         local own, more = labels_of(term, t:dim())
         labels[#labels + 1] = own
         hidden = math.max(hidden, more)
      end
      if #labels < #operands then
         fail('%d operands are too many for "%s"', #operands, equation)
      end
      local wanted = result_labels(right, labels, hidden)
      operands = in_one_type(operands)
      local class = tensor.type(operands[1])
      if REDUCED[class] and rounds_twice(labels, wanted) then
         local floats = {}
         for k, t in ipairs(operands) do
            floats[k] = t:float()
         end
         return einsum(equation, floats):type(class)
      end
      local terms, sizes = {}, {}
      for k, t in ipairs(operands) do
         terms[k] = distinct(t, labels[k])
         for label, size in each(sizes_of(terms[k])) do
            local other = sizes[label]
            if other and other ~= size and other ~= 1 and size ~= 1 then
               fail("label '%s' has sizes %d and %d", label, other, size)
            end
            sizes[label] = (not other or other == 1) and size or other
         end
      end
      -- The number of remaining operands that need a label; the result counts, too.
      local needed = {}
      local function count(list, n)
         for _, label in ipairs(list) do
            needed[label] = (needed[label] or 0) + n
            if needed[label] == 0 then needed[label] = nil end
         end
      end
      count(wanted, 1)
      for _, term in ipairs(terms) do count(term.labels, 1) end
      count(terms[1].labels, -1)
      local result = summed(terms[1], needed)
      for k = 2, #terms do
         local term = terms[k]
         count(term.labels, -1)
         local here = setmetatable({}, { __index = needed })
         for _, label in ipairs(result.labels) do here[label] = true end
         term = summed(term, here)
         result = contracted(result, term, needed)
         result = summed(result, needed)
      end
      local shape = {}
      for d, label in ipairs(wanted) do shape[d] = sizes[label] end
      return arranged(result, wanted, sizes, #shape > 0 and shape or { 1 })
   end

   --- einsum(equation, tensors...) or einsum(equation, {tensors...})
   function tensor.einsum(equation, ...)
      if type(equation) ~= 'string' then
         raise('einsum: an equation is expected, got ' .. tensor.type(equation))
      end
      local operands = {...}
      if #operands == 1 and type(operands[1]) == 'table' then
         operands = operands[1]
      end
      for _, t in ipairs(operands) do
         if not tensor.isTensor(t) then
            raise('einsum: a tensor is expected, got ' .. type_name(t))
         end
      end
      local done, result = pcall(einsum, equation, operands)
      if not done then
         raise('einsum: ' .. files.cause(result))
      end
      if #operands == 1 then
         return result:clone()  -- not a view of the operand
      end
      return result
   end
end

return install
