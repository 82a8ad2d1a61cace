-- Layers of figures: contour lines, reference lines, and bands between two curves.

local colors = require 'tensor.plot.colors'
local contour = require 'tensor.plot.contour'

--- Adds functions to a table: makers[kind](layer, ...) sets the fields of a layer that draw its
-- arguments. checks: the functions numbers and matrix of plot.lua.
return function(tensor, makers, checks)
   local numbers, matrix = checks.numbers, checks.matrix

   -- Returns the values at which contour lines are drawn. levels: their number, or a list.
   local function levels_of(levels, low, high)
      if type(levels) ~= 'number' then
         local list = numbers('levels', levels)
         for k, level in ipairs(list) do
            if level ~= level then
               error(('plot: element %d of levels is NaN'):format(k), 0)
            end
         end
         return list
      end
      if not (levels >= 1 and levels <= 1000 and levels % 1 == 0) then
         error(('plot: levels are from 1 to 1000, got %g'):format(levels), 0)
      end
      local list = {}
      for k = 1, levels do
         local part = k / (levels + 1)
         list[k] = low * (1 - part) + high * part
      end
      return list
   end

   -- Checks the coordinates of the columns or rows of a matrix. name: 'x' or 'y'.
   local function coordinates(name, object, count)
      local list = numbers(name, object)
      if #list ~= count then
         error(('plot: %s has %d elements, but the matrix has %d %s')
               :format(name, #list, count, name == 'x' and 'columns' or 'rows'), 0)
      end
      local rises = list[1] < list[2]
      for k = 1, count do
         local before, this = list[k - 1], list[k]
         if this - this ~= 0 or before and (before == this or before < this ~= rises) then
            error(('plot: %s must increase or decrease, and be finite; element %d is %.14g')
                  :format(name, k, this), 0)
         end
      end
      return list
   end

   -- Replaces positions in a list, which may be between two elements, by coordinates.
   local function map(positions, list)
      for k, at in ipairs(positions) do
         local below = math.min(math.floor(at), #list - 1)
         local part = at - below
         positions[k] = list[below] * (1 - part) + list[below + 1] * part
      end
   end

   --- contour(matrix) or contour(x, y, matrix).
   function makers.contour(layer, x, y, t)
      if t == nil and y == nil then x, t = nil, x end
      if (x == nil) ~= (y == nil) then error('plot: x and y are both needed', 0) end
      matrix('a matrix', t)
      if t:dim() ~= 2 or t:size(1) < 2 or t:size(2) < 2 then
         error(('plot: contour lines need a matrix of at least 2 x 2 elements, got %s')
               :format(table.concat(t:size():totable(), ' x ')), 0)
      end
      if x then
         x, y = coordinates('x', x, t:size(2)), coordinates('y', y, t:size(1))
      end
      layer.counts_rows = not x
      colors.check(layer.colors or 'viridis')
      local values = t:double()
      local finite = values:maskedSelect(values:isfinite())
      if finite:nElement() == 0 then error('plot: the contour lines have no finite data', 0) end
      local low, high = finite:min(), finite:max()
      local list = levels_of(layer.levels or 8, low, high)
      layer.paths = {}
      if #list == 0 then return end
      local rows = values:totable()
      local shades = colors.paint(tensor, tensor.DoubleTensor(list):view(1, #list), low, high,
                                  layer.colors or 'viridis'):select(2, 1):t():totable()
      for k, level in ipairs(list) do
         for _, path in ipairs(contour.lines(rows, level)) do
            if x then
               map(path.x, x)
               map(path.y, y)
            end
            path.color = layer.color or shades[k]
            table.insert(layer.paths, path)
         end
      end
   end

   -- Lines across the axes at numbers. across: the axis along which they run.
   local function reference_lines(layer, name, object, across)
      local list = type(object) == 'number' and {object} or numbers(name, object)
      layer.paths, layer.color = {}, layer.color or colors.axis
      for k, at in ipairs(list) do
         layer.paths[k] = {[across] = {0, 1}, [name] = {at, at}, across = across}
      end
   end

   --- hline(y), vline(x): y, x: a number or a list.
   function makers.hline(layer, y) reference_lines(layer, 'y', y, 'x') end
   function makers.vline(layer, x) reference_lines(layer, 'x', x, 'y') end

   --- band(x, low, high): low, high: lists or numbers.
   function makers.band(layer, x, low, high)
      x = numbers('x', x)
      local function bound(name, object)
         if type(object) == 'number' then
            local list = {}
            for k = 1, #x do list[k] = object end
            return list
         end
         local list = numbers(name, object)
         if #list ~= #x then
            error(('plot: x has %d elements and %s has %d'):format(#x, name, #list), 0)
         end
         return list
      end
      local before = -math.huge
      for k = 1, #x do
         if x[k] < before then
            error(('plot: x of a band must not decrease: element %d is %.14g after %.14g')
                  :format(k, x[k], before), 0)
         end
         before = x[k] == x[k] and x[k] or before
      end
      layer.band = {{x = x, y = bound('low', low), is_band = true},
                    {x = x, y = bound('high', high), is_band = true}}
   end
end
