-- How the REPL shows values.

local show = {}

-- Only in builds of LuaJIT where # may call __len.
local rawlen = rawget(_G, 'rawlen') or function(t)
  return #t
end

local MAX_ITEMS = 50
local MAX_KEYS = 10000
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

local function has_tostring(value)
  local metatable = debug.getmetatable(value)
  return type(metatable) == 'table' and rawget(metatable, '__tostring') ~= nil
end

-- tostring, which may run user code that fails.
local function safe_tostring(value)
  local ok, text = pcall(tostring, value)
  if ok and type(text) == 'string' then
    return text
  end
  return ('<%s: error in __tostring: %s>'):format(type(value), tostring(text))
end

-- A value inside a table, on one line.
local function item(value)
  if type(value) == 'string' then
    return quoted(value)
  elseif type(value) == 'table' and not has_tostring(value) then
    return next(value) == nil and '{}' or '{...}'
  end
  local text = safe_tostring(value):gsub('\n+$', '')
  -- The last line of a tensor's text names its type and size.
  return text:match('[^\n]*$')
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

local function table_text(t)
  local length = rawlen(t)
  local keys, count = other_keys(t, length)
  table.sort(keys, before)
  local parts = {}
  for i = 1, math.min(length, MAX_ITEMS) do
    parts[i] = item(rawget(t, i))
  end
  for _, key in ipairs(keys) do
    if #parts == MAX_ITEMS then
      break
    end
    local name = type(key) == 'string' and show.isname(key) and key or '[' .. item(key) .. ']'
    parts[#parts + 1] = name .. ' = ' .. item(rawget(t, key))
  end
  local more = length + count - #parts
  if more > 0 then
    parts[#parts + 1] = ('... (%d more)'):format(more)
  end
  local line = '{' .. table.concat(parts, ', ') .. '}'
  if #line <= LINE_SIZE then
    return line
  end
  return '{\n  ' .. table.concat(parts, ',\n  ') .. '\n}'
end

--- The text of one value: strings quoted, tables one level deep, the rest as tostring gives it.
function show.value(value)
  if type(value) == 'string' then
    return quoted(value)
  elseif type(value) == 'table' and not has_tostring(value) then
    return table_text(value)
  end
  return safe_tostring(value)
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
