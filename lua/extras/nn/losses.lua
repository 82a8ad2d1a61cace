-- tensor.nn: losses. Each returns the mean over all elements or rows: a number, or a tracked number
-- under tensor.grad. The operations of the same names, such as tensor.crossEntropy, have more
-- options.

local tensor = require 'tensor'
local native = require 'tensor.native'
local layer = require 'tensor.nn.layer'

local raise, describe = native.raise, native.describe(tensor)

local losses = {}

-- Returns the class numbers in the shape of t without its last dimension. They may also be flat, or
-- have a last dimension of size 1.
local function rows_of(name, t, classes)
   layer.check_tensor(name, t)
   if not tensor.isTensor(classes) then
      raise(('nn.%s: a LongTensor of classes is expected, got %s'):format(name,
                                                                          describe(classes)))
   end
   local size, rows = t:size():totable(), 1
   table.remove(size)
   for _, n in ipairs(size) do
      rows = rows * n
   end
   size = #size > 0 and size or {1}
   local expected = tensor.LongStorage(size)
   local dims = classes:dim()
   local last = dims > 0 and classes:size(dims)
   local is_flat = dims <= 1 or dims == 2 and last == 1
   if classes:nElement() == rows then
      if is_flat or last == 1 and classes:select(dims, 1):isSize(expected) then
         return classes:reshape(expected)
      elseif classes:isSize(expected) then
         return classes
      end
   end
   local hint = t:dim() > 2 and ("; tensor.%s(t, classes, 'mean', 2) takes those along dimension 2")
                                :format(name) or ''
   raise(('nn.%s: class numbers of size [%s] are expected for %s, got %s: classes lie along the '
          .. 'last dimension%s'):format(name, table.concat(size, ' x '), describe(t),
                                        describe(classes), hint))
end

--- nll(logs, classes): minus the mean of logs at the class of each row. logs: rows x classes, or
-- ... x classes. classes: a LongTensor with the number of the class of each row, from 1.
function losses.nll(logs, classes)
   return tensor.nll(logs, rows_of('nll', logs, classes))
end

--- crossEntropy(logits, classes): nll of the logarithm of the softmax of logits over their last
-- dimension.
function losses.crossEntropy(logits, classes)
   return tensor.crossEntropy(logits, rows_of('crossEntropy', logits, classes))
end

--- binaryCrossEntropy(logits, targets): the cross-entropy of sigmoid(logits) and targets from 0 to
-- 1: the mean of log(1 + exp(x)) - x * y.
function losses.binaryCrossEntropy(logits, targets)
   return tensor.binaryCrossEntropy(logits, targets)
end

--- mse(x, y): the mean of (x - y)^2.
function losses.mse(x, y)
   return tensor.mse(x, y)
end

--- huber(x, y [, delta = 1]): the mean of (x - y)^2 / 2 where |x - y| < delta, and of
-- delta * (|x - y| - delta / 2) elsewhere.
function losses.huber(x, y, delta)
   return tensor.huber(x, y, delta or 1)
end

return losses
