-- Draws a figure as terminal text with Braille characters (2 x 4 dots each) and block characters,
-- and with colors if the terminal has them.

local dashes = require 'tensor.plot.dashes'
local layout = require 'tensor.plot.layout'
local letters = require 'tensor.plot.letters'
local screen = require 'tensor.plot.screen'

local SHADES = {' ', '\226\150\145', '\226\150\146', '\226\150\147', '\226\150\136'}
local FULL, UPPER_HALF, SQUARE = '\226\150\136', '\226\150\128', '\226\150\160'
local LOWER_HALF = '\226\150\132'

-- Returns lines with each position multiplied.
local function scaled(lines, across, down)
   local result = {}
   for i, line in ipairs(lines) do
      result[i] = {}
      for k, p in ipairs(line) do result[i][k] = {p[1] * across, p[2] * down} end
   end
   return result
end

-- style: of the lines, or nil.
local function draw_points(page, view, layer, color, style)
   local columns, rows = page.columns, page.rows
   local positions = layout.positions(view, layer)
   if layer.kind == 'scatter' or layer.kind == 'boxplot' then
      for _, p in ipairs(layout.inside(positions)) do page:dot(p[1], p[2], p[3] or color) end
      return
   end
   local lines = layout.lines(positions, columns * 2)
   if style then  -- dashes of four dots
      local parts = dashes.of(scaled(lines, columns * 2, rows * 4), style, 1)
      lines = scaled(parts, 1 / (columns * 2), 1 / (rows * 4))
   end
   for _, line in ipairs(lines) do
      for i = 1, #line do
         local a, b = line[i], line[i + 1] or line[i]
         local steps = math.max(math.abs(b[1] - a[1]) * columns * 2,
                                math.abs(b[2] - a[2]) * rows * 4, 1)
         for k = 0, math.ceil(steps) do
            local part = k / math.ceil(steps)
            page:dot(a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]), color)
         end
      end
   end
end

local function draw_band(page, view, layer)
   for _, area in ipairs(layout.areas(view, layer.band, page.columns * 2)) do
      for i, p in ipairs(area[1]) do
         local y, other = p[2], area[2][i][2]
         local column = math.min(math.floor(p[1] * page.columns), page.columns - 1)
         local first = math.floor((1 - math.max(y, other)) * page.rows + 0.5)
         local last = math.floor((1 - math.min(y, other)) * page.rows + 0.5) - 1
         for row = first, last do page:put(column, row, SHADES[2], layer.color) end
      end
   end
end

-- Draws boxes as columns of block characters; the topmost character is filled in eighths.
local function draw_boxes(page, view, boxes, color)
   local columns, rows = page.columns, page.rows
   for _, box in ipairs(boxes) do
      local function rank(value) return math.min(math.max(view.y:position(value), 0), 1) * rows end
      local bottom, top = rank(math.max(box[3], view.y.low)), rank(math.max(box[4], view.y.low))
      local first = math.floor(view.x:position(box[1]) * columns + 0.5)
      local last = math.max(math.floor(view.x:position(box[2]) * columns + 0.5) - 1, first)
      for column = math.max(first, 0), math.min(last, columns - 1) do
         for row = math.floor(bottom + 0.5), rows - 1 do
            local eighths = math.floor((top - row) * 8 + 0.5)
            if eighths >= 1 then
               page:put(column, rows - 1 - row,
                        eighths >= 8 and FULL or letters.of_code(0x2580 + eighths), color)
            end
         end
      end
   end
end

-- Without colors, a character is a shade of grey. With colors it has two pixels.
local function draw_picture(page, view, layer)
   local grey, height, width = layer.grey, layer.grey:size(1), layer.grey:size(2)
   local columns, rows = page.columns, page.rows
   local function inside(k, size) return k >= 1 and k <= size and k or nil end
   local function x_of(column)
      return inside(math.floor(view.x:value((column + 0.5) / columns) + 0.5), width)
   end
   local function y_of(position) return inside(math.floor(view.y:value(position) + 0.5), height) end
   local function color_at(row, x)  -- row: of half characters
      local y = y_of((row + 0.5) / (2 * rows))
      if not x or not y then return nil end
      local color = {}
      for channel = 1, 3 do color[channel] = layer.picture[channel][y][x] end
      return color
   end
   for row = 0, rows - 1 do
      for column = 0, columns - 1 do
         local x, y = x_of(column), y_of((row + 0.5) / rows)
         if page.mode then
            local upper, lower = color_at(2 * row, x), color_at(2 * row + 1, x)
            if upper then
               page:put(column, row, UPPER_HALF, upper, lower)
            elseif lower then
               page:put(column, row, LOWER_HALF, lower)
            end
         elseif x and y then
            local value = grey[y][x]
            if value == value then
               page:put(column, row, SHADES[math.floor(value * 4.999) + 1])
            end
         end
      end
   end
