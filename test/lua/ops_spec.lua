-- Every row of the op table, for each of its element types, in every form and layout, compared with
-- a reference in plain Lua.

local tensor = require 'tensor'
local elements = require 'support.elements'
local cases = require('support.cases').cases
local refused = require 'support.refused'
local runner = require 'support.runner'

local rows = {}
for _, row in ipairs(tensor._optable()) do
  -- Rows without a Lua name exist only in C.
  if row.lua ~= '' then rows[#rows + 1] = row end
end

-- Returns true if a row with this Lua name supports the element type.
local function is_defined(name, e)
  for _, row in ipairs(rows) do
    if row.lua == name and elements.supports(row.types, e) then return true end
  end
  return false
end

local settings = require 'support.settings'

-- If the garbage collector runs all the time, fewer cases: one element type, and every fifth row.
local busy_collector = settings.gc
local one_type = busy_collector or settings.types == 'one'
local layouts = {}
for number in (settings.layouts or '0,1'):gmatch '%d+' do
  layouts[#layouts + 1] = tonumber(number)
end
local large_step = tonumber(settings.large) or 1

-- The references create many tables; with the default pause the collector would mark live data too
-- often.
if not busy_collector then collectgarbage('setpause', 1000) end

describe('the op table', function()
  it('has a case for every row', function()
    local missing = {}
    for _, row in ipairs(rows) do
      if not cases[row.name] then missing[#missing + 1] = row.name end
    end
    assert.are.same({}, missing)
  end)

  it('has a row for every case', function()
    local names = {}
    for _, row in ipairs(rows) do names[row.name] = true end
    for name in pairs(cases) do assert.is_true(names[name], name) end
  end)

  it('has names, documentation and a form for every row', function()
    for _, row in ipairs(rows) do
      assert.is_truthy(row.doc:match('%.$'), row.name)
      assert.is_function(tensor[row.lua], row.lua)
    end
  end)
end)

for number, row in ipairs(rows) do
  local case = cases[row.name]
  if case and not (busy_collector and number % 5 > 0) then
    describe(('%s (%s)'):format(row.lua, row.name), function()
      local supported = {}
      for _, e in ipairs(elements) do
        if elements.supports(row.types, e) then supported[#supported + 1] = e end
      end
      local chosen = supported[number % #supported + 1]
      for k, e in ipairs(one_type and { chosen } or supported) do
        it(e.name, function()
          local calls = runner.small(row, case, e, elements.generator(100 * number + k),
                                     layouts)
          assert.is_true(calls > 0)
        end)
      end
      if large_step > 0 and number % large_step == 0 then
        it('large, one and two threads, ' .. chosen.name, function()
          local layout = number % 3 == 0 and not case.contiguous and 'transposed' or 'contiguous'
          runner.large(row, case, chosen, elements.generator(number), layout)
        end)
      end
      for _, e in ipairs(#supported < #elements and not busy_collector and elements or {}) do
        if not is_defined(row.lua, e) then
          it('refuses ' .. e.name, function()
            assert.is_true(refused(row, case, e) > 0)
          end)
        end
      end
    end)
  end
end
