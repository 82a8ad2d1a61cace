-- Reading a name that the module or a tensor does not have is an error, which suggests a name,
-- unless Torch7's rule `fields` holds.

local native = require 'tensor.native'
local versions = require 'tensor.versions'

-- The program may assign to these globals.
local error, pcall, type = error, pcall, type
local names = {}

--- refuse(tensor, what, hint_of): returns an __index for a table of functions. hint_of(name)
-- returns a text or nil. load(name): returns the value of a field that is loaded now, or nil.
function names.refuse(tensor, what, hint_of, load)
   return function(_, name)
      local value = load and load(name)
      if value ~= nil then
         return value
      end
      if type(name) ~= 'string' or name:find '^_' or tensor.getRule 'fields' == 'torch7' then
         return nil
      end
      -- Finding a similar name loads parts of the module, which may fail after such an assignment.
      local fine, hint = pcall(hint_of, name)
      hint = fine and hint
      local text = "%s has no function or field '%s'%s"
      error(text:format(what, name, hint and ': ' .. hint or ''), 2)
   end
end

--- suggestion(name, tables): returns a hint about a name that none of the tables has, or nil.
-- Loaded when it is needed first, so that programs start fast.
function names.suggestion(...)
   return versions.require 'tensor.repl.suggestions'.of(...)
end

--- refuse_unknown(tensor, t, what, others): makes a table of functions refuse unknown names, and
-- returns it. others: hints for names in lower case.
function names.refuse_unknown(tensor, t, what, others)
   return setmetatable(t, {__index = names.refuse(tensor, what, function(name)
      return others[name:lower()] or names.suggestion(name, {t})
   end)})
end

--- refuse_methods(class, what, hints): gives a class methods of other libraries, which raise
-- errors. what(self): returns a text for the object. hints: texts by method.
function names.refuse_methods(class, what, hints)
   for name, hint in versions.each(hints) do
      class[name] = function(self)
         native.raise(('%s has no method %s: %s'):format(what(self), name, hint))
      end
   end
end

--- install(tensor): makes the module and tensors refuse unknown names.
function names.install(tensor)
   local function class_of_doubles()
      return tensor.getmetatable 'torch.DoubleTensor'
   end

   native.set_name_hint(function(_, name)
      return versions.require 'tensor.repl.suggestions'.of_result(name)
             or names.suggestion(name, {class_of_doubles()})
   end)
   setmetatable(tensor, {__index = names.refuse(tensor, 'the module', function(name)
      native.on_demand.load_all()
      local class = class_of_doubles()
      -- A method may mean something else than a function of this name in another library.
      local hint = names.suggestion(name, {})
      if hint then
         return hint
      end
      if rawget(class, name) then
         local other = 'c' .. name
         return ('it is a method of tensors, as in t:%s()%s'):format(
            name, rawget(tensor, other) and ('; %s takes two tensors'):format(other) or '')
      end
      return names.suggestion(name, {tensor, class})
   end, native.on_demand.load)})
end

return names
