-- Counts the rows of the op table by their column `derivative`, and lists those that are not
-- implemented.
--
--   build/prefix/bin/tensor scripts/count-derivatives.lua

local tensor = require 'tensor'

local kinds = {
  { 'with a rule', formulas = true, ['function'] = true },
  { 'views', shares = true },
  { 'composed of rows with a rule', composed = true },
  { 'not differentiable', constant = true },
  { 'not implemented', unsupported = true },
}

local names, total = {}, 0
for k in ipairs(kinds) do names[k] = {} end
for _, row in ipairs(tensor._optable()) do
  total = total + 1
  for k, kind in ipairs(kinds) do
    if kind[row.derivative] then
      table.insert(names[k], row.lua ~= '' and row.name or row.name .. ' (C only)')
    end
  end
end
for k, kind in ipairs(kinds) do print(('%4d %s'):format(#names[k], kind[1])) end
print(('%4d rows'):format(total))
print('not implemented: ' .. table.concat(names[#kinds], ', '))
