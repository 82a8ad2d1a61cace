-- einsum: sums of products by the labels of dimensions, as 'ij,jk->ik'. It sums over the labels
-- that only one operand has, and then contracts the operands two at a time.

local versions = require 'tensor.versions'
local files = require 'tensor.files'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local types = require 'tensor.types'
local order_of = require 'tensor.contraction_order'

local each, unpack = versions.each, versions.unpack

local function install(tensor)
   local contraction = require 'tensor.contraction'(tensor)

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

   -- Returns a view with each label once: the diagonal of the dimensions with the same label.
   local distinct
   function distinct(t, labels)
      for d = 2, #labels do
         for k = 1, d - 1 do
            if labels[k] == labels[d] then
               if t:size(k) ~= t:size(d) then
                  fail("label '%s' has sizes %d and %d", labels[k], t:size(k), t:size(d))
               end
               local rest = {}
               for e, label in ipairs(labels) do
                  if e ~= k and e ~= d then rest[#rest + 1] = label end
               end
               rest[#rest + 1] = labels[k]
               return distinct(t:diagonal(0, k, d), rest)
            end
         end
      end
      return t, labels
   end

   -- Returns the labelled tensor without dimensions of size 1. They do not change products: a label
   -- may have size 1 in one operand and another size in the others.
   local function without_ones(t, labels)
      local kept = labels
      for d = #labels, 1, -1 do
         if t:size(d) == 1 then
            if kept == labels then kept = { unpack(labels) } end
            table.remove(kept, d)
            if t:dim() > 1 then t = t:select(d, 1) end
         end
      end
      return { t = t, labels = kept }
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
      for _, label in ipairs(once) do labels[#labels + 1] = label end
      return labels
   end

   -- Returns the set of the labels that are in the result or in two operands.
   local function needed_for_products(operands, needed)
      local kept, seen = {}, {}
      for k = 1, #operands do
         local labels = operands[k].labels
         for d = 1, #labels do
            local label = labels[d]
            kept[label] = kept[label] or needed[label] or seen[label]
            seen[label] = true
         end
      end
      return kept
   end

   -- Returns true if 16-bit operands would be rounded more than once: by several products, or by
   -- sums beside the product. `kept` has the labels that are needed for products.
   local function rounds_twice(operands, kept)
      if #operands == 2 then
         for _, operand in ipairs(operands) do
            for _, label in ipairs(operand.labels) do
               if not kept[label] then return true end
            end
         end
      end
      return #operands > 2
   end

   -- Returns the operands in their common type, as operations convert them, and this type. Integers
   -- become Long, as sums do. By Torch7's rules the types must be equal, and stay.
   local function in_one_type(operands)
      local class, equal = tensor.type(operands[1]), true
      for k = 2, #operands do
         local other = tensor.type(operands[k])
         if other ~= class then
            if tensor.getRule 'types' == 'torch7' then
               fail('a %s and a %s do not go together: convert one of them', class, other)
            end
            equal = false
         end
      end
      if not equal then
         local ones = {}
         for k, operand in ipairs(operands) do ones[k] = operand.new(1) end
         class = tensor.type(tensor.cat(ones))
      end
      local long = types.beside(class, 'torch.LongTensor')
      if types.is_integral[class] and class ~= long and tensor.getRule 'sums' == 'tensor' then
         class, equal = long, false
      end
      if equal then
         return operands, class
      end
      local converted = {}
      for k, t in ipairs(operands) do converted[k] = t:type(class) end
      return converted, class
   end

   -- Parsed equations: {equation =, dims = list, labels = list of lists, wanted = list}. `dims` has
   -- the number of dimensions of each operand.
   local MOST_PARSED = 500
   local parsed, parsed_count = {}, 0

   local function parse(equation, operands)
      local left, right = equation:gsub('%s', ''):match '^(.-)%->(.*)$'
      left = left or equation:gsub('%s', '')
      local labels, dims, hidden = {}, {}, 0
      for term in (left .. ','):gmatch '([^,]*),' do
         local t = operands[#labels + 1]
         if not t then fail('%d operands are too few for "%s"', #operands, equation) end
         local own, more = labels_of(term, t:dim())
         labels[#labels + 1], dims[#dims + 1] = own, t:dim()
         hidden = math.max(hidden, more)
      end
      if #labels < #operands then
         fail('%d operands are too many for "%s"', #operands, equation)
      end
      return { equation = equation, dims = dims, labels = labels,
               wanted = result_labels(right, labels, hidden) }
   end

   local function parsed_for(equation, operands)
      local found = parsed[equation]
      if found and #found.dims == #operands then
         local dims, equal = found.dims, true
         for k = 1, #operands do equal = equal and operands[k]:dim() == dims[k] end
         if equal then
            return found
         end
      end
      local result = parse(equation, operands)
      if not found then
         parsed_count = parsed_count + 1
         if parsed_count > MOST_PARSED then parsed, parsed_count = {}, 1 end
      end
      parsed[equation] = result
      return result
   end

   -- Returns the operands as labelled tensors, and the size of each label.
   local function labelled(operands, labels)
      local terms, sizes, has_ones = {}, {}, false
      for k = 1, #operands do
         local t, own = distinct(operands[k], labels[k])
         terms[k] = { t = t, labels = own }
         for d = 1, #own do
            local label, size = own[d], t:size(d)
            local other = sizes[label]
            if other and other ~= size and other ~= 1 and size ~= 1 then
               fail("label '%s' has sizes %d and %d", label, other, size)
            end
            has_ones = has_ones or size == 1
            sizes[label] = (not other or other == 1) and size or other
         end
      end
      if has_ones then
         for k = 1, #terms do terms[k] = without_ones(terms[k].t, terms[k].labels) end
      end
      return terms, sizes, has_ones
   end

   -- Returns the order of contractions. It is kept for further calls with the same shapes.
   local function order_for(equation, terms, wanted, sizes)
      local text, labels = {}, {}
      for k = 1, #terms do
         labels[k] = terms[k].labels
         for d = 1, #labels[k] do
            local label = labels[k][d]
            text[#text + 1] = label
            text[#text + 1] = sizes[label]
         end
         text[#text + 1] = ','
      end
      local shapes = table.concat(text, ' ')
      if equation.shapes ~= shapes then
         equation.shapes, equation.order = shapes, order_of(labels, wanted, sizes)
      end
      return equation.order
   end

   local function contract_all(equation, terms, needed, wanted, sizes)
      for _, pair in ipairs(order_for(equation, terms, wanted, sizes)) do
         local i, j = pair[1], pair[2]
         local last, here = #terms == 2, needed
         if not last then
            here = setmetatable({}, { __index = needed })
            for k = 1, #terms do
               if k ~= i and k ~= j then
                  for _, label in ipairs(terms[k].labels) do here[label] = true end
               end
            end
         end
         terms[i] = contraction.contracted(terms[i], terms[j], here, last and wanted, sizes)
         table.remove(terms, j)
      end
      return terms[1]
   end

   local function einsum(text, operands)
      local equation = parsed_for(text, operands)
      local class
      operands, class = in_one_type(operands)
      local terms, sizes, has_ones = labelled(operands, equation.labels)
      local wanted = equation.wanted
      if has_ones then
         wanted = {}
         for _, label in ipairs(equation.wanted) do
            if sizes[label] ~= 1 then wanted[#wanted + 1] = label end
         end
      end
      local needed = {}
      for k = 1, #wanted do needed[wanted[k]] = true end
      local kept = needed_for_products(terms, needed)
      local wide = types.widened[class]
      local in_floats = wide and rounds_twice(terms, kept)
      for k = 1, #terms do
         if in_floats then terms[k].t = terms[k].t:type(wide) end
         terms[k] = contraction.summed(terms[k], kept)
      end
      local result
      if #terms > 2 then
         result = contract_all(equation, terms, needed, wanted, sizes)
      elseif #terms == 2 then
         result = contraction.contracted(terms[1], terms[2], needed, wanted, sizes)
      else
         result = terms[1]
      end
      local t = #wanted > 0 and contraction.permuted(result, wanted) or result.t
      if #terms == 1 and #operands == 1 and not result.is_new then
         t = t:clone()  -- not a view of the operand
      else
         t = t:contiguous()
      end
      if #wanted ~= #equation.wanted then
         local shape = {}
         for d, label in ipairs(equation.wanted) do shape[d] = sizes[label] end
         t = t:view(unpack(shape))
      end
      return in_floats and t:type(class) or t
   end

   --- einsum(equation, tensors...) or einsum(equation, {tensors...})
   function tensor.einsum(equation, ...)
      if type(equation) ~= 'string' then
         raise('einsum: an equation is expected, got ' .. tensor.type(equation))
      end
      local operands, count = {...}, select('#', ...)
      if count == 1 and type(operands[1]) == 'table' then
         operands, count = operands[1], 0
         for k in each(operands) do
            count = type(k) == 'number' and math.max(count, k) or count
         end
      end
      if operands[count] == nil then
         -- Arguments after those that the equation labels may be nil.
         local _, commas = equation:gsub('%->.*', ''):gsub(',', '')
         while count > commas + 1 and operands[count] == nil do count = count - 1 end
      end
      for k = 1, count do
         if not tensor.isTensor(operands[k]) then
            raise(('einsum: operand %d must be a tensor, got %s'):format(k, type_name(operands[k])))
         end
      end
      local done, result = pcall(einsum, equation, operands)
      if not done then
         raise('einsum: ' .. files.cause(result))
      end
      return result
   end
end

return install
