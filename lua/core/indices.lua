-- Positions of elements as LongTensors: those of triangles, and conversions between subscripts and
-- positions in the order of all elements.

local list_length = require 'tensor.core'._listlength
local number_or_type = require 'tensor.number_or_type'
local types = require 'tensor.types'
local versions = require 'tensor.versions'

local function install(tensor)
   local function check_count(name, what, x, level)
      if type(x) ~= 'number' or x < 0 or x % 1 ~= 0 then
         error(('%s: the number of %s must be an integer from 0 on, got %s')
               :format(name, what, number_or_type(x)), level + 1)
      end
   end

   -- In matrices of up to this many elements, positions of ones are found faster than by comparing.
   local FEW = 20000

   -- part: tril or triu. comparison: of the column with the row plus the diagonal, for the elements
   -- of this triangle.
   local function triangle(name, part, comparison)
      return function(rows, columns, diagonal)
         columns, diagonal = columns or rows, diagonal or 0
         check_count(name, 'rows', rows, 2)
         check_count(name, 'columns', columns, 2)
         if type(diagonal) ~= 'number' or diagonal % 1 ~= 0 then
            error(('%s: the number of a diagonal is expected, got %s')
                  :format(name, number_or_type(diagonal)), 2)
         end
         if rows == 0 or columns == 0 then
            return tensor.LongTensor(0), tensor.LongTensor(0)
         end
         if rows * columns <= FEW then
            local positions = part(tensor.ByteTensor(rows, columns):fill(1), diagonal):nonzero()
            if positions:nElement() == 0 then
               return tensor.LongTensor(0), tensor.LongTensor(0)
            end
            return positions:select(2, 1):clone(), positions:select(2, 2):clone()
         end
         local range = tensor.LongTensor.range
         local column = range(1, columns):view(1, -1):expand(rows, columns)
         local row = range(1, rows):view(-1, 1):expand(rows, columns)
         local first = row
         if diagonal ~= 0 then
            -- Diagonals outside of the matrix are all equal, and the sum must not overflow.
            first = row + math.max(-rows, math.min(diagonal, columns))
         end
         local mask = comparison(column, first)
         return row:maskedSelect(mask), column:maskedSelect(mask)
      end
   end
   --- trilIndices(rows [, columns [, diagonal]]): returns the row and the column numbers of the
   -- elements that tril keeps, as LongTensors. triuIndices: of those that triu keeps.
   tensor.trilIndices = triangle('trilIndices', tensor.tril, tensor.le)
   tensor.triuIndices = triangle('triuIndices', tensor.triu, tensor.ge)

   -- Positions up to here are exact numbers.
   local MOST_ELEMENTS = 2 ^ 53

   -- Returns the sizes of a shape as a table, and the number of elements.
   local function sizes_of(name, shape)
      local sizes = shape
      if tensor.type(shape) == 'torch.LongStorage' then
         sizes = shape:totable()
      end
      if type(sizes) ~= 'table' or list_length(name, sizes) == 0 then
         error(('%s: a shape is expected, got %s'):format(name, tensor.type(shape)), 3)
      end
      local count = 1
      for _, size in ipairs(sizes) do
         check_count(name, 'elements', size, 3)
         count = count * size
      end
      if count > MOST_ELEMENTS then
         error(('%s: a shape of %.17g elements is too large'):format(name, count), 3)
      end
      return sizes, count
   end

   -- Returns the indices t after checking that they are from 1 to size. While tensor.compile
   -- records, an operation checks them, because a replay repeats operations only.
   local function in_range(name, t, size, level)
      if t:nElement() == 0 then
         return t
      elseif tensor.isCompiling() then
         -- Negative indices would count from the end.
         local valid = tensor.where(t:lt(1), size + 1, t):view(-1)
         return t + tensor.LongTensor(1):zero():expand(size):index(1, valid):viewAs(t)
      elseif t:min() < 1 or t:max() > size then
         error(('%s: indices from %d to %d are out of range of %d elements')
               :format(name, tonumber(t:min()), tonumber(t:max()), size), level + 1)
      end
      return t
   end

   local function is_long(t)
      return tensor.isTensor(t) and types.element_name(t) == 'Long'
   end

   --- unravelIndex(positions, shape): returns a LongTensor of subscripts for each dimension of a
   -- shape. Positions count the elements from 1 in their order.
   function tensor.unravelIndex(positions, shape)
      local sizes, count = sizes_of('unravelIndex', shape)
      if type(positions) == 'number' then
         positions = tensor.LongTensor{positions}
      end
      if not is_long(positions) then
         error('unravelIndex: a LongTensor or a number is expected, got '
               .. tensor.type(positions), 2)
      end
      local rest, subscripts = in_range('unravelIndex', positions, count, 2) - 1, {}
      for d = #sizes, 1, -1 do
         subscripts[d] = tensor.remainder(rest, sizes[d]):add(1)
         rest = tensor.floorDivide(rest, sizes[d])
      end
      return versions.unpack(subscripts)
   end

   --- ravelMultiIndex({i, j, ...}, shape): the inverse of unravelIndex.
   function tensor.ravelMultiIndex(subscripts, shape)
      local sizes = sizes_of('ravelMultiIndex', shape)
      if type(subscripts) ~= 'table' or list_length('ravelMultiIndex', subscripts) ~= #sizes then
         error(('ravelMultiIndex: a table of %d LongTensors is expected'):format(#sizes), 2)
      end
      local positions
      for d, t in ipairs(subscripts) do
         if type(t) == 'number' then
            t = tensor.LongTensor{t}
         elseif not is_long(t) then
            error('ravelMultiIndex: LongTensors are expected, got ' .. tensor.type(t), 2)
         end
         local index = in_range('ravelMultiIndex', t, sizes[d], 2) - 1
         positions = positions and positions * sizes[d] + index or index
      end
      return positions + 1
   end
end

return install
