-- Draws a figure on a page, which is an object of svg.lua or pixels.lua.

local colors = require 'tensor.plot.colors'
local dashes = require 'tensor.plot.dashes'
local layout = require 'tensor.plot.layout'
local legend = require 'tensor.plot.legend'
local letters = require 'tensor.plot.letters'
local markers = require 'tensor.plot.markers'

local LETTER = 6  -- width of a letter of small text
local THICKNESS, DOT, GAP = 1.6, 4.5, 10
local BAR_OF_COLORS = 14
local LINE = 11  -- least distance of labels of the y axis

local function widest(texts)
   local width = 0
   for _, text in ipairs(texts) do width = math.max(width, letters.count(text)) end
   return width * LETTER
end

local function mark_texts(axis)
   local texts = {}
   for i, mark in ipairs(axis.marks) do texts[i] = mark[2] end
   return texts
end

-- Returns a function that draws a label at y, unless it would overlap the last one.
local function labels_at(page, x, align)
   local last
   return function(y, text)
      if last and math.abs(y - last) < LINE then return end
      page:text(x, y - 3.5, text, colors.axis, align)
      last = y
   end
end

local function draw_axes(page, box, view, options)
   local right, bottom = box.x + box.width, box.y + box.height
   local last = -math.huge
   for _, mark in ipairs(view.x.marks) do
      local x = box.x + view.x:position(mark[1]) * box.width
      local half = letters.count(mark[2]) * LETTER / 2
      if not view.picture then page:rect(x - 0.25, box.y, 0.5, box.height, colors.grid) end
      if x - half > last then  -- labels must not overlap
         page:text(x, bottom + 8, mark[2], colors.axis, 'center')
         last = x + half + LETTER
      end
   end
   local label = labels_at(page, box.x - 6, 'right')
   for _, mark in ipairs(view.y.marks) do
      local position = view.y:position(mark[1])
      local y = view.y.reversed and box.y + position * box.height or bottom - position * box.height
      if not view.picture then page:rect(box.x, y - 0.25, box.width, 0.5, colors.grid) end
      label(y, mark[2])
   end
   if options.xlabel then
      page:text(box.x + box.width / 2, bottom + 26, options.xlabel, colors.text, 'center')
   end
   if options.ylabel then
      page:text(box.x, box.y - 16, options.ylabel, colors.text)
   end
   return right, bottom
end

local function color_bar(page, box, layer)
   local tensor = require 'tensor'
   local x = box.x + box.width + 16
   local ramp = tensor.linspace(1, 0, 128):view(128, 1)
   page:image(x, box.y, BAR_OF_COLORS, box.height, colors.paint(tensor, ramp, 0, 1, layer.colors))
   local label = labels_at(page, x + BAR_OF_COLORS + 5)
   for _, mark in ipairs(layer.scale.marks) do
      label(box.y + (1 - layer.scale:position(mark[1])) * box.height, mark[2])
   end
end

