-- The tensor calls that Torch7's nn makes for a training step of char-rnn: two layers of 128 LSTM
-- cells, 50 sequences of 50 characters of 65 kinds, in doubles.
--
-- Usage: tensor bench/torch7/lstm.lua SECONDS
-- Prints the least nanoseconds of a step, among those that start within the time.

local torch = require 'torch'
local log_softmax = require 'tensor'.logSoftmax
local Tensor = torch.DoubleTensor

local SEQUENCES, STEPS, CELLS, LAYERS, CHARACTERS = 50, 50, 128, 2, 65
local seconds = tonumber(arg[1])

-- ---- layers: each has its own result ----

local function parameters(inputs, outputs)
  return {weight = torch.randn(outputs, inputs):mul(0.08), bias = torch.randn(outputs):mul(0.08),
          weight_gradient = Tensor(outputs, inputs), bias_gradient = Tensor(outputs)}
end

local function linear(shared)
  return {shared = shared, output = Tensor(), gradient = Tensor(),
          ones = Tensor(SEQUENCES):fill(1)}
end

local function forward(layer, input)
  local p = layer.shared
  layer.output:resize(input:size(1), p.bias:size(1))
  layer.output:addmm(0, layer.output, 1, input, p.weight:t())
  layer.output:addr(1, layer.ones, p.bias)
  layer.input = input
  return layer.output
end

local function backward(layer, gradient)
  local p = layer.shared
  layer.gradient:resizeAs(layer.input)
  layer.gradient:addmm(0, 1, gradient, p.weight)
  p.weight_gradient:addmm(1, gradient:t(), layer.input)
  p.bias_gradient:addmv(1, gradient:t(), layer.ones)
  return layer.gradient
end

local function add(result, a, b)
  return result:resizeAs(a):copy(a):add(b)
end

local function multiply(result, a, b)
  return result:resizeAs(a):copy(a):cmul(b)
end

local function sigmoid(result, x)
  return result:resizeAs(x):sigmoid(x)
end

local function tanh(result, x)
  return result:resizeAs(x):tanh(x)
end

local function sigmoid_gradient(result, y, gradient)
  return result:resizeAs(y):fill(1):add(-1, y):cmul(y):cmul(gradient)
end

local function tanh_gradient(result, y, gradient)
  return result:resizeAs(y):cmul(y, y):mul(-1):add(1):cmul(gradient)
end

-- ---- a cell of one layer at one step ----

-- Returns a table that makes a result when it is first read.
local function results()
  return setmetatable({}, {__index = function(t, name)
    t[name] = Tensor()
    return t[name]
  end})
end

local function cell(layer)
  return {from_input = linear(layer.input), from_hidden = linear(layer.hidden),
          results = results()}
end

local function forward_cell(c, input, state, hidden)
  local r = c.results
  local gates = add(r.gates, forward(c.from_input, input), forward(c.from_hidden, hidden))
                :view(SEQUENCES, 4, CELLS)
  local read, forget = sigmoid(r.read, gates:select(2, 1)), sigmoid(r.forget, gates:select(2, 2))
  local write, value = sigmoid(r.write, gates:select(2, 3)), tanh(r.value, gates:select(2, 4))
  c.state = state
  local next_state = add(r.state, multiply(r.kept, forget, state), multiply(r.new, read, value))
  return next_state, multiply(r.hidden, write, tanh(r.shown, next_state))
end

-- Returns the gradients of the input, the state and the hidden values.
local function backward_cell(c, of_state, of_hidden)
  local r = c.results
  local of_write = multiply(r.of_write, of_hidden, r.shown)
  local of_shown = tanh_gradient(r.of_shown, r.shown, multiply(r.shown_out, of_hidden, r.write))
  local of_next = add(r.of_next, of_shown, of_state)
  local of_forget = multiply(r.of_forget, of_next, c.state)
  local of_read = multiply(r.of_read, of_next, r.value)
  local of_value = multiply(r.of_value, of_next, r.read)
  local all = r.of_gates:resize(SEQUENCES, 4 * CELLS)
  local gates = all:view(SEQUENCES, 4, CELLS)
  gates:select(2, 1):copy(sigmoid_gradient(r.read_out, r.read, of_read))
  gates:select(2, 2):copy(sigmoid_gradient(r.forget_out, r.forget, of_forget))
  gates:select(2, 3):copy(sigmoid_gradient(r.write_out, r.write, of_write))
  gates:select(2, 4):copy(tanh_gradient(r.value_out, r.value, of_value))
  return backward(c.from_input, all), multiply(r.of_old, of_next, r.forget),
         backward(c.from_hidden, all)
end

-- ---- the network ----

local layers, decoder = {}, parameters(CELLS, CHARACTERS)
for l = 1, LAYERS do
  layers[l] = {input = parameters(l == 1 and CHARACTERS or CELLS, 4 * CELLS),
               hidden = parameters(CELLS, 4 * CELLS)}
end
local steps = {}
for s = 1, STEPS do
  local step = {decoder = linear(decoder), output = Tensor(), of_output = Tensor(),
                input = Tensor(SEQUENCES, CHARACTERS):zero(), sums = results()}
  for k = 1, SEQUENCES do
    step.input[k][torch.random(CHARACTERS)] = 1
  end
  for l = 1, LAYERS do
    step[l] = cell(layers[l])
  end
  steps[s] = step
end
local zeros = Tensor(SEQUENCES, CELLS):zero()

local function train()
  for _, layer in ipairs(layers) do
    for _, p in pairs(layer) do
      p.weight_gradient:zero()
      p.bias_gradient:zero()
    end
  end
  local state, hidden = {zeros, zeros}, {zeros, zeros}
  for _, step in ipairs(steps) do
    local x = step.input
    for l = 1, LAYERS do
      state[l], hidden[l] = forward_cell(step[l], x, state[l], hidden[l])
      x = hidden[l]
    end
    log_softmax(step.output, forward(step.decoder, x))
  end
  state, hidden = {zeros, zeros}, {zeros, zeros}
  for s = STEPS, 1, -1 do
    local step = steps[s]
    -- The gradient of the loss, without the 1 that is subtracted for each target.
    step.of_output:resizeAs(step.output):copy(step.output):exp()
    local of_input = backward(step.decoder, step.of_output)
    for l = LAYERS, 1, -1 do
      local of_hidden = add(step.sums[l], hidden[l], of_input)
      of_input, state[l], hidden[l] = backward_cell(step[l], state[l], of_hidden)
    end
  end
end

train()
local least, start = math.huge, torch.tic()
while torch.toc(start) < seconds do
  local begin = torch.tic()
  train()
  least = math.min(least, torch.toc(begin))
end
print(('%.0f'):format(1e9 * least))
