-- The process that makes random calls; started by hunt.lua.
--   main.lua run <first seed> <sequences> <log> <skipped names, with commas>
--   main.lua replay <lines> <log> [seconds that it may compute]
-- Exits with status 3 if a check fails; the last line of the log describes the failure.

local helper = debug.getinfo(1, 'S').source:match '^@(.*[/\\])' .. '../helper.lua'
dofile(helper)
package.path = helper:gsub('helper.lua$', '?.lua;') .. package.path

local tensor = require 'tensor'
local ffi = require 'ffi'

-- The calls often request huge amounts of memory. The limit is 600 MiB above what the process uses
-- after its threads and libraries have started. AddressSanitizer has its own limit, set by
-- hunt.lua.
local function limit_memory()
  tensor.setnumthreads(3)
  local t = tensor.FloatTensor(300, 300):fill(1)
  t:mm(t, t)
  tensor.add(tensor.FloatTensor(300000), 1)
  tensor.FloatTensor(10):to('soft'):add(1):sum()
  if (os.getenv 'LD_PRELOAD' or ''):find 'asan' then return end
  -- CUDA needs address space for each kernel that it loads.
  if (os.getenv 'TENSOR_TEST' or ''):find 'device=gpu' then return end
  ffi.cdef [[
    typedef struct { unsigned long soft, hard; } limits;
    int setrlimit(int, const limits*);
  ]]
  local pages = tonumber(io.open('/proc/self/statm'):read '*l':match '%d+')
  local bytes = pages * 4096 + 600 * 2 ^ 20
  local RLIMIT_AS = 9
  assert(ffi.C.setrlimit(RLIMIT_AS, ffi.new('limits', bytes, bytes)) == 0)
end
limit_memory()

-- A sequence takes milliseconds. The process is killed if one computes or waits too long.
ffi.cdef [[
  typedef struct { long interval[2], value[2]; } itimer;
  int setitimer(int, const itimer*, itimer*);
]]
local ITIMER_REAL, ITIMER_PROF = 0, 2
local function limit_time(seconds)
  local function start(timer, value)
    local limit = ffi.new 'itimer'
    limit.value[0] = value
    ffi.C.setitimer(timer, limit, nil)
  end
  start(ITIMER_PROF, seconds or 15)
  start(ITIMER_REAL, 240)
end

local Sequence = require 'fuzz.sequence'

local log
local function wrong(text)
  log:write('-- ', (text:gsub('\n', ' ')), '\n')
  log:close()
  os.exit(3)
end
local function write(line)
  log:write(line, '\n')
  log:flush()
end

if arg[1] == 'run' then
  local first, count, path = tonumber(arg[2]), tonumber(arg[3]), arg[4]
  local skip = {}
  for name in (arg[5] or ''):gmatch '[^,]+' do skip[name] = true end
  local calls = require 'fuzz.calls'(tensor, skip)
  local called, succeeded, names = 0, 0, {}
  local function seen(name, ok)
    names[name] = names[name] or ok
  end
  for seed = first, first + count - 1 do
    log = assert(io.open(path, 'w'))
    write('-- seed ' .. seed)
    limit_time()
    local sequence = Sequence.random(seed, calls, write, seen, wrong)
    called, succeeded = called + sequence.calls, succeeded + sequence.succeeded
    log:close()
  end
  -- For each name: whether any call has succeeded.
  local list = {}
  for name, ok in pairs(names) do list[#list + 1] = name .. (ok and '+' or '-') end
  table.sort(list)
  io.write(('%d calls, %d succeeded: %s\n'):format(called, succeeded, table.concat(list, ' ')))
else
  log = assert(io.open(arg[3], 'w'))
  limit_time(tonumber(arg[4]))
  local sequence = Sequence.new(wrong)
  for line in io.lines(arg[2]) do
    if not line:find '^%-%-' then
      write(line)
      sequence:run(line)
    end
  end
  sequence:finish()
  log:close()
end
-- Do not close the Lua state: the finalizers it would run are not part of any sequence.
os.exit(0)
