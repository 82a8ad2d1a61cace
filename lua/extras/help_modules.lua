-- Help on the modules of networks and training: tensor.nn, tensor.optim and others. The texts are
-- the comments `--- name(arguments): text` in their files.

local versions = require 'tensor.versions'

local modules = {}

--- The modules, by their last name. Their files are those that they load.
modules.names = {'data', 'dist', 'nn', 'optim', 'training', 'tree'}

--- The tables of functions in modules.
modules.parts = {nn = 'initializer', optim = 'schedule'}
local parts = modules.parts

-- Returns the comment in lines, without dashes, as one line of text.
local function joined(lines)
   return (table.concat(lines, ' '):gsub('%s+', ' '):gsub('^ ', ''))
end

-- Returns the signatures and the text of a comment. after: the line of code that follows it.
local function parsed(comment, after)
   local head, text = comment:match '^(%l[%w_]*%b().-): (.*)$'
   if not head then
      head, text = comment:match '^(%l[%w_]*%b{}): (.*)$'
   end
   local name, arguments = after:match '^%s*function [%w_]+[.:]([%w_]+)(%b())'
   if not head and name then
      head, text = name .. arguments, comment
   end
   return head, text
end

local cache = {}

-- Adds the functions of a file to a list of {name, signature, text}.
local function read(file, list)
   local comment, handle = nil, io.open(file)
   local function add(line)
      local head, text = parsed(joined(comment or {}), line)
      for name, arguments in (head or ''):gmatch '(%l[%w_]*)(%b())' do
         list[#list + 1] = {name, name .. arguments, text}
      end
      local name, arguments = (head or ''):match '^(%l[%w_]*)(%b{})$'
      if name then
         list[#list + 1] = {name, name .. arguments, text}
      end
   end
   for line in handle and handle:lines() or function() end do
      local first = line:match '^%s*%-%-%- ?(.*)$'
      local next_line = not first and comment and line:match '^%s*%-%- ?(.*)$'
      if next_line then
         comment[#comment + 1] = next_line
      elseif first or comment then
         add(line)
         comment = first and {first} or nil
      end
   end
   if handle then
      handle:close()
   end
end

-- Returns the functions of a module that its table has: a list of {name, signature, text}.
local function functions_of(module)
   if not cache[module] then
      local found, list = pcall(versions.require, 'tensor.' .. module)
      local all, own, seen = {}, {}, {}
      local prefix = 'tensor.' .. module
      for name in versions.each(package.loaded) do
         if found and (name == prefix or name:sub(1, #prefix + 1) == prefix .. '.') then
            local file = versions.searchpath(name, package.path)
            if file then
               read(file, all)
            end
         end
      end
      -- The comment of conv2d is that of conv1d and conv3d.
      for k = 1, #all do
         for _, dims in ipairs {'1d', '3d'} do
            local name = all[k][1]:gsub('2d$', dims)
            if name ~= all[k][1] then
               all[#all + 1] = {name, (all[k][2]:gsub('^%w+', name)), all[k][3]}
            end
         end
      end
      for _, entry in ipairs(all) do
         local part = list[parts[module] or false]
         local is_own = rawget(list, entry[1]) ~= nil
                        or part and rawget(part, entry[1]) ~= nil
         if is_own and not seen[entry[1]] then
            seen[entry[1]] = true
            own[#own + 1] = entry
         end
      end
      table.sort(own, function(a, b) return a[1] < b[1] end)
      cache[module] = own
   end
   return cache[module]
end

local function sentence(text)
   -- A first word of one letter is a name in a formula.
   text = text:gsub('^%l%l', function(letters)
      return letters:sub(1, 1):upper() .. letters:sub(2)
   end)
   text = text:gsub('^a ', 'A ')
   return text:find '[.:]$' and text or text .. '.'
end

-- Returns the name under which a program finds a function.
local function full_name(module, signature)
   local own = package.loaded['tensor.' .. module]
   local name = signature:match '^[%w_]+'
   local path = rawget(own, name) == nil and ('%s.%s'):format(module, parts[module]) or module
   return ('%s.%s'):format(path, signature)
end

local function is_module(name)
   for _, known in ipairs(modules.names) do
      if known == name then
         return true
      end
   end
   return false
end

--- of_function(name [, module]): returns the list of the functions of this name, ignoring case:
-- {{signature, text}, ...}. Without a module, all are searched.
function modules.of_function(name, module)
   local list = {}
   for _, known in ipairs(modules.names) do
      for _, entry in ipairs((module == nil or module == known) and functions_of(known) or {}) do
         if entry[1]:lower() == name:lower() then
            local note = (" (%s = require 'tensor.%s')"):format(known, known)
            list[#list + 1] = {full_name(known, entry[2]), sentence(entry[3]) .. note}
         end
      end
   end
   return list
end

--- names_of(name): returns the names of a module's functions, and of a table of functions in it.
function modules.names_of(name)
   local list = {parts[name]}
   for _, entry in ipairs(functions_of(name)) do
      list[#list + 1] = entry[1]
   end
   return list
end

--- value(path): returns the value of a path such as 'nn.relu', or nil. Loads the module.
function modules.value(path)
   local module, rest = path:match '^([%w_]+)(.*)$'
   local found, value = false, nil
   if is_module(module) then
      found, value = pcall(versions.require, 'tensor.' .. module)
   end
   for name in rest:gmatch '[%w_]+' do
      value = found and type(value) == 'table' and rawget(value, name) or nil
   end
   return value
end

-- Returns the path of a value that is a table, or in it, or in its table `part`; or nil.
local function path_in(path, t, value, part)
   if rawequal(t, value) then
      return path
   end
   for name, field in versions.each(t) do
      if rawequal(field, value) and type(name) == 'string' then
         return ('%s.%s'):format(path, name)
      end
   end
   return part and path_in(('%s.%s'):format(path, part), t[part], value)
end

--- path_of(value): returns the name of a function or table of a loaded module, as 'nn.linear', or
-- nil.
function modules.path_of(value)
   for _, known in ipairs(modules.names) do
      local module = package.loaded['tensor.' .. known]
      local path = type(module) == 'table' and path_in(known, module, value, parts[known])
      if path then
         return path
      end
   end
   return nil
end

--- of_module(path): returns a list of the signatures of the functions of a module, such as 'nn', or
-- of a table in it, such as 'nn.initializer'; or nil.
function modules.of_module(path)
   local name, part = path:match '^(%w+)$', ''
   if not name then
      name, part = path:match '^(%w+)%.(%w+)$'
   end
   if not is_module(name) or part ~= '' and part ~= parts[name] then
      return nil
   end
   local list = {}
   for _, entry in ipairs(functions_of(name)) do
      local signature = full_name(name, entry[2])
      if signature:sub(1, #path + 1) == path .. '.' then
         list[#list + 1] = signature
      end
   end
   return list
end

--- is_module(name): returns true for the names of modules.
modules.is_module = is_module

return modules
