-- Switches the rules that differ between require 'tensor' and require 'torch'.

local tensor = require 'tensor'

local rules = {}

-- Sets all rules to 'tensor' or 'torch7'. Broadcasting stays as the test run has it.
function rules.set(mode)
  for _, rule in ipairs(tensor.rules()) do
    if rule.name ~= 'broadcast' then tensor.setRule(rule.name, mode) end
  end
end

-- Calls f('tensor') and f('torch7') with these rules.
function rules.in_both(f)
  for _, mode in ipairs { 'tensor', 'torch7' } do
    rules.set(mode)
    local done, message = pcall(f, mode)
    rules.set 'tensor'
    if not done then error(message, 0) end
  end
end

-- Sets the rules by which the references compute: sums in the type of the operand, and values with
-- indices for `median` and others. Rows of all elements exist by the other rule only. The rows of
-- `torch7_arguments` have forms that exist by the rule of Torch7 only.
local torch7_arguments = { clampMin = true, bernoulli = true, normal = true }
function rules.for_row(row)
  tensor.setRule('sums', 'torch7')
  tensor.setRule('medians', row.name:match 'all$' and 'tensor' or 'torch7')
  tensor.setRule('arguments', torch7_arguments[row.name] and 'torch7' or 'tensor')
end

return rules
