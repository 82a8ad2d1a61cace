-- Calls a row of the op table in every form it has, with operands of every layout, and compares
-- what comes out with the case's plain reference.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local dump = require 'support.dump'
local forms = require 'support.forms'
local rules = require 'support.rules'
local settings = require 'support.settings'
local omit = require('support.cases').omit

local bytes = model.bytes

local runner = {}

local layouts = { 'contiguous', 'transposed', 'offset', 'strided', 'expanded' }
local result_layouts = { 'strided', 'transposed', 'offset' }

local type_of_letter = { L = 'Long', I = 'Int', B = 'Byte', C = 'Char', M = 'Byte', F = 'Float',
                         D = 'Double' }

local function element_of(kind, e) return elements[type_of_letter[kind]] or e end

local function is_tensor_kind(kind) return kind:match '[TLIBCMWAFD]' ~= nil end

-- For each argument a function that returns its Lua value, with new tensors at each call.
local function argument_makers(e, slots, args, layout)
  local makers = {}
  for i, slot in ipairs(slots) do
    local arg = args[i]
    if arg == omit then
      makers[i] = function() return omit end
    elseif is_tensor_kind(slot.kind) then
      makers[i] = model.maker(element_of(slot.kind, e), arg, layout)
    elseif slot.kind == '{' then
      local list = {}
      for k, m in ipairs(arg.list) do list[k] = model.maker(element_of(slot.of, e), m, layout) end
      makers[i] = function()
        local tensors = {}
        for k, make in ipairs(list) do tensors[k] = make() end
        return tensors
      end
    elseif type(arg) == 'table' then
      local sizes = arg.sizes or arg.dims
      makers[i] = function() return tensor.LongStorage(sizes) end
    else
      makers[i] = function() return arg end
    end
  end
  return makers
end

local function make_arguments(makers)
  local values = {}
  for i, make in ipairs(makers) do values[i] = make() end
  return values
end

local function expand_arguments(case, slots, args)
  local expanded = {}
  for i, slot in ipairs(slots) do
    local arg = args[i]
    if arg ~= omit and slot.kind == '{' then
      local list = {}
      for k, m in ipairs(arg.list) do list[k] = model.expanded(m) end
      arg = { list = list }
    elseif arg ~= omit and is_tensor_kind(slot.kind) and not (case.inout and i == 1) then
      arg = model.expanded(arg)
    end
    expanded[i] = arg
  end
  return expanded
end

local Run = {}
Run.__index = Run

function Run:fail(text)
  error(('%s of %s, %s, %s: %s'):format(self.row.name, self.e.name, self.layout, self.form, text),
        0)
end

function Run:tolerance()
  local ulps = self.case.ulps or 0
  if self.case.doubles then return ulps * elements.Double.eps end
  if self.e.integral or ulps == 0 then return 0 end
  local eps = self.e.eps
  if self.case.accumulated then eps = self.e.accumulated end
  -- The 16-bit floats are rounded twice, to float and to their own.
  return ulps * eps + (self.e.reduced and not self.case.accumulated and eps or 0)
end

function Run:seed()
  if self.case.random then tensor.manualSeed(5) end
end

-- Compares what a call gave, from its first result on, with the reference.
function Run:check(...)
  if self.case.check then return self:check_by_case(...) end
  local want = self.want
  local count = select('#', ...)
  if count ~= #want then self:fail(('%d results instead of %d'):format(count, #want)) end
  for i, expected in ipairs(want) do
    local got = select(i, ...)
    if self.dumped then
      dump.add(self, tensor.isTensor(got) and model.read(got).data or { got })
    end
    if type(expected) == 'table' then
      if not tensor.isTensor(got) then self:fail('no tensor but ' .. tensor.type(got)) end
      local m = model.read(got)
      if #expected.data == 0 and self.case.empty_is_empty then
        if #m.data > 0 then self:fail('elements where there should be none') end
      else
        local text = model.difference(m, expected, self:tolerance(), self.scale)
        if text then self:fail(text) end
      end
    elseif type(expected) == 'number' then
      if not model.close(got, expected, self:tolerance(), self.scale) then
        self:fail(('%.17g instead of %.17g'):format(got, expected))
      end
    elseif got ~= expected then
      self:fail(tostring(got) .. ' instead of ' .. tostring(expected))
    end
  end
