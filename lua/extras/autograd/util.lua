-- autograd.util: functions of tensors and of nested tables.

local versions = require 'tensor.versions'
local tensor = require 'tensor'

local each, unpack = versions.each, versions.unpack

local util = {}

-- ---- tensors ----

local aliases = {
   float = 'torch.FloatTensor', double = 'torch.DoubleTensor', cuda = 'torch.CudaTensor',
}

--- cast(t, name): converts a tensor, or the tensors in a nested table, to another type. name: a
-- class, 'float', 'double' or 'cuda'.
function util.cast(t, name)
   name = aliases[name] or name
   if tensor.isTensor(t) then
      return t:type(name)
   elseif type(t) ~= 'table' then
      return t
   end
   local result = {}
   for key, field in each(t) do
      result[key] = util.cast(field, name)
   end
   return result
end

--- oneHot(labels [, n]): a matrix with a row for each label, with 1 in the column of the label.
-- labels: a vector of numbers from 1 to n. n: default: the largest label.
function util.oneHot(labels, n)
   local rows = labels:nElement()
   local result = labels.new(rows, n or labels:max()):zero()
   return result:scatter(2, labels:long():view(rows, 1), 1)
end

--- logSumExp(t): the logarithm of the sum of exp over all elements, a number.
function util.logSumExp(t)
   local largest = tensor.max(t)
   return tensor.log(tensor.sum(tensor.exp(t - largest))) + largest
end

--- logSoftMax(t): t - logSumExp(t), over all elements.
function util.logSoftMax(t)
   return t - util.logSumExp(t)
end

function util.sigmoid(t)
   return tensor.sigmoid(t)
end

--- lookup(t, indexes): the rows of a matrix at the indexes, a tensor of any shape.
function util.lookup(t, indexes)
   local size = indexes:size():totable()
   size[#size + 1] = t:size(2)
   local rows = t:index(1, indexes:long():contiguous():view(-1))
   return rows:view(unpack(size))
end

--- dropout(t [, p = 0]): replaces elements by 0 with the probability p, and divides the others by
-- 1 - p.
function util.dropout(t, p)
   if not p or p == 0 then
      return t
   end
   local mask = tensor.emptyLike(t):bernoulli(1 - p)
   return tensor.cmul(t, p < 1 and mask:div(1 - p) or mask)
end

function util.newTensorLike(t)
   return tensor.emptyLike(t)
end

--- zerosLike(a [, b]): zeros of a's type in the shape of b or a.
function util.zerosLike(a, b)
   return a.new():resize((b or a):size()):zero()
end

--- fill(t, value): a tensor of t's type and shape, filled with a value.
function util.fill(t, value)
   return tensor.emptyLike(t):fill(value)
end
util.fillSameSizeAs = util.fill

--- cat(a, b [, dim]) or cat(list [, dim]): joins tensors; by default along the last dimension.
-- Makes a vector of a list of numbers.
function util.cat(a, b, dim)
   if tensor.isTensor(a) then
      return tensor.cat(a, b, dim or a:dim())
   elseif tensor.isTensor(a[1]) then
      return tensor.cat(a, b or a[1]:dim())
   end
   return tensor.Tensor(a)
end

function util.makeContiguous(t)
   return t:contiguous()
end

function util.typeAsIfNeeded(a, b)
   return a:type() == b:type() and a or a:typeAs(b)
end

-- ---- numbers ----

-- Returns the plain value of a number that depends on tracked tensors.
local function plain(x)
   return type(x) == 'table' and x.item and x:item() or x
end

--- lt(a, b) and so on: compare numbers, which may depend on tracked tensors.
function util.lt(a, b) return plain(a) < plain(b) end
function util.le(a, b) return plain(a) <= plain(b) end
function util.gt(a, b) return plain(a) > plain(b) end
function util.ge(a, b) return plain(a) >= plain(b) end
function util.eq(a, b) return plain(a) == plain(b) end

-- ---- tables ----

function util.defaultBool(value, default)
   if value == nil then
      return default
   end
   return value
end

-- Returns the keys of a table in order: of numbers or of names, or else of their texts.
local function sorted_keys(t)
   local keys, types, count = {}, {}, 0
   for key in each(t) do
      keys[#keys + 1] = key
      if not types[type(key)] then
         types[type(key)], count = true, count + 1
      end
   end
   local comparable = count == 1 and (types.number or types.string)
   table.sort(keys, not comparable and function(a, b)
      return tostring(a) < tostring(b)
   end or nil)
   return keys
end

-- A table without a class. Tracked numbers are tables with a metatable.
local function is_plain(t)
   return type(t) == 'table' and getmetatable(t) == nil
end

--- sortedFlatten(t [, list [, shallow]]): appends the values in a nested table to a list, in the
-- order of the keys. With `shallow`, inner tables are values. Returns the list.
function util.sortedFlatten(t, list, shallow)
   list = list or {}
   if not is_plain(t) then
      list[#list + 1] = t
      return list
   end
   for _, key in ipairs(sorted_keys(t)) do
      if is_plain(t[key]) and not shallow then
         util.sortedFlatten(t[key], list)
      else
         list[#list + 1] = t[key]
      end
   end
   return list
end

--- nestedGet(t, keys): the field t[keys[1]][keys[2]]...; nil if a table is missing.
function util.nestedGet(t, keys)
   for _, key in ipairs(keys) do
      if type(t) ~= 'table' then
         return nil
      end
      t = t[key]
   end
   return t
end

--- nestedSet(t, keys, value): sets the field t[keys[1]][keys[2]]..., and creates missing tables.
function util.nestedSet(t, keys, value)
   for k = 1, #keys - 1 do
      if t[keys[k]] == nil then
         t[keys[k]] = {}
      end
      t = t[keys[k]]
   end
   t[keys[#keys]] = value
end

--- deepCopy(t): a copy of a nested table. Tensors are shared.
function util.deepCopy(t)
   if not is_plain(t) then
      return t
   end
   local copy = {}
   for key, field in each(t) do
      copy[key] = util.deepCopy(field)
   end
   return copy
end

return util
