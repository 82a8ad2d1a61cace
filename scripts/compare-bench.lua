-- Prints the medians that run-bench left in a folder as a table of times and ratios.
--
--   compare-bench.lua folder rounds threads...

local folder, rounds = arg[1], tonumber(arg[2])

local function read(library, threads)
  local times, order = {}, {}
  for round = 1, rounds do
    local file = io.open(('%s/%s.%s.%d'):format(folder, library, threads, round))
    if not file then
      return nil
    end
    for line in file:lines() do
      local name, time = line:match('^(.*) (%S+)$')
      if not times[name] then
        times[name] = {}
        order[#order + 1] = name
      end
      table.insert(times[name], tonumber(time))
    end
    file:close()
  end
  for name, all in pairs(times) do
    table.sort(all)
    times[name] = all[math.ceil(#all / 2)]
  end
  return times, order
end

local function shown(ns)
  if ns >= 1e6 then
    return ('%.2f ms'):format(ns / 1e6)
  elseif ns >= 1e3 then
    return ('%.1f us'):format(ns / 1e3)
  end
  return ('%.0f ns'):format(ns)
end

local function ratio(theirs, name, ours)
  return theirs and theirs[name] and ('%.2f'):format(theirs[name] / ours) or '-'
end

for k = 3, #arg do
  local threads = arg[k]
  local ours, order = read('tensor', threads)
  local numpy, torch = read('numpy', threads), read('torch', threads)
  print(('\n%s thread(s); ratio = their time / ours'):format(threads))
  print(('%-32s %12s %8s %8s'):format('case', 'tensor', 'NumPy', 'PyTorch'))
  for _, name in ipairs(order) do
    print(('%-32s %12s %8s %8s'):format(name, shown(ours[name]), ratio(numpy, name, ours[name]),
                                        ratio(torch, name, ours[name])))
  end
end