end

-- The same for cases that compute the expected results; the reference has the sizes.
function Run:check_by_case(...)
  local results = { ... }
  if #results ~= #self.want then self:fail(('%d results'):format(#results)) end
  for i, got in ipairs(results) do
    if not tensor.isTensor(got) then self:fail('no tensor but ' .. tensor.type(got)) end
    results[i] = model.read(got)
    if self.dumped then dump.add(self, results[i].data) end
    local sizes = table.concat(results[i].shape, 'x')
    local wanted = table.concat(self.want[i].shape, 'x')
    if sizes ~= wanted then
      self:fail(('result %d is of size %s instead of %s'):format(i, sizes, wanted))
    end
  end
  local text = self.case.check(self.e, self.args, unpack(results))
  if text then self:fail(text) end
end

function Run:result_of(number, e, shape, layout)
  local key, makers = number .. layout, self.result_makers
  makers[key] = makers[key]
                or model.maker(e, model.fill(shape, function() return 1 end), layout)
  return makers[key]()
end

-- Tensors for the result slots: new ones, or of the expected sizes in a layout.
function Run:results(slots, layout)
  local results, number = {}, 0
  for i, slot in ipairs(slots) do
    if slot.result and not slot.required and not slot.fresh then
      number = number + 1
      local e = element_of(slot.kind, self.e)
      local want = self.want[number]
      results[i] = layout and #want.shape > 0 and self:result_of(number, e, want.shape, layout)
                   or e.Tensor()
    end
  end
  return results
end

-- Returns the arguments of a call in order: results (if used), then those that map names.
local function assemble(slots, map, values, results)
  local list, n = {}, 0
  for i, slot in ipairs(slots) do
    local value
    if map[i] then
      value = values[map[i]]
      if value == omit then value = nil end
    elseif results and not slot.fresh then
      value = results[i]
    end
    if value ~= nil then
      n = n + 1
      list[n] = value
    end
  end
  return list
end

function Run:given_results(slots, call, layout)
  if self.case.ambiguous_result == self.e.name then return end
  local results = self:results(slots, layout)
  if next(results) == nil then return end
  self:seed()
  local got = { call(results) }
  self:check(unpack(got))
  local number = 0
  for i = 1, #slots do
    if results[i] then
      number = number + 1
      if not rawequal(got[number], results[i]) then self:fail('another tensor is returned') end
      if layout then
        local at = not self.case.view and model.disturbed(results[i])
        if at then self:fail('element ' .. at .. ' of the storage is overwritten') end
      end
    end
  end
end

-- Calls that do not write to operands get the same ones.
function Run:values(writes)
  self.makers = self.makers or argument_makers(self.e, self.slots, self.args, self.layout)
  for _, slot in ipairs(self.slots) do
    writes = writes or self.case.inout or self.row.parameters[slot.parameter].inout
  end
  if writes then return make_arguments(self.makers) end
  self.operands = self.operands or make_arguments(self.makers)
  return self.operands
end

-- The operands that calls had in common are as they were made.
function Run:check_operands()
  for i, operand in ipairs(self.operands or {}) do
    if tensor.isTensor(operand) and operand:nElement() > 0 then
      local before = self.makers[i]()
      if bytes(before.new(operand:storage())) ~= bytes(before.new(before:storage())) then
        self:fail('operand ' .. i .. ' is overwritten')
      end
    end
  end
end

-- Returns true if all results may be omitted from a form.
local function all_optional(slots)
  for _, slot in ipairs(slots) do
    if slot.result and not slot.required and not slot.optional and not slot.fresh then
      return false
    end
  end
  return true
end

