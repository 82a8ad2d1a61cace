-- A page that is rendered to pixels, with RATIO pixels per unit of length.

local canvas = require 'tensor.plot.canvas'
local letters = require 'tensor.plot.letters'

local pixels = {}
pixels.__index = pixels

local RATIO = 2
local SIZES = {small = 2, title = 3}

local function round(x) return math.floor(x + 0.5) end

function pixels.new(width, height)
   return setmetatable({canvas = canvas.new(width * RATIO, height * RATIO)}, pixels)
end

-- Returns the first pixel and the number of pixels, at least 1, of the interval from x to x +
-- width.
local function span(x, width)
   local first = round(x * RATIO)
   return first + 1, math.max(round((x + width) * RATIO) - first, 1)
end

function pixels:rect(x, y, width, height, color)
   local left, across = span(x, width)
   local top, down = span(y, height)
   self.canvas:fill(left, top, across, down, color)
end

local function to_pixel(point) return {point[1] * RATIO + 0.5, point[2] * RATIO + 0.5} end

function pixels:lines(lines, color, thickness)
   local segments = {}
   for _, points in ipairs(lines) do
      for i = 1, math.max(#points - 1, 1) do
         segments[#segments + 1] = {to_pixel(points[i]), to_pixel(points[i + 1] or points[i])}
      end
   end
   self.canvas:segments(segments, color, thickness * RATIO)
end

function pixels:dots(points, color, size)
   local segments = {}
   for i, point in ipairs(points) do
      segments[i] = {to_pixel(point), to_pixel(point)}
   end
   self.canvas:segments(segments, color, size * RATIO)
end

--- Fills the area between two lines, whose points {x, y} have the same x.
function pixels:area(sides, color)
   for i = 1, #sides[1] - 1 do
      local first, last = round(sides[1][i][1] * RATIO), round(sides[1][i + 1][1] * RATIO)
      for column = first, last - 1 do
         local part = (column + 0.5 - first) / (last - first)
         local function at(side)
            return side[i][2] + part * (side[i + 1][2] - side[i][2])
         end
         local y, other = at(sides[1]), at(sides[2])
         local top, down = span(math.min(y, other), math.abs(other - y))
         self.canvas:fill(column + 1, top, 1, down, color)
      end
   end
end

--- Draws a text, cut off at the edge of the page.
function pixels:text(x, y, text, color, align, size)
   local scale, width = SIZES[size or 'small'], self.canvas.pixels:size(3)
   local list, part = letters.list(text), ({center = 0.5, right = 1})[align] or 0
   for count = math.min(#list, width), 1, -1 do
      local across = canvas.width_of(count, scale)
      local left = math.max(round(x * RATIO) - math.floor(across * part), 1)
      if left + across <= width then
         return self.canvas:text(left, round(y * RATIO), table.concat(list, '', 1, count),
                                 {color = color, scale = scale})
      end
   end
end

--- Draws a picture in a rectangle. part: the rectangle of elements that is drawn, where element k
-- covers k - 1 to k; by default all.
function pixels:image(x, y, width, height, picture, part)
   part = part or {x = 0, y = 0, width = picture:size(3), height = picture:size(2)}
   local tensor = require 'tensor'
   local left, across = span(x, width)
   local top, down = span(y, height)
   -- For each pixel, the element at its center.
   local function nearest(count, first, covered, size)
      return tensor.range(0, count - 1):add(0.5):mul(covered / count):add(first):floor():add(1)
                   :clamp(1, size):long()
   end
   local shown = picture:index(2, nearest(down, part.y, part.height, picture:size(2)))
                        :index(3, nearest(across, part.x, part.width, picture:size(3)))
   self.canvas:region(left, top, across, down):copy(shown)
end

--- Returns the picture as a ByteTensor of 3 x H x W.
function pixels:result() return self.canvas:bytes() end

return pixels
