-- Sequences of random calls. Each call is a line of Lua, logged before it runs, so that the log of
-- a process that dies shows the last call.

local tensor = require 'tensor'
local ffi = require 'ffi'
local check = require 'fuzz.check'
local failing = require 'fuzz.failing'
local known = require 'fuzz.known'
local new_random = require 'fuzz.random'
local values = require 'fuzz.values'
local operands = require 'fuzz.operands'
local twins = require 'fuzz.twins'

-- Compiled code would keep the functions that it was recorded with, and their objects, alive.
jit.off(true, true)

local Sequence = {}
Sequence.__index = Sequence

Sequence.length = 150

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
local prelude = assert(io.open(here .. 'prelude.lua')):read '*a'
Sequence.prelude = prelude

local start = assert(loadstring(prelude .. [[
return { v = v, try = try, helpers = { inside, doomed, failing, nans, number, elements },
         finalized = function() return finalized end, misread = function() return misread end }]],
  '=prelude'))

-- Tables that calls may have put something into, and settings that they may have changed.
local function shallow(t)
  local copy = {}
  for k, x in pairs(t) do copy[k] = x end
  return copy
end
local kept = { [tensor] = shallow(tensor) }
for _, class in ipairs(values.classes) do
  kept[tensor.getmetatable(class)] = shallow(tensor.getmetatable(class))
end
local environment = debug.getfenv(io.stdout)
local device = tensor.getDefaultDevice()
local generator = tensor.getGenerator()

local function restore()
  for original, copy in pairs(kept) do
    for k in pairs(original) do
      if copy[k] == nil then original[k] = nil end
    end
    for k, x in pairs(copy) do original[k] = x end
  end
  debug.setfenv(io.stdout, environment)
  tensor.setdefaulttensortype 'torch.DoubleTensor'
  tensor.setDefaultDevice(device)
  tensor.setGenerator(generator)
  tensor.setnumthreads(2)
  tensor.setprintoptions { threshold = 1000, edgeitems = 3, precision = 4 }
  tensor.setTF32(false)
  tensor.setDeviceDebug(false)
  tensor.warnOfFallbacks(false)
end

-- Overwrites the stack that earlier calls used. The collector keeps objects alive that are left in
-- the slots of a running function.
local function clear_stack(depth)
  local a, b, c, d, e, f, g, h  -- luacheck: ignore 211 221
  return depth == 0 and 0 or 1 + clear_stack(depth - 1)
end

local function measured_usage()
  for _ = 1, 3 do collectgarbage() end
  -- Raises errors that a device has not reported yet.
  pcall(tensor.synchronize)
  tensor.emptyCache()
  local host, soft = tensor.memory(), tensor.memory 'soft'
  return ('%d bytes in %d blocks, %d bytes on the device'):format(host.bytes, host.blocks,
                                                                   soft.used)
end

-- The memory in use when no object is alive, on both sides. Both functions begin at the same slot.
local function usage()
  clear_stack(60)
  local text = measured_usage()
  return text
end

--- A sequence; wrong(text) is called where something does not hold.
local function new(wrong)
  restore()
  tensor.manualSeed(1)
  local self = setmetatable({ wrong = wrong, before = usage(), calls = 0, succeeded = 0 }, Sequence)
  self.script = start()
  self.v = self.script.v
  return self
end
Sequence.new = new

function Sequence:report(text)
  for _, pattern in ipairs(known.texts) do
    if text:find(pattern) then return end
  end
  self.wrong(text)
end

