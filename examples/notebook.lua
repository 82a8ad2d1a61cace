-- From data to a model, as in a notebook: load data, inspect and plot it, train a model, and plot
-- the results. Each cell prints its results; the figures are also saved.
--
--   tensor examples/notebook.lua [--out FOLDER]
--
-- The same code can be typed at the prompt, one cell at a time. The prompt displays figures by
-- itself.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'out', value = 'FOLDER', default = '.', help = 'where the figures go (.)'},
})
local plot = tensor.plot

local cells = 0
local function cell(title)
  cells = cells + 1
  print(('\n---- %d. %s ----\n'):format(cells, title))
end

-- Prints a figure as text, and saves it as an SVG file.
local function show(figure, name)
  print(figure:text(72, 16))
  figure:save(('%s/notebook-%s.svg'):format(chosen.out, name))
end

cell 'The data: images of 8 x 8 values, and the digit that each shows'

local data = tensor.load(here .. 'data/digits.csv')
local images, digits = data:narrow(2, 1, 64) / 16, data:select(2, 65):long()
print(('%d images'):format(images:size(1)))
print((images[1]:view(8, 8) * 16):int())

cell 'What is in it?'

print(tensor.summary(images))
print('\nimages of each digit, from 0 on: ' .. table.concat((digits + 1):bincount():totable(), ' '))

cell 'How much ink does a digit take?'

local ink = images:mean(2):view(-1)
local by_digit = {}
for digit = 0, 9 do
  by_digit[digit + 1] = ink:maskedSelect(digits:eq(digit)):mean()
end
show(plot.bars(by_digit, {labels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, title = 'Mean ink',
                          xlabel = 'digit'}), 'ink')

cell 'The images on two axes: their principal components'

local centered = images - images:mean(1)
local _, deviations, directions = tensor.svd(centered)
local variance = tensor.pow(deviations, 2):div(tensor.pow(deviations, 2):sum())
print(('two axes have %.0f %% of the variance, ten %.0f %%'):format(
  100 * variance:narrow(1, 1, 2):sum(), 100 * variance:narrow(1, 1, 10):sum()))
local places = centered * directions:narrow(2, 1, 2)
local figure = plot.figure{title = 'Three digits', xlabel = 'first component',
                           ylabel = 'second component'}
for _, digit in ipairs {0, 4, 6} do
  local rows = digits:eq(digit):nonzero():view(-1)
  local found = places:index(1, rows)
  figure:scatter(found:select(2, 1), found:select(2, 2), {name = tostring(digit)})
end
show(figure, 'components')

cell 'A model: weights for each digit, learned by gradient descent'

tensor.manualSeed(1)
local order = tensor.randperm(images:size(1))
local training, testing = order:narrow(1, 1, 1400), order:narrow(1, 1401, images:size(1) - 1400)
local x, test_x = images:index(1, training), images:index(1, testing)
local wanted = tensor.zeros(1400, 10):scatter(2, digits:index(1, training):view(-1, 1) + 1, 1)
local truth = digits:index(1, testing)

local weights, bias, step = tensor.zeros(64, 10), tensor.zeros(10), tensor.zeros(64, 10)
local losses, scores = {}, {}
for epoch = 1, 80 do
  local logs = (x * weights + bias):logSoftmax(2)
  losses[epoch] = -logs:dot(wanted) / 1400
  local gradient = (tensor.exp(logs) - wanted):div(1400)
  step:mul(0.9):addmm(-0.5, x:t(), gradient)
  weights:add(step)
  bias:add(-0.5, gradient:sum(1):view(-1))
  scores[epoch] = (test_x * weights + bias):argmax(2):add(-1):eq(truth):double():mean()
end
print(('after %d epochs: loss %.3f, %.1f %% of new images are read correctly'):format(
  #losses, losses[#losses], 100 * scores[#scores]))

cell 'How it learned'

show(plot.line(losses, {name = 'loss', title = 'Training', xlabel = 'epoch', ylimits = {0, 2.5}})
         :line(scores, {name = 'read correctly, of new images'}), 'training')

cell 'What it confuses'

local read = (test_x * weights + bias):argmax(2) - 1
local confusion = tensor.zeros(10, 10)
confusion:indexPut({truth + 1, read + 1}, tensor.ones(truth:size(1)), true)
print(confusion:int())
show(plot.heatmap(confusion, {title = 'Digits 0 to 9 (down), and what was read (across)',
                              aspect = 'equal', width = 480}), 'confusion')

cell 'What it looks for: its weights of the digits 0 to 4, and 5 to 9'

local rows = {}
for row = 0, 1 do
  local tiles = {}
  for column = 1, 5 do
    tiles[column] = tensor.zeros(10, 10)
    tiles[column][{{2, 9}, {2, 9}}] = weights:select(2, 5 * row + column):view(8, 8)
  end
  rows[row + 1] = tensor.cat(tiles, 2)
end
local most = weights:clone():abs():max()
show(plot.heatmap(tensor.cat(rows, 1), {colors = 'diverging', limits = {-most, most},
                                        title = 'Weights', aspect = 'equal'}), 'weights')
