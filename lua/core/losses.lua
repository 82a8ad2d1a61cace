-- The losses that tensor.grad and tensor.vjp return after gradients. step(params, df(params))
-- passes both results to an optimizer, which must not take the loss for a rate.

-- By gradients. Only the program keeps a loss alive, which may refer to its gradients.
local loss_of = setmetatable({}, {__mode = 'kv'})
local last = setmetatable({}, {__mode = 'v'})  -- the field `loss`: of the last gradients

local losses = {}

--- note(gradients, loss): remembers the loss of gradients, which are a tensor or a table; other
-- values are ignored.
function losses.note(gradients, loss)
   if type(gradients) == 'table' or type(gradients) == 'userdata' then
      loss_of[gradients] = loss
      last.loss = loss
   end
end

--- is_loss(gradients, value): returns true if the value is the loss of these gradients, or the last
-- loss if the gradients have none: they may be computed from others, as those of tree.map are.
function losses.is_loss(gradients, value)
   local loss = loss_of[gradients]
   if loss == nil then
      loss = last.loss
   end
   return loss ~= nil and (rawequal(loss, value) or loss ~= loss and value ~= value)  -- NaN
end

return losses
