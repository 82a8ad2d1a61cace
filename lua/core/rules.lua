-- Rules for all calls, as a whole.

local rules = {}

--- use_torch7(tensor): sets Torch7's rules. Tensors of different shapes are paired in element
-- order, fractions are truncated to integers, unknown fields are nil, and load reads functions.
function rules.use_torch7(tensor)
   tensor.setBroadcast('torch7')
   tensor._lenient(true)
   tensor._trustfiles(true)
end

return rules
