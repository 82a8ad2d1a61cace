-- The contraction of two tensors whose dimensions have labels: the sum of their products over the
-- labels that the result does not need. A labelled tensor is a table {t = tensor, labels = list}.
-- A tensor without labels has one element. Neither operand has a label that only it has and that
-- the result does not need. Sizes are more than 1, or 0.

local versions = require 'tensor.versions'

local unpack = versions.unpack

local widened = require 'tensor.types'.widened

local function install(tensor)
   local mm, mv, bmm, cmul = tensor.mm, tensor.mv, tensor.bmm, tensor.cmul

   -- Returns a view of the tensor with its dimensions in the order of these labels.
   local function permuted(operand, order)
      local labels = operand.labels
      local dims
      for k = 1, #order do
         if labels[k] ~= order[k] then
            dims = {}
            break
         end
      end
      if not dims then
         return operand.t
      end
      local dim_of = {}
      for d = 1, #labels do dim_of[labels[d]] = d end
      for k = 1, #order do dims[k] = dim_of[order[k]] end
      return operand.t:permute(unpack(dims))
   end

   local function numel(labels, sizes)
      local n = 1
      for k = 1, #labels do n = n * sizes[labels[k]] end
      return n
   end

   local function append(list, more)
      for k = 1, #more do list[#list + 1] = more[k] end
      return list
   end

   local function shape_of(labels, sizes)
      local shape = {}
      for k = 1, #labels do shape[k] = sizes[labels[k]] end
      return shape
   end

   -- ---- products of elements --------------------------------------------------------------------

   -- Returns a view with the dimensions of `order`, expanded in those that the operand lacks.
   local function broadcast(operand, order, sizes)
      local labels = operand.labels
      if #labels == #order then
         return permuted(operand, order)
      end
      local has, own, shape = {}, {}, {}
      for d = 1, #labels do has[labels[d]] = true end
      for k = 1, #order do
         local label = order[k]
         if has[label] then own[#own + 1] = label end
         shape[k] = has[label] and sizes[label] or 1
      end
      local t = #own > 0 and permuted(operand, own) or operand.t
      return t:view(unpack(shape)):expand(unpack(shape_of(order, sizes)))
   end

   -- Returns the product of elements with the labels of `order`.
   local function multiplied(a, b, order, sizes)
      return { t = cmul(broadcast(a, order, sizes), broadcast(b, order, sizes)), labels = order }
   end

   -- Returns the labels of a, then those that only b has.
   local function all_labels(a, b)
      local list, has = {}, {}
      for d, label in ipairs(a.labels) do
         list[d], has[label] = label, true
      end
      for _, label in ipairs(b.labels) do
         if not has[label] then list[#list + 1] = label end
      end
      return list
   end

   -- Returns the sum over the dimensions whose labels are not needed. There is one sum, which
   -- rounds 16-bit types once.
   local function summed(operand, needed)
      local labels, dims = {}, {}
      for d, label in ipairs(operand.labels) do
         if needed[label] then
            labels[#labels + 1] = label
         else
            dims[#dims + 1] = d
         end
      end
      if #dims == 0 then
         return operand
      end
      local t = operand.t:sum(dims, #labels == 0)
      return { t = #labels == 0 and t:view(1) or t, labels = labels, is_new = true }
   end

   -- ---- products of matrices --------------------------------------------------------------------

   -- Returns true if a view can merge these dimensions of t.
   local function can_merge(t, first, last)
      local next_stride
      for d = last, first, -1 do
         local stride = t:stride(d)
         if next_stride and stride ~= next_stride then return false end
         next_stride = stride * t:size(d)
      end
      return true
   end

   -- Returns the operand as a matrix, or as a batch of matrices if `batch` is not empty. It is a
   -- view if the layout permits it.
   local function matrices(operand, batch, rows, columns, sizes)
      local s, m, n = #batch, #rows, #columns
      local t = operand.t
      if s + m + n > 0 then
         t = permuted(operand, append(append(append({}, batch), rows), columns))
      end
      if s <= 1 and m == 1 and n == 1 then
         return t
      end
      if not (can_merge(t, 1, s) and can_merge(t, s + 1, s + m) and
              can_merge(t, s + m + 1, s + m + n)) then
         t = t:contiguous()
      end
      if s == 0 then
         return t:view(numel(rows, sizes), numel(columns, sizes))
      end
      return t:view(numel(batch, sizes), numel(rows, sizes), numel(columns, sizes))
   end

   -- Copying a small right operand with contiguous columns takes less time than the product with
   -- columns: the kernels for few rows and columns read rows.
   local SMALL_PART = 16

   local function product(a, b, batch, rows, inner, columns, sizes)
      local left = matrices(a, batch, rows, inner, sizes)
      local labels = append(append(append({}, batch), rows), columns)
      local t
      if #labels == #rows and #inner == 1 then
         t = mv(left, b.t)
      else
         local right = matrices(b, batch, inner, columns, sizes)
         if right:nElement() * SMALL_PART <= left:nElement() then
            right = right:contiguous()
         end
         t = #batch == 0 and mm(left, right) or bmm(left, right)
      end
      local dims = math.max(#labels, 1)
      if t:dim() ~= dims or #batch > 1 or #rows > 1 or #columns > 1 then
         t = #labels == 0 and t:view(1) or t:view(unpack(shape_of(labels, sizes)))
      end
      return { t = t, labels = labels }
   end

   -- Returns true if neighbouring elements differ in the value of one of these labels.
   local function is_innermost(operand, labels)
      local t = operand.t
      for d, label in ipairs(operand.labels) do
         if t:stride(d) == 1 then
            for k = 1, #labels do
               if labels[k] == label then return true end
            end
         end
      end
      return false
   end

   -- Returns the labels of `order` that are in the list, in this order.
   local function in_order(list, order)
      if #list < 2 then
         return list
      end
      local is_in, sorted = {}, {}
      for k = 1, #list do is_in[list[k]] = true end
      for k = 1, #order do
         if is_in[order[k]] then sorted[#sorted + 1] = order[k] end
      end
      return sorted
   end

   local function concatenates(order, ...)
      local n = 0
      for _, list in ipairs { ... } do
         for k = 1, #list do
            n = n + 1
            if order[n] ~= list[k] then return false end
         end
      end
      return true
   end

   -- Returns true if a product of elements and a sum take less time than a batch of products of
   -- vectors, or of matrices and vectors: if the operands would have to be copied, or would be read
   -- with large strides. Not for 16-bit types, because they would be rounded twice.
   local function sums_products(larger, smaller, batch, inner, free_dims)
      if #batch == 0 or free_dims > 0 or widened[tensor.type(larger.t)] then
         return false
      end
      if is_innermost(larger, batch) then
         return true
      end
      if #larger.labels ~= #batch + #inner or #larger.labels ~= #smaller.labels then
         return false
      end
      local t = permuted(larger, append(append({}, batch), inner))
      return is_innermost(smaller, batch) or not can_merge(t, 1, #batch) or
             not can_merge(t, #batch + 1, t:dim())
   end

   -- Returns the contraction of a and b. `needed` is the set of the labels of the result. `order`
   -- is the wanted order of these labels, or nil. It decides the order of the operands and of
   -- merged labels, but the result may have another order.
   local function contracted(a, b, needed, order, sizes)
      local in_b, in_a = {}, {}
      for _, label in ipairs(b.labels) do in_b[label] = true end
      local batch, inner, free_a, free_b = {}, {}, {}, {}
      for _, label in ipairs(a.labels) do
         in_a[label] = true
         local list = not in_b[label] and free_a or needed[label] and batch or inner
         list[#list + 1] = label
      end
      for _, label in ipairs(b.labels) do
         if not in_a[label] then free_b[#free_b + 1] = label end
      end
      local larger, smaller = a, b
      if numel(a.labels, sizes) < numel(b.labels, sizes) then larger, smaller = b, a end
      if #inner == 0 and (#free_a == 0 or #free_b == 0) then
         return multiplied(a, b, order or all_labels(larger, smaller), sizes)
      end
      if sums_products(larger, smaller, batch, inner, math.min(#free_a, #free_b)) then
         return summed(multiplied(a, b, all_labels(larger, smaller), sizes), needed)
      end
      inner = in_order(inner, larger.labels)
      if #batch == 0 and #free_a == 0 then
         a, b, free_a, free_b = b, a, free_b, free_a  -- a matrix and a vector
      elseif order then
         for k = 1, #order do
            local label = order[k]
            if not (in_a[label] and in_b[label]) then
               if in_b[label] then
                  a, b, free_a, free_b = b, a, free_b, free_a
               end
               break
            end
         end
      end
      if order then
         batch, free_a, free_b = in_order(batch, order), in_order(free_a, order),
                                 in_order(free_b, order)
      end
      if #inner == 0 and order and not concatenates(order, batch, free_a, free_b) then
         return multiplied(a, b, order, sizes)
      end
      return product(a, b, batch, free_a, inner, free_b, sizes)
   end

   return { contracted = contracted, permuted = permuted, summed = summed }
end

return install
