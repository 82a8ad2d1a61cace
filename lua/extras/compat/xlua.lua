-- xlua: progress bars, named arguments and helpers for tables and strings, with the API of Torch7's
-- package xlua.

local torch = require 'torch'
local sys = require 'sys'
local versions = require 'tensor.versions'
local each, sorted_keys = versions.each, versions.sorted_keys

local xlua = {progress = require 'tensor.compat.progress'.show,
              formatTime = require 'tensor.compat.progress'.format_time,
              OptionParser = require 'tensor.compat.optionparser'}

-- ---- global variables ----

local protected = {xlua = true, xprint = true, xerror = true, xrequire = true}
for name in each(_G) do
   protected[name] = true
end

--- clearall(): removes the globals that the user created, and the loaded modules of the same names.
function xlua.clearall()
   for name in each(_G) do
      if not protected[name] then
         _G[name] = nil
         package.loaded[name] = nil
      end
   end
   collectgarbage()
end

--- clear(name): removes a global.
function xlua.clear(name)
   _G[name] = nil
   collectgarbage()
end

--- who(): prints the globals: loaded modules and user variables.
function xlua.who()
   local modules, own = {}, {}
   for name, value in each(_G) do
      if package.loaded[name] ~= nil and name ~= '_G' then
         table.insert(modules, name)
      elseif not protected[name] then
         own[name] = value
      end
   end
   table.sort(modules)
   io.write '\nGlobal Libs:\n'
   xlua.print(modules)
   io.write '\nGlobal Vars:\n'
   xlua.print(own)
   io.write '\n'
end

-- ---- printing ----

local function short(value)
   if type(value) == 'userdata' then
      return '<userdata>'
   end
   local text = tostring(value):gsub('\n', '\\n')
   return #text > 40 and text:sub(1, 40) .. ' ... ' or text
end

