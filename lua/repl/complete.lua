-- Completion of names: globals, fields and methods, found without running any code of the user:
-- tables are read by rawget, and __index is followed only where it is a table.

local keywords = require 'tensor.repl.show'.keywords
local isname = require 'tensor.repl.show'.isname

local complete = {}

-- Calls visit(t) for each table that an index of `value` may be found in, until it gives non-nil.
local function search(value, visit, seen)
  if type(value) == 'table' then
    if seen[value] then
      return nil
    end
    seen[value] = true
    local result = visit(value)
    if result ~= nil then
      return result
    end
  end
  local metatable = debug.getmetatable(value)
  if type(metatable) ~= 'table' then
    return nil
  end
  local index = rawget(metatable, '__index')
  if type(index) == 'table' then
    return search(index, visit, seen)
  end
  -- A class of luaT looks methods up in the metatable and its parents, from a function.
  if type(index) == 'function' and rawget(metatable, '__typename') ~= nil then
    while type(metatable) == 'table' and not seen[metatable] do
      seen[metatable] = true
      local result = visit(metatable)
      if result ~= nil then
        return result
      end
      metatable = debug.getmetatable(metatable)
    end
  end
  return nil
end

local function lookup(value, name)
  return search(value, function(t)
    return rawget(t, name)
  end, {})
end

-- Adds the names in `value` that begin with prefix; with `methods` only those of functions.
local function gather(found, value, prefix, methods)
  search(value, function(t)
    for name, field in next, t do
      local fits = type(name) == 'string' and name:sub(1, #prefix) == prefix and isname(name)
      -- Names with an underscore are internal: only shown when asked for.
      local hidden = prefix == '' and type(name) == 'string' and name:sub(1, 1) == '_'
      if fits and not hidden and (not methods or type(field) == 'function') then
        found[name] = true
      end
    end
  end, {})
end

--- The names that the text up to the cursor may be continued with, sorted, and the part of the text
-- that they would replace. environment is the table of globals.
function complete.candidates(text, environment)
  -- Names after `..` stand for themselves.
  local path = text:match('[%w_%.:]*$'):gsub('^.*%.%.', '')
  local parent, separator, prefix = path:match('^(.-)([%.:]?)([%w_]*)$')
  local follows_value = path == '' and text:find('[%)%]}"\']$')
  if follows_value or not path:find('^[%a_]') and path ~= '' then
    return {}, prefix
  end
  local value = environment
  for name in parent:gmatch('[^%.:]+') do
    value = lookup(value, name)
    if value == nil then
      return {}, prefix
    end
  end
  local found, names = {}, {}
  gather(found, value, prefix, separator == ':')
  if parent == '' and prefix ~= '' then
    for word in pairs(keywords) do
      if word:sub(1, #prefix) == prefix then
        found[word] = true
      end
    end
  end
  for name in pairs(found) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names, prefix
end

--- The longest beginning that all names share.
function complete.common(names)
  local common = names[1] or ''
  for _, name in ipairs(names) do
    local length = 0
    while length < #common and common:byte(length + 1) == name:byte(length + 1) do
      length = length + 1
    end
    common = common:sub(1, length)
  end
  return common
end

return complete
