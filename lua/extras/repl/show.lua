-- Formats values for the REPL.

local paint = require 'tensor.repl.paint'
local versions = require 'tensor.versions'

local show = {}

-- Mark strings during layout, because escape sequences would change the width of the text.
local BEGIN, END = '\1', '\2'

-- rawlen exists only in LuaJIT builds where # may call __len.
local rawlen = rawget(_G, 'rawlen') or function(t)
  return #t
end

local MAX_ITEMS = 50
local MAX_KEYS = 10000
local MAX_DEPTH = 4
local MAX_TOTAL = 500
local LINE_SIZE = 76

-- True in Lua 5.3 and later, where tostring shows all digits of integers.
local HAS_INTEGERS = versions.is_integer(1)

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
               return then true until while]]):gmatch('%a+') do
  keywords[word] = true
end
show.keywords = keywords

--- isname(text): returns true if a string is a valid Lua name.
function show.isname(text)
  return text:find('^[%a_][%w_]*$') ~= nil and not keywords[text]
end

-- Formats a string as Lua source on one line.
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

-- Returns the class name of a table that is an object, and whether the class defines its own
-- printed form. The metatables of all classes have a __tostring, so that alone proves nothing.
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

-- Returns the name of the class whose constructor a table is, as tensor.Tensor, or nil.
local function made_by(value)
  local metatable = debug.getmetatable(value)
  local class = type(metatable) == 'table' and rawget(metatable, '__metatable')
  local name = type(class) == 'table' and rawget(class, '__typename')
  return type(name) == 'string' and name or nil
end

local function has_tostring(value)
  local class, shown = class_of(value)
  if class then
    return shown
  end
  local metatable = debug.getmetatable(value)
  return type(metatable) == 'table' and rawget(metatable, '__tostring') ~= nil
end

--- graphics(value): returns the function that draws a figure for a terminal, or nil.
function show.graphics(value)
  local metatable = type(value) == 'table' and debug.getmetatable(value)
  return type(metatable) == 'table' and rawget(metatable, '__graphics') or nil
end

-- Calls tostring, which may run user code that raises an error.
local function safe_tostring(value)
  -- tostring keeps only 14 digits of the whole numbers of LuaJIT and Lua 5.1.
  if type(value) == 'number' and not HAS_INTEGERS and value == math.floor(value)
     and math.abs(value) >= 1e14 and math.abs(value) < 2^53 then
    return ('%.0f'):format(value)
  end
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

-- Returns the sorted keys outside the array part, limited to the first MAX_KEYS, and the number of
-- keys.
local function other_keys(t, length)
  local keys, count = {}, 0
  local is_module = rawequal(t, package.loaded.tensor)
  local key = next(t)
  while key ~= nil do
    local in_array = type(key) == 'number' and key >= 1 and key <= length
                     and key == math.floor(key)
    -- The module's names with an underscore are internal.
    local hidden = is_module and type(key) == 'string' and key:sub(1, 1) == '_'
    if not in_array and not hidden then
      count = count + 1
      if count <= MAX_KEYS then
        keys[count] = key
      end
    end
    key = next(t, key)
  end
  return keys, count
end

-- Formats on one line a value that is not expanded.
local function item(value)
  if type(value) == 'string' then
    return BEGIN .. quoted(value) .. END
  end
  local text = safe_tostring(value):gsub('\n+$', '')
  -- The last line of a tensor's printed form contains its type and size. That of a network is the
  -- end of the list of its layers.
  local last = text:match '[^\n]*$'
  return last == '}' and text:match '^[^\n]*' .. '...}' or last
end

local table_text

-- Formats a value inside a table. state: the enclosing tables, and the number of values that may
-- still be printed.
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
    local made = made_by(t)
    return made and ('<class %s>'):format(made) or prefix .. '{}'
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

--- value(value): formats one value: strings quoted, tables with their contents, others with
-- tostring.
function show.value(value)
  if type(value) == 'string' then
    return paint.text('string', quoted(value))
  elseif type(value) == 'table' and not has_tostring(value) then
    return painted(table_text(value, '', {left = MAX_TOTAL}))
  end
  -- Dim the last line of a tensor, which contains its type and size.
  return (safe_tostring(value):gsub('%[torch%.[^\n]*%]\n?$', function(line)
    return paint.text('dim', line)
  end))
end

--- values(n, ...): formats n values: on one line if each fits on one line, otherwise on separate
-- lines.
function show.values(n, ...)
  local texts, long = {}, false
  for i = 1, n do
    texts[i] = show.value((select(i, ...)))
    long = long or texts[i]:find('\n', 1, true) ~= nil
  end
  return table.concat(texts, long and '\n' or '\t')
end

return show
