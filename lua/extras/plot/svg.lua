-- A page that is written as SVG 1.1.

local base64 = require('tensor.plot.base64').encode
local encode_png = require('tensor.formats.picture').encode_png
local letters = require 'tensor.plot.letters'
local format_number = require 'tensor.versions'.format_number

local svg = {}
svg.__index = svg

local FONT = 'Helvetica, Arial, sans-serif'
local SIZES = {small = 11, title = 15}
local ANCHORS = {left = 'start', center = 'middle', right = 'end'}
local CAPITALS = 0.72  -- height of capitals relative to the font size

local function number(x) return (format_number('%.2f', x):gsub('%.?0+$', '')) end
local function hex(color) return ('#%02x%02x%02x'):format(color[1], color[2], color[3]) end

-- Replacements of the letters that have a meaning in XML or that XML does not allow.
local REPLACEMENT = '\239\191\189'  -- U+FFFD
local escapes = {['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;',
                 ['\127'] = ' ', ['\239\191\190'] = REPLACEMENT, ['\239\191\191'] = REPLACEMENT}
for byte = 0, 31 do escapes[string.char(byte)] = ' ' end
for byte = 128, 255 do escapes[string.char(byte)] = REPLACEMENT end  -- not UTF-8

local function escape(text)
   local list = letters.list(text)
   for i, letter in ipairs(list) do list[i] = escapes[letter] or letter end
   return table.concat(list)
end

function svg.new(width, height)
   local page = setmetatable({parts = {}}, svg)
   page:put('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ' ..
            'width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s">',
            width, height, width, height, FONT)
   page:rect(0, 0, width, height, {255, 255, 255})
   return page
end

function svg:put(...)
   self.parts[#self.parts + 1] = string.format(...)
end

function svg:rect(x, y, width, height, color)
   self:put('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>', number(x), number(y),
            number(width), number(height), hex(color))
end

--- Draws lines, each a list of points {x, y}.
function svg:lines(lines, color, thickness)
   for _, points in ipairs(lines) do
      local coordinates = {}
      for i, point in ipairs(points) do
         coordinates[i] = number(point[1]) .. ',' .. number(point[2])
      end
      coordinates[2] = coordinates[2] or coordinates[1]  -- a single point is drawn as a dot
      self:put('<polyline points="%s" fill="none" stroke="%s" stroke-width="%s" ' ..
               'stroke-linejoin="round" stroke-linecap="round"/>',
               table.concat(coordinates, ' '), hex(color), number(thickness))
   end
end

function svg:dots(points, color, size)
   for _, point in ipairs(points) do
      self:put('<circle cx="%s" cy="%s" r="%s" fill="%s"/>', number(point[1]), number(point[2]),
               number(size / 2), hex(color))
   end
end

--- Fills the area between two lines, whose points {x, y} have the same x, at equal distances.
function svg:area(sides, color)
   local coordinates = {}
   local function add(side, i)
      local before, point, after = side[i - 1], side[i], side[i + 1]
      -- Without the points inside a straight line.
      if before and after and math.abs(before[2] / 2 + after[2] / 2 - point[2]) < 1e-6 then
         return
      end
      coordinates[#coordinates + 1] = number(point[1]) .. ',' .. number(point[2])
   end
   for i = 1, #sides[1] do add(sides[1], i) end
   for i = #sides[2], 1, -1 do add(sides[2], i) end
   self:put('<polygon points="%s" fill="%s"/>', table.concat(coordinates, ' '), hex(color))
end

--- Draws a text. y is the top of its capitals.
function svg:text(x, y, text, color, align, size)
   size = SIZES[size or 'small']
   self:put('<text x="%s" y="%s" font-size="%d" fill="%s" text-anchor="%s">%s</text>', number(x),
            number(y + CAPITALS * size), size, hex(color), ANCHORS[align or 'left'], escape(text))
end

--- Draws a picture, a ByteTensor of 3 x H x W, scaled to a rectangle. part: as in pixels.lua.
function svg:image(x, y, width, height, picture, part)
   local across, down = picture:size(3), picture:size(2)
   local is_part = part and (part.width < across or part.height < down)
   if is_part then
      local box = {}
      for k, value in ipairs {part.x, part.y, part.width, part.height} do
         box[k] = format_number('%.9g', value)
      end
      self:put('<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s" ' ..
               'preserveAspectRatio="none">', number(x), number(y), number(width), number(height),
               table.concat(box, ' '))
      x, y, width, height = 0, 0, across, down
   end
   self:put('<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" ' ..
            'style="image-rendering:pixelated" xlink:href="data:image/png;base64,%s"/>',
            number(x), number(y), number(width), number(height), base64(encode_png(picture)))
   if is_part then self:put('</svg>') end
end

function svg:result()
   return table.concat(self.parts, '\n') .. '\n</svg>\n'
end

return svg
