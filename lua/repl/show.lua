-- How the REPL shows values.

local paint = require 'tensor.repl.paint'

local show = {}

-- About strings while a text is laid out: what is painted has no width.
local BEGIN, END = '\1', '\2'

-- Only in builds of LuaJIT where # may call __len.
local rawlen = rawget(_G, 'rawlen') or function(t)
  return #t
end

local MAX_ITEMS = 50
local MAX_KEYS = 10000
local MAX_DEPTH = 4
local MAX_TOTAL = 500
local LINE_SIZE = 76

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
               return then true until while]]):gmatch('%a+') do
  keywords[word] = true
end
show.keywords = keywords

--- Whether a string can be written as a name in Lua.
function show.isname(text)
  return text:find('^[%a_][%w_]*$') ~= nil and not keywords[text]
end

-- A string as Lua source on one line.
local function quoted(text)
  text = text:gsub('[%c"\\]', function(char)
    if char == '\n' then
      return '\\n'
    elseif char == '\t' then
      return '\\t'
    elseif char == '"' or char == '\\' then
      return '\\' .. char
    end
    return ('\\%03d'):format(char:byte())
  end)
  return '"' .. text .. '"'
end

-- The class of a table that is an object, and whether that says how it is shown: the metatables of
-- all classes have a __tostring.
local function class_of(value)
  local metatable = type(value) == 'table' and debug.getmetatable(value)
  local name = type(metatable) == 'table' and rawget(metatable, '__typename')
  if type(name) ~= 'string' then
    return nil, false
  end
  local ok, method = pcall(function()
    return metatable.__tostring__
  end)
  return name, not ok or method ~= nil
end

local function has_tostring(value)
  local class, shown = class_of(value)
  if class then
    return shown
  end
  local metatable = debug.getmetatable(value)
  return type(metatable) == 'table' and rawget(metatable, '__tostring') ~= nil
end

--- The function that makes a picture for a terminal of an object, nil where it is none.
function show.graphics(value)
  local metatable = type(value) == 'table' and debug.getmetatable(value)
  return type(metatable) == 'table' and rawget(metatable, '__graphics') or nil
end

-- tostring, which may run user code that fails.
local function safe_tostring(value)
  local ok, text = pcall(tostring, value)
  if ok and type(text) == 'string' then
    return text
  end
  return ('<%s: error in __tostring: %s>'):format(type(value), tostring(text))
end

local rank = {number = 1, string = 2, boolean = 3}

local function before(a, b)
  local type_a, type_b = type(a), type(b)
  if type_a ~= type_b then
    return (rank[type_a] or 4) < (rank[type_b] or 4)
  end
  if type_a == 'number' or type_a == 'string' then
    return a < b
  end
  return safe_tostring(a) < safe_tostring(b)
end

-- The keys behind the array part, sorted; only the first of very many. Gives their number too.
local function other_keys(t, length)
  local keys, count = {}, 0
  local key = next(t)
  while key ~= nil do
    local in_array = type(key) == 'number' and key >= 1 and key <= length
                     and key == math.floor(key)
    if not in_array then
      count = count + 1
      if count <= MAX_KEYS then
        keys[count] = key
      end
    end
    key = next(t, key)
  end
  return keys, count
end

-- What has no elements of its own to show, on one line.
local function item(value)
  if type(value) == 'string' then
    return BEGIN .. quoted(value) .. END
  end
  local text = safe_tostring(value):gsub('\n+$', '')
  -- The last line of a tensor's text names its type and size.
  return text:match '[^\n]*$'
end

local table_text

-- A value in a table. state: the tables it is in, and how many values may be shown still.
local function inner(value, indent, state)
  if type(value) ~= 'table' or has_tostring(value) then
    return item(value)
  end
  return table_text(value, indent, state)
end

local function key_text(key)
  if type(key) == 'string' and show.isname(key) then
    return key
  end
  return '[' .. (type(key) == 'table' and safe_tostring(key) or item(key)) .. ']'
end

function table_text(t, indent, state)
  local class = class_of(t)
  local prefix = class and class .. ' ' or ''
  if next(t) == nil then
    return prefix .. '{}'
  elseif state[t] or #indent >= 2 * MAX_DEPTH or state.left <= 0 then
    return prefix .. '{...}'
  end
  state[t] = true
  local length = rawlen(t)
  local keys, count = other_keys(t, length)
  table.sort(keys, before)
  local parts, width, deeper = {}, #indent + #prefix + 2, indent .. '  '
  local function add(key, text)
    parts[#parts + 1] = key and key .. ' = ' .. text or text
    local plain = parts[#parts]:gsub('[' .. BEGIN .. END .. ']', '')
    width = plain:find('\n', 1, true) and math.huge or width + #plain + 2
    state.left = state.left - 1
  end
  for i = 1, math.min(length, MAX_ITEMS) do
    add(nil, inner(rawget(t, i), deeper, state))
  end
  for _, key in ipairs(keys) do
    if #parts == MAX_ITEMS then
      break
    end
    add(key_text(key), inner(rawget(t, key), deeper, state))
  end
  state[t] = nil
  local more = length + count - #parts
  if more > 0 then
    add(nil, ('... (%d more)'):format(more))
  end
  if width - 2 <= LINE_SIZE then
    return prefix .. '{' .. table.concat(parts, ', ') .. '}'
  end
  return ('%s{\n%s%s\n%s}'):format(prefix, deeper, table.concat(parts, ',\n' .. deeper), indent)
end

local function painted(text)
  return (text:gsub(BEGIN .. '([^' .. END .. ']*)' .. END, function(part)
    return paint.text('string', part)
  end))
end

--- The text of one value: strings quoted, tables with what is in them, the rest as tostring gives
-- it.
function show.value(value)
  if type(value) == 'string' then
    return paint.text('string', quoted(value))
  elseif type(value) == 'table' and not has_tostring(value) then
    return painted(table_text(value, '', {left = MAX_TOTAL}))
  end
  -- The line below the elements of a tensor.
  return (safe_tostring(value):gsub('%[torch%.[^\n]*%]\n?$', function(line)
    return paint.text('dim', line)
  end))
end

--- The text of n values: on one line where all are short, else each on lines of its own.
function show.values(n, ...)
  local texts, long = {}, false
  for i = 1, n do
    texts[i] = show.value((select(i, ...)))
    long = long or texts[i]:find('\n', 1, true) ~= nil
  end
  return table.concat(texts, long and '\n' or '\t')
end

return show
