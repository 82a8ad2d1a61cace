-- The results that examples/digits.lua prints and draws.

local tensor = require 'tensor'

local plot = tensor.plot

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

local COLUMNS, ROWS, CELL = 5, 3, 10

--- Returns the picture, a grid of figures: the losses of each epoch on the left, the first
-- misclassified images, dark on white, on the right.
function report.picture(title, training_losses, test_losses, images)
  local shown = math.min(#images, COLUMNS * ROWS)
  local sheet = tensor.ByteTensor(ROWS * CELL, COLUMNS * CELL):fill(255)
  for i = 1, shown do
    local row, column = math.floor((i - 1) / COLUMNS), (i - 1) % COLUMNS
    sheet:narrow(1, row * CELL + 2, SIDE):narrow(2, column * CELL + 2, SIDE)
         :copy((images[i] * (-255 / INK) + 255):view(SIDE, SIDE))
  end
  local heading = shown == #images and ('%d misread digits'):format(shown)
                  or ('%d of %d misread digits'):format(shown, #images)
  local losses = plot.line(training_losses, {name = 'training, with noise', title = title,
                                             xlabel = 'epoch', ylabel = 'cross-entropy',
                                             yscale = 'log', width = 480})
  return plot.grid{{losses:line(test_losses, {name = 'test'}),
                    plot.image(sheet, {title = heading, width = 480})}}
end

return report
