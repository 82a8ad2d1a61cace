-- autograd.loss: losses, sums over all elements. Each but the first two also returns the
-- transformed output.

local tensor = require 'tensor'
local util = require 'tensor.autograd.util'

local loss = {}

-- Minus the sum of the logarithm of a probability p where the target is 1, of 1 - p where it is 0.
local function negative_log_likelihood(p, target)
   return -tensor.sum(tensor.cmul(target, tensor.log(p))
                      + tensor.cmul(1 - target, tensor.log(1 - p)))
end

--- logMultinomialLoss(out, target): minus the sum of out * target. out: logarithms of
-- probabilities.
function loss.logMultinomialLoss(out, target)
   return -tensor.sum(tensor.cmul(out, target))
end

--- logBCELoss(out, target [, p]): the binary cross-entropy of the probabilities out + p.
function loss.logBCELoss(out, target, p)
   return negative_log_likelihood(p and out + p or out, target)
end

--- crossEntropy(out, target): minus the sum of logSoftMax(out) * target. Also returns
-- logSoftMax(out).
function loss.crossEntropy(out, target)
   local logs = util.logSoftMax(out)
   return loss.logMultinomialLoss(logs, target), logs
end

--- binaryCrossEntropy(out, target): the binary cross-entropy of sigmoid(out), which is scaled to
-- the range from 1e-6 to 1 - 1e-6. Also returns these probabilities.
function loss.binaryCrossEntropy(out, target)
   local margin = 1e-6
   local p = util.sigmoid(out) * (1 - 2 * margin) + margin
   return negative_log_likelihood(p, target), p
end

--- leastSquares(out, target): the sum of (out - target)^2. Also returns out.
function loss.leastSquares(out, target)
   local difference = out - target
   return tensor.sum(tensor.cmul(difference, difference)), out
end

--- margin(out, target [, margin = 1]): the sum of max(0, margin - (a - b)) over all elements a of
-- `out` whose target is 1 and all elements b whose target is 0. Also returns out.
function loss.margin(out, target, margin)
   local positive, negative = out[tensor.eq(target, 1)], out[tensor.eq(target, 0)]
   local rows, columns = positive:nElement(), negative:nElement()
   if rows == 0 or columns == 0 then
      return tensor.sum(out) * 0, out
   end
   local differences = positive:view(rows, 1):expand(rows, columns)
      - negative:view(1, columns):expand(rows, columns)
   return tensor.sum(tensor.clamp((margin or 1) - differences, 0, math.huge)), out
end

return loss