function Run:form_of(slots, invoke, name)
  local map = forms.align(slots, self.slots, self.args, omit)
  if not map then return end
  local function call(results, values)
    return invoke(assemble(slots, map, values or self:values(), results))
  end
  if all_optional(slots) then
    local probe = assemble(slots, map, self:values(), nil)
    if name == 'function' or tensor.isTensor(probe[1]) then
      self.form = name
      self:seed()
      self:check(call(nil))
    end
  end
  self.form = name .. ' with new results'
  self:given_results(slots, call)
  self.result_layout = self.result_layout % #result_layouts + 1
  local layout = result_layouts[self.result_layout]
  self.form = ('%s with results that are %s'):format(name, layout)
  self:given_results(slots, call, layout)
  self:aliased(slots, map, invoke, name)
  self:in_place(slots, map, invoke, name)
end

-- An operand as the result.
function Run:aliased(slots, map, invoke, name)
  if self.case.view or self.case.inout or self.layout == 'expanded'
     or self.case.ambiguous_result == self.e.name then return end
  local result
  for i, slot in ipairs(slots) do
    if slot.result and slot.kind == 'T' and not slot.required and not slot.fresh then
      result = result or i
    end
  end
  if not result or self.want[2] then return end
  for k, slot in ipairs(self.slots) do
    if slot.kind == 'T' and self.args[k] ~= omit then
      local values = self:values(true)
      self.form = ('%s with argument %d as result'):format(name, k)
      self:seed()
      local got = invoke(assemble(slots, map, values, { [result] = values[k] }))
      if not rawequal(got, values[k]) then self:fail('another tensor is returned') end
      self:check(got)
    end
  end
end

-- A method whose own tensor is the operand left out.
function Run:in_place(slots, map, invoke, name)
  if self.layout == 'expanded' or self.case.ambiguous_in_place then return end
  if not slots[1].result or slots[1].optional or slots[1].fresh then return end
  for i, slot in ipairs(slots) do
    if slot.kind == 'T' and slot.optional and not slot.result and map[i] then
      self.form = name .. ' in place'
      local values = self:values(true)
      local own = values[map[i]]
      local without = {}
      for k, v in pairs(map) do without[k] = v end
      without[i] = nil
      local got = invoke(assemble(slots, without, values, { [1] = own }))
      if not rawequal(got, own) then self:fail('another tensor is returned') end
      self:check(got)
      local at = model.disturbed(own)
      if at then self:fail('element ' .. at .. ' of the storage is overwritten') end
    end
  end
end

function Run:all_forms()
  local row = self.row
  local func = assert(tensor[row.lua], row.lua)
  if row['function'] ~= '-' then
    self:form_of(self.function_slots, function(list) return func(unpack(list)) end, 'function')
  end
  for number, slots in ipairs(forms.methods(row)) do
    for i, slot in ipairs(slots) do
      slot.required = self.case.inout and i == 1
    end
    self:form_of(slots, function(list)
      return list[1][row.lua](unpack(list))
    end, 'method ' .. number)
  end
end

