-- Times the convolutions of shapes.txt and the forward pass of ResNet-18 for
-- bench/networks/measure.lua.
--
-- Usage: program.lua SECONDS BATCH SHAPE ...
--   SECONDS: the time of a measurement at least; SHAPE: line numbers of shapes, or resnet18
-- Prints a line for each shape: nanoseconds per call, the least of three rounds, and a checksum.

local here = arg[0]:match('^(.*/)') or './'
local tensor = require 'tensor'
local nn = require 'tensor.nn'
tensor.setdefaulttensortype 'torch.FloatTensor'
local seconds, batch = tonumber(arg[1]), tonumber(arg[2])

-- The processor time does not count other programs, but has all threads.
local clock = os.getenv 'OMP_NUM_THREADS' == '1' and os.clock or tensor.tic
local function since(start)
  return clock == os.clock and os.clock() - start or tensor.toc(start)
end

local function time(run)
  run()
  local calls, best, round = 1, math.huge, 0
  while round < 3 do
    local start = clock()
    for _ = 1, calls do
      run()
    end
    local elapsed = since(start)
    if elapsed < seconds then
      calls = math.ceil(calls * math.min(10, 1.2 * seconds / elapsed))
    else
      best, round = math.min(best, elapsed / calls), round + 1
    end
  end
  return 1e9 * best
end

-- Numbers that repeat after a prime number of elements: the same in Python.
local function pattern(...)
  local x = tensor.Tensor(...)
  local count = x:nElement()
  local numbers = tensor.DoubleTensor():range(0, count - 1):remainder(251):div(251):add(-0.5)
  return x:copy(numbers:view(x:size()))
end

local function convolution(inputs, outputs, size, kernel, stride, padding)
  local x, weight = pattern(batch, inputs, size, size), pattern(outputs, inputs, kernel, kernel)
  local r = tensor.Tensor()
  local function run()
    return tensor.conv2d(r, x, weight, nil, stride, padding)
  end
  return time(run), run():sum()
end

-- Two convolutions with normalization, plus the input.
local function block(inputs, outputs, stride)
  local body = nn.sequential{
    nn.conv2d(inputs, outputs, 3, {stride = stride, padding = 1, bias = false}),
    nn.batchNorm(outputs), tensor.relu,
    nn.conv2d(outputs, outputs, 3, {padding = 1, bias = false}), nn.batchNorm(outputs)}
  local parts = {body = body}
  if stride ~= 1 then
    parts.shortcut = nn.sequential{
      nn.conv2d(inputs, outputs, 1, {stride = stride, bias = false}), nn.batchNorm(outputs)}
  end
  return nn.layer('block', parts, function(params, x, options)
    local short = parts.shortcut and parts.shortcut(params.shortcut, x, options) or x
    return tensor.relu(parts.body(params.body, x, options):add(short))
  end)
end

local function resnet18()
  local layers = {nn.conv2d(3, 64, 7, {stride = 2, padding = 3, bias = false}), nn.batchNorm(64),
                  tensor.relu, nn.maxPool2d(3, {stride = 2, padding = 1})}
  local inputs = 64
  for stage, outputs in ipairs{64, 128, 256, 512} do
    layers[#layers + 1] = block(inputs, outputs, stage == 1 and 1 or 2)
    layers[#layers + 1] = block(outputs, outputs, 1)
    inputs = outputs
  end
  layers[#layers + 1] = nn.adaptiveAvgPool2d(1)
  layers[#layers + 1] = function(x) return x:reshape(batch, 512) end
  layers[#layers + 1] = nn.linear(512, 1000)
  return nn.sequential(layers)
end

local function network()
  local model, x = resnet18(), pattern(batch, 3, 224, 224)
  local params = model.init()
  local function forward()
    return model(params, x)
  end
  local function run()
    return tensor.scope(forward)
  end
  return time(run), run():size(2)
end

local shapes = {}
for line in io.lines(here .. 'shapes.txt') do
  local numbers = {}
  for number in line:gmatch '%d+' do
    numbers[#numbers + 1] = tonumber(number)
  end
  if not line:find '^#' then
    shapes[#shapes + 1] = numbers
  end
end
for k = 3, #arg do
  local nanoseconds, sum
  if arg[k] == 'resnet18' then
    nanoseconds, sum = network()
  else
    nanoseconds, sum = convolution(unpack(shapes[tonumber(arg[k])]))
  end
  print(('%.1f %.9g'):format(nanoseconds, sum))
end
