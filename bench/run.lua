-- Measures the cases of bench/cases.txt in our library and in others, alternating in one run.
-- Writes table.txt, results.csv and ratios.svg. `make bench` calls this through scripts/run-bench,
-- which sets the arguments:
--
--   run.lua out=FOLDER ours=COMMAND [before=COMMAND] [numpy=COMMAND] [torch=COMMAND]
--           [stream=COMMAND] [threads='1 2'] [filter=TEXT] [quick=1] [minimum=1]
--
-- COMMAND starts a worker; the number of threads is appended to it.
--
--   run.lua smoke=1 [filter=TEXT]
--
-- runs every case once with few elements, in our library and in this process, and fails if a case
-- does not return a time.

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. 'suite/?.lua;' .. package.path
local read_cases = require 'cases'

local LIBRARIES = { 'ours', 'before', 'numpy', 'torch' }
local ROUNDS = 7

local options = {}
for _, text in ipairs(arg) do
  local name, value = text:match('^(%l+)=(.*)$')
  if not name then
    io.stderr:write('run.lua: name=value is expected, got ', text, '\n')
    os.exit(2)
  end
  options[name] = value ~= '' and value or nil
end

-- Selects the cases for a quick run.
local function is_small(case)
  local elements = case.n * math.max(case.m, 1) * math.max(case.k, 1)
  return elements <= 2 ^ 16 and case.work <= (case.unit == 'F' and 2 ^ 28 or 2 ^ 24)
end

