-- Completion of names: globals, fields and methods. It never runs user code: tables are read with
-- rawget, and __index is followed only if it is a table.

local versions = require 'tensor.versions'
local each, raw_next, sorted_keys = versions.each, versions.raw_next, versions.sorted_keys
local keywords = require 'tensor.repl.show'.keywords
local isname = require 'tensor.repl.show'.isname

local complete = {}

-- Calls visit(t). Loads the parts of the module first, and adds the methods of a class.
local function visit_whole(t, visit)
  local name, tensor = rawget(t, '__typename'), package.loaded.tensor
  if type(tensor) == 'table' then
    if t == tensor then
      require 'tensor.native'.on_demand.load_all()
    elseif type(name) == 'string' then
      tensor.getmetatable(name)
    end
  end
  return visit(t)
end

-- Calls visit(t) for each table in which an index of `value` is looked up, until visit returns a
-- non-nil value, and returns that.
local function search(value, visit, seen)
  if type(value) == 'table' then
    if seen[value] then
      return nil
    end
    seen[value] = true
    local result = visit_whole(value, visit)
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
  -- The __index of a luaT class is a function that looks in the metatable and its parents.
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

-- Adds the names in `value` that start with prefix; if `methods` is true, only names of functions.
local function gather(found, value, prefix, methods)
  search(value, function(t)
    for name, field in raw_next, t do
      local fits = type(name) == 'string' and name:sub(1, #prefix) == prefix and isname(name)
      -- Names that start with an underscore are internal: shown only after the user types the
      -- underscore.
      local hidden = prefix == '' and type(name) == 'string' and name:sub(1, 1) == '_'
      if fits and not hidden and (not methods or type(field) == 'function') then
        found[name] = true
      end
    end
  end, {})
end

-- Returns the position of the bracket that matches the one at `stop`, or nil. Brackets in strings
-- are counted, too.
local function opening(text, stop)
  local depth = 0
  for i = stop, 1, -1 do
    local char = text:sub(i, i)
    if char == ')' or char == ']' then
      depth = depth + 1
    elseif char == '(' or char == '[' then
      depth = depth - 1
      if depth == 0 then
        return i
      end
    end
  end
  return nil
end

-- Parses the expression at the end of the text into steps: {name}, {index =}, {call = true}, {text
-- =}. Returns nil if the text does not end with an expression.
local function steps_of(text)
  local steps = {}
  local stop = #text
  while true do
    local char = text:sub(stop, stop)
    local name = text:sub(1, stop):match '[%a_][%w_]*$'
    if char == ')' or char == ']' then
      local first = opening(text, stop)
      if not first or text:sub(first, first) ~= (char == ')' and '(' or '[') then
        return nil
      end
      local inner = text:sub(first + 1, stop - 1)
      table.insert(steps, 1, char == ')' and {call = inner} or {index = inner})
      stop = first - 1
    elseif char == '"' or char == "'" then
      local first = text:sub(1, stop - 1):match('.*()' .. char)
      if not first then
        return nil
      end
      table.insert(steps, 1, {text = true})
      return steps
    elseif name then
      table.insert(steps, 1, {name = name})
      stop = stop - #name
      if text:sub(stop, stop):find '%d' then
        return nil
      elseif text:sub(stop - 1, stop) == '..' or not text:sub(stop, stop):find '[%.:]' then
        return steps
      end
      stop = stop - 1
    elseif steps[1] and steps[1].call and steps[1].call ~= '' then
      -- an expression in parentheses
      local inside = steps_of((steps[1].call:gsub('%s+$', '')))
      table.remove(steps, 1)
      for k, step in ipairs(inside or {}) do
        table.insert(steps, k, step)
      end
      return inside and steps
    else
      return nil
    end
  end
end

-- Returns the value of a literal key, or of a global variable used as key.
local function key_of(text, environment)
  local quoted = text:match '^%s*"([^"\\]*)"%s*$' or text:match "^%s*'([^'\\]*)'%s*$"
  if quoted or tonumber(text) then
    return quoted or tonumber(text)
  end
  local name = text:match '^%s*([%a_][%w_]*)%s*$'
  return name and lookup(environment, name)
end

local guess

-- Returns the value at the end of the steps without running code, by guessing: an element of a
-- tensor is treated as a tensor, and so is the result of functions of the module and of methods of
-- its objects.
local function follow(steps, environment)
  local value, callee = environment, nil
  for k, step in ipairs(steps) do
    if step.text then
      value = ''
    elseif step.name then
      callee, value = value, lookup(value, step.name)
    elseif step.index and type(value) == 'table' then
      local key = key_of(step.index, environment)
      if key == nil then
        return nil
      end
      value = rawget(value, key)
    elseif step.call and k > 1 then
      local tensor = package.loaded.tensor
      local of_module = tensor and type(tensor) == 'table'
                        and (callee == tensor or type(callee) == 'userdata')
      local makes = of_module and (type(value) == 'function' or type(value) == 'table')
      guess = guess or makes and tensor.DoubleTensor and tensor.DoubleTensor()
      value, callee = makes and guess or nil, nil
    end
    if value == nil then
      return nil
    end
  end
  return value
end

-- Returns the file names that start with `path`, and the last part of the path.
local function files(path)
  local folder, prefix = path:match '^(.*/)([^/]*)$'
  folder, prefix = folder or '', prefix or path
  local where = folder == '' and '.' or folder:gsub('^~/', (os.getenv 'HOME' or '~') .. '/')
  local quoted = "'" .. where:gsub("'", "'\\''") .. "'"
  local pipe = io.popen('ls -1ap -- ' .. quoted .. ' 2>/dev/null')
  local names = {}
  for name in pipe and pipe:lines() or function() end do
    local hidden = name:sub(1, 1) == '.' and prefix:sub(1, 1) ~= '.'
    if name:sub(1, #prefix) == prefix and not hidden and name ~= './' and name ~= '../' then
      names[#names + 1] = name
    end
  end
  if pipe then
    pipe:close()
  end
  table.sort(names)
  return names, prefix
end

-- Returns the text of a string that is unclosed at the end of the last line, or nil.
local function open_string(text)
  local line, quote, first = text:match '[^\n]*$', nil, nil
  local i = 1
  while i <= #line do
    local char = line:sub(i, i)
    if quote and char == '\\' then
      i = i + 1
    elseif char == quote then
      quote = nil
    elseif not quote and (char == '"' or char == "'") then
      quote, first = char, i + 1
    elseif not quote and line:sub(i, i + 1) == '--' then
      return nil
    end
    i = i + 1
  end
  return quote and line:sub(first)
end

-- Adds the names on which there is help.
local function gather_help(found, prefix)
  for _, name in ipairs(require 'tensor.help_names'()) do
    if name:sub(1, #prefix) == prefix and isname(name) then
      found[name] = true
    end
  end
end

-- Returns the completions of a command: of a name after `?`, or of a word after `:`. nil: the text
-- is neither, or the name is a field.
local function of_command(text)
  local found = {}
  local module, part = text:match '^%s*%?%s*([%w_]+)%.([%w_]*)$'
  local modules = module and require 'tensor.help_modules'
  if modules and modules.is_module(module) then
    for _, known in ipairs(modules.names_of(module)) do
      if known:sub(1, #part) == part then
        found[known] = true
      end
    end
    return sorted_keys(found), part
  end
  local name = text:match '^%s*%?%s*([%w_]*)$'
  if name then
    gather_help(found, name)
    return sorted_keys(found), name
  end
  local word = text:match '^%s*:([%w_]*)$'
  if word then
    for _, command in ipairs(require 'tensor.repl.commands'.words) do
      if command:sub(1, #word) == word then
        found[command] = true
      end
    end
    return sorted_keys(found), word
  end
  return nil
end

--- candidates(text, environment): returns the sorted completions at the end of the text, and the
-- part of the text they replace. environment: the table of globals. Inside a string, completes
-- file names.
function complete.candidates(text, environment)
  local names, part = of_command(text)
  if names then
    return names, part
  end
  -- After `?` and `:time`, names are completed as in code.
  text = text:gsub('^%s*%?%s*', ''):gsub('^%s*:%a+%s+', '')
  local path = open_string(text)
  if path then
    return files(path)
  end
  local before, prefix = text:match '^(.-)([%w_]*)$'
  local separator = before:match '[%.:]$'
  if before:find '%.%.$' then
    separator = nil  -- a name after `..` is a global
  end
  if prefix:find '^%d' or not separator and before:find '[%)%]}"\']$' then
    return {}, prefix
  end
  local value = environment
  if separator then
    local steps = steps_of(before:sub(1, -2))
    value = steps and follow(steps, environment)
    if value == nil then
      return {}, prefix
    end
  end
  local found = {}
  gather(found, value, prefix, separator == ':')
  if not separator and prefix ~= '' then
    for word in each(keywords) do
      if word:sub(1, #prefix) == prefix then
        found[word] = true
      end
    end
  end
  return sorted_keys(found), prefix
end

--- common(names): returns the longest common prefix of the names.
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
