-- The legend of a figure: its entries, and the corner where it hides least of the data.

local colors = require 'tensor.plot.colors'
local dashes = require 'tensor.plot.dashes'
local letters = require 'tensor.plot.letters'
local markers = require 'tensor.plot.markers'

local legend = {}

local LETTER, LINE, MARGIN = 6, 14, 8
local THICKNESS = 1.6
local STEP = 8  -- distance of the points at which lines and boxes are counted

-- In the order of preference.
local corners = {'top right', 'top left', 'bottom right', 'bottom left'}
local FRAME = 46  -- width of the marker and the margins; SVG fonts may be wider than LETTER
local DOTS = '...'

function legend.check(where)
   if where == 'none' then return end
   for _, corner in ipairs(corners) do
      if where == corner then return end
   end
   error(('plot: the legend can be at "top right", "top left", "bottom right" or "bottom left", ' ..
          'or "none", got %q'):format(where), 0)
end

--- Adds points on the segments of a line to a list of points.
function legend.add_line(ink, line)
   for i, from in ipairs(line) do
      local to = line[i + 1] or from
      local steps = math.max(math.abs(to[1] - from[1]), math.abs(to[2] - from[2])) / STEP
      for k = 0, math.floor(steps) do
         local part = k / math.max(steps, 1)
         ink[#ink + 1] = {from[1] + part * (to[1] - from[1]), from[2] + part * (to[2] - from[2])}
      end
   end
end

--- The same for the points inside a box.
function legend.add_box(ink, x, y, width, height)
   for j = 0, math.floor(height / STEP) do
      legend.add_line(ink, {{x, y + j * STEP}, {x + width, y + j * STEP}})
   end
end

-- Returns a name with at most `most` letters.
local function shortened(name, most)
   local list = letters.list(name)
   if #list <= most then return name end
   return table.concat(list, '', 1, math.max(most - #DOTS, 1)) .. DOTS
end

local function place(box, width, height, where)
   local x = where:find 'right' and box.x + box.width - width - MARGIN or box.x + MARGIN
   local y = where:find 'top' and box.y + MARGIN or box.y + box.height - height - MARGIN
   return x, y
end

local function covered(ink, x, y, width, height)
   local count = 0
   for _, p in ipairs(ink) do
      local r = p.radius or 0
      if p[1] + r >= x and p[1] - r <= x + width and p[2] + r >= y and p[2] - r <= y + height then
         count = count + 1
      end
   end
   return count
end

--- Draws the legend of layers with names in a corner of the box, by default the one with the fewest
-- points of ink.
function legend.draw(page, box, entries, ink, where)
   if #entries == 0 or where == 'none' then return end
   local width, height = 0, #entries * LINE + 8
   local most = math.floor((box.width - 2 * MARGIN - FRAME) / LETTER)
   for _, entry in ipairs(entries) do
      width = math.max(width, letters.count(shortened(entry.name, most)) * LETTER)
   end
   width = width + FRAME
   if not where then
      local least = math.huge
      for _, corner in ipairs(corners) do
         local x, y = place(box, width, height, corner)
         local count = covered(ink, x, y, width, height)
         if count < least then least, where = count, corner end
      end
   end
   local x, y = place(box, width, height, where)
   page:rect(x - 1, y - 1, width + 2, height + 2, colors.grid)
   page:rect(x, y, width, height, {255, 255, 255})
   for i, entry in ipairs(entries) do
      local middle = y + 4 + (i - 0.5) * LINE
      local is_line = entry.kind:find 'line$'
      if is_line then
         local line = {{x + 6, middle}, {x + 24, middle}}
         page:lines(dashes.of({line}, entry.style, THICKNESS), entry.color, THICKNESS)
      end
      if entry.kind == 'scatter' or entry.marker then
         markers.draw(page, {{x + 15, middle}}, entry.marker or 'dot', entry.color, 4.5)
      elseif not is_line then
         local color = entry.band and colors.lighter(entry.color) or entry.color
         page:rect(x + 8, middle - 4, 14, 8, color)
      end
      page:text(x + 32, middle - 3.5, shortened(entry.name, most), colors.axis)
   end
end

return legend