-- Returns lists of the points of one color each, in the order of their first points.
local function by_color(points, default)
   local groups, group_of = {}, {}
   for _, point in ipairs(points) do
      local color = point[3] or default
      local group = group_of[color]
      if not group then
         group = {color = color}
         groups[#groups + 1], group_of[color] = group, group
      end
      group[#group + 1] = point
   end
   return groups
end

-- Draws the part of a picture inside the axes.
local function draw_picture(page, box, view, picture)
   local x, picture_x = layout.span(view.x, picture, 3, box.width * 2)
   local y, shown = layout.span(view.y, picture_x, 2, box.height * 2)
   if not x or not y then return end
   page:image(box.x + x.from * box.width, box.y + y.from * box.height,
              (x.to - x.from) * box.width, (y.to - y.from) * box.height, shown,
              {x = x.first, y = y.first, width = x.count, height = y.count})
end

-- Draws the layers in the rectangle of the axes. Returns those with names, and points on what was
-- drawn.
local function draw_layers(page, box, view, layers)
   local function to_page(p)
      return {box.x + p[1] * box.width, box.y + (1 - p[2]) * box.height, p[3]}
   end
   local function all(points)
      local result = {}
      for i, p in ipairs(points) do result[i] = to_page(p) end
      return result
   end
   local named, ink = {}, {}
   local function draw_line(layer, line, color, style)
      local thickness = layer.thickness or THICKNESS
      local lines = layout.lines(layout.positions(view, line), math.ceil(box.width * 2))
      for i, part in ipairs(lines) do
         lines[i] = all(part)
         legend.add_line(ink, lines[i])
      end
      page:lines(dashes.of(lines, style, thickness), color, thickness)
   end
   for _, layer in ipairs(layers) do  -- below the others
      for _, area in ipairs(layer.band and layout.areas(view, layer.band, math.ceil(box.width)) or
                            {}) do
         local sides = {all(area[1]), all(area[2])}
         for _, side in ipairs(sides) do legend.add_line(ink, side) end
         page:area(sides, colors.lighter(layer.color))
      end
   end
   for k, layer in ipairs(layers) do
      if layer.picture then
         draw_picture(page, box, view, layer.picture)
      elseif layer.kind == 'line' then
         draw_line(layer, layer, layer.color, layer.style)
      end
      for _, path in ipairs(layer.paths or {}) do
         draw_line(layer, path, path.color or layer.color, path.across and layer.style)
      end
      if layer.kind == 'scatter' or layer.marker then
         local points = all(layout.inside(layout.positions(view, layer)))
         for _, group in ipairs(by_color(points, layer.color)) do
            markers.draw(page, group, layer.marker or 'dot', group.color, layer.size or DOT)
         end
         local radius = markers.radius(layer.marker or 'dot', layer.size or DOT)
         for _, point in ipairs(points) do
            ink[#ink + 1] = {point[1], point[2], radius = radius}
         end
      end
      for _, b in ipairs(view.boxes[k] or {}) do
         local function cut(axis, value)
            if axis.log and value <= axis.low then return 0 end
            return math.min(math.max(axis:position(value), 0), 1)
         end
         local from = to_page {cut(view.x, b[1]), cut(view.y, b[4])}
         local to = to_page {cut(view.x, b[2]), cut(view.y, b[3])}
         local gap = layer.kind == 'histogram' and math.min(0.5, (to[1] - from[1]) / 4) or 0
         if to[1] > from[1] and to[2] > from[2] then
            page:rect(from[1] + gap, from[2], to[1] - from[1] - 2 * gap, to[2] - from[2],
                      layer.color)
            legend.add_box(ink, from[1], from[2], to[1] - from[1], to[2] - from[2])
         end
      end
      if layer.name then named[#named + 1] = layer end
   end
   return named, ink
end

--- Draws the figure on the page and returns the page.
return function(figure, page)
   local options = figure.options
   local view = layout.of(figure, options.width / 80, options.height / 45)
   local picture = view.picture
   local bare = picture and not picture.scale  -- an image has no axes
   local top = 14 + (options.title and 26 or 0) + (options.ylabel and 18 or 0)
   local left = GAP + (bare and 0 or widest(mark_texts(view.y)) + 10)
   local right = GAP + 8
   if picture and picture.scale then
      right = right + 16 + BAR_OF_COLORS + widest(mark_texts(picture.scale))
   end
   local bottom = bare and GAP or 26 + (options.xlabel and 18 or 0)
   local box = {x = left, y = top, width = options.width - left - right,
                height = options.height - top - bottom}
   if box.width < 20 or box.height < 20 then
      error(('plot: %d x %d is too small for the labels')
            :format(options.width, options.height), 0)
   end
   if picture and (bare or options.aspect == 'equal') then  -- with square pixels
      local across, down = view.x.to - view.x.from, view.y.to - view.y.from
      local zoom = math.min(box.width / across, box.height / down)
      box.x = box.x + (box.width - zoom * across) / 2
      box.width, box.height = zoom * across, zoom * down
   end
   if options.title then
      page:text(options.width / 2, 14, options.title, colors.text, 'center', 'title')
   end
   if not bare then draw_axes(page, box, view, options) end
   local named, ink = draw_layers(page, box, view, figure.layers)
   if picture and picture.scale then color_bar(page, box, picture) end
   if not picture then
      page:rect(box.x - 0.5, box.y, 1, box.height, colors.axis)
      page:rect(box.x, box.y + box.height - 0.5, box.width, 1, colors.axis)
   end
   legend.draw(page, box, named, ink, options.legend)
   return page
end
