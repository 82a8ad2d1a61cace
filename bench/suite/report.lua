-- Writes the results as table.txt, which is also printed, and as results.csv.

local report = {}

local TITLES = { before = 'before', numpy = 'NumPy', torch = 'PyTorch' }
local OTHERS = { 'before', 'numpy', 'torch' }

local function shown(ns)
  if ns >= 1e9 then
    return ('%.2f s'):format(ns / 1e9)
  elseif ns >= 1e6 then
    return ('%.2f ms'):format(ns / 1e6)
  elseif ns >= 1e3 then
    return ('%.1f us'):format(ns / 1e3)
  end
  return ('%.0f ns'):format(ns)
end

-- Returns our time / time of the faster other library.
function report.ratio(result)
  local least
  for _, library in ipairs(OTHERS) do
    local time = result.times[library]
    least = time and math.min(least or time, time) or least
  end
  return result.times.ours and least and result.times.ours / least
end

function report.geometric_mean(ratios)
  local sum = 0
  for _, ratio in ipairs(ratios) do
    sum = sum + math.log(ratio)
  end
  return #ratios > 0 and math.exp(sum / #ratios) or nil
end

local function best_gemm(run, set)
  local best = 0
  for k, case in ipairs(run.cases) do
    if case.unit == 'F' and case.family == 'products' and case.element == 'float' then
      for _, time in pairs(set.results[k].times) do
        best = math.max(best, case.work / time)
      end
    end
  end
  return best
end

-- Returns the rate in GB/s or GFLOP/s, and its fraction of the hardware limit. No fraction is given
-- for data that fits into the caches, which are faster than memory.
local function rate(case, time, set, gemm)
  if not time or case.unit == '-' then
    return '', ''
  end
  local value = case.work / time
  local roof = case.unit == 'F' and case.element == 'float' and case.family == 'products' and gemm
               or case.unit == 'B' and case.work >= 2 ^ 25 and set.roof or 0
  return ('%.1f %s'):format(value, case.unit == 'B' and 'GB/s' or 'GFLOP/s'),
         roof > 0 and ('%.0f %%'):format(100 * value / roof) or ''
end

