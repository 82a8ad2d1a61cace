-- Trains a convolutional network on handwritten digits in the style of Torch7 programs: require
-- 'torch', classes of modules (lib/modules.lua), torch.CmdLine, torch.save.
--
--   tensor examples/torch7_digits.lua [-epochs N] [-seed N] [-gpu N] [-save FILE] [-resume FILE]
--
-- -save writes the state of the training to a file after each epoch; -resume continues from such a
-- file with the same results as an uninterrupted run. -gpu 1 trains on a GPU through the cutorch
-- API.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local torch = require 'torch'
local modules = require 'lib.modules'

local cmd = torch.CmdLine()
cmd:text 'A convolutional network that learns to read handwritten digits'
cmd:option('-epochs', 6, 'how often to go through the training images')
cmd:option('-seed', 1, 'the seed of all randomness')
cmd:option('-batch', 32, 'images of one step')
cmd:option('-rate', 0.02, 'the rate of learning')
cmd:option('-momentum', 0.9, 'how much of a step is taken over into the next')
cmd:option('-gpu', 0, 'the GPU to compute on, from 1; 0: the CPU')
cmd:option('-save', '', 'the file for the state of the training')
cmd:option('-resume', '', 'the file to go on from')
local opt = cmd:parse(arg or {})

torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(opt.seed)
if opt.gpu > 0 then
  local cutorch = require 'cutorch'
  cutorch.setDevice(opt.gpu)
  cutorch.manualSeed(opt.seed)
end

---- The data. Each line is an image: 8 x 8 values from 0 to 16, then the digit it shows. ----

local rows = {}
for line in io.lines(here .. 'data/digits.csv') do
  local row = {}
  for field in line:gmatch '[^,]+' do row[#row + 1] = tonumber(field) end
  rows[#rows + 1] = row
end
local data = torch.Tensor(rows)
local count, TEST = data:size(1), 360
data = data:index(1, torch.randperm(count):long())
local images = data[{{}, {1, 64}}]:clone():view(count, 1, 8, 8):div(16)
local classes = data[{{}, 65}]:long():add(1)
if opt.gpu > 0 then
  images, classes = images:cuda(), classes:cudaLong()
end

local function part(first, last)
  return {images = images[{{first, last}}], classes = classes[{{first, last}}],
          count = last - first + 1}
end
local training, testing = part(1, count - TEST), part(count - TEST + 1, count)

---- The network, new or loaded from a file. ----

local state
if opt.resume == '' then
  local net = modules.Sequential()
    :add(modules.Convolution(1, 16, 3)):add(modules.ReLU())
    :add(modules.Convolution(16, 24, 3)):add(modules.ReLU()):add(modules.MaxPooling(2))
    :add(modules.Linear(24 * 2 * 2, 10))
  state = {epoch = 0, net = net, descent = modules.Descent(opt.rate, opt.momentum)}
else
  -- Files from others may contain functions, which are code. This file contains only data.
  state = torch.load(opt.resume, {functions = false})
  torch.setRNGState(state.random)
end
local net, descent, criterion = state.net, state.descent, modules.CrossEntropy()
net:type(images:type())
local parameters, gradients = net:getParameters()
if descent.velocity then
  descent.velocity = descent.velocity:typeAs(parameters)
end
print(('%s: %d parameters, %s'):format(tostring(net), parameters:nElement(), parameters:type()))

---- Training. ----

local function train(batch)
  local x, wanted = training.images:index(1, batch), training.classes:index(1, batch)
  gradients:zero()
  local loss = criterion:forward(net:forward(x), wanted)
  net:backward(x, criterion:backward(net.output, wanted))
  descent:step(parameters, gradients)
  return loss * batch:size(1)
end

local function accuracy()
  local _, read = net:forward(testing.images):max(2)
  return read:view(-1):eq(testing.classes):sum() / testing.count
end

local timer = torch.Timer()
for epoch = state.epoch + 1, opt.epochs do
  local total = 0
  for _, batch in ipairs(torch.randperm(training.count):long():split(opt.batch)) do
    total = total + train(batch)
  end
  print(('epoch %d  loss %.4f  accuracy %.2f %%')
        :format(epoch, total / training.count, 100 * accuracy()))
  if opt.save ~= '' then
    -- forget() drops the buffers of the last batch, which need not be saved.
    torch.save(opt.save, {epoch = epoch, net = net:forget(), descent = descent,
                          random = torch.getRNGState()})
  end
end
print(('trained for %.2f s'):format(timer:time().real))
print(('test accuracy %.2f %%'):format(100 * accuracy()))
