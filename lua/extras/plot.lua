-- tensor.plot: figures of lines, points, bars, histograms, box plots, heat maps and images, and the
-- layers of layers.lua, for the terminal and as SVG and PNG files.

local each = require 'tensor.versions'.each
local files = require 'tensor.files'
local names = require 'tensor.names'
local native = require 'tensor.native'
local plot_options = require 'tensor.plot.options'
local versions = require 'tensor.versions'
local raw_next = versions.raw_next

local WIDTH, HEIGHT = 640, 400
local COLUMNS, LINES = 72, 20  -- of a terminal
-- The number of arguments with data, if it is not 1.
local MOST_DATA = {line = 2, scatter = 2, contour = 3, band = 3}

return function(tensor)
   local function terminal_columns()
      return versions.require 'tensor.plot.screen'.columns_of_terminal()
   end

   -- Describes an object that is not a list with elements.
   local function description(object)
      if type(object) ~= 'table' then return native.type_name(object) end
      local key = raw_next(object)
      return key == nil and 'an empty table'
             or ('a table with the key %q'):format(tostring(key))
   end

   -- Returns a vector as a table of numbers.
   local function numbers(what, object)
      if tensor.isTensor(object) then
         if object:dim() > 1 then
            error(('plot: %s is a vector, got a tensor of %d dimensions')
                  :format(what, object:dim()), 0)
         end
         return object:nElement() > 0 and object:double():totable() or {}
      elseif type(object) ~= 'table' then
         error(('plot: %s is a vector or a table of numbers, got %s')
               :format(what, native.type_name(object)), 0)
      end
      local is_list, problem = pcall(files.count, object)
      if not is_list then
         error(('plot: %s: %s'):format(what, problem), 0)
      end
      if object[1] == nil and raw_next(object) ~= nil then
         error(('plot: %s: a list of numbers is expected, got %s')
               :format(what, description(object)), 0)
      end
      local list = {}
      for i, value in ipairs(object) do
         if type(value) ~= 'number' then
            error(('plot: element %d of %s must be a number, got %s')
                  :format(i, what, native.type_name(value)), 0)
         end
         list[i] = value  -- a copy: the caller may change its table
      end
      return list
   end

   local function matrix(what, object)
      if not tensor.isTensor(object) or object:nElement() == 0 then
         error(('plot: %s with elements is expected, got %s')
               :format(what, native.type_name(object)), 0)
      end
   end

   local function next_color(figure)
      local series = versions.require('tensor.plot.colors').series
      figure.colored = figure.colored + 1
      return series[(figure.colored - 1) % #series + 1]
   end

   local makers = {}

   local function points(layer, x, y)
      layer.y = numbers('y', y)
      if x then
         layer.x = numbers('x', x)
      else
         layer.x = {}
         for i = 1, #layer.y do layer.x[i] = i end
      end
      if #layer.x ~= #layer.y then
         error(('plot: x has %d elements and y has %d'):format(#layer.x, #layer.y), 0)
      end
      if not layer.errors then return end
      local errors = numbers('errors', layer.errors)
      if #errors ~= #layer.y then
         error(('plot: y has %d elements and errors have %d'):format(#layer.y, #errors), 0)
      end
      layer.paths = {}
      for i, distance in ipairs(errors) do
         local at = layer.x[i]
         layer.paths[i] = {x = {at, at}, y = {layer.y[i] - distance, layer.y[i] + distance},
                           is_error_bar = true}
      end
   end

   local function is_data(object, may_be_empty)
      return tensor.isTensor(object) or type(object) == 'table'
             and (#object > 0 or may_be_empty and raw_next(object) == nil)
   end

   function makers.line(layer, x, y)
      if y ~= nil then points(layer, x, y) else points(layer, nil, x) end
   end
   function makers.scatter(layer, x, y)
      points(layer, x, y)
      if type(layer.color) ~= 'userdata' then
         if layer.colors then error('plot: colors maps a tensor, which color must be', 0) end
         return
      end
      local values = numbers('color', layer.color)
      if #values ~= #layer.y then
         error(('plot: y has %d elements and color has %d'):format(#layer.y, #values), 0)
      end
      local map = layer.colors or 'viridis'
      layer.point_colors = versions.require('tensor.plot.colors').of_values(tensor, values, map)
      layer.color = nil
   end

   -- Returns the names in a table whose keys are strings, sorted, and the values in this order; nil
   -- for other objects.
   local function named_values(object)
      if type(object) ~= 'table' or raw_next(object) == nil then return nil end
      local list, values = {}, {}
      for name in each(object) do
         if type(name) ~= 'string' then return nil end
         list[#list + 1] = name
      end
      table.sort(list)
      for i, name in ipairs(list) do
         values[i] = object[name]
         if type(values[i]) ~= 'number' then
            error(('plot: the height of %q must be a number, got %s')
                  :format(name, native.type_name(values[i])), 0)
         end
      end
      return list, values
   end

   function makers.bars(layer, heights)
      local labels, values = named_values(heights)
      if labels and layer.labels then
         error('plot: the heights have names, which are the labels: no further labels are ' ..
               'expected', 0)
      elseif labels then
         layer.labels, heights = labels, values
      end
      layer.heights = numbers('heights', heights)
   end

   function makers.histogram(layer, t)
      if type(t) == 'table' then t = tensor.DoubleTensor(numbers('the data', t)) end
      matrix('a tensor', t)
      local bins = layer.bins or 30
      if not (bins >= 1 and bins <= 10000 and bins % 1 == 0) then
         error(('plot: bins are from 1 to 10000, got %g'):format(bins), 0)
      end
      local values = t:double()
      values = values:maskedSelect(values:isfinite())
      if values:nElement() == 0 then error('plot: the histogram has no finite data', 0) end
      local low, high = values:min(), values:max()
      if layer.limits then
         low, high = layer.limits[1], layer.limits[2]
      elseif low == high then
         local more = math.max(0.5, 1e-9 * math.abs(low))
         low, high = low - more, high + more
      end
      if high - low >= math.huge then
         error(('plot: values from %g to %g are too far apart'):format(low, high), 0)
      end
      layer.heights, layer.edges = values:histc(bins, low, high):totable(), {}
      for k = 0, bins do layer.edges[k + 1] = low + k * ((high - low) / bins) end
   end

   function makers.heatmap(layer, t)
      matrix('a matrix', t)
      if t:dim() ~= 2 then
         error(('plot: a heat map needs a matrix, got %d dimensions'):format(t:dim()), 0)
      end
      local colors = versions.require 'tensor.plot.colors'
      layer.colors = layer.colors or 'viridis'
      colors.check(layer.colors)
      local values = t:double()
      local finite = values:maskedSelect(values:isfinite())
      local low, high = 0, 1
      if layer.limits then
         low, high = layer.limits[1], layer.limits[2]
      elseif finite:nElement() > 0 then
         low, high = finite:min(), finite:max()
      end
      layer.scale = versions.require('tensor.plot.ticks').new(low, high, {
         most = 6, fixed = layer.limits ~= nil})
      low, high = layer.scale.low, layer.scale.high
      layer.grey = colors.shade(values, low, high)
      layer.picture = colors.paint(tensor, values, low, high, layer.colors)
   end

   versions.require 'tensor.plot.layers'(tensor, makers, {numbers = numbers, matrix = matrix})

   function makers.boxplot(layer, samples)
      if type(samples) ~= 'table' or #samples == 0 then
         error(('plot: a table of vectors is expected, got %s'):format(description(samples)), 0)
      end
      local boxes = versions.require 'tensor.plot.boxes'
      layer.x, layer.y, layer.paths, layer.marker = {}, {}, {}, 'circle'
      for i, sample in ipairs(samples) do
         boxes.add(layer, i, numbers('sample ' .. i, sample))
      end
      local labels = layer.labels or {}
      layer.labels = {}
      for i = 1, #samples do layer.labels[i] = labels[i] or tostring(i) end
   end

   function makers.image(layer, t)
      matrix('a picture', t)
      local format = versions.require 'tensor.formats.picture'
      local picture = t:dim() == 2 and t:unsqueeze(1) or t
      local channels = picture:dim() == 3 and picture:size(1)
      if channels ~= 1 and channels ~= 3 then
         error('plot: an image has H x W, 1 x H x W or 3 x H x W elements, got ' ..
               table.concat(t:size():totable(), ' x ') .. format.advice(t), 0)
      end
      local fine, failure = pcall(format.check_values, tensor, t)
      if not fine then error('plot: ' .. failure, 0) end
      local values = picture:double()
      if not t:type():find 'Byte' then values = values * 255 end
      values = tensor.clamp(values, 0, 255):round()
      values:maskedFill(values:ne(values), 0)
      layer.grey = values:mean(1):squeeze(1):div(255)
      layer.picture = values:byte():expand(3, picture:size(2), picture:size(3)):contiguous()
   end

   local Figure = {__unwritable = {'figure', 'its method save writes pictures'}}
   Figure.__index = Figure
   setmetatable(Figure, {__index = names.refuse(tensor, 'a figure', function(name)
      return plot_options.is_of_figure(name) and ('use figure:set{%s = ...}'):format(name)
             or names.suggestion(name, {Figure})
   end)})

   local function new_figure()
      return setmetatable({layers = {}, colored = 0,
                           options = {width = WIDTH, height = HEIGHT, log = {}}}, Figure)
   end

   -- Calls f. Errors get the position of the caller's caller, and the name of its function in place
   -- of 'plot'. Callers put the call in parentheses: a tail call would remove a level.
   local function guarded(name, f, ...)
      local done, result = pcall(f, ...)
      if not done then error((tostring(result):gsub('^plot: ', name .. ': ')), 3) end
      return result
   end

   -- Calls f, which writes a file. Errors begin with 'save: ' and have no position, which guarded
   -- adds.
   local function write(f, ...)
      local done, failure = pcall(f, ...)
      if not done then error('save: ' .. files.cause(failure), 0) end
   end

   local function check_figure(object, name)
      native.check_self(type(object) == 'table' and object.draw, name)
   end

   local adders, most_arguments = {}, {}
   for kind, make in each(makers) do
      local data = MOST_DATA[kind] or 1
      local has_fewer = kind == 'line' or kind == 'contour'  -- without coordinates
      adders[kind] = function(figure, ...)
         local list, count = {...}, data
         -- An empty table is an empty y of an empty x, else a table without options.
         local is_empty = type(list[1]) == 'table' and raw_next(list[1]) == nil
         local has_more = is_data(list[2], kind == 'line' and is_empty) or is_data(list[3])
         if has_fewer and list[data + 1] == nil and not has_more then
            count = 1
         end
         local layer, options = plot_options.take(figure.options, list[count + 1], kind)
         layer.kind = kind
         make(layer, versions.unpack(list, 1, count))
         figure.options = options
         if not layer.picture then layer.color = layer.color or next_color(figure) end
         table.insert(figure.layers, layer)
         return figure
      end
      most_arguments[kind] = data + 1
      Figure[kind] = function(figure, ...)
         check_figure(figure, kind)
         native.refuse_extra(kind, most_arguments[kind] + 1, figure, ...)
         return (guarded(kind, adders[kind], figure, ...))
      end
   end

   local function set(figure, options)
      figure.options = select(2, plot_options.take(figure.options, options))
   end

   --- Sets options of the figure.
   function Figure:set(options)
      check_figure(self, 'set')
      guarded('set', set, self, options)
      return self
   end

   -- Raises an error in the caller's caller unless both are numbers.
   local function check_size(columns, lines)
      if type(columns) ~= 'number' or type(lines) ~= 'number' then
         error(('plot: numbers of columns and lines are expected, got %s and %s'):format(
            description(columns), description(lines)), 3)
      end
   end

   --- text([columns [, lines [, colors]]]): returns the figure as text of this size. colors:
   -- 'true', '256' or nil.
   function Figure:text(columns, lines, colors)
      check_figure(self, 'text')
      columns, lines = columns or COLUMNS, lines or LINES
      check_size(columns, lines)
      if not (columns >= 20 and columns <= 1000 and lines >= 5 and lines <= 1000) then
         error('plot: text has 20 to 1000 columns and 5 to 1000 lines', 2)
      elseif colors ~= nil and colors ~= 'true' and colors ~= '256' then
         error(('plot: colors are "true" or "256", got %s'):format(tostring(colors)), 2)
      end
      local draw = versions.require 'tensor.plot.terminal'
      return (guarded('text', draw, self, math.floor(columns), math.floor(lines), colors))
   end
   Figure.__tostring = function(figure) return figure:text(terminal_columns()) end

   --- graphics(kind): returns the figure for a terminal that shows pictures. kind: "kitty" or
   -- "sixel".
   function Figure:graphics(kind)
      check_figure(self, 'graphics')
      if kind ~= 'kitty' and kind ~= 'sixel' then
         error(('plot: graphics are "kitty" or "sixel", got %s'):format(tostring(kind)), 2)
      end
      local pixels = self:pixels()
      if kind == 'sixel' then  -- pixels() has two pixels per unit of length
         pixels = tensor.image.scale(pixels, pixels:size(3) / 2, pixels:size(2) / 2)
      end
      return versions.require('tensor.plot.graphics')[kind](pixels)
   end
   -- The REPL calls it if the terminal shows pictures or colors.
   function Figure.__graphics(figure, kind)
      if kind == 'true' or kind == '256' then return figure:text(terminal_columns(), nil, kind) end
      return figure:graphics(kind)
   end

   function Figure:size() return self.options.width, self.options.height end
   function Figure:draw(page) return versions.require 'tensor.plot.draw'(self, page) end

   local function render(figure, kind)
      local page = versions.require('tensor.plot.' .. kind).new(figure:size())
      return figure:draw(page):result()
   end
   --- svg(): returns the text of an SVG file. pixels(): returns a ByteTensor of 3 x H x W.
   function Figure:svg()
      check_figure(self, 'svg')
      return (guarded('svg', render, self, 'svg'))
   end
   function Figure:pixels()
      check_figure(self, 'pixels')
      return (guarded('pixels', render, self, 'pixels'))
   end

   --- save(filename): writes a .svg file or a picture.
   function Figure:save(filename)
      check_figure(self, 'save')
      if type(filename) ~= 'string' then
         error(('plot: the name of a file is expected, got %s'):format(tensor.type(filename)), 2)
      end
      local ending = (filename:match '%.([^./\\]+)$' or ''):lower()
      if ending == 'svg' then
         local text = guarded('save', render, self, 'svg')
         guarded('save', write, files.write_file, tensor, filename, function(file)
            file:writeChar(tensor.CharStorage():string(text))
         end)
      elseif ending == 'png' or ending == 'jpg' or ending == 'jpeg' then
         local pixels = guarded('save', render, self, 'pixels')
         guarded('save', write, tensor.save, filename, pixels)
      else
         error(('plot: figures are saved as .svg, .png or .jpg, not as %s'):format(filename), 2)
      end
      return self
   end

   -- Figures in rows on one page. The methods that write are those of figures.
   local Grid = {__unwritable = Figure.__unwritable}
   Grid.__index = Grid
   for _, name in ipairs {'graphics', '__graphics', 'svg', 'pixels', 'save'} do
      Grid[name] = Figure[name]
   end
   function Grid:size() return versions.require('tensor.plot.grid').size(self.rows) end
   function Grid:draw(page)
      return versions.require('tensor.plot.grid').draw(self.rows, page, Figure.draw)
   end
   --- text([columns [, lines]]): returns the figures as text; columns: of all figures in a row.
   function Grid:text(columns, lines, colors)
      columns, lines = columns or COLUMNS, lines or LINES
      check_size(columns, lines)
      local most = 1
      for _, row in ipairs(self.rows) do most = math.max(most, #row) end
      local width = math.max(math.floor(columns / most) - 2, 20)
      return versions.require('tensor.plot.grid').text(self.rows, function(figure)
         return figure:text(width, lines, colors)
      end)
   end
   Grid.__tostring = function(figures) return figures:text(terminal_columns()) end

   local function new_grid(rows)
      if type(rows) ~= 'table' or #rows == 0 then
         error('plot: a table of rows of figures is expected', 0)
      end
      for i, row in ipairs(rows) do
         if type(row) ~= 'table' or #row == 0 then
            error(('plot: row %d of a grid must be a table of figures'):format(i), 0)
         end
         for j, figure in ipairs(row) do
            if getmetatable(figure) ~= Figure then
               error(('plot: element %d of row %d must be a figure, got %s')
                     :format(j, i, tensor.type(figure)), 0)
            end
         end
      end
      return setmetatable({rows = rows}, Grid)
   end

   local plot = {}
   function plot.live(options)
      return (guarded('plot.live', versions.require('tensor.plot.live').new, plot.figure, options))
   end
   function plot.grid(rows) return (guarded('plot.grid', new_grid, rows)) end
   for kind in each(makers) do
      plot[kind] = function(...)
         native.refuse_extra('plot.' .. kind, most_arguments[kind], ...)
         return (guarded('plot.' .. kind, adders[kind], new_figure(), ...))
      end
   end
   function plot.figure(options)
      local figure = new_figure()
      guarded('plot.figure', set, figure, options)
      return figure
   end
   tensor.plot = setmetatable(plot, {__call = function(_, ...)
      native.refuse_extra('plot', most_arguments.line, ...)
      return (guarded('plot', adders.line, new_figure(), ...))
   end, __index = names.refuse(tensor, 'tensor.plot', function(name)
      return name == 'plot' and 'tensor.plot(x, y) draws a line' or plot_options.is_of_figure(name)
             and ('it is an option, as in tensor.plot.line(y, {%s = ...})'):format(name)
             or names.suggestion(name, {plot})
   end)})
   native.limit_arguments(plot)
   native.limit_arguments(Figure)
   native.limit_arguments(Grid)
end
