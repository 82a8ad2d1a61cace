-- Calls of rows of the op table with element types that they do not support.

local tensor = require 'tensor'
local elements = require 'support.elements'
local forms = require 'support.forms'
local omit = require('support.cases').omit
local rules = require 'support.rules'
local runner = require 'support.runner'

--- An element type that the row does not support: each form raises an error for any arguments.
return function(row, case, e)
  local function_slots, slots = runner.slots_of(row, case)
  local other
  for _, candidate in ipairs(elements) do
    if elements.supports(row.types, candidate) then other = candidate end
  end
  -- The operand is named if operands of fixed types precede it.
  local wanted = ('%s is not defined for .*%s'):format(row.lua, tensor.typename(e.Tensor()))
  local calls = 0
  local function refuse(form_slots, args, name, invoke)
    local map = forms.align(form_slots, slots, args, omit)
    if not map then return end
    -- Where no operand has the type, the result has.
    local typed = false
    for i, slot in ipairs(form_slots) do
      typed = typed or map[i] and (slot.kind == 'T' or slot.kind == '{')
    end
    local results = {}
    for i, slot in ipairs(form_slots) do
      if slot.result and not map[i] and (not typed or not slot.optional) then
        results[i] = runner.element_of(slot.kind, e).Tensor()
      end
    end
    -- The other type's numbers, truncated.
    rules.set 'torch7'
    local values = runner.make_arguments(runner.argument_makers(e, slots, args, 'contiguous'))
    rules.set 'tensor'
    local list = runner.assemble(form_slots, map, values, results)
    local done, message = pcall(invoke, list)
    if done or not tostring(message):find(wanted) then
      error(('%s of %s, %s: %s instead of "%s"'):format(row.name, e.name, name,
                                                        done and 'no error' or message, wanted), 0)
    end
    calls = calls + 1
  end
  for _, scenario in ipairs(case.scenarios(other, elements.generator(1))) do
    if row['function'] ~= '-' then
      refuse(function_slots, scenario.args, 'function', function(list)
        return tensor[row.lua](unpack(list))
      end)
    end
    for number, form_slots in ipairs(forms.methods(row)) do
      for i, slot in ipairs(form_slots) do slot.required = case.inout and i == 1 end
      refuse(form_slots, scenario.args, 'method ' .. number, function(list)
        return list[1][row.lua](unpack(list))
      end)
    end
  end
  return calls
end
