-- Trains a classifier of handwritten digits: a neural network with one hidden layer. The network,
-- its gradients and the training loop are written in tensor operations only.
--
--   tensor examples/digits.lua [--device NAME] [--epochs N] [--seed N] [--out FILE] [--save FILE]
--                              [--quiet]
--
-- Prints the accuracy on 360 test digits that are not used for training, and draws digits.png: the
-- loss of each epoch, and the misclassified digits. --save writes the network to a file, for
-- examples/http.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local options = require 'lib.options'
local report = require 'lib.report'

local chosen = options.parse(arg, {
  {name = 'epochs', value = 'N', least = 1, most = 10000, default = 60,
   help = 'how often to go through the training images (60)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
  {name = 'device', value = 'NAME', default = 'cpu',
   help = 'where to compute: cpu, gpu, soft (cpu)'},
  {name = 'out', value = 'FILE', default = 'digits.png',
   help = 'the picture, as .png or .jpg (digits.png)'},
  {name = 'save', value = 'FILE', help = 'where the network goes, as .npz, say (nowhere)'},
  {name = 'quiet', help = 'print the accuracy only'},
})

local function say(...)
  if not chosen.quiet then
    print(string.format(...))
  end
end

local function give_up(...)
  io.stderr:write('digits.lua: ', string.format(...), '\n')
  os.exit(1)
end

local function attempt(save, ...)
  local saved, failure = pcall(save, ...)
  if not saved then
    give_up('%s', (failure:gsub('^.-:%d+: ', '')))
  end
end

if not chosen.out:lower():find '%.png$' and not chosen.out:lower():find '%.jpe?g$' then
  give_up('--out %s: a name that ends in .png or .jpg is expected', chosen.out)
end

tensor.setdefaulttensortype('torch.FloatTensor')
-- The philox generator gives the same numbers on every device.
tensor.setGenerator('philox')
tensor.manualSeed(chosen.seed)
-- From here on, new tensors are created on this device, and results stay on it.
local found, why = pcall(tensor.setDefaultDevice, chosen.device)
if not found then
  give_up('%s', why)
end

---- The data. Each line is an image: 8 x 8 values from 0 to 16, then the digit it shows. ----

local PIXELS, CLASSES, TEST = 64, 10, 360

local function read_images(filename)
  local file, message = io.open(filename)
  if not file then
    give_up('%s', message)
  end
  local rows = {}
  for line in file:lines() do
    local row = {}
    for field in line:gmatch('[^,]+') do
      row[#row + 1] = tonumber(field)
    end
    local digit = row[PIXELS + 1]
    if #row ~= PIXELS + 1 or digit % 1 ~= 0 or digit < 0 or digit >= CLASSES then
      give_up('%s, line %d: 64 values and a digit are expected', filename, #rows + 1)
    end
    rows[#rows + 1] = row
  end
  file:close()
  if #rows <= 2 * TEST then
    give_up('%s: %d images or more are expected, got %d', filename, 2 * TEST + 1, #rows)
  end
  local values = tensor.Tensor(rows)
  return values:narrow(2, 1, PIXELS), values:select(2, PIXELS + 1):long()
end

local images, digits = read_images(here .. 'data/digits.csv')

-- A random part of the images is held out for testing; the network is never trained on it.
local TRAIN = images:size(1) - TEST
local order = tensor.LongTensor():randperm(TRAIN + TEST)
local training, testing = order:narrow(1, 1, TRAIN), order:narrow(1, TRAIN + 1, TEST)

-- Inputs are normalized to mean 0 and standard deviation 1. Targets are one-hot vectors: 1 in the
-- column of the digit and 0 elsewhere.
local function one_hot(numbers)
  return tensor.zeros(numbers:size(1), CLASSES):scatter(2, numbers:view(-1, 1) + 1, 1)
end

local known = images:index(1, training)
local mean, deviation = known:mean(1), known:std()
local inputs = (images - mean):div(deviation)
local targets = one_hot(digits)

---- The network: scores = relu(x W1 + b1) W2 + b2, one score per digit. ----

local HIDDEN = 256

-- All parameters are stored in one vector, of which W1, b1, W2 and b2 are views; likewise the
-- gradients. So the update of all parameters is a single vector addition.
local function views(vector)
  local first = 1
  local function take(rows, columns)
    local view = vector:narrow(1, first, rows * columns):view(rows, columns)
    first = first + rows * columns
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

-- Returns the log-probabilities of the digits, one row per image, and the hidden layer.
local function forward(x)
  local hidden = (x * net.w1):add(net.b1):cmax(0)
  local scores = (hidden * net.w2):add(net.b2)
  scores = scores - scores:max(2)
  return scores - tensor.exp(scores):sum(2):log(), hidden
end

local function cross_entropy(log_p, wanted)
  return -log_p:dot(wanted) / wanted:size(1)
end

-- Computes the gradients of the cross-entropy by backpropagation.
local function backward(x, hidden, log_p, wanted)
  local delta = (tensor.exp(log_p) - wanted):div(x:size(1))
  grad.w2:mm(hidden:t(), delta)
  grad.b2:sum(delta, 1)
  -- The output of relu is not negative, so its sign (0 or 1) is the derivative of relu.
  delta = (delta * net.w2:t()):cmul(tensor.sign(hidden))
  grad.w1:mm(x:t(), delta)
  grad.b1:sum(delta, 1)
end

---- Training: gradient descent with momentum on mini-batches. ----

local BATCH, RATE, MOMENTUM, NOISE = 32, 0.03, 0.9, 0.5

local function train(batch, rate)
  local x, wanted = inputs:index(1, batch), targets:index(1, batch)
  -- Noise changes the images in each epoch, which reduces overfitting.
  x:add(NOISE, tensor.randn(x:size()))
  local log_p, hidden = forward(x)
  backward(x, hidden, log_p, wanted)
  velocity:mul(MOMENTUM):add(-rate, gradients)
  parameters:add(velocity)
  return cross_entropy(log_p, wanted) * batch:size(1)
end

local test_digits = digits:index(1, testing)
local test_inputs, test_targets = inputs:index(1, testing), targets:index(1, testing)

-- Returns the loss on the test images, the accuracy, and the predicted digits.
local function test()
  local log_p = forward(test_inputs)
  local _, columns = log_p:max(2)
  local read = columns:view(-1) - 1
  return cross_entropy(log_p, test_targets), read:eq(test_digits):sum() / TEST, read
end

say('%d images to train on, %d to test on; %d parameters', TRAIN, TEST, size)
-- At most six lines of progress.
local every, seconds = math.ceil(chosen.epochs / 6), 0
local progress = '%' .. #tostring(chosen.epochs) .. 'd/%d  loss %.4f  test loss %.4f  '
                 .. 'accuracy %5.2f %%'
local losses, test_losses, accuracy, read, counted = {}, {}, nil, nil, nil
for epoch = 1, chosen.epochs do
  local start, total = tensor.tic(), 0
  local rate = RATE * (1 - (epoch - 1) / chosen.epochs)
  tensor.resetStats()
  local shuffled = training:index(1, tensor.LongTensor():randperm(TRAIN))
  for _, batch in ipairs(shuffled:split(BATCH)) do
    total = total + train(batch, rate)
  end
  seconds, counted = seconds + tensor.toc(start), tensor.stats()
  losses[epoch] = total / TRAIN
  test_losses[epoch], accuracy, read = test()
  if epoch % every == 0 or epoch == chosen.epochs then
    say(progress, epoch, chosen.epochs, losses[epoch], test_losses[epoch], 100 * accuracy)
  end
end

---- Results. ----

say('trained for %.2f s, %.0f images/s\n', seconds, chosen.epochs * TRAIN / seconds)
if parameters:device() ~= 'cpu' then
  local left = {}
  for op, times in pairs(counted.fallbacks) do
    left[#left + 1] = ('%s %d times'):format(op, times)
  end
  say('on %s, in the last epoch of %d steps: %d copies to the device, %d of %d bytes from it; '
      .. 'fallbacks to the CPU: %s\n', parameters:device(), math.ceil(TRAIN / BATCH),
      counted.h2d.copies, counted.d2h.copies, counted.d2h.bytes,
      #left > 0 and table.concat(left, ', ') or 'nothing')
end
say('%s\n', report.confusion(test_targets:t() * one_hot(read)))

local wrong, captions = {}, {}
for i = 1, TEST do
  if read[i] ~= test_digits[i] then
    wrong[#wrong + 1] = images[testing[i]]
    captions[#captions + 1] = ('%d read as %d'):format(test_digits[i], read[i])
  end
end
say('%s', report.drawings(wrong, captions))

local title = ('%.1f %% of %d test digits read correctly'):format(100 * accuracy, TEST)
local picture = report.picture(title, losses, test_losses, wrong)
attempt(picture.save, picture, chosen.out)
say('wrote %s', chosen.out)
if chosen.save then
  attempt(tensor.save, chosen.save, {w1 = net.w1, b1 = net.b1, w2 = net.w2, b2 = net.b2,
                                     mean = mean, deviation = tensor.Tensor{deviation}})
  say('saved %s', chosen.save)
end
print(('test accuracy %.2f %%'):format(100 * accuracy))
