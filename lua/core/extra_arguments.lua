-- Arguments without effect are errors, unless Torch7's rule `arguments` holds.

local each = require 'tensor.versions'.each
local core = require 'tensor.core'

-- The program may assign to globals before a class is first used.
local rawget, select, type = rawget, select, type
local getinfo = debug and debug.getinfo

local extra = {}

--- refuse(name, most, ...): raises an error if there are more than `most` arguments, of which the
-- object of a method is one. name: that of the function.
local function refuse(name, most, ...)
   if select('#', ...) > most then
      core._refuseextra(name, most, ...)
   end
end
extra.refuse = refuse

-- Ends in a tail call, so that errors blame the same line. f must have no `...` of its own: LuaJIT
-- calls C functions slowly from such functions, so that t:data() would take 78 ns instead of 46.
local function check(name, f, most)
   return function(...)
      if select('#', ...) > most then
         core._refuseextra(name, most, ...)
      end
      return f(...)
   end
end

-- Returns the function that replaces f, or f itself. C functions count as functions with `...`.
local function limited(name, f, prefix)
   local is_public = type(name) == 'string' and not name:find '^_'
   local info = is_public and getinfo and getinfo(f, 'u') or {}
   if info.isvararg or not info.nparams then
      return f
   end
   return check(prefix .. name, f, info.nparams)
end

-- Replaces the constructor of a Lua class, whose first parameter is the new object. Users do not
-- count the object.
local function limit_constructor(name, class)
   local init = rawget(class, '__init')
   local info = init and getinfo and getinfo(init, 'u') or {}
   if info.isvararg or not info.nparams then
      return
   end
   local most = info.nparams - 1
   function class.__init(self, ...)
      refuse(name, most, ...)
      return init(self, ...)
   end
end

-- The functions that replace others, which the classes of tensors share.
local replaced = {}

local function limit_function(functions, name, prefix)
   local f = functions[name]
   if type(f) == 'function' then
      local new = replaced[f] or limited(name, f, prefix or '')
      if new ~= f then
         replaced[f], functions[name] = new, new
      end
   end
end

--- limit(functions [, prefix]): makes the Lua functions of a table that have a fixed number of
-- parameters refuse more arguments. Returns the table. prefix: of their names in errors, as 'nn.'.
-- In Lua 5.1, the number of parameters is unknown.
function extra.limit(functions, prefix)
   for name in each(functions) do
      limit_function(functions, name, prefix)
   end
   return functions
end

--- limit_field(tensor, name): the same for a function or a class of the module.
function extra.limit_field(tensor, name)
   if type(name) ~= 'string' then
      return
   end
   if name ~= 'type' then  -- ignores other arguments, like Lua's type
      limit_function(tensor, name)
   end
   -- lua/core/classes.lua limits the classes of tensors and storages.
   local class = type(tensor[name]) == 'table'
                 and not (name:find 'Tensor$' or name:find 'Storage$')
                 and tensor.getmetatable('torch.' .. name)
   if class then
      extra.limit(class)
      limit_constructor(name, class)
   end
end

--- limit_module(tensor): the same for all fields of the module.
function extra.limit_module(tensor)
   for name in each(tensor) do
      extra.limit_field(tensor, name)
   end
end

return extra
