-- Times cases in our library for bench/run.lua. Reads commands from standard input and writes
-- replies to standard output. Fields are separated by tabs.
--
--   prepare element n m k seconds setup code -> ok calls
--   round                                    -> ok seconds-per-call
--   drop                                     -> ok

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. 'suite/?.lua;' .. package.path
local tensor = require 'tensor'
local ours = require 'ours'

ours.end_with_parent()
tensor.setnumthreads(tonumber(arg[1]))
io.stdout:setvbuf('line')
print(('ready\t%d\t%.17g\t%s'):format(ours.pid, ours.probe(), ours.describe()))

local run, forget, calls
local commands = {}

-- Chooses the number of calls that takes the given time, twice in a row: the first calls may have
-- waited for the system's memory.
function commands.prepare(element, n, m, k, seconds, setup, code)
  run, forget = ours.prepare(element, tonumber(n), tonumber(m), tonumber(k), setup, code)
  calls, seconds = 1, tonumber(seconds)
  run(1)
  while true do
    local elapsed = ours.time(run, calls)
    if elapsed >= seconds then
      elapsed = ours.time(run, calls)
    end
    if elapsed >= seconds or calls >= 2 ^ 26 then
      return calls
    end
    calls = math.ceil(calls * math.min(math.max(2, seconds / math.max(elapsed, 1e-9)), 100))
  end
end

function commands.round()
  return ours.time(run, calls) / calls
end

function commands.drop()
  run = nil
  if forget then
    forget()
  end
  forget = nil
  return 0
end

for line in io.lines() do
  local fields = {}
  for field in (line .. '\t'):gmatch('(.-)\t') do
    fields[#fields + 1] = field:gsub('\\n', '\n')
  end
  local ok, result = pcall(commands[fields[1]], unpack(fields, 2))
  if ok then
    print(('ok\t%.17g'):format(result))
  else
    print('error\t' .. tostring(result):gsub('%s+', ' '))
  end
end
