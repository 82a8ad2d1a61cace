-- Times the host's part of all operations of the op table, for calls.lua. The calls are those of
-- the tests (test/lua/support), in the first element type of the list that a row supports.
--
-- An operation may need several kernel calls and copies. So its time is divided by their number,
-- and a line has: the name, microseconds for each launch and copy, microseconds of the call, the
-- numbers of launches and of copies, microseconds on the CPU. A row may have several calls; the one
-- with the most time for each launch is printed.

local tensor = require 'tensor'

local types = { 'Float', 'Double', 'Long', 'Byte' }

-- Returns the numbers of launches and of copies of a call. Raises an error if the call fails or
-- falls back to the CPU. The first call may move operands to the device.
local function counts(run)
  run()
  tensor.resetStats()
  run()
  local stats = tensor.stats()
  if next(stats.fallbacks) then error 'falls back' end
  return stats.launches, stats.h2d.copies + stats.d2h.copies
end

-- Returns the slowest call of a row on the device; nil and the reason if none runs there.
local function slowest(calls, move, device, least)
  local found, reason
  for _, call in ipairs(calls) do
    local function timed(place)
      local list = move(call.make(), place)
      local function run() return call.invoke(unpack(list)) end
      return run
    end
    local run = timed(device)
    local runs, launches, copies = pcall(counts, run)
    if not runs then
      reason = reason or tostring(launches):match '^[^\n]*'
    elseif launches > 0 then
      local time = least(run)
      local each = time / (launches + copies)
      if not found or each > found.each then
        found = { each = each, time = time, launches = launches, copies = copies }
        found.cpu = timed 'cpu'
      end
    end
  end
  return found, reason
end

return function(root, device, above, only, least)
  package.path = root .. 'test/lua/?.lua;' .. package.path
  local elements = require 'support.elements'
  local cases = require('support.cases').cases
  local runner = require 'support.runner'
  local move = require 'support.move'

  local found, others = {}, {}
  for _, row in ipairs(tensor._optable()) do
    local case, e = row.lua ~= '' and cases[row.name], nil
    for _, name in ipairs(types) do
      if not e and elements.supports(row.types, elements[name]) then e = elements[name] end
    end
    if case and e and row.name:find(only, 1, true) then
      local calls = runner.calls(row, case, e, elements.generator(1), 'contiguous')
      local line, reason = slowest(calls, move, device, least)
      if line then
        line.name = row.name
        found[#found + 1] = line
      elseif reason then
        others[#others + 1] = row.name .. ': ' .. reason
      end
    end
  end
  table.sort(found, function(a, b) return a.each > b.each end)
  local slow = 0
  print 'operation\tfor each\tcall\tlaunches\tcopies\ton the CPU'
  for _, line in ipairs(found) do
    if line.each > above then slow = slow + 1 end
    local runs, cpu = pcall(least, line.cpu)
    print(('%s\t%.2f\t%.2f\t%d\t%d\t%s'):format(line.name, line.each, line.time, line.launches,
                                               line.copies, runs and ('%.2f'):format(cpu) or '-'))
  end
  print(('%d operations, %d of them above %g microseconds'):format(#found, slow, above))
  for _, line in ipairs(others) do
    print('not measured: ' .. line)
  end
end
