-- The results that examples/digits.lua prints and draws.

local canvas = require 'tensor.plot.canvas'
local plot = require 'lib.plot'

local report = {}

local SIDE, INK = 8, 16
local SHADES = ' .:-=+*#%@'
local ACROSS = 4

--- Formats a confusion matrix: rows are the digits shown, columns the predictions.
function report.confusion(counts)
  local lines = {'shown  read as ' .. ('%5d'):rep(10):format(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)}
  for i, row in ipairs(counts:totable()) do
    local cells = {('%5d          '):format(i - 1)}
    for _, n in ipairs(row) do
      cells[#cells + 1] = n > 0 and ('%5d'):format(n) or '    .'
    end
    lines[i + 1] = table.concat(cells)
  end
  return table.concat(lines, '\n')
end

-- Appends a line of drawings without trailing spaces.
local function append(lines, parts)
  lines[#lines + 1] = table.concat(parts, '  '):gsub(' +$', '')
end

--- Draws images, rows of 64 values from 0 to 16, as text: four side by side, each below its
-- caption.
function report.drawings(images, captions)
  local lines = {}
  for first = 1, #captions, ACROSS do
    local last = math.min(first + ACROSS - 1, #captions)
    local heading, shades = {}, {}
    for i = first, last do
      heading[#heading + 1] = ('%-16s'):format(captions[i])
      shades[#shades + 1] = (images[i] * (#SHADES - 1) / INK):round():view(SIDE, SIDE)
    end
    append(lines, heading)
    for y = 1, SIDE do
      local parts = {}
      for i, shade in ipairs(shades) do
        parts[i] = table.concat(shade[y]:totable(), ','):gsub('(%d+),?', function(level)
          return SHADES:sub(level + 1, level + 1):rep(2)
        end)
      end
      append(lines, parts)
    end
    lines[#lines + 1] = ''
  end
  return table.concat(lines, '\n')
end

local TITLE, QUIET_TEXT, PAPER = {24, 28, 36}, {96, 102, 112}, {244, 245, 247}
local BLUE, ORANGE = {31, 101, 181}, {222, 112, 26}
local WIDTH, HEIGHT = 960, 480
local COLUMNS, ROWS, ZOOM = 5, 3, 9

-- Draws as many of the images as fit, dark on white.
local function sheet(page, left, top, images, captions)
  for i = 1, math.min(#captions, COLUMNS * ROWS) do
    local x = left + (i - 1) % COLUMNS * (SIDE * ZOOM + 14)
    local y = top + math.floor((i - 1) / COLUMNS) * (SIDE * ZOOM + 38)
    page:fill(x - 4, y - 4, SIDE * ZOOM + 8, SIDE * ZOOM + 24, PAPER)
    page:image(x, y, (images[i] * (-255 / INK) + 255):view(SIDE, SIDE), ZOOM)
    page:text(x + SIDE * ZOOM / 2, y + SIDE * ZOOM + 7, captions[i],
              {color = QUIET_TEXT, align = 'center'})
  end
end

--- Draws the picture: the losses of each epoch on the left, misclassified images on the right.
function report.picture(title, training_losses, test_losses, images, captions)
  local page = canvas.new(WIDTH, HEIGHT)
  page:text(40, 28, title, {scale = 2, color = TITLE})
  plot.curves(page, {x = 76, y = 112, width = 380, height = 298}, {
    {name = 'training, with noise', color = BLUE, values = training_losses},
    {name = 'test', color = ORANGE, values = test_losses},
  }, {vertical = 'cross-entropy', horizontal = 'epoch'})
  local shown = math.min(#captions, COLUMNS * ROWS)
  local heading = shown == #captions and ('%d misread digits'):format(shown)
                  or ('%d of %d misread digits'):format(shown, #captions)
  page:text(510, 94, heading, {color = TITLE})
  sheet(page, 510, 116, images, captions)
  return page:bytes()
end

return report
