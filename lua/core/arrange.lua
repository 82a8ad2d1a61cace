-- full, meshgrid, broadcastTensors, vecdot and tensordot: operations whose signatures the forms of
-- the op table cannot express, and short compositions.

local refuse_extra = require 'tensor.extra_arguments'.refuse
local classes = require 'tensor.classes'
local files = require 'tensor.files'
local is_tracked = require 'tensor.is_tracked'
local list_length = require 'tensor.core'._listlength
local number_or_type = require 'tensor.number_or_type'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'

local function install(tensor)
   local function check_tensor(name, t, level)
      if not tensor.isTensor(t) then
         error(('%s: a tensor is expected, got %s'):format(name, type_name(t)), level + 1)
      end
   end

   -- Returns a list of tensors, which are the arguments or, if there is only one, its elements, and
   -- their number. what: one of them, in errors.
   local function list_of(name, what, count, first, ...)
      local list, is_list = {first, ...}, count == 1 and type(first) == 'table'
      if is_list then
         list, count = first, list_length(name, first)
      end
      if count == 0 then
         error(('%s: at least one %s is expected'):format(name, what), 3)
      end
      for k = 1, count do
         if not tensor.isTensor(list[k]) then
            error(('%s: %s %d: a tensor is expected, got %s')
                  :format(name, is_list and 'position' or 'argument', k, type_name(list[k])), 3)
         end
      end
      return list, count
   end

   --- full([result,] sizes, value [, class]). sizes: numbers, a table or a LongStorage.
   local function full(result, ...)
      local arguments, count = {...}, select('#', ...)
      local value = arguments[count]
      if count < 2 or type(value) ~= 'number' and not is_tracked(value) then
         error('full: sizes and a number are expected', 3)
      end
      local sizes = arguments[1]
      if count > 2 or type(sizes) == 'number' then
         sizes = {versions.unpack(arguments, 1, count - 1)}
      end
      if type(sizes) == 'table' then
         for d = 1, #sizes do
            if type(sizes[d]) ~= 'number' then
               error(('full: number expected for size %d, got %s')
                     :format(d, tensor.type(sizes[d])), 3)
            end
         end
         sizes = tensor.LongStorage(sizes)
      elseif tensor.type(sizes) ~= 'torch.LongStorage' then
         error('full: sizes are expected, got ' .. tensor.type(sizes), 3)
      end
      if is_tracked(value) or tensor.isCompiling() then  -- a recording cannot read storages
         return result:resize(sizes):fill(value)
      end
      -- A view of one element has the shape without its memory.
      local strides = tensor.LongStorage(sizes:size()):fill(0)
      local like = result.new(result.new(1):storage(), 1, sizes, strides)
      local done, made = pcall(tensor.fullLike, result, like, value)
      if not done then
         raise('full: ' .. files.cause(made))
      end
      return made
   end

   -- Returns an empty tensor of the class that the last argument names, and the arguments before
   -- it. Without a name, the tensor is of the default class.
   local function typed(...)
      local last = select('#', ...)
      local name = select(last, ...)
      if type(name) ~= 'string' or not name:find '^torch%.' then
         return tensor.Tensor(), ...
      end
      local is_class, empty = pcall(tensor.zeros, 0, name)
      if not is_class then
         error(("full: %s is not a tensor class, as 'torch.FloatTensor' is"):format(name), 3)
      end
      return empty, versions.unpack({...}, 1, last - 1)
   end

   function tensor.full(first, ...)
      if tensor.isTensor(first) then
         return full(first, ...)
      end
      return full(typed(first, ...))
   end
   classes.extend('Tensor', function(class)
      --- class.full(...): returns a tensor of this class. As a method, it overwrites the tensor.
      function class.full(first, ...)
         if tensor.isTensor(first) then
            return full(first, ...)
         end
         return full(class.new(), first, ...)
      end
   end)

   --- meshgrid(x, y, ... [, order]) or meshgrid({x, y, ...} [, order]): returns one tensor per
   -- vector, expanded to the shape of the grid without copying. With order 'ij' (default), x
   -- varies along dimension 1 and y along dimension 2; with 'xy' these two are exchanged.
   function tensor.meshgrid(...)
      local count, order = select('#', ...), nil
      local last = count > 0 and select(count, ...)
      if type(last) == 'string' or last == nil and count > 1 then
         order, count = last, count - 1
      end
      order = order or 'ij'
      if order ~= 'ij' and order ~= 'xy' then
         error(("meshgrid: 'ij' or 'xy' is expected, got '%s'"):format(order), 2)
      end
      local vectors
      vectors, count = list_of('meshgrid', 'vector', count, ...)
      local sizes, dims = {}, {}
      for k = 1, count do
         local vector = vectors[k]
         if vector:dim() ~= 1 then
            error(('meshgrid: vectors are expected, got a tensor of %d dimensions')
                  :format(vector:dim()), 2)
         end
         dims[k] = (order == 'xy' and k <= 2 and count >= 2) and 3 - k or k
         sizes[dims[k]] = vector:size(1)
      end
      local grids = {}
      for k = 1, count do
         local own = {}
         for d = 1, #sizes do
            own[d] = d == dims[k] and sizes[d] or 1
         end
         grids[k] = vectors[k]:view(tensor.LongStorage(own)):expand(tensor.LongStorage(sizes))
      end
      return versions.unpack(grids)
   end

   -- Returns views of the tensors, expanded to their common shape by NumPy's rules.
   local function expanded(name, tensors)
      local dims = 0
      for _, t in ipairs(tensors) do
         dims = math.max(dims, t:dim())
      end
      local sizes = {}
      for _, t in ipairs(tensors) do
         for d = 1, t:dim() do
            local k, size = dims - t:dim() + d, t:size(d)
            if sizes[k] and sizes[k] ~= 1 and size ~= 1 and sizes[k] ~= size then
               error(('%s: sizes %d and %d of dimension %d do not broadcast')
                     :format(name, sizes[k], size, k), 3)
            end
            if not sizes[k] or sizes[k] == 1 then
               sizes[k] = size
            end
         end
      end
      local views = {}
      for k, t in ipairs(tensors) do
         views[k] = t:expand(tensor.LongStorage(sizes))
      end
      return views
   end

   --- broadcastTensors(a, b, ...) or broadcastTensors({a, b, ...}): returns views of the tensors
   -- expanded to their common shape by NumPy's rules.
   function tensor.broadcastTensors(...)
      local tensors = list_of('broadcastTensors', 'tensor', select('#', ...), ...)
      local views = expanded('broadcastTensors', tensors)
      return versions.unpack(views)
   end

   --- vecdot(a, b [, dim]): returns the dot products of vectors along a dimension, by default the
   -- last one. The shapes broadcast.
   function tensor.vecdot(a, b, dim)
      check_tensor('vecdot', a, 2)
      check_tensor('vecdot', b, 2)
      if not a:isSameSizeAs(b) then
         a, b = versions.unpack(expanded('vecdot', {a, b}))
      end
      if dim and dim ~= -1 then
         a, b = a:movedim(dim, -1), b:movedim(dim, -1)
      end
      return tensor.einsum('...i,...i->...', a, b)
   end

   local function dimensions_of(name, t, list)
      local dims, seen = {}, {}
      for k = 1, list_length(name, list) do
         local d = list[k]
         local own = type(d) == 'number' and d < 0 and d + t:dim() + 1 or d
         if type(own) ~= 'number' or own < 1 or own > t:dim() or own % 1 ~= 0 or seen[own] then
            error(('%s: dimension %s is out of range of %d dimensions, or is given twice')
                  :format(name, number_or_type(d), t:dim()), 3)
         end
         seen[own] = true
         dims[k] = own
      end
      return dims, seen
   end

   -- Returns the dimensions of t that are not summed over, their sizes, and the product of the
   -- sizes.
   local function free_of(t, summed)
      local dims, sizes, numel = {}, {}, 1
      for d = 1, t:dim() do
         if not summed[d] then
            dims[#dims + 1] = d
            sizes[#sizes + 1] = t:size(d)
            numel = numel * t:size(d)
         end
      end
      return dims, sizes, numel
   end

   local function joined(a, b)
      local all = {}
      for _, x in ipairs(a) do all[#all + 1] = x end
      for _, x in ipairs(b) do all[#all + 1] = x end
      return all
   end

   --- tensordot([result,] a, b [, n]): contracts the last n dimensions of a (default 2) with the
   -- first n of b. tensordot([result,] a, b, dims_a, dims_b): contracts dims_a[k] of a with
   -- dims_b[k] of b.
   function tensor.tensordot(...)
      local arguments = {...}
      local result
      if tensor.isTensor(arguments[3]) then
         result = table.remove(arguments, 1)
      end
      local a, b, of_a, of_b = versions.unpack(arguments)
      check_tensor('tensordot', a, 2)
      check_tensor('tensordot', b, 2)
      refuse_extra('tensordot', (type(of_a) == 'table' and 4 or 3) + (result and 1 or 0), ...)
      if type(of_a) ~= 'table' then
         local n = of_a == nil and 2 or of_a
         if type(n) ~= 'number' or n < 0 or n > a:dim() or n > b:dim() or n % 1 ~= 0 then
            error(('tensordot: cannot contract %s dimensions of tensors with %d and %d dimensions')
                  :format(number_or_type(n), a:dim(), b:dim()), 2)
         end
         of_a, of_b = {}, {}
         for k = 1, n do
            of_a[k], of_b[k] = a:dim() - n + k, k
         end
      end
      local dims_a, summed_a = dimensions_of('tensordot', a, of_a)
      local dims_b, summed_b = dimensions_of('tensordot', b, type(of_b) == 'table' and of_b or {})
      if type(of_b) ~= 'table' or #dims_a ~= #dims_b then
         error('tensordot: the lists of dimensions must have the same length', 2)
      end
      local inner = 1
      for k, d in ipairs(dims_a) do
         if a:size(d) ~= b:size(dims_b[k]) then
            error(('tensordot: size %d of dimension %d and size %d of dimension %d differ')
                  :format(a:size(d), d, b:size(dims_b[k]), dims_b[k]), 2)
         end
         inner = inner * a:size(d)
      end
      local free_a, sizes_a, rows = free_of(a, summed_a)
      local free_b, sizes_b, columns = free_of(b, summed_b)
      local left = a:permute(tensor.LongStorage(joined(free_a, dims_a))):contiguous()
      local right = b:permute(tensor.LongStorage(joined(dims_b, free_b))):contiguous()
      local product = tensor.mm(left:view(rows, inner), right:view(inner, columns))
      local sizes = joined(sizes_a, sizes_b)
      product = product:view(tensor.LongStorage(#sizes > 0 and sizes or {1}))
      if result then
         return tensor.reshape(result, product, product:size())
      end
      return product
   end
end

return install
