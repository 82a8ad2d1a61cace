-- tensor.nn: attention and the transformer block (Vaswani et al., 2017).

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local layer = require 'tensor.nn.layer'
local layers = require 'tensor.nn.layers'
local types = require 'tensor.types'
local element_name = types.element_name

local attention = {}

-- The last mask of causal attention, and its device and sizes: a training program uses the same one
-- in all layers and steps.
local last_mask, last_key

-- Returns a ByteTensor that is 1 where row i may not see column j.
local function causal_mask(like, rows, columns)
   local key = ('%s %d %d'):format(like:device(), rows, columns)
   if key ~= last_key or tensor.isCompiling() then
      local above = tensor.ones(rows, columns):triu(columns - rows + 1)
      local class = types.beside(like:type(), 'torch.ByteTensor')
      -- A step may run in a scope, which the mask outlives.
      last_mask, last_key = tensor.keep(like.new(rows, columns):copy(above):type(class)), key
   end
   return last_mask
end

-- Returns true if tensor.attention accepts q, k and v. Returns false if it may not.
local function do_fit(q, k, v)
   if not (tensor.isTensor(q) and tensor.isTensor(k) and tensor.isTensor(v)) then
      return false
   end
   local dims = q:dim()
   if dims < 2 or k:dim() ~= dims or v:dim() ~= dims then
      return false
   end
   for d = 1, dims - 2 do
      if k:size(d) ~= q:size(d) or v:size(d) ~= q:size(d) then
         return false
      end
   end
   return q:size(dims) > 0 and q:size(dims) == k:size(dims) and k:size(dims - 1) == v:size(dims - 1)
end

-- Returns true if tensor.attention accepts the mask with q and k. Returns false if it may not.
local function does_mask_fit(mask, q, k)
   if not tensor.isTensor(mask)
      or element_name(mask) ~= 'Byte' and element_name(mask) ~= element_name(q) then
      return false
   end
   local dims, count = q:dim(), mask:dim()
   if count == 0 or count > dims then
      return false
   end
   for d = 1, count do
      local size = d == count and k:size(dims - 1) or q:size(dims - count + d)
      if mask:size(d) ~= 1 and mask:size(d) ~= size then
         return false
      end
   end
   return true
end

-- tensor.attention checks the mask.
local product_options = {causal = 'boolean', mask = 'userdata table number boolean string',
                         dropout = 'number', train = 'boolean'}

--- scaledDotProduct(q, k, v [, options]): softmax(q * k:t() / sqrt(d) + mask) * v for each matrix.
-- q: ... x rows x d. k: ... x columns x d. v: ... x columns x width. options: causal, where the
-- last row sees all columns, and each row before one less; mask, which broadcasts to
-- ... x rows x columns: a ByteTensor with 1 where q may see k, or a tensor of the type of q that is
-- added to the products; dropout and train.
function attention.scaledDotProduct(q, k, v, options)
   options = layer.options('scaledDotProduct', options, product_options)
   local probability = layer.check_probability('scaledDotProduct: dropout',
                                               options.train and options.dropout or 0)
   local is_causal = options.causal == true
   if probability == 0 then
      return tensor.attention(q, k, v, options.mask, is_causal)
   elseif not do_fit(q, k, v)
      or options.mask ~= nil and not does_mask_fit(options.mask, q, k) then
      tensor.attention(q, k, v, options.mask, is_causal)  -- raises its error
   end
   local scores = tensor.matmul(q * (1 / math.sqrt(q:size(q:dim()))), k:transpose(-1, -2))
   local rows, hidden = scores:dim() - 1, nil
   if is_causal then
      hidden = causal_mask(scores, scores:size(rows), scores:size(rows + 1))
   end
   local is_added = options.mask and element_name(options.mask) ~= 'Byte'
   if is_added then
      scores = scores + options.mask
   elseif options.mask then
      local masked = options.mask:eq(0)
      -- By the rule of require 'torch', operands with as many elements would pair in their order.
      hidden = hidden and tensor.cmax(tensor.broadcastTensors(hidden, masked)) or masked
   end
   if hidden then
      scores:maskedFill(hidden, -math.huge)
   end
   local blind  -- 1 for rows that see nothing
   if scores:size(rows + 1) > 0 and is_added then
      blind = scores:max(rows + 1):eq(-math.huge)
      scores:maskedFill(blind, 0)  -- otherwise the gradients are NaN
   elseif scores:size(rows + 1) > 0 and hidden then
      blind = (hidden:min(hidden:dim()))
   end
   local weights = layer.drop(tensor.softmax(scores, -1), probability)
   if blind then
      weights:maskedFill(blind, 0)
   end
   return tensor.matmul(weights, v)
end