local function columns_of(run)
  local found = {}
  for _, library in ipairs(OTHERS) do
    if run.libraries[library] then
      found[#found + 1] = library
    end
  end
  return found
end

local function write_set(write, run, set)
  local others, gemm = columns_of(run), best_gemm(run, set)
  write(('%d thread%s: streams at %.1f GB/s, best product %.0f GFLOP/s\n'):format(
        set.threads, set.threads == 1 and '' or 's', set.roof, gemm))
  local titles = {}
  for k, library in ipairs(others) do
    titles[k] = ('%9s'):format(TITLES[library])
  end
  write(('%-44s %10s %s %16s %7s'):format('case', 'ours', table.concat(titles, ' '), 'rate',
                                          'of roof'))
  local family
  for k, case in ipairs(run.cases) do
    if case.family ~= family then
      family = case.family
      write('-- ' .. family)
    end
    local times, cells = set.results[k].times, {}
    for j, library in ipairs(others) do
      local time = times[library]
      cells[j] = ('%9s'):format(time and times.ours and ('%.2f'):format(times.ours / time) or '-')
    end
    local line = ('%-44s %10s %s %16s %7s'):format(
        case.name, times.ours and shown(times.ours) or 'failed', table.concat(cells, ' '),
        rate(case, times.ours, set, gemm))
    write((line:gsub('%s+$', '')))
  end
  write('')
end

local function write_summary(write, run)
  write('geometric means of ours / the fastest other (cases above 1.3)\n')
  local families, order = {}, {}
  for _, case in ipairs(run.cases) do
    if not families[case.family] then
      families[case.family] = true
      order[#order + 1] = case.family
    end
  end
  order[#order + 1] = 'all'
  for _, family in ipairs(order) do
    local line = ('%-20s'):format(family)
    for _, set in ipairs(run.sets) do
      local ratios, above = {}, 0
      for k, case in ipairs(run.cases) do
        local ratio = (family == 'all' or case.family == family) and report.ratio(set.results[k])
        if ratio then
          ratios[#ratios + 1] = ratio
          above = above + (ratio > 1.3 and 1 or 0)
        end
      end
      local mean = report.geometric_mean(ratios)
      line = line .. (mean and ('   %d thread(s) %.2f (%d of %d)'):format(set.threads, mean, above,
                                                                         #ratios) or '')
    end
    write(line)
  end
  write('')
end

-- Compares the faster of the plain and the compiled form of each training step in each library, and
-- the peaks of the memory of the processes.
local function write_steps(write, run, set)
  local ratios = {}
  local number = {}
  for k, case in ipairs(run.cases) do
    number[case.name] = k
  end
  for k, case in ipairs(run.cases) do
    local name, changed = case.name:gsub(' float', ', compiled float')
    local compiled = number[name]
    if changed > 0 and compiled then
      local best, peaks = {}, {}
      for _, library in ipairs { 'ours', 'torch' } do
        for _, at in ipairs { k, compiled } do
          local time = set.results[at].times[library]
          if time and time < (best[library] or math.huge) then
            best[library], peaks[library] = time, set.results[at].peaks[library]
          end
        end
      end
      if best.ours and best.torch then
        if #ratios == 0 then
          write(('training steps, %d thread(s), the faster form of each: ours, PyTorch, ratio; '
                 .. 'peaks of memory'):format(set.threads))
        end
        ratios[#ratios + 1] = best.ours / best.torch
        write(('%-44s %10s %10s %6.2f %6.0f MB %6.0f MB'):format(
              case.name, shown(best.ours), shown(best.torch), ratios[#ratios],
              (peaks.ours or 0) / 2 ^ 20, (peaks.torch or 0) / 2 ^ 20))
      end
    end
  end
  if #ratios > 0 then
    write(('%-44s %28.2f\n'):format('geometric mean', report.geometric_mean(ratios)))
  end
end

local function write_errors(write, run)
  for _, set in ipairs(run.sets) do
    for k, case in ipairs(run.cases) do
      for library, message in pairs(set.results[k].errors) do
        write(('failed: %s, %d thread(s), %s: %s'):format(library, set.threads, case.name, message))
      end
    end
  end
end

local function write_csv(run)
  local file = assert(io.open(run.out .. '/results.csv', 'w'))
  file:write('family,case,element,size,threads,library,ns_per_call,ns_per_element,rate,unit,ratio',
             '\n')
  for _, set in ipairs(run.sets) do
    for k, case in ipairs(run.cases) do
      local times = set.results[k].times
      for _, library in ipairs { 'ours', unpack(OTHERS) } do
        local time = times[library]
        if time then
          local units = { B = 'GB/s', F = 'GFLOP/s', ['-'] = '' }
          local count = case.n * math.max(case.m, 1) * math.max(case.k, 1)
          file:write(('%s,"%s",%s,%s,%d,%s,%.6g,%.6g,%s,%s,%s\n'):format(
                     case.family, case.name, case.element, case.size, set.threads, library, time,
                     time / count, case.unit == '-' and '' or ('%.4g'):format(case.work / time),
                     units[case.unit], times.ours and ('%.4g'):format(times.ours / time) or ''))
        end
      end
    end
  end
  file:close()
end

local function machine()
  local model = 'an unknown CPU'
  for line in io.lines('/proc/cpuinfo') do
    model = line:match('^model name%s*: (.*)') or model
  end
  return model
end

local function write_all(run)
  local file = assert(io.open(run.out .. '/table.txt', 'w'))
  local function write(line)
    file:write(line, '\n')
    print(line)
  end
  write(machine() .. '\n')
  for _, library in ipairs { 'ours', unpack(OTHERS) } do
    if run.libraries[library] then
      write(('%-8s %s'):format(TITLES[library] or library, run.libraries[library]))
    end
  end
  write(('%s of 7 rounds; a ratio is our time / theirs, below 1 is faster. '
         .. 'The load was %.1f before.\n'):format(run.statistic, run.load))
  for _, set in ipairs(run.sets) do
    write_set(write, run, set)
  end
  write_summary(write, run)
  for _, set in ipairs(run.sets) do
    write_steps(write, run, set)
  end
  write_errors(write, run)
  file:close()
  write_csv(run)
end

return setmetatable(report, { __call = function(_, run) write_all(run) end })
