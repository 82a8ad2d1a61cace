-- tensor.nn: losses. Each returns the mean over all elements or rows: a number, or a tracked number
-- under tensor.grad.

local tensor = require 'tensor'

local losses = {}

--- nll(logs, classes): minus the mean of logs at the class of each row. logs: rows x classes, or
-- ... x classes. classes: a LongTensor with the number of the class of each row, from 1.
function losses.nll(logs, classes)
   local count = logs:size(logs:dim())
   local rows = logs:dim() == 2 and logs or logs:reshape(logs:nElement() / count, count)
   if classes:nElement() ~= rows:size(1) then
      error(('nn.nll: %d classes for %d rows'):format(classes:nElement(), rows:size(1)), 0)
   end
   return -rows:gather(2, classes:reshape(rows:size(1), 1)):mean()
end

--- crossEntropy(logits, classes): nll of the logarithm of the softmax of logits over their last
-- dimension.
function losses.crossEntropy(logits, classes)
   return losses.nll(tensor.logSoftmax(logits, logits:dim()), classes)
end

--- binaryCrossEntropy(logits, targets): the cross-entropy of sigmoid(logits) and targets from 0 to
-- 1: the mean of log(1 + exp(x)) - x * y.
function losses.binaryCrossEntropy(logits, targets)
   return (tensor.softplus(logits) - tensor.cmul(logits, targets)):mean()
end

--- mse(x, y): the mean of (x - y)^2.
function losses.mse(x, y)
   local difference = x - y
   return difference:cmul(difference):mean()
end

--- huber(x, y [, delta = 1]): the mean of (x - y)^2 / 2 where |x - y| < delta, and of
-- delta * (|x - y| - delta / 2) elsewhere.
function losses.huber(x, y, delta)
   delta = delta or 1
   local distance = tensor.abs(x - y)
   local small = tensor.clamp(distance, 0, delta)
   -- small * (distance - small / 2) is distance^2 / 2 below delta.
   return tensor.cmul(small, distance - small / 2):mean()
end

return losses