--- rotary(x [, options]): rotary position embeddings (Su et al., 2021) of x, ... x rows x size.
-- Turns the elements i and i + size / 2 of row number p by the angle p * base^(-2 * i / size). Here
-- i and p count from 0. options: base (10000); first (0), the position of the first row.
function attention.rotary(x, options)
   options = layer.options('rotary', options, {base = 'number', first = 'number'})
   layer.check_tensor('rotary', x, 2)
   local dims = x:dim()
   local size = x:size(dims)
   if size == 0 or size % 2 ~= 0 then
      raise(('nn.rotary: rows of an even size are expected, got %s'):format(
         table.concat(x:size():totable(), 'x')))
   end
   local half, rows, first = size / 2, x:size(dims - 1), options.first or 0
   if x:nElement() == 0 then
      return x:clone()
   end
   local exponents = tensor.DoubleTensor():range(0, half - 1):mul(-2 / size)
   local frequencies = tensor.pow(options.base or 10000, exponents)
   local positions = tensor.DoubleTensor():range(first, first + rows - 1)
   local angles = tensor.ger(positions, frequencies)
   local cos = x.new(rows, half):copy(tensor.cos(angles)):view(1, rows, half)
   local sin = x.new(rows, half):copy(tensor.sin(angles)):view(1, rows, half)
   local whole = x:reshape(x:nElement() / (rows * size), rows, size)
   local a, b = whole:narrow(3, 1, half), whole:narrow(3, half + 1, half)
   local turned = tensor.cat({tensor.cmul(a, cos) - tensor.cmul(b, sin),
                              tensor.cmul(b, cos) + tensor.cmul(a, sin)}, 3)
   return turned:view(x:size())
end

-- Raises an error unless heads of the same size have this width together.
local function check_heads(name, width, heads)
   layer.check_size(name, 'width', width)
   layer.check_size(name, 'heads', heads)
   if width % heads ~= 0 then
      raise(('nn.%s: the width %d is not a multiple of %d heads'):format(name, width, heads))
   end
end

local attention_options = {causal = 'boolean', dropout = 'number', bias = 'boolean'}

--- attention(width, heads [, options]): multi-head attention of x, batch x rows x width. A call's
-- options: memory (default: x), batch x columns x width, which x sees; mask, a ByteTensor that
-- broadcasts to batch x heads x rows x columns; train. options: causal, dropout (0), bias (true).
function attention.attention(width, heads, options)
   check_heads('attention', width, heads)
   options = layer.options('attention', options, attention_options)
   layer.check_probability('attention: dropout', options.dropout or 0)
   local size = width / heads
   -- The rows of the weight are those for the queries, the keys and the values.
   local input = layers.linear(width, 3 * width, {bias = options.bias})
   local output = layers.linear(width, width, {bias = options.bias})

   -- Returns the k-th part of the products as batch x heads x rows x size.
   local function split(products, k)
      local batch, rows = products:size(1), products:size(2)
      local part = products:narrow(3, k * width + 1, width):view(batch, rows, heads, size)
      return part:transpose(2, 3)
   end
   -- The parameters of the rows of the input layer from `first` on.
   local function rows_of(params, first, count)
      return {weight = params.weight:narrow(1, first, count),
              bias = params.bias and params.bias:narrow(1, first, count)}
   end

   return layer.new({'attention', width, heads}, function()
      return {input = input.init(), output = output.init()}
   end, function(params, x, call)
      layer.check_input('attention', x, 3, width)
      layer.check_params('attention: input', params.input, {'weight'})
      layer.check_params('attention: output', params.output, {'weight'})
      local batch, rows = x:size(1), x:size(2)
      local q, k, v
      if call.memory then
         layer.check_input('attention', call.memory, 3, width)
         q = split(layers.linear(width, width)(rows_of(params.input, 1, width), x), 0)
         local products = layers.linear(width, 2 * width)(
            rows_of(params.input, width + 1, 2 * width), call.memory)
         k, v = split(products, 0), split(products, 1)
      else
         local products = input(params.input, x)
         q, k, v = split(products, 0), split(products, 1), split(products, 2)
      end
      local y = attention.scaledDotProduct(q, k, v, {
         causal = options.causal, mask = call.mask, dropout = options.dropout,
         train = not not call.train,
      })
      y = y:transpose(2, 3):reshape(batch, rows, width)
      return output(params.output, y)
   end)
end

--- transformerBlock(width, heads [, options]): x + attention(norm(x)), then the same with a network
-- of one hidden layer. options: hidden (4 * width), activation (gelu), and those of attention.
function attention.transformerBlock(width, heads, options)
   check_heads('transformerBlock', width, heads)
   options = layer.options('transformerBlock', options, {
      causal = 'boolean', dropout = 'number', bias = 'boolean', hidden = 'number',
      activation = 'function table',
   })
   local hidden = layer.check_size('transformerBlock', 'hidden', options.hidden or 4 * width)
   local probability = layer.check_probability('transformerBlock: dropout', options.dropout or 0)
   local activation = options.activation or tensor.gelu
   local children = {
      norm1 = layers.layerNorm(width), attention = attention.attention(width, heads, {
         causal = options.causal, dropout = options.dropout, bias = options.bias,
      }),
      norm2 = layers.layerNorm(width), up = layers.linear(width, hidden),
      down = layers.linear(hidden, width),
   }
   local block = layers.layer('transformerBlock', children, function(params, x, call)
      local function dropped(y)
         return call.train and layer.drop(y, probability) or y
      end
      local y = children.norm1(params.norm1, x)
      x = x + dropped(children.attention(params.attention, y, call))
      y = activation(children.up(params.up, children.norm2(params.norm2, x)))
      return x + dropped(children.down(params.down, y))
   end)
   block.has_others = false
   return block
end

return attention