end

-- Returns a line with the names of the layers in their colors, or nil.
local function legend(page, layers, across)
   local parts, width = {}, 0
   for _, layer in ipairs(layers) do
      if layer.name and layer.color then
         width = width + letters.count(layer.name) + 4
         if width > across then break end
         parts[#parts + 1] = page:colored(SQUARE .. ' ' .. layer.name, layer.color)
      end
   end
   return #parts > 0 and table.concat(parts, '  ') or nil
end

local function axis_lines(view, columns, indent)
   local marks, text, ends = {}, '', -1
   for column = 0, columns - 1 do marks[column + 1] = '-' end
   for _, mark in ipairs(view.x.marks) do
      local at = math.min(math.floor(view.x:position(mark[1]) * columns), columns - 1)
      local size = letters.count(mark[2])
      local first = math.max(at - math.floor(size / 2), 0)
      if first > ends then
         marks[at + 1] = '+'
         text = text .. (' '):rep(first - letters.count(text)) .. mark[2]
         ends = first + size
      end
   end
   return (' '):rep(indent) .. '+' .. table.concat(marks), (' '):rep(indent + 1) .. text
end

--- Returns the figure as text of `across` columns and `down` lines. mode: see screen.new. With
-- colors, one of the lines is the legend.
return function(figure, across, down, mode)
   local options = figure.options
   local view = layout.of(figure, across / 14, down / 4)
   local bare = view.picture and not view.picture.scale
   local indent, labels = 0, {}
   local rows = math.max(down - 2 - (options.title and 1 or 0) - (options.xlabel and 1 or 0) -
                         (options.ylabel and 1 or 0), 3)
   local names = mode and options.legend ~= 'none' and
                 legend(screen.new(0, 0, mode), figure.layers, across)
   if names then rows = math.max(rows - 1, 3) end
   for _, mark in ipairs(bare and {} or view.y.marks) do
      local position = view.y:position(mark[1])
      if not view.y.reversed then position = 1 - position end
      labels[math.min(math.floor(position * rows), rows - 1)] = mark[2]
      indent = math.max(indent, letters.count(mark[2]) + 1)
   end
   local columns = math.max(across - indent - 1, 8)
   if bare then  -- a character is about twice as high as wide
      local height, width = view.y.to - view.y.from, view.x.to - view.x.from
      local zoom = math.min(columns / (2 * width), rows / height)
      columns = math.max(math.floor(zoom * 2 * width), 1)
      rows = math.max(math.floor(zoom * height), 1)
   end
   local page, lines = screen.new(columns, rows, mode), {}
   for _, layer in ipairs(figure.layers) do
      if layer.band then draw_band(page, view, layer) end
   end
   for k, layer in ipairs(figure.layers) do
      if layer.grey then draw_picture(page, view, layer) end
      if layer.x then draw_points(page, view, layer, layer.color, layer.style) end
      for _, path in ipairs(layer.paths or {}) do
         draw_points(page, view, path, path.color or layer.color, path.across and layer.style)
      end
      if view.boxes[k] then draw_boxes(page, view, view.boxes[k], layer.color) end
   end
   if options.title then lines[1] = (' '):rep(indent + 1) .. options.title end
   if options.ylabel then lines[#lines + 1] = (' '):rep(indent) .. options.ylabel end
   for row = 0, rows - 1 do
      local axis = ''
      if not bare then
         local label = labels[row] and labels[row] .. ' ' or ''
         axis = (' '):rep(indent - letters.count(label)) .. label .. (labels[row] and '+' or '|')
      end
      lines[#lines + 1] = axis .. page:line(row)
   end
   if not bare then
      lines[#lines + 1], lines[#lines + 2] = axis_lines(view, columns, indent)
      if options.xlabel then
         local free = indent + across - letters.count(options.xlabel)
         lines[#lines + 1] = (' '):rep(math.floor(math.max(free, 0) / 2)) .. options.xlabel
      end
   end
   lines[#lines + 1] = names or nil
   return table.concat(lines, '\n')
end
