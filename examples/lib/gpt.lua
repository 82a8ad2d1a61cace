-- A decoder of GPT-2's form: pre-norm transformer blocks with an embedding of positions. The matrix
-- of the embedding of tokens also computes the scores of the next token. The tensors have the names
-- and shapes of GPT-2's weights in .safetensors files. Tokens are numbers from 1.

local tensor = require 'tensor'

local gpt = {}

-- Shapes of the smallest GPT-2, and of a model for tests.
gpt.shapes = {
  small = {vocabulary = 50257, positions = 1024, width = 768, layers = 12},
  tiny = {vocabulary = 40, positions = 32, width = 16, layers = 2},
}

-- Calls f(name, sizes, kind) for each tensor of a model; kind: 'scale', 'shift' or 'matrix'.
local function each_weight(shape, f)
  local width = shape.width
  local function norm(name)
    f(name .. '.weight', {width}, 'scale')
    f(name .. '.bias', {width}, 'shift')
  end
  local function linear(name, inputs, outputs)
    f(name .. '.weight', {inputs, outputs}, 'matrix')
    f(name .. '.bias', {outputs}, 'shift')
  end
  f('wte.weight', {shape.vocabulary, width}, 'matrix')
  f('wpe.weight', {shape.positions, width}, 'matrix')
  for k = 0, shape.layers - 1 do
    local layer = ('h.%d.'):format(k)
    norm(layer .. 'ln_1')
    linear(layer .. 'attn.c_attn', width, 3 * width)
    linear(layer .. 'attn.c_proj', width, width)
    norm(layer .. 'ln_2')
    linear(layer .. 'mlp.c_fc', width, 4 * width)
    linear(layer .. 'mlp.c_proj', 4 * width, width)
  end
  norm 'ln_f'
end

--- random(shape): returns random weights, FloatTensors by name. Their size lets tokens differ.
function gpt.random(shape)
  local weights = {}
  each_weight(shape, function(name, sizes, kind)
    local t = tensor.FloatTensor(tensor.LongStorage(sizes))
    weights[name] = kind == 'scale' and t:normal(1, 0.1) or
                    t:normal(0, kind == 'shift' and 0.1 or 1.5 / math.sqrt(shape.width))
  end)
  return weights
end

--- model(weights, type): returns a model of these weights, converted to the element type `type`:
-- 'float', 'bfloat16' or 'half'; or 'int8', matrices of 8 bits with a scale for each output, and
-- floats otherwise. It has heads of 64 elements, as GPT-2, or two.
function gpt.model(weights, type)
  local vocabulary, width = weights['wte.weight']:size(1), weights['wte.weight']:size(2)
  local shape = {vocabulary = vocabulary, width = width, layers = 0,
                 positions = weights['wpe.weight']:size(1)}
  while weights[('h.%d.ln_1.weight'):format(shape.layers)] do
    shape.layers = shape.layers + 1
  end
  local is_int8 = type == 'int8'
  local convert = is_int8 and 'float' or type
  local model = {shape = shape, heads = width < 128 and 2 or width / 64, bytes = 0, scales = {}}
  local function add(list, name, t)
    list[name] = t
    model.bytes = model.bytes + t:nElement() * t:elementSize()
  end
  each_weight(shape, function(name, sizes)
    local t = assert(weights[name], 'the model has no tensor ' .. name)
    t = t[convert](t)
    local of_layer = #sizes == 2 and name:match '^h' ~= nil
    -- Columns of the matrices of layers are contiguous, because products sum over them.
    if of_layer then
      t = t:t():contiguous()
    end
    if is_int8 and (of_layer or name == 'wte.weight') then
      local q, scales = tensor.quantizeRows(t)
      add(model, name, q)
      add(model.scales, name, scales)
    else
      add(model, name, of_layer and t:t() or t)
    end
  end)
  return model
end

--- cache(model): returns an empty cache of the keys and values of the tokens seen: for each layer
-- heads x positions x size.
function gpt.cache(model)
  local shape, cache = model.shape, {count = 0}
  local new = model['wpe.weight'].new
  for k = 1, shape.layers do
    local size = {model.heads, shape.positions, shape.width / model.heads}
    cache[k] = {k = new(size[1], size[2], size[3]), v = new(size[1], size[2], size[3])}
  end
  return cache
end

-- x times the weight of a layer, plus its bias.
local function linear(model, layer, x)
  local weight, bias = model[layer .. '.weight'], model[layer .. '.bias']
  local scales = model.scales[layer .. '.weight']
  if scales then
    local y = tensor.quantizedLinear(x, weight, scales)
    return y:add(bias:view(1, -1):expandAs(y))
  end
  return tensor.addmm(bias, x, weight)
end

-- x of rows x width, with the tokens in the cache before it.
local function attention(model, name, x, cache, first)
  local rows, width, heads = x:size(1), model.shape.width, model.heads
  local all = linear(model, name .. 'c_attn', x)
  local function part(k)
    return all:narrow(2, k * width + 1, width):view(rows, heads, width / heads):transpose(1, 2)
  end
  cache.k:narrow(2, first, rows):copy(part(1))
  cache.v:narrow(2, first, rows):copy(part(2))
  local seen = first + rows - 1
  local y = tensor.attention(part(0), cache.k:narrow(2, 1, seen),
                             cache.v:narrow(2, 1, seen), nil, true)
  return y:transpose(1, 2):contiguous():view(rows, width)
end

--- scores(model, cache, tokens): appends the LongTensor `tokens` to the cache, and returns the
-- scores of the token that follows, a vector.
function gpt.scores(model, cache, tokens)
  local rows, first, shape = tokens:size(1), cache.count + 1, model.shape
  local function norm(name, x)
    return tensor.layerNorm(x, {shape.width}, model[name .. '.weight'], model[name .. '.bias'])
  end
  local embedding, scales = model['wte.weight'], model.scales['wte.weight']
  local x = scales and
    tensor.dequantizeRows(embedding:index(1, tokens), scales:index(1, tokens)) or
    tensor.embedding(embedding, tokens)
  x:add(model['wpe.weight']:narrow(1, first, rows))
  for k = 1, shape.layers do
    local layer = ('h.%d.'):format(k - 1)
    x:add(linear(model, layer .. 'attn.c_proj',
                 attention(model, layer .. 'attn.', norm(layer .. 'ln_1', x), cache[k], first)))
    local hidden = linear(model, layer .. 'mlp.c_fc', norm(layer .. 'ln_2', x))
    x:add(linear(model, layer .. 'mlp.c_proj', tensor.gelu(hidden, hidden)))
  end
  cache.count = cache.count + rows
  local last = norm('ln_f', x[rows])
  return scales and tensor.quantizedLinear(last, embedding, scales) or tensor.mv(embedding, last)
end

--- sample(scores, temperature): draws a token: the first whose cumulative probability exceeds a
-- uniform random number. Temperature 0 returns the likeliest token.
function gpt.sample(scores, temperature)
  if temperature == 0 then
    local _, best = scores:max(1)
    return best[1]
  end
  local sums = tensor.cumsum(tensor.softmax(scores:double() / temperature, 1), 1)
  return math.min(sums:le(tensor.uniform()):sum() + 1, scores:size(1))
end

return gpt
