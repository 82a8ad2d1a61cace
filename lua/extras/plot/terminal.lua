-- Draws a figure as terminal text with Braille characters (2 x 4 dots each) and block characters.

local layout = require 'tensor.plot.layout'
local letters = require 'tensor.plot.letters'

local SHADES = {' ', '\226\150\145', '\226\150\146', '\226\150\147', '\226\150\136'}
local FULL = '\226\150\136'
-- The bit of each dot in a Braille character, by row and column.
local BITS = {{1, 8}, {2, 16}, {4, 32}, {64, 128}}

local function dot(dots, columns, rows, x, y)
   local px = math.min(math.max(math.floor(x * columns * 2), 0), columns * 2 - 1)
   local py = math.min(math.max(math.floor((1 - y) * rows * 4), 0), rows * 4 - 1)
   local cell = math.floor(py / 4) * columns + math.floor(px / 2)
   local set, bit = dots[cell] or 0, BITS[py % 4 + 1][px % 2 + 1]
   if math.floor(set / bit) % 2 == 0 then dots[cell] = set + bit end
end

local function draw_points(dots, columns, rows, view, layer)
   local positions = layout.positions(view, layer)
   if layer.kind == 'scatter' or layer.kind == 'boxplot' then
      for _, p in ipairs(layout.inside(positions)) do dot(dots, columns, rows, p[1], p[2]) end
      return
   end
   for _, line in ipairs(layout.lines(positions, columns * 2)) do
      for i = 1, #line do
         local a, b = line[i], line[i + 1] or line[i]
         local steps = math.max(math.abs(b[1] - a[1]) * columns * 2,
                                math.abs(b[2] - a[2]) * rows * 4, 1)
         for k = 0, math.ceil(steps) do
            local part = k / math.ceil(steps)
            dot(dots, columns, rows, a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]))
         end
      end
   end
end

-- Draws boxes as columns of block characters; the topmost character is filled in eighths.
local function draw_boxes(cells, columns, rows, view, boxes)
   for _, box in ipairs(boxes) do
      local function rank(value) return math.min(math.max(view.y:position(value), 0), 1) * rows end
      local bottom, top = rank(math.max(box[3], view.y.low)), rank(math.max(box[4], view.y.low))
      local first = math.floor(view.x:position(box[1]) * columns + 0.5)
      local last = math.max(math.floor(view.x:position(box[2]) * columns + 0.5) - 1, first)
      for column = math.max(first, 0), math.min(last, columns - 1) do
         for row = math.floor(bottom + 0.5), rows - 1 do
            local eighths = math.floor((top - row) * 8 + 0.5)
            if eighths >= 1 then
               local cell = (rows - 1 - row) * columns + column
               cells[cell] = eighths >= 8 and FULL or letters.of_code(0x2580 + eighths)
            end
         end
      end
   end
end

local function draw_picture(cells, columns, rows, layer)
   local grey, height, width = layer.grey, layer.grey:size(1), layer.grey:size(2)
   for row = 0, rows - 1 do
      for column = 0, columns - 1 do
         local value = grey[math.floor((row + 0.5) * height / rows) + 1]
                           [math.floor((column + 0.5) * width / columns) + 1]
         if value == value then
            cells[row * columns + column] = SHADES[math.floor(value * 4.999) + 1]
         end
      end
   end
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

--- Returns the figure as text of `across` columns and `down` lines.
return function(figure, across, down)
   local options = figure.options
   local view = layout.of(figure, across / 14, down / 4)
   local bare = view.picture and not view.picture.scale
   local indent, labels = 0, {}
   local rows = math.max(down - 2 - (options.title and 1 or 0) - (options.xlabel and 1 or 0) -
                         (options.ylabel and 1 or 0), 3)
   for _, mark in ipairs(bare and {} or view.y.marks) do
      local position = view.y:position(mark[1])
      if not view.y.reversed then position = 1 - position end
      labels[math.min(math.floor(position * rows), rows - 1)] = mark[2]
      indent = math.max(indent, letters.count(mark[2]) + 1)
   end
   local columns = math.max(across - indent - 1, 8)
   if bare then  -- a character is about twice as high as wide
      local height, width = view.picture.grey:size(1), view.picture.grey:size(2)
      local zoom = math.min(columns / (2 * width), rows / height)
      columns = math.max(math.floor(zoom * 2 * width), 1)
      rows = math.max(math.floor(zoom * height), 1)
   end
   local dots, cells, lines = {}, {}, {}
   for k, layer in ipairs(figure.layers) do
      if layer.grey then draw_picture(cells, columns, rows, layer) end
      if layer.x then draw_points(dots, columns, rows, view, layer) end
      for _, path in ipairs(layer.paths or {}) do draw_points(dots, columns, rows, view, path) end
      if view.boxes[k] then draw_boxes(cells, columns, rows, view, view.boxes[k]) end
   end
   if options.title then lines[1] = (' '):rep(indent + 1) .. options.title end
   if options.ylabel then lines[#lines + 1] = (' '):rep(indent) .. options.ylabel end
   for row = 0, rows - 1 do
      local parts = {}
      if not bare then
         local label = labels[row] and labels[row] .. ' ' or ''
         parts[1] = (' '):rep(indent - letters.count(label)) .. label ..
                    (labels[row] and '+' or '|')
      end
      for column = 0, columns - 1 do
         local cell = row * columns + column
         parts[#parts + 1] = dots[cell] and letters.of_code(0x2800 + dots[cell]) or cells[cell] or
                             ' '
      end
      lines[#lines + 1] = table.concat(parts):gsub(' +$', '')
   end
   if not bare then
      lines[#lines + 1], lines[#lines + 2] = axis_lines(view, columns, indent)
      if options.xlabel then
         local free = indent + across - letters.count(options.xlabel)
         lines[#lines + 1] = (' '):rep(math.max(free, 0) / 2) .. options.xlabel
      end
   end
   return table.concat(lines, '\n')
end
