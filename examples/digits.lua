-- Learns to read handwritten digits: a network of one hidden layer, its gradients and its training,
-- in tensor operations only.
--
--   tensor examples/digits.lua [--epochs N] [--seed N] [--out FILE] [--quiet]
--
-- Prints how well it reads 360 digits that it was not trained on, and draws digits.png: how the
-- loss fell, and the digits that were misread.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local canvas = require 'lib.canvas'
local options = require 'lib.options'
local plot = require 'lib.plot'
local png = require 'lib.png'
local progress = require 'lib.progress'

local chosen = options.parse(arg, {
  {name = 'epochs', value = 'N', least = 1, most = 10000, default = 30,
   help = 'how often to go through the training images (30)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
  {name = 'out', value = 'FILE', default = 'digits.png', help = 'the picture (digits.png)'},
  {name = 'quiet', help = 'print the accuracy only'},
})

local function say(...)
  if not chosen.quiet then
    print(string.format(...))
  end
end

local function give_up(message)
  io.stderr:write('digits.lua: ', message, '\n')
  os.exit(1)
end

tensor.setdefaulttensortype('torch.FloatTensor')
tensor.manualSeed(chosen.seed)

---- The data: one image a line, 8 x 8 values from 0 to 16 and then the digit that they show. ----

local SIDE, PIXELS, CLASSES = 8, 64, 10

local function load(filename)
  local file, message = io.open(filename)
  if not file then
    give_up(message)
  end
  local rows = {}
  for line in file:lines() do
    local row = {}
    for number in line:gmatch('[^,]+') do
      row[#row + 1] = tonumber(number)
    end
    if #row ~= PIXELS + 1 or row[#row] % 1 ~= 0 or row[#row] < 0 or row[#row] >= CLASSES then
      give_up(('%s, line %d: 64 values and a digit are expected'):format(filename, #rows + 1))
    end
    rows[#rows + 1] = row
  end
  file:close()
  local values = tensor.Tensor(rows)
  return values:narrow(2, 1, PIXELS):clone(), values:select(2, PIXELS + 1):long()
end

local images, digits = load(here .. 'data/digits.csv')

-- A random fifth of the images is kept apart, to test on. The network sees pixels with mean 0 and
-- deviation 1, and a digit as a row of ten with a single 1: digit d in column d + 1.
local TEST_IMAGES = 360
local count = images:size(1)
local order = tensor.randperm(count):long()
local training, testing = order:narrow(1, TEST_IMAGES + 1, count - TEST_IMAGES),
                          order:narrow(1, 1, TEST_IMAGES)

local function one_hot(columns)
  return tensor.zeros(columns:size(1), CLASSES):scatter(2, columns:view(-1, 1), 1)
end

local known = images:index(1, training)
local pixels = (images - known:mean(1)):div(known:std())
local targets = one_hot(digits + 1)

---- The network: relu(x W1 + b1) W2 + b2, whose results are the scores of the ten digits. ----

local HIDDEN = 256

-- All parameters lie in one vector, of which each matrix is a view. Their gradients lie the same
-- way in another, so that one addition updates them all.
local function views(vector)
  local position = 1
  local function take(rows, columns)
    local view = vector:narrow(1, position, rows * columns):view(rows, columns)
    position = position + rows * columns
    return view
  end
  return {w1 = take(PIXELS, HIDDEN), b1 = take(1, HIDDEN),
          w2 = take(HIDDEN, CLASSES), b2 = take(1, CLASSES)}
end

local size = (PIXELS + 1) * HIDDEN + (HIDDEN + 1) * CLASSES
local parameters, gradients, velocity = tensor.zeros(size), tensor.zeros(size), tensor.zeros(size)
local net, grad = views(parameters), views(gradients)
net.w1:normal(0, math.sqrt(2 / PIXELS))
net.w2:normal(0, math.sqrt(1 / HIDDEN))

-- Gives the logarithms of the digits' probabilities, and the hidden layer.
local function forward(x)
  local hidden = (x * net.w1):add(net.b1):cmax(0)
  local scores = (hidden * net.w2):add(net.b2)
  scores:csub(scores:max(2))
  return scores:csub(tensor.exp(scores):sum(2):log()), hidden
end

local function cross_entropy(log_probabilities, wanted)
  return -log_probabilities:dot(wanted) / wanted:size(1)
end

-- Fills the gradients of the cross-entropy, from the last layer back to the first.
local function backward(x, hidden, log_probabilities, wanted)
  local delta = (tensor.exp(log_probabilities) - wanted):div(x:size(1))
  grad.w2:mm(hidden:t(), delta)
  grad.b2:sum(delta, 1)
  -- The hidden units are not negative: their sign, 0 or 1, is the slope of relu.
  delta = (delta * net.w2:t()):cmul(tensor.sign(hidden))
  grad.w1:mm(x:t(), delta)
  grad.b1:sum(delta, 1)
end

---- Training, by gradient descent with momentum on small batches. ----

local BATCH, RATE, MOMENTUM, NOISE = 32, 0.03, 0.9, 0.5

local function train_batch(batch, rate)
  local x, wanted = pixels:index(1, batch), targets:index(1, batch)
  -- Noise makes every batch a new one, so that images are not learned by heart.
  x:add(NOISE, tensor.randn(x:size()))
  local log_probabilities, hidden = forward(x)
  backward(x, hidden, log_probabilities, wanted)
  velocity:mul(MOMENTUM):add(-rate, gradients)
  parameters:add(velocity)
  return cross_entropy(log_probabilities, wanted) * x:size(1)
end

local test_x, test_targets = pixels:index(1, testing), targets:index(1, testing)
local test_digits = digits:index(1, testing)

-- Gives the test images' loss and accuracy, and the digits that were read.
local function test()
  local log_probabilities = forward(test_x)
  local _, best = log_probabilities:max(2)
  local read = best:view(-1) - 1
  return cross_entropy(log_probabilities, test_targets),
         read:eq(test_digits):sum() / TEST_IMAGES, read
end

say('%d images to train on, %d to test on; %d parameters', training:size(1), TEST_IMAGES, size)

local training_losses, test_losses = {}, {}
local bar = progress.new(chosen.epochs)
local seconds = 0
for epoch = 1, chosen.epochs do
  local start, loss = tensor.tic(), 0
  -- The steps get smaller, down to 0 in the end.
  local rate = RATE * (1 - (epoch - 1) / chosen.epochs)
  for _, batch in ipairs(training:index(1, tensor.randperm(training:size(1)):long()):split(BATCH)) do
    loss = loss + train_batch(batch, rate)
  end
  seconds = seconds + tensor.toc(start)
  training_losses[epoch] = loss / training:size(1)
  local accuracy
  test_losses[epoch], accuracy = test()
  if not chosen.quiet then
    bar:update(epoch, ('loss %.4f  test loss %.4f  accuracy %5.2f %%')
                      :format(training_losses[epoch], test_losses[epoch], 100 * accuracy))
  end
end
