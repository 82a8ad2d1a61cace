-- Functions that split a tensor into a table of views along a dimension.

local refuse_extra = require 'tensor.extra_arguments'.refuse
local classes = require 'tensor.classes'
local list_length = require 'tensor.core'._listlength
local number_or_type = require 'tensor.number_or_type'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'
local each = versions.each
local shown = versions.shown

-- The largest number of entries of a list in LuaJIT. More views do not fit into memory either.
local MOST_ENTRIES = 2 ^ 27

-- Raises an error if a result of n entries is too large for a table.
local function check_entries(name, n)
   if n > MOST_ENTRIES then
      raise(('%s: %.14g entries are too many'):format(name, n))
   end
end

local function install(tensor)
   local function size_of(name, t, dim)
      if not tensor.isTensor(t) then
         raise(('%s: a tensor is expected, got %s'):format(name, type_name(t)))
      end
      local dims = t:dim()
      local fits = type(dim) == 'number' and dim % 1 == 0
      if not fits or not (dim >= 1 and dim <= dims or dim <= -1 and dim >= -dims) then
         raise(('%s: dimension %s is out of range of a tensor of %d dimension%s')
               :format(name, number_or_type(dim), dims, dims == 1 and '' or 's'))
      end
      return t:size(dim)
   end

   -- Returns the table for the result, a new one if it is omitted, and the other arguments.
   local function with_result(name, first, ...)
      if type(first) == 'table' then
         refuse_extra(name, 4, first, ...)
         return first, ...
      end
      refuse_extra(name, 3, first, ...)
      return {}, first, ...
   end

   -- Returns the number in a string, by Torch7's rule, and other values as they are.
   local function number_of(value)
      local is_text = type(value) == 'string' and tensor.getRule 'numbers' == 'torch7'
      return is_text and tonumber(value) or value
   end

   -- Returns a count of at least `least` (1). By Torch7's rule it may be a fraction.
   local function count_of(name, what, value, least)
      value, least = number_of(value), least or 1
      if type(value) ~= 'number' then
         raise(('%s: %s must be a number, got %s'):format(name, what, tensor.type(value)))
      elseif value ~= value or value < least then
         raise(('%s: %s must be at least %d, got %s'):format(name, what, least, shown(value)))
      elseif value % 1 ~= 0 and value < math.huge and tensor.getRule 'numbers' ~= 'torch7' then
         raise(('%s: %s must be an integer, got %s'):format(name, what, shown(value)))
      end
      return value
   end

   -- Removes the elements of a list, and returns it.
   local function emptied(list)
      for k = #list, 1, -1 do
         list[k] = nil
      end
      return list
   end

   local split_at

   -- Fills the table `result` with slices of the sizes in a list, and returns it. split_at takes
   -- the index at which each slice but the first begins.
   local function split_by_sizes(result, t, sizes, dim)
      local total, starts, first = size_of('split', t, dim), {}, 1
      for k = 1, list_length('split', sizes) do
         local size = sizes[k]
         if type(size) ~= 'number' or size % 1 ~= 0 or size < 0 then
            raise(('split: size %d must be an integer from 0 on, got %s')
                  :format(k, number_or_type(size)))
         end
         if k > 1 then
            starts[k - 1] = first
         end
         first = first + size
      end
      if first - 1 ~= total then
         raise(('split: the sizes add up to %d, but dimension %d has size %d')
               :format(first - 1, dim, total))
      end
      return split_at('split', t, starts, dim, emptied(result))
   end

   -- Fills the table `result` with slices of `size` of the `total` indices, or with `count` empty
   -- slices of none. Returns it.
   local function split_by_size(name, result, t, dim, total, size, count)
      size = math.min(size, math.max(total, 1))
      count = total > 0 and math.ceil(total / size) or count
      check_entries(name, count)
      emptied(result)
      for k = 1, count do
         local first = (k - 1) * size + 1
         result[k] = total > 0 and t:narrow(dim, first, math.min(size, total - first + 1))
                        or t:narrow(dim, 1, 0)
      end
      return result
   end

   --- split([table,] t, size [, dim]): returns slices of `size` indices; the last one may be
   -- smaller. A dimension of size 0 gives one slice. split([table,] t, {size, ...} [, dim]):
   -- returns slices of these sizes.
   local function split(...)
      local result, t, size, dim = with_result('split', ...)
      dim = dim or 1
      if type(size) == 'table' and tensor.isTensor(t) and not tensor.typename(size) then
         return split_by_sizes(result, t, size, dim)
      end
      local is_empty = tensor.isTensor(t) and size_of('split', t, dim) == 0
      size = math.floor(count_of('split', 'the size of a slice', size, is_empty and 0 or 1))
      return split_by_size('split', result, t, dim, size_of('split', t, dim), size, 1)
   end

   --- chunk([table,] t, n [, dim]): returns at most n slices. All have the same size, except that
   -- the last one may be smaller. A dimension of size 0 gives n empty slices.
   local function chunk(...)
      local result, t, n, dim = with_result('chunk', ...)
      n = count_of('chunk', 'the number of slices', n)
      dim = dim or 1
      local total = size_of('chunk', t, dim)
      local size = math.max(1, math.ceil(total / n))
      return split_by_size('chunk', result, t, dim, total, size, math.floor(n))
   end

   -- Returns the views that begin at the indices of a list, and the view before the first of them.
   -- result: an empty table for them, by default a new one.
   function split_at(name, t, list, dim, result)
      local total, count, first = size_of(name, t, dim), list_length(name, list), 1
      result = result or {}
      for k = 1, count + 1 do
         local next_one = list[k]
         if k > count then
            next_one = total + 1
         elseif type(next_one) ~= 'number' or next_one % 1 ~= 0 or next_one < first
                or next_one > total + 1 then
            raise(('%s: index %s is out of range: indices from %d to %d are expected')
                  :format(name, number_or_type(next_one), first, total + 1))
         end
         result[k] = t:narrow(dim, math.max(math.min(first, total), 1), next_one - first)
         first = next_one
      end
      return result
   end

   local function parts_of(name, t, parts, dim, equal)
      if type(parts) == 'table' then
         return split_at(name, t, parts, dim)
      end
      local total = size_of(name, t, dim)
      if type(parts) ~= 'number' or parts ~= parts or parts < 1 or parts % 1 ~= 0 then
         raise(('%s: a number of parts or a table of indices is expected, got %s')
               :format(name, number_or_type(parts)))
      end
      check_entries(name, parts)
      if equal and total % parts ~= 0 then
         raise(('%s: dimension %d of size %d cannot be split into %d equal parts')
               :format(name, dim, total, parts))
      end
      local list, first = {}, 1
      for k = 1, parts - 1 do
         first = first + math.floor(total / parts) + (k <= total % parts and 1 or 0)
         list[k] = first
      end
      return split_at(name, t, list, dim)
   end

   --- tensorSplit(t, n [, dim]): returns n slices, whose sizes differ by at most 1.
   -- tensorSplit(t, {i, j, ...} [, dim]): splits before these indices.
   local function tensor_split(t, parts, dim)
      return parts_of('tensorSplit', t, parts, dim or 1, false)
   end

   -- Splits along a fixed dimension, into equal parts.
   local function splitter(name, dim, least)
      return function(t, parts)
         if tensor.isTensor(t) and t:dim() < least then
            raise(('%s: a tensor of at least %d dimensions is expected, got %d')
                  :format(name, least, t:dim()))
         end
         local own = tensor.isTensor(t) and math.min(dim, t:dim()) or dim
         return parts_of(name, t, parts, own, true)
      end
   end

   --- unbind(t [, dim]): returns a table of the slices of a dimension, without that dimension.
   local function unbind(t, dim)
      dim = dim or 1
      local result, total = {}, size_of('unbind', t, dim)
      check_entries('unbind', total)
      for k = 1, total do
         result[k] = t:select(dim, k)
      end
      return result
   end

   local more = {
      tensorSplit = tensor_split, unbind = unbind, vsplit = splitter('vsplit', 1, 2),
      hsplit = splitter('hsplit', 2, 1), dsplit = splitter('dsplit', 3, 3),
   }
   for name, f in each(more) do tensor[name] = f end
   tensor.split, tensor.chunk = split, chunk
   classes.extend('Tensor', function(class)
      for name, method in each(more) do class[name] = method end
      --- As methods, the optional result table comes after the tensor.
      function class.split(self, a, ...)
         local is_table = type(a) == 'table'
         -- By Torch7's rule a table is always the result.
         local has_sizes = is_table and type(a[1]) == 'number' and select('#', ...) < 2
                              and type((...)) ~= 'table'
                              and tensor.getRule 'arguments' ~= 'torch7'
         if is_table and not has_sizes then
            return split(a, self, ...)
         end
         return split(self, a, ...)
      end
      function class.chunk(self, a, ...)
         if type(a) == 'table' then
            return chunk(a, self, ...)
         end
         return chunk(self, a, ...)
      end
   end)
end

return install
