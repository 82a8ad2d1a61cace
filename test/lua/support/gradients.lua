-- Calls rows of the op table as functions of their floating-point operands, the leaves, and checks
-- their derivatives.

local tensor = require 'tensor'
local model = require 'support.model'
local forms = require 'support.forms'
local runner = require 'support.runner'
local omit = require('support.cases').omit

local gradients = {}

local layouts = { 'contiguous', 'transposed', 'offset', 'strided', 'expanded' }

-- ---- values at which the rows are differentiable

-- From low to high, not near a multiple of 1/2.
local function between(low, high)
  return function(random)
    local x = low + (high - low) * random()
    local rest = 2 * x - math.floor(2 * x)
    return (math.floor(2 * x) + 0.1 + 0.8 * rest) / 2
  end
end
local domains = {
  any = between(-2, 2), wide = between(-5, 5), positive = between(0.5, 2.5),
  unit = function(random) return 1.8 * random() - 0.9 end,
  above_one = between(1.5, 4), part = between(0, 1),
}
-- The domains of operands by row, or of one operand of a row. `model`: the numbers of the case.
-- `separated`: matrices with real eigenvalues that are not close to each other.
-- `fixed`: the same, but the operand is not a leaf: there is no derivative with respect to it.
local of_row = {
  sqrt = 'positive', rsqrt = 'positive', log = 'positive', log1p = 'positive', log2 = 'positive',
  log10 = 'positive', lgamma = 'positive', digamma = 'positive', pow = 'positive', tan = 'unit',
  asin = 'unit', acos = 'unit', erfinv = 'unit', clamp = 'wide', clampMin = 'wide',
  clampMax = 'wide', cmaxValue = 'wide', cminValue = 'wide', normal_stddevs = 'positive',
  renorm = 'wide', multinomial = 'positive', multinomialAliasSetup = 'positive',
  ['cpow 1'] = 'positive', ['normal_means_stddevs 3'] = 'positive',
  ['batchNorm 2'] = 'fixed', ['batchNorm 3'] = 'fixed',
  ['crossEntropyall 3'] = 'fixed', ['crossEntropy 3'] = 'fixed', ['nllall 3'] = 'fixed',
  ['nll 3'] = 'fixed',
  atanh = 'unit', acosh = 'above_one', polygamma = 'positive', ['xlogy 2'] = 'positive',
  ['interp 2'] = 'fixed', ['slopeAt 2'] = 'fixed',
  ['histogramWeights 1'] = 'fixed', ['histogramWeights 2'] = 'fixed',
  ['covWeights 2'] = 'positive', ['histogramEdges 2'] = 'fixed',
  ['histogramdd 2'] = 'fixed', gamma_shapes = 'positive', beta_tensors = 'positive',
  chi2_degrees = 'positive', poisson_rates = 'positive', ['binomial_tensors 2'] = 'positive',
  ['binomial_tensors 3'] = 'part', ['igamma 1'] = 'fixed', ['igammac 1'] = 'fixed',
  ['heaviside 1'] = 'fixed',
  ['igamma 2'] = 'positive', ['igammac 2'] = 'positive', ['ldexp 2'] = 'fixed',
  ['nextafter 2'] = 'fixed', ['clshift 2'] = 'fixed', ['crshift 2'] = 'fixed',
  geev = 'separated',
}

-- The number of results with a derivative, where it is not that of all.
local differentiable = { gesv = 1, gels = 1 }

-- Errors of rows that have a derivative for some arguments only.
local refusals = { gesvd = 'have no derivative', qrComplete = 'have no derivative' }

-- Rows whose result is not differentiable if rows of an operand are equal.
local distinct_rows = { stdall = true, std = true, stdDims = true, corrcoef = true }

local function domain_of(row, number)
  local name = of_row[row.name .. ' ' .. number] or of_row[row.name]
  if not name and row.family:find('linear algebra', 1, true) then name = 'model' end
  return name or 'any'
end

