-- Continues a prompt of random tokens with a decoder of GPT-2's form. The weights are those of a
-- .safetensors file with GPT-2's names, or random ones. Tokens are printed as numbers from 0, as in
-- GPT-2's vocabulary.
--
--   tensor examples/generate.lua [--model FILE] [--random NAME] [--save FILE] [--type NAME]
--                                [--prompt N] [--tokens N] [--seed N] [--greedy]

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local gpt = require 'lib.gpt'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'model', value = 'FILE', help = 'a .safetensors file'},
  {name = 'random', value = 'NAME', default = 'tiny',
   help = 'without a file, random weights: tiny, or small, GPT-2 of 124M parameters (tiny)'},
  {name = 'save', value = 'FILE', help = 'writes the random weights'},
  {name = 'type', value = 'NAME', default = 'bfloat16',
   help = 'the type of the weights: float, bfloat16, half or int8 (bfloat16)'},
  {name = 'prompt', value = 'N', least = 1, most = 1e5, default = 8,
   help = 'the number of tokens of the prompt (8)'},
  {name = 'tokens', value = 'N', least = 1, most = 1e5, default = 16,
   help = 'the number of tokens to generate (16)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
  {name = 'greedy', help = 'takes the likeliest token instead of sampling'},
})
local function check(valid, ...)
  if not valid then
    io.stderr:write('generate: ', string.format(...), '\n')
    os.exit(1)
  end
end
local types = {float = true, bfloat16 = true, half = true, int8 = true}
check(types[chosen.type], 'the type is float, bfloat16, half or int8, got %s', chosen.type)
local shape = gpt.shapes[chosen.random]
check(shape, 'random weights are tiny or small, got %s', chosen.random)

tensor.manualSeed(chosen.seed)
local weights = chosen.model and tensor.load(chosen.model, {map = true}) or gpt.random(shape)
if chosen.save then
  tensor.save(chosen.save, weights)
end
local model = gpt.model(weights, chosen.type)
weights = nil -- luacheck: ignore (the file's memory is released)
collectgarbage()
check(chosen.prompt + chosen.tokens <= model.shape.positions,
      'the model has %d positions, %d are requested', model.shape.positions,
      chosen.prompt + chosen.tokens)

local cache, clock, times = gpt.cache(model), tensor.Timer(), {}
local next_tokens = tensor.LongTensor(chosen.prompt):random(1, model.shape.vocabulary)
for k = 1, chosen.tokens do
  local start = clock:time().real
  local scores = gpt.scores(model, cache, next_tokens)
  local token = gpt.sample(scores, chosen.greedy and 0 or 1)
  times[k] = clock:time().real - start
  io.write(token - 1, k < chosen.tokens and ' ' or '\n')
  next_tokens = tensor.LongTensor{token}
end

-- The first time includes the prompt; the others are those of one token.
io.write(('prompt %.2f'):format(1e3 * table.remove(times, 1)))
table.sort(times)
local median = times[math.ceil(#times / 2)]
if median then
  io.write((' token %.2f ms: %.1f tokens/s, %.2f GB/s of weights'):format(
    1e3 * median, 1 / median, 1e-9 * model.bytes / median))
end
print()
