-- Layers of a neural network as classes in the style of Torch7's nn. forward computes the output
-- from an input. backward computes the gradient of the input from the gradient of the output, and
-- adds the gradients of the parameters to those stored. Dimension 1 of inputs is the batch.

local torch = require 'torch'

local modules = {}

---- The base class of all modules. ----

local Module = torch.class('modules.Module', modules)

function Module:__init()
  self.output, self.gradInput = torch.Tensor(), torch.Tensor()
end

-- Sets weight and bias, and creates gradients of the same shapes.
function Module:__initParameters(weight, bias)
  self.weight, self.gradWeight = weight, weight:clone():zero()
  self.bias, self.gradBias = bias, bias:clone():zero()
end

--- Returns two lists: the parameter tensors, and their gradients.
function Module:parameters()
  if not self.weight then return {}, {} end
  return {self.weight, self.bias}, {self.gradWeight, self.gradBias}
end

--- Returns two vectors: all parameters and all gradients. The parameters and gradients of the
-- modules become views of these vectors.
function Module:getParameters()
  local function flatten(list)
    local size = 0
    for _, t in ipairs(list) do size = size + t:nElement() end
    local flat, first = list[1].new(size), 1
    for _, t in ipairs(list) do
      local view = flat:narrow(1, first, t:nElement())
      first = first + t:nElement()
      view:copy(t)
      t:set(view:storage(), view:storageOffset(), t:size())
    end
    return flat
  end
  local weights, gradients = self:parameters()
  return flatten(weights), flatten(gradients)
end

--- Converts all tensors of the module and of its submodules to a type: 'torch.FloatTensor', or
-- 'torch.CudaTensor' after require 'cutorch'.
function Module:type(name)
  local function convert(object)
    if torch.isTensor(object) then return object:type(name) end
    if type(object) == 'table' then
      for key, value in pairs(object) do object[key] = convert(value) end
    end
    return object
  end
  return convert(self)
end

function Module:float() return self:type 'torch.FloatTensor' end
function Module:double() return self:type 'torch.DoubleTensor' end
function Module:cuda() return self:type 'torch.CudaTensor' end

--- Drops the buffers of the last batch.
function Module:forget()
  for key, value in pairs(self) do
    if torch.isTensor(value) and not key:find('eight$') and not key:find('[bB]ias$') then
      self[key] = value.new()
    end
  end
  return self
end

--- Returns a deep copy, made by serialization.
function Module:clone()
  local file = torch.MemoryFile('rw'):binary()
  file:writeObject(self)
  file:seek(1)
  local copy = file:readObject()
  file:close()
  return copy
end

---- A sequence of modules. ----

local Sequential, parent = torch.class('modules.Sequential', 'modules.Module', modules)

function Sequential:__init()
  parent.__init(self)
  self.modules = {}
end

