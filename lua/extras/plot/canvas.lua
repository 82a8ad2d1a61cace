-- A canvas of 3 x H x W color values from 0 to 255. x and y count from 1 at the top left.
--
--   local page = canvas.new(width, height)
--   page:fill(x, y, width, height, color)
--   page:text(x, y, 'text', options)    options: color, scale, align = 'left', 'center', 'right'
--   page:segments({{from, to}, ...}, color, thickness)
--   page:bytes()
--
-- A color is {red, green, blue}. Pixels outside the canvas are not drawn.

local tensor = require 'tensor'
local font = require 'tensor.plot.font'
local letters = require 'tensor.plot.letters'
local strokes = require('tensor.native').strokes

local canvas = {}
canvas.__index = canvas

local BLACK = {0, 0, 0}

--- Creates a white canvas.
function canvas.new(width, height)
  return setmetatable({pixels = tensor.ByteTensor(3, height, width):fill(255)}, canvas)
end

--- Returns a view of the pixels in a rectangle.
function canvas:region(x, y, width, height)
  return self.pixels:narrow(2, y, height):narrow(3, x, width)
end

-- Returns the part of a rectangle inside the canvas, or nil.
function canvas:clip(x, y, width, height)
  local left, top = math.max(x, 1), math.max(y, 1)
  local right = math.min(x + width - 1, self.pixels:size(3))
  local bottom = math.min(y + height - 1, self.pixels:size(2))
  if left <= right and top <= bottom then
    return left, top, right - left + 1, bottom - top + 1
  end
  return nil
end

function canvas:fill(x, y, width, height, color)
  local left, top, across, down = self:clip(x, y, width, height)
  if not left then return end
  local region = self:region(left, top, across, down)
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

--- Returns the width of a number of letters in pixels.
function canvas.width_of(count, scale)
  return (count * (font.width + 1) - 1) * (scale or 1)
end

--- Returns the width of a text in pixels.
function canvas.textwidth(text, scale)
  return canvas.width_of(letters.count(text), scale)
end

--- Draws a text. x is its left end, center or right end, depending on align; y is the top of its
-- capitals.
function canvas:text(x, y, text, options)
  options = options or {}
  local scale, color = options.scale or 1, options.color or BLACK
  local width = canvas.textwidth(text, scale)
  local shift = {left = 0, center = math.floor(width / 2), right = width}
  x = x - shift[options.align or 'left']
  for _, letter in ipairs(letters.list(text)) do
    local ink = magnify(font.glyph(letter), scale)
    local left, top, across, down = self:clip(x, y, ink:size(2), ink:size(1))
    if left then
      local region = self:region(left, top, across, down)
      ink = ink:narrow(1, top - y + 1, down):narrow(2, left - x + 1, across)
      for channel = 1, 3 do
        region[channel]:maskedFill(ink, color[channel])
      end
    end
    x = x + (font.width + 1) * scale
  end
end

--- Draws antialiased segments, each a pair of points {x, y}. If both points are equal, draws a dot.
function canvas:segments(segments, color, thickness)
  if #segments == 0 then return end
  local ends = {}
  for k, segment in ipairs(segments) do
    local from, to = segment[1], segment[2]
    ends[k] = {from[1], from[2], to[1], to[2]}
  end
  strokes(self.pixels, tensor.DoubleTensor(ends), thickness, color[1], color[2], color[3])
end

--- Returns the picture as a ByteTensor of 3 x H x W.
function canvas:bytes()
  return self.pixels
end

return canvas