-- The function's slots, and of these the arguments.
local function slots_of(row, case)
  local all = forms.slots(row['function'])
  local arguments = {}
  for i, slot in ipairs(all) do
    slot.required = case.inout and i == 1
    if not slot.result or slot.required then arguments[#arguments + 1] = slot end
  end
  return all, arguments
end

--- Calls of a row for an element type, one for each small scenario, and one more if its results can
-- be given. A call is a function and make(), which returns new arguments, the number of results in
-- them, and the set of those that the call changes. Without a layout, arguments are strided.
function runner.calls(row, case, e, random, layout)
  local function_slots, slots = slots_of(row, case)
  local invoke, call_slots = tensor[row.lua], function_slots
  if row['function'] == '-' then
    call_slots = forms.methods(row)[1]
    for i, slot in ipairs(call_slots) do slot.required = case.inout and i == 1 end
    invoke = function(own, ...) return own[row.lua](own, ...) end
  end
  local list = {}
  local function add(args, map, given)
    list[#list + 1] = { invoke = invoke, make = function()
      local results, count = {}, 0
      for i, slot in ipairs(call_slots) do
        if given and slot.result and not slot.required and not slot.fresh then
          results[i] = element_of(slot.kind, e).Tensor(5):fill(1)
          count = count + 1
        end
      end
      local values = make_arguments(argument_makers(e, slots, args, layout or 'strided'))
      return assemble(call_slots, map, values, results), case.inout and 1 or count,
             forms.changed(row, call_slots, map, values)
    end }
  end
  for _, scenario in ipairs(case.scenarios(e, random)) do
    local map = forms.align(call_slots, slots, scenario.args, omit)
    if map then
      if all_optional(call_slots) then add(scenario.args, map, false) end
      for _, slot in ipairs(call_slots) do
        if slot.result and not slot.required and not slot.fresh then
          add(scenario.args, map, true)
          break
        end
      end
    end
  end
  return list
end

local function results_of(case, e, args)
  if case.random then tensor.manualSeed(5) end
  return { case.reference(e, unpack(args)) }
end

--- Calls a row with all its small scenarios for an element type. Scenario n has the layouts n + k
-- for all k in steps, counted modulo the number of layouts. Results of step 0 are dumped.
function runner.small(row, case, e, random, steps)
  local function_slots, slots = slots_of(row, case)
  rules.for_row(row)
  local calls = 0
  for number, scenario in ipairs(case.scenarios(e, random)) do
    local plain
    for position, step in ipairs(steps) do
      local k = number + e.number + step
      local layout = layouts[k % #layouts + 1]
      local accepted = case.contiguous and { contiguous = true, offset = true } or nil
      if accepted and not accepted[layout] and position == 1 then
        -- Each scenario has at least one layout.
        layout = number % 2 == 0 and 'contiguous' or 'offset'
      end
      if not (accepted and not accepted[layout])
         and not (case.singular_expanded and layout == 'expanded') then
        local args = scenario.args
        local built = layout
        if layout == 'expanded' then
          args = expand_arguments(case, slots, args)
          built = case.inout and 'offset' or layout
        end
        local run = setmetatable({ row = row, case = case, e = e, args = args, layout = built,
                                   scale = scenario.scale, slots = slots, result_layout = k,
                                   size = 'small', result_makers = {},
                                   function_slots = function_slots,
                                   dumped = dump.file and step == 0 }, Run)
        if layout == 'expanded' then
          run.want = results_of(case, e, args)
        else
          plain = plain or results_of(case, e, args)
          run.want = plain
        end
        run:all_forms()
        run:check_operands()
        calls = calls + 1
      end
    end
  end
  dump.flush()
  return calls
end

--- The large scenarios: equal with one thread and with two, and equal to the reference. A device
-- does not use the threads.
function runner.large(row, case, e, random, layout)
  local function_slots, slots = slots_of(row, case)
  local before = tensor.getnumthreads()
  for _, scenario in ipairs(case.scenarios(e, random, true)) do
    local want = results_of(case, e, scenario.args)
    local run = setmetatable({ row = row, case = case, e = e, args = scenario.args, want = want,
                               layout = layout, scale = scenario.scale, slots = slots,
                               form = 'function', size = 'large', dumped = dump.file }, Run)
    local map = forms.align(function_slots, slots, scenario.args, omit)
    local seen
    for threads = 1, settings.device and 1 or 2 do
      tensor.setnumthreads(threads)
      run:seed()
      local got = { tensor[row.lua](unpack(assemble(function_slots, map, run:values()))) }
      local raw = {}
      for i, x in ipairs(got) do
        raw[i] = tensor.isTensor(x) and bytes(x) or ('%.17g'):format(tonumber(x) or 0)
      end
      if threads == 1 then
        seen = raw
        run:check(unpack(got))
      else
        for i = 1, #raw do
          if raw[i] ~= seen[i] then run:fail('two threads give something else than one') end
        end
      end
    end
    tensor.setnumthreads(before)
  end
end

-- support/gradients.lua and support/refused.lua call rows, too.
runner.element_of, runner.slots_of, runner.assemble = element_of, slots_of, assemble
runner.argument_makers, runner.make_arguments = argument_makers, make_arguments
return runner
