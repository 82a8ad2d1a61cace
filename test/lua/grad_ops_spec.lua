-- The derivatives of all rows of the op table, for operands of every layout: reverse mode against
-- differences, to second order, and against forward mode; and calls in place and with given results
-- against plain calls.

local tensor = require 'tensor'
local elements = require 'support.elements'
local cases = require('support.cases').cases
local gradients = require 'support.gradients'
local settings = require 'support.settings'

local double = elements.Double

-- Rows with a derivative that is not implemented. Rows without a Lua name are not listed.
local unsupported = 'geqrf quantizeRows'

local kinds = { 'formulas', 'function', 'composed', 'shares', 'constant', 'unsupported' }
local rows, counts, total = {}, {}, 0
for _, kind in ipairs(kinds) do counts[kind] = 0 end
for _, row in ipairs(tensor._optable()) do
  counts[row.derivative] = (counts[row.derivative] or 0) + 1
  total = total + 1
  if row.lua ~= '' then rows[#rows + 1] = row end
end
local listed_counts, known = {}, 0
for _, kind in ipairs(kinds) do
  listed_counts[#listed_counts + 1] = ('%d %s'):format(counts[kind], kind)
  known = known + counts[kind]
end

describe('the column `derivative`', function()
  it('is stated by each row: ' .. table.concat(listed_counts, ', '), function()
    assert.are.equal(total, known)
  end)

  it('is `unsupported` for the listed rows only', function()
    local listed, stated = {}, {}
    for name in unsupported:gmatch '%S+' do listed[#listed + 1] = name end
    for _, row in ipairs(rows) do
      if row.derivative == 'unsupported' then stated[#stated + 1] = row.name end
    end
    table.sort(listed)
    table.sort(stated)
    assert.are.same(listed, stated)
  end)
end)

-- The number of leaves that were checked.
local function check(row, seed)
  local case, checked = cases[row.name], 0
  local most = settings.gc and 2 or 16
  for k, job in ipairs(gradients.jobs(row, case, double, elements.generator(seed), most)) do
    local program = gradients.program(row, case, double, job.scenario, job.layout,
                                      elements.generator(seed + k))
    if program and #program.leaves > 0 and program:is_defined() then
      checked = checked + #program.leaves
      program:check_reverse()
      program:check_forward()
      program:check_forms()
    end
  end
  return checked
end

-- A constant result is a plain one, and the gradient of an operand that is overwritten is 0.
local function check_constant(row, seed)
  local case = cases[row.name]
  for _, job in ipairs(gradients.jobs(row, case, double, elements.generator(seed), 2)) do
    local program = gradients.program(row, case, double, job.scenario, 'contiguous',
                                      elements.generator(seed))
    if program and #program.leaves > 0 then program:check_constant() end
  end
end

local function check_unsupported(row, seed)
  local case = cases[row.name]
  local job = gradients.jobs(row, case, double, elements.generator(seed), 1)[1]
  local program = gradients.program(row, case, double, job.scenario, 'contiguous',
                                    elements.generator(seed))
  local done, message = pcall(tensor.vjp, program.f, program.leaves, {})
  assert.is_false(done)
  assert.is_truthy(tostring(message):find(row.lua, 1, true), message)
  assert.is_truthy(tostring(message):find('derivative', 1, true), message)
end

-- Returns the seed of a row, which does not depend on other rows.
local function seed_of(name)
  local seed = 0
  for k = 1, #name do seed = (seed * 33 + name:byte(k)) % 2 ^ 31 end
  return seed
end

-- The probability of a number below x from the beta distribution. The substitution t = x * w^(1/a)
-- leaves an integral over w from 0 to 1.
local function beta_probability(x, a, b)
  local n, result = 20000, x:clone()
  local w = (tensor.linspace(1, n, n):double() - 0.5) / n
  for k = 1, x:size(1) do
    local mean = tensor.pow(1 - tensor.pow(w, 1 / a[k]) * x[k], b[k] - 1):mean()
    result[k] = x[k] ^ a[k] / a[k] * mean
  end
  return tensor.cmul(result, tensor.exp(tensor.lgamma(a + b) - tensor.lgamma(a) - tensor.lgamma(b)))
end

-- Rows that draw numbers x with given parameters: the probability of a number below x. Differences
-- do not show the derivatives, which are those at a constant probability.
local probabilities = {
  gamma_shapes = function(x, shapes) return tensor.igamma(shapes, x) end,
  chi2_degrees = function(x, degrees) return tensor.igamma(degrees / 2, x / 2) end,
  beta_tensors = beta_probability,
}

local function check_sampled(row)
  local probability, h = probabilities[row.name], 1e-5
  local params = { double.Tensor { 0.6, 0.9, 2.5, 9, 60 } }
  if row.name == 'beta_tensors' then
    params = { double.Tensor { 0.6, 0.9, 1, 2.5, 3 }, double.Tensor { 2.5, 1.5, 3, 1, 4 } }
  end
  local x = tensor[row.lua](unpack(params))
  local g = double.Tensor { 1, 2, 3, 4, 5 }
  local got = tensor.vjp(function(...)
    tensor.manualSeed(seed_of(row.name))
    return tensor[row.lua](...)
  end, params, { g })
  local density = probability(x + h, unpack(params)) - probability(x - h, unpack(params))
  for k, t in ipairs(params) do
    local more, less = { unpack(params) }, { unpack(params) }
    more[k], less[k] = t + h, t - h
    local change = probability(x, unpack(more)) - probability(x, unpack(less))
    local slope = tensor.cdiv(-change, density):cmul(g)
    local worst = tensor.cdiv(got[k] - slope, slope):abs():max()
    assert.is_true(worst < 1e-4, ('parameter %d: a difference of %g'):format(k, worst))
  end
end

-- If the garbage collector runs all the time, every fifth row.
for number, row in ipairs(rows) do
  local chosen = cases[row.name] and not (settings.gc and number % 5 > 0)
  if chosen and elements.supports(row.types, double) then
    it(('%s (%s), %s'):format(row.lua, row.name, row.derivative), function()
      local seed = seed_of(row.name)
      tensor.manualSeed(seed)
      if probabilities[row.name] then
        check_sampled(row)
      elseif row.derivative == 'constant' then
        check_constant(row, seed)
      elseif row.derivative == 'unsupported' then
        check_unsupported(row, seed)
      else
        assert.is_true(check(row, seed) > 0)
      end
    end)
  end
end
