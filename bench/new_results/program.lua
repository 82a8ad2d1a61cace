-- Times tensor.cmul(a, b), a new result, for vectors of floats, and measures the peak of memory.
-- bench/new_results/measure.lua runs it.
--
-- Usage: program.lua SECONDS STATE BYTES ...
--   STATE: fresh; worked: the process has run the cases of bench/cases.txt before; N: N Lua tables
--   are alive; N,scope: the same, and each call is in a tensor.scope
-- Prints for each size: bytes, nanoseconds of processor time per call, the peak of memory and the
-- memory of the operands, the result and Lua's objects, in KiB. The peak does not include what the
-- process had after loading the module, or after the other work with empty caches.

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local tensor = require 'tensor'
local seconds, state, scope = tonumber(arg[1]), arg[2]:match('^(%w+),?(%a*)$')

local function status(name)
  for line in io.lines('/proc/self/status') do
    local kib = line:match('^' .. name .. ':%s*(%d+)')
    if kib then
      return tonumber(kib)
    end
  end
end

local function reset_peak()
  local file = assert(io.open('/proc/self/clear_refs', 'w'))
  file:write('5')
  file:close()
end

-- Runs each case once, as far as it has at most a million elements.
local function work()
  local ours = require 'ours'
  for _, case in ipairs(require 'cases'(here .. '../cases.txt')) do
    local elements = case.n * math.max(case.m, 1) * math.max(case.k, 1)
    if elements <= 2 ^ 20 and case.work <= 2 ^ 28 then
      local run, forget = ours.prepare(case.element, case.n, case.m, case.k, case.setup.lua or '',
                                       (case.code.lua:gsub('\\n', '\n')))
      run(1)
      forget()
    end
  end
end

-- Returns the nanoseconds of a call.
local function time(a, b)
  local function multiply()
    tensor.cmul(a, b)
  end
  -- The first call is not measured. In a virtual machine, clearing its pages can take longer than
  -- all other calls.
  multiply()
  local calls, elapsed = 1, 0
  while elapsed < seconds do
    local start = os.clock()
    if scope ~= '' then
      for _ = 1, calls do
        tensor.scope(multiply)
      end
    else
      for _ = 1, calls do
        tensor.cmul(a, b)
      end
    end
    elapsed = os.clock() - start
    if elapsed < seconds then
      calls = math.ceil(calls * math.min(10, 1.2 * seconds / elapsed))
    end
  end
  return 1e9 * elapsed / calls
end

local kept = {}
local before
if state == 'worked' then
  work()
  collectgarbage()
  collectgarbage()
  -- The allocator keeps what it can reuse, so the peak is compared with the state without that.
  tensor.emptyCache()
  before = status 'VmRSS'
  work()
else
  before = status 'VmRSS'
  for k = 1, tonumber(state) or 0 do
    kept[k] = {}
  end
end
for k = 3, #arg do
  local bytes = tonumber(arg[k])
  local a, b = tensor.FloatTensor(bytes / 4):uniform(), tensor.FloatTensor(bytes / 4):uniform()
  collectgarbage()
  collectgarbage()
  reset_peak()
  local nanoseconds = time(a, b)
  print(('%d %.1f %d %d'):format(bytes, nanoseconds, status 'VmHWM' - before,
                                 3 * bytes / 1024 + collectgarbage 'count'))
end
assert(#kept == (tonumber(state) or 0))