local function in_domain(m, name, random)
  if name == 'model' or name == 'fixed' then return m end
  if name == 'separated' then
    local n = m.shape[#m.shape]
    return model.fill(m.shape, function(k)
      local row, column = math.floor(k / n) % n, k % n
      return domains.unit(random) / 2 + (row == column and 3 * row or 0)
    end)
  end
  return model.fill(m.shape, function() return domains[name](random) end)
end

-- ---- programs: a row with arguments, as a function of leaves

local Program = {}
Program.__index = Program

local function is_leaf(slot) return slot.kind == 'T' end

-- Adds a leaf for a model. Returns a function that makes the operand from the leaves.
function Program:leaf(e, m, number, copied)
  local domain = domain_of(self.row, number)
  m = in_domain(m, domain, self.random)
  local make = model.maker(e, m, copied and self.layout == 'expanded' and 'offset' or self.layout)
  if domain == 'fixed' then return make end
  local shape = m.shape
  local expands = self.layout == 'expanded' and not copied and shape[1] and shape[1] > 1
  if expands then
    local first = { 1 }
    for d = 2, #shape do first[d] = shape[d] end
    m = model.new(first, m.data)
    make = model.maker(e, model.fill(first, function(k) return m.data[k + 1] end), 'contiguous')
  end
  local k = #self.leaves + 1
  self.leaves[k] = make()
  self.leaf_of[number] = k
  return function(leaves)
    if expands then return leaves[k]:expand(tensor.LongStorage(shape)) end
    if not copied then return leaves[k] end
    local own = make()
    return own:copy(leaves[k])
  end
end

-- The functions that make the arguments from the leaves.
function Program:operands(e, args)
  local makers = {}
  for i, slot in ipairs(self.slots) do
    local arg = args[i]
    if arg == omit then
      makers[i] = function() return omit end
    elseif is_leaf(slot) then
      makers[i] = self:leaf(e, arg, i, self.case.inout and i == 1)
    elseif slot.kind == '{' then
      local list = {}
      for k, m in ipairs(arg.list) do
        list[k] = slot.of == 'T' and self:leaf(e, m, i) or
          model.maker(runner.element_of(slot.of, e), m)
      end
      makers[i] = function(leaves)
        local tensors = {}
        for k, make in ipairs(list) do tensors[k] = make(leaves) end
        return tensors
      end
    elseif slot.kind:match '[LIBCMAFD]' then
      makers[i] = model.maker(runner.element_of(slot.kind, e), arg)
    elseif type(arg) == 'table' then
      makers[i] = function() return tensor.LongStorage(arg.sizes or arg.dims) end
    else
      makers[i] = function() return arg end
    end
  end
  self.makers = makers
end

function Program:values(leaves)
  local values = {}
  for i, make in ipairs(self.makers) do values[i] = make(leaves) end
  return values
end

-- The forms in which the row may be called: {name, slots, map, invoke}.
function Program:all_forms(function_slots, args)
  local row, list = self.row, {}
  local function add(name, slots, invoke)
    local map = forms.align(slots, self.slots, args, omit)
    if map then list[#list + 1] = { name = name, slots = slots, map = map, invoke = invoke } end
  end
  if row['function'] ~= '-' then
    add('function', function_slots, function(l) return tensor[row.lua](unpack(l)) end)
  end
  for number, slots in ipairs(forms.methods(row)) do
    for i, slot in ipairs(slots) do slot.required = self.case.inout and i == 1 end
    add('method ' .. number, slots, function(l) return l[1][row.lua](unpack(l)) end)
  end
  return list
end

local function is_result(slot) return slot.result and not slot.required and not slot.fresh end
local function needs_result(slot) return is_result(slot) and not slot.optional end

local function any(slots, condition)
  for i, slot in ipairs(slots) do
    if condition(slot) then return i end
  end
end

local function is_floating(x)
  return not tensor.isTensor(x) or x:type():match 'Double' ~= nil or x:type():match 'Float' ~= nil
    or x:type():match 'Half' ~= nil
end

-- Calls a form. Returns its results that have derivatives.
function Program:call(form, values, results, map)
  if self.case.random then tensor.manualSeed(5) end
  require('support.rules').for_row(self.row)
  local got = { form.invoke(runner.assemble(form.slots, map or form.map, values, results)) }
  local kept = {}
  for _, x in ipairs(got) do
    if is_floating(x) then kept[#kept + 1] = x end
  end
  return unpack(kept, 1, differentiable[self.row.name] or #kept)
end

-- Tensors to be used as results. The first one is `own`, or new.
function Program:new_results(slots, own)
  local results = {}
  for i, slot in ipairs(slots) do
    if is_result(slot) then
      local e = runner.element_of(slot.kind, self.e)
      results[i] = slot.kind == 'T' and own or e.Tensor(5):fill(1)
      if slot.kind == 'T' then own = nil end
    end
  end
  return results
end

--- A row with the arguments of a scenario. nil: the row cannot be called with them.
function gradients.program(row, case, e, scenario, layout, random)
  local function_slots, slots = runner.slots_of(row, case)
  local p = setmetatable({ row = row, case = case, e = e, slots = slots, layout = layout,
                           random = random, leaves = {}, leaf_of = {} }, Program)
  p:operands(e, scenario.args)
  p.forms = p:all_forms(function_slots, scenario.args)
  p.main = p.forms[1]
  if not p.main then return nil end
  p.f = function(...)
    local results = any(p.main.slots, needs_result) and p:new_results(p.main.slots) or nil
    return p:call(p.main, p:values { ... }, results)
  end
  return p
end

function Program:fail(form, text)
  error(('%s, %s, %s: %s'):format(self.row.name, self.layout, form, text), 0)
end

-- ---- checks

local function random_like(x)
  if not tensor.isTensor(x) then return 2 * tensor.uniform() - 1 end
  return x:nElement() == 0 and x.new(x:size()) or x.new(x:size()):uniform(-1, 1)
end
local function each(list, f)
  local result = {}
  for k, x in ipairs(list) do result[k] = f(x) end
  return result
end
local function inner(a, b)
  local sum = 0
  for k, x in ipairs(a) do
    if not tensor.isTensor(x) then
      sum = sum + x * b[k]
    elseif x:nElement() > 0 then
      sum = sum + tensor.cmul(x, b[k]):sum()
    end
  end
  return sum
end
local function is_finite(x)
  return tensor.isTensor(x) and (x:nElement() == 0 or x:isfinite():all())
    or not tensor.isTensor(x) and x - x == 0
end
--- False for a row that gives NaN here, such as the variance of one element, or that has no
-- derivative for these arguments.
function Program:is_defined()
  local results = { self.f(unpack(self.leaves)) }
  for _, x in ipairs(results) do
    if not is_finite(x) then return false end
  end
  local refusal = refusals[self.row.name]
  if not refusal then return true end
  local done, message = pcall(tensor.vjp, self.f, self.leaves, results)
  if not done and not tostring(message):find(refusal, 1, true) then error(message, 0) end
  return done
end
local function close(a, b, tolerance)
  return math.abs(a - b) <= tolerance * (1 + math.abs(b))
end

--- Reverse mode against differences of the results, and of the gradients.
function Program:check_reverse()
  local ok, message = tensor.gradcheck(self.f, self.leaves, { order = 2, tolerance = 1e-6 })
  if not ok then self:fail('gradcheck', message) end
end

--- Forward mode against reverse mode.
function Program:check_forward()
  local results = { self.f(unpack(self.leaves)) }
  local u, v = each(self.leaves, random_like), each(results, random_like)
  local forward = inner(tensor.jvp(self.f, self.leaves, u), v)
  local reverse = inner(tensor.vjp(self.f, self.leaves, v), u)
  if not close(forward, reverse, 1e-9) then
    self:fail('jvp', ('%.9g instead of %.9g'):format(forward, reverse))
  end
end

-- The gradients of f(leaves) must be `want`.
function Program:compare(name, f, v, want)
  local got = tensor.vjp(f, self.leaves, v)
  for k, g in ipairs(want) do
    if not (g:nElement() == 0 or (got[k] - g):abs():max() <= 1e-9 * (1 + g:norm())) then
      self:fail(name, 'the gradient is not that of ' .. self.main.name)
    end
  end
end

--- All forms, given results and calls in place have the gradients of the first form.
function Program:check_forms()
  local leaves = self.leaves
  if #leaves == 0 then return end
  local v = each({ self.f(unpack(leaves)) }, random_like)
  local want = tensor.vjp(self.f, leaves, v)
  local last = #v + 1

  -- f(own, leaves) overwrites `own`, leaf k times `factor`. The squares of `own`, the gradients of
  -- which need its elements before that, are a further result.
  local function with(k, factor, f, name)
    local squares = random_like(leaves[k])
    v[last] = squares
    local expected = {}
    for i, g in ipairs(want) do
      expected[i] = i == k and g + tensor.cmul(squares, leaves[k]) * (2 * factor * factor) or g
    end
    self:compare(name, function(...)
      local own = ({ ... })[k]:clone():mul(factor)
      local before = tensor.cmul(own, own)
      local got = f(own, { ... })
      got[last] = before
      return unpack(got, 1, last)
    end, v, expected)
  end

  for _, form in ipairs(self.forms) do
    local slots = form.slots
    local name = form.name
    if form ~= self.main and not any(slots, needs_result) then
      local probe = runner.assemble(slots, form.map, self:values(leaves), nil)
      if tensor.isTensor(probe[1]) then
        self:compare(name, function(...) return self:call(form, self:values { ... }) end,
                     { unpack(v, 1, last - 1) }, want)
      end
    end
    if any(slots, is_result) then
      with(1, 2, function(own, given)
        return { self:call(form, self:values(given), self:new_results(slots, own)) }
      end, name .. ' with a used result')
    end
    if not self.case.view and not self.case.inout and self.layout ~= 'expanded' then
      self:check_aliased(form, with)
    end
  end
end

-- Operands as results: given as such, and by a method in place.
function Program:check_aliased(form, with)
  local slots = form.slots
  local result = any(slots, function(slot) return is_result(slot) and slot.kind == 'T' end)
  if not result then return end
  local in_place = slots[1].result and not slots[1].optional
    and not self.case.ambiguous_in_place
  for i, slot in ipairs(slots) do
    local operand = form.map[i]
    local k = operand and self.leaf_of[operand]
    if slot.kind == 'T' and not slot.result and k then
      with(k, 1, function(own, given)
        local values = self:values(given)
        values[operand] = own
        local results = self:new_results(slots, own)
        return { self:call(form, values, results) }
      end, ('%s with argument %d as result'):format(form.name, operand))
      if in_place and slot.optional then
        with(k, 1, function(own, given)
          local without = {}
          for at, number in pairs(form.map) do without[at] = at ~= i and number or nil end
          return { self:call(form, self:values(given), { [1] = own }, without) }
        end, form.name .. ' in place')
      end
    end
  end
end

--- The gradients have the type of the leaves, and are near those of `double`, the same program with
-- leaves of doubles.
function Program:check_type(double, tolerance)
  for k, x in ipairs(self.leaves) do double.leaves[k] = x:double() end
  local v = each({ self.f(unpack(self.leaves)) }, random_like)
  local want = tensor.vjp(double.f, double.leaves, each(v, function(x)
    return tensor.isTensor(x) and x:double() or x
  end))
  local got = tensor.vjp(self.f, self.leaves, v)
  for k, x in ipairs(self.leaves) do
    if got[k]:type() ~= x:type() then self:fail('type', 'the gradient is a ' .. got[k]:type()) end
    local difference = (got[k]:double() - want[k]):abs():max()
    if difference ~= difference or difference > tolerance * (1 + want[k]:norm(math.huge)) then
      self:fail(self.e.name, ('the gradient differs by %.3g'):format(difference))
    end
  end
end

--- The results do not depend on the leaves: they are not tracked, or their gradients are 0.
function Program:check_constant()
  local got = tensor.vjp(function(...)
    local results = { self.f(...) }
    for _, x in ipairs(self.case.inout and {} or results) do
      local number = tensor.isTensor(x) and x:nElement() > 0 and x:sum() or x
      if type(number) == 'table' then self:fail('call', 'the result is tracked') end
    end
    return unpack(results)
  end, self.leaves, each({ self.f(unpack(self.leaves)) }, random_like))
  for k in ipairs(self.leaves) do
    if got[k]:ne(0):any() then self:fail('call', 'the gradient is not 0') end
  end
end

-- The number of elements of the largest tensor among the arguments; nil: there are none.
local function size_of(args)
  local size
  for _, arg in ipairs(args) do
    for _, m in ipairs(type(arg) == 'table' and (arg.list or { arg }) or {}) do
      if m.data then size = math.max(size or 0, #m.data) end
    end
  end
  return size
end

-- About `most` of the scenarios, among them the first of zero size and the first with one element.
local function chosen(scenarios, most)
  local step, sizes, list = math.max(1, math.ceil(#scenarios / most)), {}, {}
  for n, scenario in ipairs(scenarios) do
    local size = size_of(scenario.args)
    if (n - 1) % step == 0 or size and size < 2 and not sizes[size] then
      list[#list + 1] = scenario
      if size then sizes[size] = true end
    end
  end
  return list
end

--- Scenarios and layouts in which to check a row. The layouts take turns, and each occurs at least
-- once.
function gradients.jobs(row, case, e, random, most)
  local scenarios, jobs = chosen(case.scenarios(e, random), most), {}
  local function accepted(layout)
    if layout == 'expanded' and (case.singular_expanded or distinct_rows[row.name]) then
      return false
    end
    return not case.contiguous or layout == 'contiguous' or layout == 'offset'
  end
  for n = 1, math.max(#scenarios, #layouts) do
    local layout = layouts[(n - 1) % #layouts + 1]
    jobs[n] = { scenario = scenarios[(n - 1) % #scenarios + 1],
                layout = accepted(layout) and layout or 'contiguous' }
  end
  return jobs
end

return gradients