--- print(...): prints values; for a table, its fields.
function xlua.print(...)
   local cells = {}
   for k = 1, select('#', ...) do
      local value = select(k, ...)
      local meta = type(value) == 'table' and getmetatable(value)
      if type(value) == 'table' and not (meta and (meta.__tostring or meta.__tostring__)) then
         local fields = {}
         for _, key in ipairs(sorted_keys(value)) do
            fields[#fields + 1] = ('[%s] = %s'):format(tostring(key), short(value[key]))
         end
         cells[k] = '{' .. table.concat(fields, ',\n ') .. '}'
      else
         cells[k] = tostring(value)
      end
   end
   io.write(table.concat(cells, '    '), '\n')
end

--- log(filename [, append]): makes io.write and print write to a file, too.
function xlua.log(filename, append)
   local folder = sys.dirname(filename)
   if folder ~= '.' and not sys.dirp(folder) then
      assert(require 'paths'.mkdir(folder))
   end
   local file = assert(io.open(filename, append and 'a' or 'w'))
   local write = io.write
   io.write = function(...)  -- luacheck: ignore 122
      for k = 1, select('#', ...) do
         file:write((select(k, ...)))
      end
      file:flush()
      return write(...)
   end
   rawset(_G, 'print', xlua.print)
end

--- error(message [, domain [, usage]]): raises an error in red, with <domain> before it and the
-- usage text after it.
function xlua.error(message, domain, usage)
   message = (domain and ('<%s> '):format(domain) or '') .. tostring(message)
   error(sys.colorize(message, 'Red') .. (usage and '\n' .. tostring(usage) or ''), 2)
end

--- trycatch(try, catch): calls try(); if that raises an error, calls catch(error).
function xlua.trycatch(try, catch)
   local ok, err = pcall(try)
   if not ok then
      catch(err)
   end
end

-- ---- packages ----

--- installed(name): returns true and the path if the package can be found.
function xlua.installed(name)
   local path = versions.searchpath(name, package.path) or versions.searchpath(name, package.cpath)
   return path ~= nil, path
end

--- require(name): loads a package; if that fails, prints a warning and returns false.
function xlua.require(name)
   local ok, result = pcall(require, name)
   if ok then
      return result
   end
   print(result)
   print(('warning: <%s> could not be loaded (is it installed?)'):format(name))
   return false
end

-- ---- tables and strings ----

local function quoted(value)
   if type(value) == 'table' then
      return xlua.table2string(value)
   elseif type(value) ~= 'string' then
      return tostring(value)
   end
   value = value:gsub('\n', '\\n')
   if value:find '"' and not value:find "'" then
      return "'" .. value .. "'"
   end
   return '"' .. value:gsub('"', '\\"') .. '"'
end

--- table2string(t [, lines]): formats a table as {1,2,name="x"}; if `lines` is true, one entry per
-- line.
function xlua.table2string(t, lines)
   local parts, listed = {}, {}
   for k, value in ipairs(t) do
      parts[k], listed[k] = quoted(value), true
   end
   for _, key in ipairs(sorted_keys(t)) do
      if not listed[key] then
         local name = type(key) == 'string' and key:match '^[%a_][%w_]*$' or
                      ('[%s]'):format(quoted(key))
         parts[#parts + 1] = name .. (lines and ' : ' or '=') .. quoted(t[key])
      end
   end
   if lines then
      return '{\n   ' .. table.concat(parts, '\n   ') .. '\n}'
   end
   return '{' .. table.concat(parts, ',') .. '}'
end

--- splice(list [, start [, length]]): returns a copy of the list without these entries, and the
-- entries.
local function splice(list, start, length)
   start = start or 1
   local past = start + (length or 1)
   local left, taken = {}, {}
   for k, value in ipairs(list) do
      table.insert((k < start or k >= past) and left or taken, value)
   end
   return left, taken
end

--- prune(list [, hash [, merge]]): returns the list without duplicates. Values with the same
-- hash(value) are duplicates; the later one replaces the earlier one, or merge(later, earlier)
-- does.
local function prune(list, hash, merge)
   local position_of, pruned = {}, {}
   for _, value in ipairs(list) do
      local key = value
      if hash then
         key = hash(value)
      end
      if position_of[key] == nil then
         table.insert(pruned, value)
         position_of[key] = #pruned
      else
         pruned[position_of[key]] = merge and merge(value, pruned[position_of[key]]) or value
      end
   end
   return pruned
end

--- tosymbol(name): returns the value of an expression: ('torch.Tensor'):tosymbol().
local function tosymbol(name)
   local chunk = versions.load('return ' .. name)
   local ok, result = pcall(chunk or error, name)
   if not ok or result == nil then
      error(('symbol "%s" does not exist'):format(name), 2)
   end
   return result
end

for library, functions in each {
   [table] = {splice = splice, prune = prune},
   [string] = {split = sys.split, tosymbol = tosymbol},
} do
   for name, f in each(functions) do
      library[name] = library[name] or f
   end
end

--- envparams(defaults): returns the defaults, overridden by environment variables of the same
-- names.
function xlua.envparams(defaults)
   if type(defaults) ~= 'table' then
      error(('envparams: a table of defaults is expected, got %s'):format(type(defaults)), 2)
   end
   local params = {}
   for name, default in each(defaults) do
      local text = os.getenv(name)
      local value = text
      if text and type(default) == 'number' then
         value = tonumber(text)
      elseif text and type(default) == 'boolean' then
         local lower = text:lower()
         value = nil
         if lower == 'true' or lower == 'false' then
            value = lower == 'true'
         end
      end
      if text and value == nil then
         error(('envparams: %s must be a %s, got %s'):format(name, type(default), text), 2)
      end
      if value == nil then
         value = default
      end
      params[name] = value
   end
   return params
end

require 'tensor.compat.arguments'(xlua, torch, sys)

for name, value in each {xlua = xlua, xprint = xlua.print, xerror = xlua.error,
                         xrequire = xlua.require} do
   rawset(_G, name, value)
end

return xlua