local function wanted_cases()
  local list, seen = {}, {}
  for _, case in ipairs(read_cases(here .. 'cases.txt')) do
    local wanted = (case.family .. ': ' .. case.name):find(options.filter or '', 1, true)
    if options.quick then
      wanted = wanted and is_small(case)
    elseif options.smoke then
      wanted = wanted and not seen[case.row]
      seen[case.row] = true
      for _, size in ipairs { 'n', 'm', 'k' } do
        case[size] = math.min(case[size], 16)
      end
    end
    if wanted then
      list[#list + 1] = case
    end
  end
  return list
end

local function smoke(cases)
  local ours, failed = require 'ours', 0
  for _, case in ipairs(cases) do
    local ok, result = pcall(function()
      local run, forget = ours.prepare(case.element, case.n, case.m, case.k, case.setup.lua or '',
                                       (case.code.lua:gsub('\\n', '\n')))
      local seconds = ours.time(run, 1)
      forget()
      return seconds
    end)
    if not ok or not (result >= 0 and result < math.huge) then
      failed = failed + 1
      io.stderr:write(case.name, ': ', tostring(result), '\n')
    end
  end
  print(('%d cases done, %d failed'):format(#cases - failed, failed))
  os.exit(failed == 0 and #cases > 0 and 0 or 1)
end

-- Returns the median, or the minimum for a machine that runs other programs, too.
local function middle(times)
  table.sort(times)
  return times[options.minimum and 1 or math.ceil(#times / 2)]
end

-- Memory of a process in bytes, by the name that Linux gives it; nil if it is not known.
local function memory_of(pid, name)
  local file = io.open(('/proc/%d/status'):format(pid))
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  local kilobytes = text:match(name .. ':%s*(%d+) kB')
  return kilobytes and tonumber(kilobytes) * 1024
end

-- Sets the peak of the memory of a process to its present size.
local function reset_peak(pid)
  local file = io.open(('/proc/%d/clear_refs'):format(pid), 'w')
  if file then
    file:write('5')
    file:close()
  end
end

-- Returns times, errors and peaks of memory by library. The libraries take turns, so that all see
-- the same machine load.
local function measure(case, workers)
  local ready, errors, times, peaks = {}, {}, {}, {}
  for _, worker in ipairs(workers) do
    local language = (worker.library == 'ours' or worker.library == 'before') and 'lua'
                     or worker.library
    local code = case.code[language]
    if code then
      reset_peak(worker.pid)
      local calls, message = worker:ask('prepare', case.element, case.n, case.m, case.k,
                                        options.quick and 0.001 or 0.005,
                                        case.setup[language] or '', code)
      if calls then
        ready[#ready + 1] = worker
        times[worker.library] = {}
      else
        errors[worker.library] = message
      end
    end
  end
  for _ = 1, ROUNDS do
    for _, worker in ipairs(ready) do
      local seconds, message = worker:ask('round')
      if seconds then
        table.insert(times[worker.library], seconds * 1e9)
      else
        errors[worker.library] = message
      end
    end
  end
  for _, worker in ipairs(workers) do
    peaks[worker.library] = worker.pid and memory_of(worker.pid, 'VmHWM')
    worker:ask('drop')
  end
  for library, all in pairs(times) do
    times[library] = middle(all)
  end
  return times, errors, peaks
end

-- The average number of runnable processes during the last minute.
local function load_average()
  local file = io.open('/proc/loadavg')
  local load = file and file:read('*n') or 0
  if file then
    file:close()
  end
  return load
end

local function start_workers(threads)
  local workers = {}
  for _, library in ipairs(LIBRARIES) do
    if options[library] then
      local worker = require('workers').new(options.out, library, options[library], threads)
      if not worker then
        io.stderr:write('bench: ', library, ' does not start: left out\n')
      elseif workers[1] and math.abs(worker.probe - workers[1].probe) > 1e-9 then
        error(library .. ' has other data than we have')
      else
        workers[#workers + 1] = worker
      end
    end
  end
  return workers
end

-- Returns the memory bandwidth in GB/s.
local function stream(threads, roof)
  local command = ('OMP_NUM_THREADS=%d %s'):format(threads, options.stream or 'true')
  local pipe = io.popen(command)
  local copy, add = pipe:read('*a'):match('copy (%S+) add (%S+)')
  pipe:close()
  return math.max(roof, tonumber(copy) or 0, tonumber(add) or 0)
end

local cases = wanted_cases()
if options.smoke then
  smoke(cases)
end
if not options.out or not options.ours then
  io.stderr:write('run.lua: out=FOLDER and ours=COMMAND are expected, or smoke=1\n')
  os.exit(2)
end
local made = os.execute(("mkdir -p -- '%s'"):format(options.out:gsub("'", "'\\''")))
if made ~= 0 and made ~= true then
  io.stderr:write('run.lua: cannot create the folder ', options.out, '\n')
  os.exit(2)
end

local run = { cases = cases, libraries = {}, out = options.out, load = load_average(),
              statistic = options.minimum and 'Minima' or 'Medians' }
local sets = {}
for threads in (options.threads or '1 2'):gmatch('%d+') do
  local set = { threads = tonumber(threads), workers = start_workers(tonumber(threads)),
                results = {}, roof = stream(tonumber(threads), 0) }
  sets[#sets + 1] = set
  for _, worker in ipairs(set.workers) do
    run.libraries[worker.library] = worker.description
  end
end
local tty = os.getenv('TERM') and os.execute('test -t 2') == 0
for k, case in ipairs(cases) do
  if tty then
    io.stderr:write(('\r\27[K%d/%d %s'):format(k, #cases, case.name))
  elseif k == 1 or case.family ~= cases[k - 1].family then
    io.stderr:write(('%d/%d %s\n'):format(k, #cases, case.family))
  end
  for _, set in ipairs(sets) do
    local times, errors, peaks = measure(case, set.workers)
    set.results[k] = { times = times, errors = errors, peaks = peaks }
  end
end
if tty then
  io.stderr:write('\r\27[K')
end
for _, set in ipairs(sets) do
  for _, worker in ipairs(set.workers) do
    worker:close()
  end
  set.roof = stream(set.threads, set.roof)
end
run.sets = sets
require 'report'(run)
require 'picture'(run)
