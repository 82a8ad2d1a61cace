-- Random programs under tensor.compile, compared with themselves uncompiled. A failure is shortened
-- and printed as a script, which `compiled.lua check <file>` runs again.
-- Usage: luajit test/lua/fuzz/compiled.lua [programs=1000] [seed=1] [seconds=0] [failures=1]
-- seconds: ends after that time, if it is not 0. In the environment: as for the specs
-- (TENSOR_PREFIX, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
dofile(here .. '../helper.lua')

local files = require 'support.files'
local read, write = files.content, files.write

-- ---- in the process that runs programs ----

if arg[1] == 'check' or arg[1] == 'run' then
  require('tensor').setnumthreads(1)
  local worlds = require 'fuzz.worlds'
  local function check(text)
    -- Generating programs is quicker without this.
    collectgarbage('setpause', 50)
    collectgarbage('setstepmul', 1000)
    collectgarbage()
    local difference, replays = worlds.compare(text)
    collectgarbage('setpause', 200)
    collectgarbage('setstepmul', 200)
    if difference then
      print('DIFFERENCE ' .. difference)
      os.exit(3)
    end
    return replays
  end
  if arg[1] == 'check' then
    check(read(arg[2]))
    os.exit(0)
  end
  local program = require 'fuzz.program'
  local first, count, log = tonumber(arg[2]), tonumber(arg[3]), arg[4]
  local replays, replayed = 0, 0
  for seed = first, first + count - 1 do
    write(log, ('-- seed %d, being made\n'):format(seed))
    local text = table.concat(program(seed), '\n')
    write(log, ('-- seed %d\n%s\n'):format(seed, text))
    local some = check(text)
    replays, replayed = replays + some, replayed + (some > 0 and 1 or 0)
  end
  print(('%d replays in %d programs'):format(replays, replayed))
  os.exit(0)
end

-- ---- in the process that starts them ----

local hunt = require 'fuzz.hunt'

local function child(seconds, arguments)
  return hunt.child(seconds, ('luajit %scompiled.lua %s'):format(here, arguments))
end

local function gist(status, output)
  if status == 3 then return 'difference' end
  return status == 137 and 'hang' or 'crash ' .. (output:match 'SUMMARY: %S+ (%S+)' or status)
end

local function shortened(lines, wanted)
  local path = os.tmpname()
  local function fails(list)
    write(path, table.concat(list, '\n') .. '\n')
    local status, output = child(20, 'check ' .. path)
    return status ~= 0 and status ~= 1 and gist(status, output) or nil
  end
  local list = hunt.shortest(lines, fails, wanted, 60)
  write(path, table.concat(list or lines, '\n') .. '\n')
  local _, output = child(20, 'check ' .. path)
  os.remove(path)
  return list or lines, output
end

local given = { programs = '1000', seed = '1', seconds = '0', failures = '1' }
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(%d+)$'
  assert(given[key], text .. ' is not an option')
  given[key] = value
end
local left, seed, limit = tonumber(given.programs), tonumber(given.seed), tonumber(given.seconds)
local started, done, replays, replayed, failures = os.time(), 0, 0, 0, 0
while left > 0 and failures < tonumber(given.failures)
      and (limit == 0 or os.time() - started < limit) do
  local log, count = os.tmpname(), math.min(left, 100)
  local status, output = child(60 + 5 * count, ('run %d %d %s'):format(seed, count, log))
  if status == 0 then
    local some, programs = output:match '(%d+) replays in (%d+) programs'
    replays, replayed = replays + some, replayed + programs
  else
    local lines = {}
    for line in read(log):gmatch '[^\n]+' do lines[#lines + 1] = line end
    count = tonumber(lines[1]:match '%d+') - seed + 1
    failures = failures + 1
    print(('%s: %s'):format(table.remove(lines, 1), gist(status, output)))
    local short, told = shortened(lines, gist(status, output))
    print(table.concat(short, '\n') .. '\n' .. (told ~= '' and told or output):sub(-3000))
  end
  os.remove(log)
  seed, left, done = seed + count, left - count, done + count
end
print(('%d programs, %d failures; %d programs had %d replays; %d s'):format(
  done, failures, replayed, replays, os.time() - started))
os.exit(failures == 0 and (replayed * 10 > done or done <= 5) and 0 or 1)
