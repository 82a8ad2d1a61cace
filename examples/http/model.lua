-- The network that examples/digits.lua saved, for prediction only.

local tensor = require 'tensor'

local model = {}

local PIXELS, CLASSES, INK = 64, 10, 16

local function shape(t) return tensor.isTensor(t) and t:size():totable() or {} end

--- Reads a network. Returns nil and a message if the file contains none.
function model.load(filename)
  local done, net = pcall(tensor.load, filename)
  if not done then
    return nil, net
  end
  net = type(net) == 'table' and net or {}
  local hidden = shape(net.w1)[2] or 1
  local wanted = {{'w1', PIXELS, hidden}, {'b1', 1, hidden}, {'w2', hidden, CLASSES},
                  {'b2', 1, CLASSES}, {'mean', 1, PIXELS}, {'deviation', 1}}
  for _, sizes in ipairs(wanted) do
    local name, text = sizes[1], table.concat(sizes, ' x ', 2)
    if table.concat(shape(net[name]), ' x ') ~= text then
      return nil, ('%s is not a network of examples/digits.lua: its %s is not %s'):format(
        filename, name, text)
    end
    net[name] = net[name]:float()
  end
  return net
end

-- Converts a list of images, each of 64 numbers from 0 to 16, to a matrix. Raises an error for
-- anything else: the list comes from a client and may be invalid.
local function matrix(images)
  if type(images) ~= 'table' or #images == 0 then
    error('"images" is a list of images, with one or more', 0)
  end
  for k, image in ipairs(images) do
    if type(image) ~= 'table' or #image ~= PIXELS then
      error(('image %d has %s; %d numbers are expected'):format(
        k, type(image) == 'table' and #image or 'no numbers', PIXELS), 0)
    end
    for _, value in ipairs(image) do
      if type(value) ~= 'number' or not (value >= 0 and value <= INK) then
        error(('image %d has a value that is not a number from 0 to %d'):format(k, INK), 0)
      end
    end
  end
  return tensor.FloatTensor(images)
end

--- Returns the predicted digits, and the probability of each digit for each image.
function model.predict(net, images)
  local x = (matrix(images) - net.mean) / net.deviation[1]
  local hidden = (x * net.w1 + net.b1):cmax(0)
  local probabilities = (hidden * net.w2 + net.b2):softmax(2)
  return (probabilities:argmax(2) - 1):totable(), probabilities:totable()
end

return model