-- The objects that a line names.
local function named(line)
  local seen, list = {}, {}
  for k in line:gmatch 'v%[(%d+)%]' do
    k = tonumber(k)
    if not seen[k] then
      seen[k] = true
      list[#list + 1] = k
    end
  end
  return list
end

function Sequence:objects(list)
  for _, k in ipairs(list) do
    local object = self.v[k]
    local text = check.object(tensor, object)
    if text then self:report(('v[%d], a %s: %s'):format(k, tensor.type(object), text)) end
    if type(object) == 'table' then
      for i = 1, math.min(3, #object) do
        text = check.object(tensor, object[i])
        if text then self:report(('v[%d][%d]: %s'):format(k, i, text)) end
      end
    end
  end
end

local function pictures(v, list)
  local all = {}
  for _, k in ipairs(list) do
    if type(v[k]) == 'userdata' then
      local object = v[k]
      local ok, text = pcall(check.picture, tensor, object)
      all[k] = { object = object, text = ok and text or 'unreadable',
                 place = check.place(tensor, object) }
    end
  end
  return all
end

-- Returns whether a device may have written a part of the result: it found an invalid value, or its
-- work ran out of memory.
local function is_late(message, before)
  local of_values = message:find 'out of range' or message:find 'divided by 0'
                    or message:find 'element %-?%d+ of p' or message:find '0 and 1 values'
                    or message:find 'probabilities' or message:find 'out of memory'
  if not of_values then return false end
  for _, own in pairs(before) do
    if own.place ~= '' and own.place ~= 'cpu' then return true end
  end
  return false
end

local function synchronized(...)
  tensor.synchronize()
  return ...
end

-- Calls a function and waits for the device, which finds some errors late. {ok, results...}.
local function settled(f)
  return { pcall(function() return synchronized(f()) end) }
end

-- Runs a chunk a second time, with copies of its operands in other layouts. first: what the first
-- run gave, {ok, results...}.
function Sequence:compare(chunk, twin, first, finalized, roughly)
  local looked, is_undefined = pcall(twins.is_undefined, tensor, twin, first)
  if not looked or is_undefined then return end
  local copies, second = {}, nil
  for k, own in pairs(twin) do copies[k] = own.copy end
  chunk(tensor, copies, ffi, function(_, f) second = settled(f) end, unpack(self.script.helpers))
  local ok, text = pcall(twins.difference, tensor, twin, first, second, roughly)
  -- A finalizer may have changed anything.
  if self.script.finalized() == finalized then
    if ok and text then self:report('another layout gives another result: ' .. text) end
  end
end

--- Runs a line. A comment at its end lists the checks to make afterwards, because a line must do
-- the same when it is run again. "checked": if the call fails, the message names a function, and
-- the operands are unchanged. "compared": it gives the same result for copies of its operands in
-- another layout; "roughly" allows rounding errors.
function Sequence:run(line)
  local script, v = self.script, self.v
  local chunk, syntax = loadstring(
    'local T, v, ffi, try, inside, doomed, failing, nans, number, elements = ...\nreturn ' .. line,
    '=line')
  if not chunk then self.wrong('the line is not valid Lua: ' .. syntax) end
  local list = named(line)
  local finalized = script.finalized()
  local checked = line:find '%-%- checked'
  -- Errors that a device still has to report belong to earlier calls.
  local compared = line:find '%-%- compared' and not line:find '^failing'
  if checked or compared then pcall(tensor.synchronize) end
  local before = checked and pictures(v, list)
  local roughly, twin, first = line:find 'roughly$', nil, nil
  if compared then
    local ready, found = pcall(twins.operands, tensor, v, list, roughly)
    -- There may be no memory for the copies.
    twin = ready and found
  end
  local function try(to, f)
    return script.try(to, function()
      first = settled(f)
      if not first[1] then error(first[2], 0) end
      return first[2], first[3]
    end)
  end
  local ok, message = chunk(tensor, v, ffi, twin and try or script.try, unpack(script.helpers))
  if twin then self:compare(chunk, twin, first, finalized, roughly) end
  if script.misread() then self:report('an element became a ' .. script.misread()) end
  self.calls = self.calls + 1
  if ok then
    self.succeeded = self.succeeded + 1
  else
    -- That memory is short need not name the function.
    local text = check.message(message, checked and not line:find '^failing' and line)
    if text then self:report(text) end
    local now = before and pictures(v, list)
    -- A finalizer may have changed anything.
    if now and script.finalized() == finalized then
      for k, after in pairs(now) do
        local own = before[k]
        if own and own.object == after.object then
          local late = is_late(message, before)
          if own.text ~= after.text and not late then
            self:report(('a call that was refused (%s) changed v[%d]'):format(message, k))
          elseif own.place ~= after.place and not late then
            self:report(('a call that was refused (%s) changed the place of v[%d]')
                        :format(message, k))
          end
        end
      end
    end
  end
  list[#list + 1] = tonumber(line:match '(%d+), function')
  self:objects(list)
  return ok
end

--- All objects go; the memory must, too.
function Sequence:finish()
  for k = 1, values.slots do self:objects { k } end
  for k in pairs(self.v) do self.v[k] = nil end
  restore()
  local after = usage()
  if after ~= self.before then
    jit.flush()  -- a compiled trace may keep an object alive
    after = usage()
  end
  if after ~= self.before then
    self:report(('in use at the end: %s; at the start: %s'):format(after, self.before))
  end
end

--- Writes a random line and what it calls.
local function write_line(random, calls, v)
  local slot, kind = random:int(values.slots), random:int(100)
  local body, name
  local notes = ''
  if kind <= 18 then
    body, name = 'return ' .. operands.new(random), 'new'
  elseif kind <= 28 then
    body, name = 'return ' .. operands.view(random), 'view'
  elseif kind <= 33 then
    body, name = operands.change(random), 'change'
  elseif kind <= 37 then
    body, name = calls:own(random)
  elseif kind <= 40 then
    body, name = calls:finalizer(random)
  elseif kind <= 48 then
    body, name = calls:operator(random)
  elseif kind <= 78 then
    local slots
    body, name, slots = calls:of_row(random, tensor, v)
    local note = random:once_in(3) and 'checked' or twins.kind(name, slots)
    if note then notes = ' -- ' .. note end
  else
    body, name = calls:blind(random)
  end
  local how = random:once_in(25) and 'inside' or 'try'
  if how == 'inside' then notes = '' end
  how = how .. '('
  if failing.is_loaded() and random:once_in(2) then
    how = ('failing(%d, %d, %s, '):format(random:int(random:once_in(4) and 40 or 8),
                                          random:int(2) - 1, how:sub(1, -2))
  end
  return ('%s%d, function() %s end)%s'):format(how, slot, body, notes), name
end

--- Runs a whole random sequence. Calls log(line) before each line, and seen(name, ok) for each
-- called function.
function Sequence.random(seed, calls, log, seen, wrong)
  local random = new_random(seed)
  local sequence = new(wrong)
  -- Sometimes the collector runs at nearly every allocation, which takes long.
  local busy = random:once_in(20)
  local first = busy and 'collectgarbage("setpause", 0) collectgarbage("setstepmul", 10000)'
                or 'collectgarbage("setpause", 200) collectgarbage("setstepmul", 200)'
  local line, name = ('try(1, function() %s end)'):format(first), 'own'
  for _ = 1, Sequence.length do
    log(line)
    seen(name, sequence:run(line))
    line, name = write_line(random, calls, sequence.v)
  end
  sequence:finish()
  return sequence
end

return Sequence
