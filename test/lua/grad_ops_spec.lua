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
local unsupported = 'qrComplete geqrf orgqr gamma_shapes beta_tensors chi2_degrees'

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

-- If the garbage collector runs all the time, every fifth row.
for number, row in ipairs(rows) do
  local chosen = cases[row.name] and not (settings.gc and number % 5 > 0)
  if chosen and elements.supports(row.types, double) then
    it(('%s (%s), %s'):format(row.lua, row.name, row.derivative), function()
      local seed = seed_of(row.name)
      tensor.manualSeed(seed)
      if row.derivative == 'constant' then
        check_constant(row, seed)
      elseif row.derivative == 'unsupported' then
        check_unsupported(row, seed)
      else
        assert.is_true(check(row, seed) > 0)
      end
    end)
  end
end
