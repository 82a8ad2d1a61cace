-- Runs random calls in other processes; of a failure a short script is made that shows it.

local files = require 'support.files'

local hunt = {}

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './'

local read, write = files.content, files.write

-- Under AddressSanitizer blocks of more than 256 MiB are not to be had, and every report ends the
-- process.
local environment = 'MALLOC_ARENA_MAX=2 TENSOR_SOFT_MEMORY=300000000'
if (os.getenv 'LD_PRELOAD' or ''):find 'asan' then
  environment = ('%s ASAN_OPTIONS="%s:max_allocation_size_mb=256:exitcode=99"'):format(
    environment, os.getenv 'ASAN_OPTIONS' or '')
  environment = ('%s UBSAN_OPTIONS="%s:halt_on_error=1:exitcode=98"'):format(
    environment, os.getenv 'UBSAN_OPTIONS' or '')
end

--- Runs a command, which is killed after the seconds; its status, and what it wrote.
function hunt.child(seconds, command)
  local output, status = os.tmpname(), os.tmpname()
  os.execute(('(timeout -s KILL %d %s >%s 2>&1; echo $? >%s) 2>/dev/null')
             :format(seconds, command, output, status))
  local code, text = tonumber(read(status)) or -1, read(output)
  os.remove(output)
  os.remove(status)
  return code, text
end

-- Runs main.lua with these arguments.
local function child(seconds, arguments)
  return hunt.child(seconds, ('env %s luajit %smain.lua %s'):format(environment, here, arguments))
end

local function kind_of(status)
  -- Killed by timeout, SIGALRM or SIGPROF.
  if status == 137 or status == 142 or status == 155 then return 'hang' end
  return status == 3 and 'wrong' or status == 98 and 'undefined' or status == 99 and 'sanitizer'
         or ('crash (status %d)'):format(status)
end

local function lines_of(text)
  local list, last = {}, ''
  for line in text:gmatch '[^\n]+' do
    if line:find '^%-%-' then last = line else list[#list + 1] = line end
  end
  return list, last
end

-- The description of a failure without numbers, to compare failures.
local function gist(kind, note, output)
  if kind == 'wrong' then
    return (note:gsub('refused %(.*%) changed', 'refused changed'):gsub('torch%.%w+', 'torch.X')
                :gsub('%d[%d.e+]*', '#'):gsub('%[.-%]', '[#]'))
  end
  local where = output:match 'SUMMARY: %S+ ([^\n]*)' or output:match 'runtime error: ([^\n]*)' or ''
  return kind .. ' ' .. where:gsub('0x%x+', ''):gsub('%(.-%)', '')
end

--- Returns the shortest list of lines found that fails in the same way, or nil if the whole list
-- does not fail again. fails(lines) runs lines and returns the failure. Takes at most `budget`
-- seconds.
function hunt.shortest(lines, fails, gist_wanted, budget)
  local stop = os.time() + budget
  local function same(list) return fails(list) == gist_wanted end
  if not same(lines) then return nil end
  local size = math.ceil(#lines / 2)
  while size >= 1 do
    local first, shortened = 1, false
    while first <= #lines and os.time() < stop do
      local rest = {}
      for k, line in ipairs(lines) do
        if k < first or k >= first + size then rest[#rest + 1] = line end
      end
      if #rest > 0 and same(rest) then
        lines, shortened = rest, true
      else
        first = first + size
      end
    end
    if os.time() >= stop then break end
    if not shortened or size > 1 then size = size == 1 and 0 or math.ceil(size / 2) end
  end
  return lines
end

--- A failure as a script: how it fails, in a comment, the prelude, and the lines.
local function script_of(title, lines)
  return ('-- %s\n%s\n%s\n'):format(title, read(here .. 'prelude.lua'), table.concat(lines, '\n'))
end

--- Runs a list of lines in a separate process. Returns nil or the failure. seconds: CPU time after
-- which the run counts as hanging.
function hunt.replay(lines, seconds)
  local script, log = os.tmpname(), os.tmpname()
  write(script, table.concat(lines, '\n') .. '\n')
  local status, output = child(300,
                               ('replay %s %s %s'):format(script, log, seconds or ''))
  local _, note = lines_of(read(log))
  os.remove(script)
  os.remove(log)
  if status == 0 then return nil, output end
  return gist(kind_of(status), note, output), output, note
end

--- Runs the programs of a script, the rest in another process if one ends the process: with
-- `one`, a log, the number of the first program, and the options. Prints what fails; returns how
-- many failures there were.
function hunt.each_program(script, options)
  local log, output = os.tmpname(), os.tmpname()
  local first, failures, calls, failed = 1, 0, 0, 0
  while first do
    write(log, '')
    os.execute(('(%s timeout -s KILL 3600 luajit %s one %s %d %s >%s 2>&1) 2>/dev/null')
               :format(environment, script, log, first, options, output))
    local number, name, at, done
    for line in io.lines(log) do
      if line:find '^program' then
        number, name = line:match '^program (%d+) (.*)'
      elseif line:find '^wrong' then
        failures = failures + 1
        print(line)
      elseif line:find '^done' then
        done = line
      else
        at = line
      end
    end
    if not done then
      failures = failures + 1
      print(('ended %s, %s\n%s'):format(name or 'at the start', at or '', read(output):sub(-1500)))
    else
      local more, refused = done:match 'done (%d+) calls, (%d+) failed'
      calls, failed = calls + more, failed + refused
    end
    first = not done and number and number + 1
  end
  os.remove(log)
  os.remove(output)
  print(('%d calls, %d failed for want of memory, %d wrong'):format(calls, failed, failures))
  return failures
end

--- Runs sequences from a seed on. Returns nil and a summary, or a failure: {gist, script, seed,
-- output}.
function hunt.run(seed, sequences, options)
  options = options or {}
  local log = os.tmpname()
  local status, output = child(options.seconds or 60 + 10 * sequences,
                               ('run %d %d %s %s'):format(seed, sequences, log, options.skip or ''))
  local text = read(log)
  os.remove(log)
  if status == 0 then return nil, output end
  local lines, note = lines_of(text)
  seed = tonumber(text:match '^%-%- seed (%d+)') or seed
  local failure = { gist = gist(kind_of(status), note, output), seed = seed, output = output,
                    note = kind_of(status) == 'wrong' and note or '' }
  -- A sequence takes milliseconds: that it hangs need not be waited for long.
  local limit = kind_of(status) == 'hang' and 3 or nil
  local function replay(list) return (hunt.replay(list, limit)) end
  local short = hunt.shortest(lines, replay, failure.gist, options.budget or 60)
  local title = ('seed %d: %s %s'):format(seed, failure.gist, failure.note)
  if short then
    failure.script = script_of(title, short)
  else
    title = title .. '; it does not fail when it is run again on its own'
    failure.script = script_of(title, lines)
  end
  return failure
end

return hunt
