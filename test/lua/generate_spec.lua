-- The model of examples/lib/gpt.lua against PyTorch's: test/reference/generate.py.

local tensor = require 'tensor'

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local data = here .. '../data/generate/'
package.path = here .. '../../examples/?.lua;' .. package.path
local gpt = require 'lib.gpt'

local expected = {}
for line in io.lines(data .. 'tokens.txt') do
  local numbers = {}
  for word in line:gmatch '%S+' do
    numbers[#numbers + 1] = tonumber(word)
  end
  expected[line:match '^%S+'] = numbers
end
local weights = tensor.load(data .. 'tiny.safetensors')
local prompt = tensor.LongTensor(expected.prompt)

local function generate(model, count, temperature)
  local cache, tokens, chosen = gpt.cache(model), prompt, {}
  for k = 1, count do
    chosen[k] = gpt.sample(gpt.scores(model, cache, tokens), temperature)
    tokens = tensor.LongTensor{chosen[k]}
  end
  return chosen
end

-- The largest difference of the scores of the first token.
local function difference(model, scores)
  local got = gpt.scores(model, gpt.cache(model), prompt):double()
  return (got - tensor.DoubleTensor(scores)):abs():max()
end

describe('the generated text', function()
  local model = gpt.model(weights, 'float')

  it('has the tokens of PyTorch', function()
    assert.are.same(expected.likeliest, generate(model, #expected.likeliest, 0))
    tensor.manualSeed(7)
    assert.are.same(expected.sampled, generate(model, #expected.sampled, 1))
  end)

  it('has the scores of PyTorch', function()
    assert.is_true(difference(model, expected.float) < 1e-4)
    local half, reduced = gpt.model(weights, 'half'), gpt.model(weights, 'bfloat16')
    assert.is_true(difference(half, expected.float) < 0.01)
    -- Two roundings of 8 bits apart from each other, or from the floats.
    assert.is_true(difference(reduced, expected.bfloat16) < 0.05)
    assert.is_true(difference(reduced, expected.float) < 0.06)
  end)

  it('with weights of 8 bits is nearly the same', function()
    local int8 = gpt.model(weights, 'int8')
    assert.are.equal('torch.CharTensor', int8['wte.weight']:type())
    assert.is_true(int8.bytes < 0.45 * model.bytes)
    assert.is_true(difference(int8, expected.float) < 0.06)
    -- The likeliest tokens, and those of the rounded weights as floats.
    assert.are.same(expected.likeliest, generate(int8, #expected.likeliest, 0))
    local rounded = {}
    for name, t in pairs(weights) do
      local scales = int8.scales[name]
      rounded[name] = scales and tensor.dequantizeRows(int8[name], scales) or t
      if scales and name:match '^h' then rounded[name] = rounded[name]:t() end
    end
    local same = gpt.scores(gpt.model(rounded, 'float'), gpt.cache(model), prompt)
    assert.is_true((gpt.scores(int8, gpt.cache(int8), prompt) - same):abs():max() < 1e-4)
  end)

  it('does not depend on how tokens are appended to the cache', function()
    local whole = gpt.scores(model, gpt.cache(model), prompt)
    local cache, scores = gpt.cache(model)
    for k = 1, prompt:size(1) do
      scores = gpt.scores(model, cache, prompt:narrow(1, k, 1))
    end
    assert.are.equal(prompt:size(1), cache.count)
    assert.is_true((whole - scores):abs():max() < 1e-4)
  end)

  it('is the same with the same seed', function()
    local reduced = gpt.model(weights, 'bfloat16')
    tensor.manualSeed(5)
    local first = generate(reduced, 20, 1)
    tensor.manualSeed(5)
    assert.are.same(first, generate(reduced, 20, 1))
  end)
end)
