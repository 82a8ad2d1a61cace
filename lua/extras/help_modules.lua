-- Help on the modules of networks and training: tensor.nn, tensor.optim and others. The texts are
-- the comments `--- name(arguments): text` in their files.

local versions = require 'tensor.versions'

local modules = {}

--- The modules, by their last name. Their files are those that they load.
modules.names = {'data', 'dist', 'nn', 'optim', 'training'}

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
   local name, arguments = after:match '^function [%w_]+[.:]([%w_]+)(%b())'
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
      local first = line:match '^%-%-%- ?(.*)$'
      local next_line = not first and comment and line:match '^%-%- ?(.*)$'
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
         local is_own = list[entry[1]] ~= nil or module == 'optim' and list.schedule[entry[1]]
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
   return (own[name] ~= nil and '%s.%s' or '%s.schedule.%s'):format(module, signature)
end

local function is_module(name)
   for _, known in ipairs(modules.names) do
      if known == name then
         return true
      end
   end
   return false
end

--- of_function(name [, module]): returns the signature and the text of a function, ignoring case,
-- or nil. Without a module, all are searched.
function modules.of_function(name, module)
   for _, known in ipairs(modules.names) do
      for _, entry in ipairs((module == nil or module == known) and functions_of(known) or {}) do
         if entry[1]:lower() == name:lower() then
            local note = (" (%s = require 'tensor.%s')"):format(known, known)
            return full_name(known, entry[2]), sentence(entry[3]) .. note
         end
      end
   end
   return nil
end

--- names_of(name): returns the names of a module's functions.
function modules.names_of(name)
   local list = {}
   for k, entry in ipairs(functions_of(name)) do
      list[k] = entry[1]
   end
   return list
end

--- path_of(value): returns the name of a function or table of a loaded module, as 'nn.linear', or
-- nil.
function modules.path_of(value)
   for _, known in ipairs(modules.names) do
      local module = package.loaded['tensor.' .. known]
      for name, field in versions.each(type(module) == 'table' and module or {}) do
         if rawequal(field, value) and type(name) == 'string' then
            return known .. '.' .. name
         end
      end
      if rawequal(module, value) then
         return known
      end
   end
   return nil
end

--- of_module(name): returns a list of the signatures of a module's functions, or nil.
function modules.of_module(name)
   if not is_module(name) then
      return nil
   end
   local list = {}
   for k, entry in ipairs(functions_of(name)) do
      list[k] = full_name(name, entry[2])
   end
   return list
end

--- is_module(name): returns true for the names of modules.
modules.is_module = is_module

return modules
