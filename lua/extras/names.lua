-- Reading a name that the module or a tensor does not have is an error, which suggests a name,
-- unless Torch7's rule `fields` holds.

local native = require 'tensor.native'
local versions = require 'tensor.versions'

-- Loaded when it is needed first, so that programs start fast.
local function suggestion(...)
   return versions.require 'tensor.repl.suggestions'.of(...)
end

return function(tensor)
   local function class_of_doubles()
      return tensor.getmetatable 'torch.DoubleTensor'
   end

   native.set_name_hint(function(_, name)
      return suggestion(name, {class_of_doubles()})
   end)

   -- Returns an __index for a table of functions. hint_of(name) returns a text or nil.
   local function refuse(what, hint_of)
      return function(_, name)
         if type(name) ~= 'string' or name:find '^_' or tensor.getRule 'fields' == 'torch7' then
            return nil
         end
         local hint = hint_of(name)
         local text = "%s has no function or field '%s'%s"
         error(text:format(what, name, hint and ': ' .. hint or ''), 2)
      end
   end

   setmetatable(tensor, {__index = refuse('the module', function(name)
      local class = class_of_doubles()
      return rawget(class, name) and ('it is a method of tensors, as in t:%s()'):format(name)
             or suggestion(name, {tensor, class})
   end)})
   getmetatable(tensor.plot).__index = refuse('tensor.plot', function(name)
      return suggestion(name, {tensor.plot})
   end)
end
