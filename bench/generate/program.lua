-- Times the model of examples/lib/gpt.lua, as program.py does in PyTorch.
--
-- Usage: tensor bench/generate/program.lua MODEL TYPE TOKENS [DEVICE]
-- Prints the medians for a prompt of 128 tokens and for a token, in ms; the bytes of the weights;
-- and the time to read as many bytes once, in ms.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '../../examples/?.lua;' .. package.path

local tensor = require 'tensor'
local gpt = require 'lib.gpt'

local PROMPT, PROMPTS = 128, 5
local file, kind, tokens = arg[1], arg[2], tonumber(arg[3])
local device = arg[4] or 'cpu'
local model = gpt.model(tensor.load(file, {map = true}), kind)
for _, list in ipairs{model, model.scales} do
  for _, t in pairs(list) do
    if tensor.isTensor(t) then
      t:to(device)
    end
  end
end
tensor.setDefaultDevice(device)
local cache, clock = gpt.cache(model), tensor.Timer()

local function median(times)
  table.remove(times, 1)
  table.sort(times)
  return 1e3 * times[math.ceil(#times / 2)]
end

local function timed(times, f)
  local start = clock:time().real
  local result = f()
  times[#times + 1] = clock:time().real - start
  return result
end

local prompts, steps, reads, token = {}, {}, {}, nil
for _ = 1, PROMPTS do
  cache.count = 0
  token = timed(prompts, function()
    return gpt.sample(gpt.scores(model, cache, tensor.range(2, PROMPT + 1):long()), 1)
  end)
end
for _ = 1, tokens do
  token = timed(steps, function()
    return gpt.sample(gpt.scores(model, cache, tensor.LongTensor{token}), 1)
  end)
end
-- The largest element, the fastest operation that reads all.
local bytes = tensor.CharTensor(model.bytes):fill(1)
for _ = 1, 5 do
  timed(reads, function() return bytes:max() end)
end
print(('%.2f %.2f %d %.2f'):format(median(prompts), median(steps), model.bytes, median(reads)))
