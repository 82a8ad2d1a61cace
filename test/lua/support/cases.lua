-- All test cases, by the names of the rows. Fields of a case:
--   scenarios(e, random, large): returns lists of arguments, one for each slot of the row that is
--   not a result: models for tensors, numbers, booleans, {sizes = ...}, {dims = ...}, {list =
--   models}, or omit for an omitted slot;
--   reference(e, arguments...): returns the expected results, computed in plain Lua;
--   ulps: the allowed error of floating-point results in units in the last place;
--   inout: the row modifies its first tensor; view: the result shares memory; random: seed the
--   generator before the call; accumulated: the result is a number in the accumulation type;
--   ambiguous_result: an element type for which a call with a given result means another row;
--   doubles: integer inputs are computed in doubles;
--   check(e, arguments, results...): describes what is wrong with the results; reference then gives
--   only their sizes; singular_expanded: operands with equal rows are not usable.

local elements = require 'support.elements'
local first = require 'support.cases_elementwise'

local shared = { omit = first.omit, elements = elements }
local all = {}
for name, case in pairs(first.cases) do all[name] = case end
for _, file in ipairs { 'structure', 'arrange', 'reduce', 'reduce_more', 'order', 'count',
                        'statistics', 'pad', 'index', 'product', 'quantized', 'convolution',
                        'spatial', 'fourier', 'complex', 'linalg', 'random', 'networks',
                        'composed', 'sets', 'sampled', 'histogram', 'array' } do
  for name, case in pairs(require('support.cases_' .. file).install(shared)) do
    assert(not all[name], name)
    all[name] = case
  end
end

return { cases = all, omit = shared.omit }
