-- The one list of cases, by the rows' names. A case has
--   scenarios(e, random, large): lists of arguments, one for each of the row's slots that is no
--     result: models for tensors, numbers, booleans, {sizes = ...}, {dims = ...}, {list = models},
--     or omit where the slot is left out;
--   reference(e, arguments...): the expected result, or results, in plain Lua;
--   ulps: how many units of the last place a floating-point result may be off;
--   inout: the row's first tensor is changed; view: the result shares memory; random: the generator
--   is seeded before; accumulated: the result is a number in the accumulation type;
--   doubles: of integers it is computed in doubles;
--   check(e, arguments, results...): says what is wrong with the results, of which the reference
--   has the sizes only; singular_expanded: operands with equal rows are of no use.

local elements = require 'support.elements'
local first = require 'support.cases_elementwise'

local shared = { omit = first.omit, elements = elements }
local all = {}
for name, case in pairs(first.cases) do all[name] = case end
for _, file in ipairs { 'structure', 'arrange', 'reduce', 'reduce_more', 'order', 'count',
                        'statistics', 'pad', 'index', 'product', 'convolution', 'linalg',
                        'random' } do
  for name, case in pairs(require('support.cases_' .. file).install(shared)) do
    assert(not all[name], name)
    all[name] = case
  end
end

return { cases = all, omit = shared.omit }
