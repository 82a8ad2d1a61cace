-- Compares the slowest run of each case with the median of its runs.
--
-- Usage: luajit bench/busy/spread.lua RESULTS.csv ...     one file of bench/run.lua for each run

local SHOWN, LIMITS = 5, {1.5, 2, 5, 10}

local times, order = {}, {}
for _, filename in ipairs(arg) do
  for line in io.lines(filename) do
    -- family,case,element,size,threads,library,ns_per_call,...
    local family, name, time = line:match '^([^,]*),"([^"]*)",[^,]*,[^,]*,%d+,ours,([^,]*)'
    if time then
      local case = family .. ': ' .. name
      if not times[case] then
        times[case] = {}
        order[#order + 1] = case
      end
      table.insert(times[case], tonumber(time))
    end
  end
end

local rows, above = {}, {}
for k = 1, #LIMITS do
  above[k] = 0
end
for _, case in ipairs(order) do
  local list = times[case]
  table.sort(list)
  local median, slowest = list[math.ceil(#list / 2)], list[#list]
  local ratio = slowest / median
  rows[#rows + 1] = {case = case, ratio = ratio, median = median, slowest = slowest}
  for k, limit in ipairs(LIMITS) do
    above[k] = above[k] + (ratio > limit and 1 or 0)
  end
end
table.sort(rows, function(a, b) return a.ratio > b.ratio end)

local counts = {}
for k, limit in ipairs(LIMITS) do
  counts[k] = ('%d above %g'):format(above[k], limit)
end
print(('%d cases, %d runs; slowest run / median: %s'):format(#rows, #arg,
                                                             table.concat(counts, ', ')))
for k = 1, math.min(SHOWN, #rows) do
  local row = rows[k]
  print(('%6.2f  %10.2f us, median %10.2f us  %s'):format(
    row.ratio, row.slowest / 1000, row.median / 1000, row.case))
end
