-- A canvas of 3 x H x W color values from 0 to 255. x and y count from 1 at the top left.
--
--   local page = canvas.new(width, height)
--   page:fill(x, y, width, height, color)
--   page:image(x, y, grey, scale)
--   page:text(x, y, 'text', options)    options: color, scale, align = 'left', 'center', 'right'
--   page:line(points, color, thickness)
--   page:segments({{from, to}, ...}, color, thickness)
--   page:bytes()
--
-- A color is {red, green, blue}. Drawing outside the canvas raises an error.

local tensor = require 'tensor'
local font = require 'tensor.plot.font'

local canvas = {}
canvas.__index = canvas

local BLACK = {0, 0, 0}

--- Creates a white canvas.
function canvas.new(width, height)
  return setmetatable({pixels = tensor.FloatTensor(3, height, width):fill(255)}, canvas)
end

--- Returns a view of the pixels in a rectangle.
function canvas:region(x, y, width, height)
  return self.pixels:narrow(2, y, height):narrow(3, x, width)
end

function canvas:fill(x, y, width, height, color)
  local region = self:region(x, y, width, height)
  for channel = 1, 3 do
    region[channel]:fill(color[channel])
  end
end

-- Repeats each element in a square of scale x scale, by expanding two dimensions of size 1.
local function magnify(matrix, scale)
  local height, width = matrix:size(1), matrix:size(2)
  return matrix:contiguous():view(height, 1, width, 1):expand(height, scale, width, scale)
               :contiguous():view(height * scale, width * scale)
end

--- Draws a matrix of grey values from 0 to 255, each as a square of scale x scale.
function canvas:image(x, y, grey, scale)
  local picture = magnify(grey, scale):float()
  local region = self:region(x, y, picture:size(2), picture:size(1))
  region:copy(picture:view(1, picture:size(1), picture:size(2)):expandAs(region))
end

--- Returns the width of a text in pixels.
function canvas.textwidth(text, scale)
  return (#text * (font.width + 1) - 1) * (scale or 1)
end

--- Draws a text. x is its left end, center or right end, depending on align; y is the top of its
-- capitals.
function canvas:text(x, y, text, options)
  options = options or {}
  local scale, color = options.scale or 1, options.color or BLACK
  local width = canvas.textwidth(text, scale)
  local shift = {left = 0, center = math.floor(width / 2), right = width}
  x = x - shift[options.align or 'left']
  for character in text:gmatch('.') do
    local ink = magnify(font.glyph(character), scale)
    local region = self:region(x, y, ink:size(2), ink:size(1))
    for channel = 1, 3 do
      region[channel]:maskedFill(ink, color[channel])
    end
    x = x + (font.width + 1) * scale
  end
end

-- Returns the distance of each pixel of a region from the segment between two points.
local function distance(region, x, y, from, to)
  local height, width = region:size(1), region:size(2)
  local across = tensor.range(x, x + width - 1):float():view(1, width) - from[1]
  local down = tensor.range(y, y + height - 1):float():view(height, 1) - from[2]
  local dx, dy = to[1] - from[1], to[2] - from[2]
  -- Position of the nearest point on the segment, from 0 at its start to 1 at its end.
  local fraction = (across * dx + down * dy):div(math.max(dx * dx + dy * dy, 1e-9)):clamp(0, 1)
  return ((across - fraction * dx):pow(2) + (down - fraction * dy):pow(2)):sqrt()
end

--- Draws antialiased segments, each a pair of points {x, y}. If both points are equal, draws a dot.
function canvas:segments(segments, color, thickness)
  local height, width = self.pixels:size(2), self.pixels:size(3)
  -- The fraction of each pixel covered by any of the segments. All segments are combined before
  -- painting, so that joints are not painted twice.
  local coverage = tensor.FloatTensor(height, width):zero()
  local reach = thickness / 2 + 1
  for _, segment in ipairs(segments) do
    local from, to = segment[1], segment[2]
    local left = math.max(1, math.floor(math.min(from[1], to[1]) - reach))
    local right = math.min(width, math.ceil(math.max(from[1], to[1]) + reach))
    local top = math.max(1, math.floor(math.min(from[2], to[2]) - reach))
    local bottom = math.min(height, math.ceil(math.max(from[2], to[2]) + reach))
    local near = coverage[{{top, bottom}, {left, right}}]
    near:cmax((distance(near, left, top, from, to) * -1):add(thickness / 2 + 0.5):clamp(0, 1))
  end
  for channel = 1, 3 do
    local plane = self.pixels[channel]
    plane:add(coverage:clone():cmul(plane * -1 + color[channel]))
  end
end

--- Draws an antialiased line through points {x, y}. A single point is drawn as a dot.
function canvas:line(points, color, thickness)
  local segments = {}
  for i = 1, math.max(#points - 1, 1) do
    segments[i] = {points[i], points[i + 1] or points[i]}
  end
  self:segments(segments, color, thickness)
end

--- Returns the picture as a ByteTensor of 3 x H x W.
function canvas:bytes()
  return tensor.round(self.pixels):byte()
end

return canvas
