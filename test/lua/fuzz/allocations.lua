-- Failing allocations: for each program of a list, every allocation in turn. Each call must
-- succeed, or raise an error about memory that leaves the operands unchanged. Then the same call
-- must succeed.
--   allocations.lua all [key=value...]    runs each program in a child process
--   allocations.lua one <log> <first program> [key=value...]
-- Keys: scenarios=n, of each row and element type; types=n, of each row; every=n, only each n-th
-- program, and fewer of many allocations; only=pattern, of programs' names.

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
dofile(here .. '../helper.lua')
package.path = here .. '../?.lua;' .. package.path

local given = { scenarios = '2', types = '2', every = '1', only = '.' }
for k = arg[1] == 'one' and 4 or 2, #arg do
  local key, value = arg[k]:match '^(%l+)=(.*)$'
  assert(given[key], arg[k] .. ': unknown option')
  given[key] = value
end

if arg[1] == 'all' then
  local hunt = require 'fuzz.hunt'
  local failures = hunt.each_program(here .. 'allocations.lua', table.concat(arg, ' ', 2))
  os.exit(failures == 0 and 0 or 1)
end

local ffi = require 'ffi'
local tensor = require 'tensor'
local failing = require 'fuzz.failing'
local check = require 'fuzz.check'
local programs = require 'fuzz.programs'
assert(failing.is_loaded(), 'preload failing_malloc')

local log = assert(io.open(arg[2], 'a'))
local function write(...)
  log:write(...)
  log:write '\n'
  log:flush()
end

-- Sizes and elements of results, to be compared with those of the same call without failures.
local function text_of(value)
  if tensor.isTensor(value) then
    local copy = value:clone()
    return check.picture(tensor, copy)
  end
  if tensor.isStorage(value) then return check.picture(tensor, value) end
  if type(value) == 'table' and getmetatable(value) == nil then
    local parts = {}
    for k, x in ipairs(value) do parts[k] = text_of(x) end
    return '{' .. table.concat(parts, ', ') .. '}'
  end
  return type(value) == 'number' and ('%.17g'):format(value) or type(value) == 'string' and value
         or type(value)
end

local function texts_of(values, first)
  local parts = {}
  for k = first, #values do parts[#parts + 1] = text_of(values[k]) end
  return table.concat(parts, '; ')
end

-- Sizes, strides, offset and storage size. A failed call must keep them, and the elements of
-- arguments that are not results.
local function shape_of(t)
  local parts = { t:storageOffset() }
  for d = 1, t:dim() do parts[#parts + 1] = t:size(d) .. ':' .. t:stride(d) end
  local storage = t:storage()
  parts[#parts + 1] = storage and storage:size() or 0
  return table.concat(parts, ' ')
end
local function pictures(list, results, changed)
  local parts = {}
  for k, value in ipairs(list) do
    if tensor.isTensor(value) and (k <= results or changed[value]) then
      parts[k] = shape_of(value)
    elseif tensor.isTensor(value) then
      parts[k] = shape_of(value) .. text_of(value)
    else
      parts[k] = text_of(value)
    end
  end
  return parts
end

local failures, failed_calls, calls = 0, 0, 0
local function wrong(name, first, all, text)
  failures = failures + 1
  write(('wrong %s, allocation %d%s, at %s: %s')
        :format(name, first, all and ' and all that follow' or '', failing.place(),
                (tostring(text):gsub('\n', ' '):sub(1, 300))))
end

-- Calls the program once while its allocation number `first` fails. Returns whether there was one.
local function try(program, first, all, expected)
  tensor.manualSeed(5)
  local list, results, changed = program.make()
  results, changed = results or 0, changed or {}
  local before = pictures(list, results, changed)
  pcall(tensor.synchronize)
  local count, got = failing.call(first, all, program.invoke, unpack(list))
  calls = calls + 1
  -- Work that a device does later.
  local late, message = pcall(tensor.synchronize)
  local text = got[1] and late and texts_of(got, 2)
  if not got[1] then message = got[2] end
  if text then
    if expected and program.same ~= false and text ~= expected then
      wrong(program.name, first, all, 'it succeeds with another result')
    end
  else
    failed_calls = failed_calls + 1
    local problem = check.message(message)
    if problem then wrong(program.name, first, all, problem) end
    if count < first or not tostring(message):lower():find 'memory' then
      wrong(program.name, first, all, message)
    end
  end
  local after = pictures(list, results, changed)
  for k = 1, #before do
    if not text and before[k] ~= after[k] then
      wrong(program.name, first, all, ('argument %d changed'):format(k))
    end
  end
  tensor.manualSeed(5)
  if program.fresh then list = program.make() end
  local again = { pcall(program.invoke, unpack(list)) }
  local ok, problem = pcall(tensor.synchronize)
  if not again[1] or not ok then
    wrong(program.name, first, all, 'not again: ' .. tostring(again[2] or problem))
  elseif expected and program.same ~= false and not program.inout
         and texts_of(again, 2) ~= expected then
    wrong(program.name, first, all, 'another result when it is called again')
  end
  return count >= first
end

ffi.cdef [[
  int fork(void);
  int waitpid(int pid, int* status, int options);
  void _exit(int status);
]]
local status = ffi.new 'int[1]'

-- The same in a process of its own, in which nothing has been used yet.
local function try_cold(program, first, all)
  local child = ffi.C.fork()
  if child == 0 then
    failures = 0
    local more = try(program, first, all, nil)
    ffi.C._exit(failures > 0 and 3 or more and 1 or 0)
  end
  ffi.C.waitpid(child, status, 0)
  calls = calls + 1
  local signal, code = status[0] % 128, math.floor(status[0] / 256)
  if signal ~= 0 or code > 3 then
    wrong(program.name, first, all, ('the first use ends the process: %d'):format(status[0]))
  elseif code == 3 then
    failures = failures + 1
  end
  failed_calls = failed_calls + (code == 1 and 1 or 0)
  return signal ~= 0 or code ~= 0
end

-- Every allocation of a program in turn, or ever fewer of many, alone and with all that follow.
local every = tonumber(given.every)
local function each_allocation(program, attempt, expected)
  local most = 1000
  for _, all in ipairs { false, true } do
    local first, more = 1, true
    while more and first <= most do
      write(('at %d %s'):format(first, tostring(all)))
      more = attempt(program, first, all, expected)
      first = first + (every > 1 and math.ceil(first / 8) or 1)
    end
  end
end

local all_programs = programs(tensor, tonumber(given.scenarios), tonumber(given.types))
for number = tonumber(arg[3]), #all_programs do
  local program = all_programs[number]
  if (number % every == 0 or program.cold) and program.name:find(given.only) then
    write(('program %d %s'):format(number, program.name))
    if program.cold then each_allocation(program, try_cold) end
    tensor.manualSeed(5)
    local ok, first = pcall(function()
      local list = program.make()
      return texts_of({ program.invoke(unpack(list)) }, 1)
    end)
    if not ok then
      wrong(program.name, 0, false, first)
    else
      each_allocation(program, try, first)
    end
  end
end
write(('done %d calls, %d failed, %d wrong'):format(calls, failed_calls, failures))
os.exit(0)
