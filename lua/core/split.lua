-- split and chunk: split a tensor into a table of views along a dimension.

local types = require 'tensor.types'

local function install(tensor)
   local function size_of(name, t, dim)
      if not tensor.isTensor(t) then
         error(('%s: a tensor is expected, got %s'):format(name, tensor.type(t)), 3)
      end
      local dims = t:dim()
      if type(dim) ~= 'number' or not (dim >= 1 and dim <= dims or dim <= -1 and dim >= -dims) then
         error(('%s: dimension %s is out of range of a tensor of %d dimension%s')
               :format(name, tostring(dim), dims, dims == 1 and '' or 's'), 3)
      end
      return t:size(dim)
   end

   --- split([table,] t, size [, dim]): returns slices of `size` indices; the last one may be
   -- smaller.
   local function split(result, t, size, dim)
      if type(result) ~= 'table' then
         result, t, size, dim = {}, result, t, size
      end
      if type(size) ~= 'number' or size < 1 then
         error(('split: the size of a slice must be at least 1, got %s'):format(tostring(size)), 2)
      end
      size = math.floor(size)
      dim = dim or 1
      local total = size_of('split', t, dim)
      for i = #result, 1, -1 do
         result[i] = nil
      end
      local first = 1
      while first <= total do
         result[#result + 1] = t:narrow(dim, first, math.min(size, total - first + 1))
         first = first + size
      end
      return result
   end

   --- chunk([table,] t, n [, dim]): returns at most n slices. All have the same size, except that
   -- the last one may be smaller.
   local function chunk(result, t, n, dim)
      if type(result) ~= 'table' then
         result, t, n, dim = {}, result, t, n
      end
      if type(n) ~= 'number' or n < 1 then
         error(('chunk: the number of slices must be at least 1, got %s'):format(tostring(n)), 2)
      end
      dim = dim or 1
      return split(result, t, math.max(1, math.ceil(size_of('chunk', t, dim) / n)), dim)
   end

   tensor.split, tensor.chunk = split, chunk
   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
      --- As methods, the optional result table comes after the tensor.
      function class.split(self, a, b, c)
         if type(a) == 'table' then
            return split(a, self, b, c)
         end
         return split(self, a, b)
      end
      function class.chunk(self, a, b, c)
         if type(a) == 'table' then
            return chunk(a, self, b, c)
         end
         return chunk(self, a, b)
      end
   end
end

return install
