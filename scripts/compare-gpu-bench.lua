-- Prints the medians of the results that run-gpu-bench wrote to a folder as a table.
--
--   compare-gpu-bench.lua folder rounds

local folder, rounds = arg[1], tonumber(arg[2])

-- Returns the cases by name, the names in order, and the device line; nil if the library was not
-- run.
local function read(library)
  local cases, order, device = {}, {}, nil
  for round = 1, rounds do
    local file = io.open(('%s/%s.%d'):format(folder, library, round))
    if not file then
      return nil
    end
    device = file:read('*l')
    for line in file:lines() do
      local name, time, amount, unit = line:match('^(.-)\t(%S+)\t(%S+)\t(%S+)$')
      if not cases[name] then
        cases[name] = { amount = tonumber(amount), unit = unit, times = {} }
        order[#order + 1] = name
      end
      table.insert(cases[name].times, tonumber(time))
    end
    file:close()
  end
  for _, case in pairs(cases) do
    table.sort(case.times)
    case.time = case.times[math.ceil(#case.times / 2)]
  end
  return cases, order, device
end

local function shown(ns)
  if ns >= 1e6 then
    return ('%.2f ms'):format(ns / 1e6)
  elseif ns >= 1e3 then
    return ('%.1f us'):format(ns / 1e3)
  end
  return ('%.0f ns'):format(ns)
end

local function rate(case)
  if case.unit == 'B' then
    return ('%.1f GB/s'):format(case.amount / case.time)
  elseif case.unit == 'F' then
    return ('%.2f TFLOP/s'):format(case.amount / case.time / 1e3)
  end
  return '-'
end

local ours, order, device = read('tensor')
local theirs = read('torch')
local name, peak = device:match('^device (.*) (%S+)$')
peak = tonumber(peak)

print(('%s; peak bandwidth %s; ratio = PyTorch\'s time / ours'):format(
      name, peak > 0 and ('%.0f GB/s'):format(peak / 1e9) or 'unknown'))
print(('%-34s %12s %16s %8s %8s'):format('case', 'tensor', 'rate', 'of peak', 'PyTorch'))
for _, case_name in ipairs(order) do
  local case, other = ours[case_name], theirs and theirs[case_name]
  -- Copies between host and device are not limited by the device's memory bandwidth.
  local counts = peak > 0 and case.unit == 'B' and not case_name:find('host')
  print(('%-34s %12s %16s %8s %8s'):format(
        case_name, shown(case.time), rate(case),
        counts and ('%.0f %%'):format(case.amount / case.time * 1e11 / peak) or '-',
        other and ('%.2f'):format(other.time / case.time) or '-'))
end
