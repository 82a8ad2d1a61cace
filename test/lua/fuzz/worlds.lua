-- Runs a script in two worlds, which must log the same. In one of them `compile` is tensor.compile.
-- In the other one it returns its argument.
-- Globals of a script:
--   T            the module
--   compile(f)
--   call(f, ...) calls f and logs what it returns, or its error
--   note(...)    logs values
--   spawn(n, f)  calls f in n finalizers, at some time
--   wild()       from here on nothing is compared, as finalizers may change anything

local tensor = require 'tensor'

local worlds = {}

-- The value without addresses; NaNs are alike.
local function text_of(value)
  if type(value) == 'number' then
    if value ~= value then return 'nan' end
    return ('%.17g'):format(value)
  elseif type(value) == 'string' then
    return (value:gsub('0x%x+', '#'))
  elseif type(value) == 'userdata' or type(value) == 'table' then
    return tensor.typename(value) or type(value)
  end
  return type(value) == 'function' and 'function' or tostring(value)
end

local function shape_text(t)
  local parts = { t:type(), t:device() }
  for d = 1, t:dim() do parts[#parts + 1] = t:size(d) .. ':' .. t:stride(d) end
  return table.concat(parts, ' ')
end

local function elements_text(t)
  if t:nElement() == 0 then return '' end
  local parts = {}
  for i, x in ipairs(t:contiguous():view(-1):totable()) do parts[i] = text_of(x) end
  return table.concat(parts, ' ')
end

local function describe(value)
  if not tensor.isTensor(value) then return text_of(value) end
  return shape_text(value) .. ' = ' .. elements_text(value)
end

-- Which of the values before are the same tensor, or share its storage.
local function relations(values, count)
  local parts = {}
  for i = 2, count do
    for k = 1, i - 1 do
      local a, b = values[i], values[k]
      if tensor.isTensor(a) and tensor.isTensor(b) then
        local s, t = a:storage(), b:storage()
        if rawequal(a, b) then
          parts[#parts + 1] = i .. ' is ' .. k
        elseif s and t and tensor.pointer(s) == tensor.pointer(t) then
          parts[#parts + 1] = ('%d shares %d at %d'):format(
            i, k, a:storageOffset() - b:storageOffset())
        end
      end
    end
  end
  return table.concat(parts, ', ')
end

local function world(text, compile)
  local log, objects, compared = {}, {}, true
  local environment
  local function record(what)
    if compared then log[#log + 1] = what end
  end
  local function logged(first, ...)
    local values, count = { ... }, select('#', ...)
    for i = first, count do record(describe(values[i])) end
    for k = 1, 6 do values[count + k] = environment['t' .. k] end
    record(relations(values, count + 6))
  end
  local function called(arguments, ok, ...)
    record(ok and 'returned' or 'failed')
    local all = { n = arguments.n, unpack(arguments, 1, arguments.n) }
    for i = 1, select('#', ...) do
      all.n = all.n + 1
      all[all.n] = (select(i, ...))
    end
    return logged(arguments.n + 1, unpack(all, 1, all.n))
  end
  local live = true
  environment = setmetatable({
    T = tensor,
    compile = function(f)
      objects[#objects + 1] = compile(f)
      return objects[#objects]
    end,
    call = function(f, ...)
      return called({ n = select('#', ...), ... }, pcall(f, ...))
    end,
    note = function(...) return logged(1, ...) end,
    spawn = function(n, f)
      for _ = 1, n do
        getmetatable(newproxy(true)).__gc = function() if live then pcall(f) end end
      end
    end,
    wild = function() compared = false end,
  }, { __index = _G })
  tensor.setBroadcast 'numpy'
  tensor.setdefaulttensortype 'torch.DoubleTensor'
  tensor.manualSeed(1)
  local chunk = assert(loadstring(text, '=script'))
  setfenv(chunk, environment)
  local ok, message = pcall(chunk)
  if not ok then record('stopped: ' .. text_of(message)) end
  live = false
  local replays = 0
  for _, object in ipairs(objects) do
    if type(object) == 'table' then
      for count in object:explain():gmatch 'done (%d+) times' do replays = replays + count end
    end
  end
  return log, replays
end

--- Nil where the worlds agree, or what differs; and the number of replays.
function worlds.compare(text)
  local want = world(text, function(f) return f end)
  local got, replays = world(text, tensor.compile)
  for i = 1, math.max(#want, #got) do
    if want[i] ~= got[i] then
      return ('entry %d: %s instead of %s'):format(i, got[i], want[i]), replays
    end
  end
  return nil, replays
end

--- True if the script runs to its end in the plain world.
function worlds.runs(text)
  local log = world(text, function(f) return f end)
  return not (log[#log] or ''):find '^stopped' and log[#log - 2] ~= 'failed' and #log > 0
end

local everything = 'note(t1, t2, t3, t4, t5, t6, cfg.w, cfg.sub.w, G.w, object.w, helpers.w, g1,'
                   .. ' c1, rate, cfg.rate, #cfg, u1, extra, last, object.value)'

--- True if calls of a function of the script change nothing. Finalizers may call such functions.
function worlds.is_pure(text, name)
  local calls = {}
  for k = 1, 6 do calls[k] = ('pcall(%s, t%d, t%d, %d)'):format(name, k, 6 * k % 7, k % 3 + 1) end
  local log = world(table.concat({ text, everything, table.concat(calls, ' '), everything }, '\n'),
                    function(f) return f end)
  local half = #log / 2
  for k = 1, half do
    if log[k] ~= log[k + half] then return false end
  end
  return half > 1 and half % 1 == 0
end

return worlds
