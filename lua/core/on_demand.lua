-- Parts of the module that are loaded when a program first reads one of their fields. Programs use
-- few of them, and Lua's garbage collector visits each function.

local extra_arguments = require 'tensor.extra_arguments'
local raise = require 'tensor.raise'
local tensor = require 'tensor.core'
local versions = require 'tensor.versions'

-- The program may assign to globals before it reads a field.
local collectgarbage, error, ipairs, pcall = collectgarbage, error, ipairs, pcall
local rawget, setmetatable = rawget, setmetatable

local on_demand = {}

-- The part of each field that is not loaded yet: {module = 'tensor.x', names = {...}}.
local parts = {}
local classes = {}  -- of add_class

-- Lua 5.1 does not report whether the collector runs.
local reports_collector = pcall(collectgarbage, 'isrunning')

-- Calls f() like pcall. The collector is stopped: finalizers may read the fields that f sets.
local function call_undisturbed(f)
   local is_running = reports_collector and collectgarbage 'isrunning'
   if is_running then
      collectgarbage 'stop'
   end
   local done, message = pcall(f)
   if is_running then
      collectgarbage 'restart'
   end
   return done, message
end

--- add(module, names): the module returns a function that sets the fields `names`, which are
-- separated by blanks.
function on_demand.add(module, names)
   local part = {module = module, names = {}}
   for name in names:gmatch '%S+' do
      table.insert(part.names, name)
      parts[name] = part
   end
end

--- load(name): loads the part of a field, if there is one. Returns the field or nil. Fields that
-- the program has set stay. After an error, as when memory is short, the part can be loaded again.
function on_demand.load(name)
   local part = parts[name]
   if not part then
      return nil
   elseif part.is_loading then
      -- A debug hook reads it, or, in Lua 5.1, a finalizer.
      raise(('%s: this part of the module is being loaded'):format(name))
   end
   local own = {}
   for _, other in ipairs(part.names) do
      own[other] = rawget(tensor, other)
   end
   part.is_loading = true
   local done, message = call_undisturbed(function()
      versions.require(part.module)(tensor)
      for _, other in ipairs(part.names) do
         extra_arguments.limit_field(tensor, other)
      end
   end)
   part.is_loading = nil
   if not done then
      error(message, 0)
   end
   for _, other in ipairs(part.names) do
      parts[other] = nil
      if own[other] ~= nil then
         tensor[other] = own[other]
      end
   end
   return rawget(tensor, name)
end

--- add_functions(module, names): sets fields to functions that call those of the same names in the
-- table that the module's function returns.
function on_demand.add_functions(module, names)
   local loaded
   for name in names:gmatch '%S+' do
      tensor[name] = function(...)
         if not loaded then
            local done, message = call_undisturbed(function()
               loaded = extra_arguments.limit(versions.require(module)(tensor))
            end)
            if not done then
               error(message, 0)
            end
         end
         return loaded[name](...)
      end
   end
end

--- add_class(module, name): makes the class torch.<name>. The module's function adds its methods
-- when a field of the class is first read or set.
function on_demand.add_class(module, name)
   if tensor.getmetatable('torch.' .. name) then
      return  -- the module has been loaded before
   end
   local class = tensor.class('torch.' .. name, tensor)
   local lookup = {}
   local function load_methods()
      setmetatable(class, nil)
      local done, message = call_undisturbed(function()
         versions.require(module)(tensor)
         extra_arguments.limit_field(tensor, name)
      end)
      if not done then
         setmetatable(class, lookup)
         error(message, 0)
      end
   end
   function lookup.__index(_, key)
      load_methods()
      return class[key]
   end
   function lookup.__newindex(_, key, value)
      load_methods()
      class[key] = value
   end
   setmetatable(class, lookup)
   table.insert(classes, class)
end

--- load_all(): loads all parts, for lists of the fields.
function on_demand.load_all()
   local names = {}
   for name in versions.each(parts) do
      names[#names + 1] = name
   end
   for _, name in ipairs(names) do
      on_demand.load(name)
   end
   for _, class in ipairs(classes) do
      local _ = class.__init
   end
end

return on_demand