function Sequential:add(module)
  self.modules[#self.modules + 1] = module
  return self
end

function Sequential:forward(input)
  self.inputs = {}
  for k, module in ipairs(self.modules) do
    self.inputs[k] = input
    input = module:forward(input)
  end
  self.output = input
  return input
end

function Sequential:backward(_, gradOutput)
  for k = #self.modules, 1, -1 do
    gradOutput = self.modules[k]:backward(self.inputs[k], gradOutput)
  end
  self.gradInput = gradOutput
  return gradOutput
end

function Sequential:forget()
  parent.forget(self)
  self.inputs = {}
  for _, module in ipairs(self.modules) do module:forget() end
  return self
end

function Sequential:parameters()
  local weights, gradients = {}, {}
  for _, module in ipairs(self.modules) do
    local w, g = module:parameters()
    for k = 1, #w do
      weights[#weights + 1], gradients[#gradients + 1] = w[k], g[k]
    end
  end
  return weights, gradients
end

function Sequential:__tostring__()
  local names = {}
  for k, module in ipairs(self.modules) do names[k] = tostring(module) end
  return table.concat(names, ' -> ')
end

---- output = input * weight' + bias, one row per image. ----

local Linear = torch.class('modules.Linear', 'modules.Module', modules)

function Linear:__init(inputs, outputs)
  parent.__init(self)
  self:__initParameters(torch.randn(outputs, inputs):mul(math.sqrt(1 / inputs)),
                        torch.zeros(outputs))
end

function Linear:forward(input)
  self.shape = input:size()
  self.rows = input:reshape(input:size(1), self.weight:size(2))
  self.output = self.rows * self.weight:t()
  self.output:add(self.bias:view(1, -1):expandAs(self.output))
  return self.output
end

function Linear:backward(_, gradOutput)
  self.gradWeight:addmm(gradOutput:t(), self.rows)
  self.gradBias:add(gradOutput:sum(1):view(-1))
  self.gradInput = (gradOutput * self.weight):view(self.shape)
  return self.gradInput
end

function Linear:__tostring__()
  return ('Linear(%d, %d)'):format(self.weight:size(2), self.weight:size(1))
end

---- Convolution (cross-correlation) as a matrix product: windows become rows of a matrix. ----

local Convolution = torch.class('modules.Convolution', 'modules.Module', modules)

function Convolution:__init(planes, outputs, size)
  parent.__init(self)
  self.planes, self.size = planes, size
  local inputs = planes * size * size
  self:__initParameters(torch.randn(outputs, inputs):mul(math.sqrt(2 / inputs)),
                        torch.zeros(outputs))
end

function Convolution:forward(input)
  local n, k = input:size(1), self.size
  local height, width = input:size(3) - k + 1, input:size(4) - k + 1
  -- Dimensions: image, row, column; then plane, row and column in the window.
  local windows = input:unfold(3, k, 1):unfold(4, k, 1):permute(1, 3, 4, 2, 5, 6):contiguous()
  self.windows = windows:view(n * height * width, self.planes * k * k)
  local rows = self.windows * self.weight:t()
  rows:add(self.bias:view(1, -1):expandAs(rows))
  self.output = rows:view(n, height, width, -1):permute(1, 4, 2, 3):contiguous()
  return self.output
end

function Convolution:backward(input, gradOutput)
  local n, k = input:size(1), self.size
  local height, width = gradOutput:size(3), gradOutput:size(4)
  local rows = gradOutput:permute(1, 3, 4, 2):contiguous():view(-1, self.weight:size(1))
  self.gradWeight:addmm(rows:t(), self.windows)
  self.gradBias:add(rows:sum(1):view(-1))
  -- Each input pixel accumulates the gradients of all windows that contain it.
  local windows = (rows * self.weight):view(n, height, width, self.planes, k, k)
  self.gradInput:resizeAs(input):zero()
  for i = 1, k do
    for j = 1, k do
      local part = windows:select(6, j):select(5, i):permute(1, 4, 2, 3)
      self.gradInput:narrow(3, i, height):narrow(4, j, width):add(part)
    end
  end
  return self.gradInput
end

function Convolution:__tostring__()
  return ('Convolution(%d, %d, %dx%d)'):format(self.planes, self.weight:size(1), self.size,
                                               self.size)
end

---- The maximum of each size x size window. ----

local MaxPooling = torch.class('modules.MaxPooling', 'modules.Module', modules)

function MaxPooling:__init(size)
  parent.__init(self)
  self.size = size
end

function MaxPooling:forward(input)
  local k = self.size
  local windows = input:unfold(3, k, k):unfold(4, k, k):contiguous()
  self.shape = windows:size()
  local most, index = windows:view(-1, k * k):max(2)
  self.index = index
  self.output = most:view(windows:size(1), windows:size(2), windows:size(3), windows:size(4))
  return self.output
end

function MaxPooling:backward(input, gradOutput)
  local windows = gradOutput.new(gradOutput:nElement(), self.size ^ 2):zero()
  windows:scatter(2, self.index, gradOutput:contiguous():view(-1, 1))
  self.gradInput = windows:view(self.shape):permute(1, 2, 3, 5, 4, 6):contiguous()
                          :view(input:size())
  return self.gradInput
end

function MaxPooling:__tostring__() return ('MaxPooling(%d)'):format(self.size) end

---- max(0, input) ----

local ReLU = torch.class('modules.ReLU', 'modules.Module', modules)

function ReLU:forward(input)
  self.output = torch.cmax(input, 0)
  return self.output
end

function ReLU:backward(input, gradOutput)
  self.gradInput = torch.cmul(gradOutput, input:gt(0):typeAs(input))
  return self.gradInput
end

function ReLU.__tostring__() return 'ReLU' end

---- The cross-entropy of softmax(scores), with class numbers (from 1) as targets. ----

local CrossEntropy = torch.class('modules.CrossEntropy', modules)

function CrossEntropy:forward(scores, classes)
  local shifted = scores - scores:max(2):expandAs(scores)
  local total = torch.exp(shifted):sum(2):log()
  self.logarithms = shifted:add(-1, total:expandAs(shifted))
  return -self.logarithms:gather(2, classes:view(-1, 1)):mean()
end

function CrossEntropy:backward(scores, classes)
  local n = scores:size(1)
  local gradient = torch.exp(self.logarithms)
  local ones = gradient.new(n, 1):fill(1)
  gradient:add(-1, gradient:clone():zero():scatter(2, classes:view(-1, 1), ones))
  return gradient:div(n)
end

---- Gradient descent with momentum. ----

local Descent = torch.class('modules.Descent', modules)

function Descent:__init(rate, momentum)
  self.rate, self.momentum = rate, momentum
end

function Descent:step(parameters, gradients)
  self.velocity = self.velocity or gradients:clone():zero()
  self.velocity:mul(self.momentum):add(-self.rate, gradients)
  parameters:add(self.velocity)
end

return modules
