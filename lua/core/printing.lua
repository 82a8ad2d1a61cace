-- Sets the __tostring__ methods of tensors and storages.

local classes = require 'tensor.classes'
local each = require 'tensor.versions'.each

local function install(tensor)
   local print = require 'tensor.print'
   function print.rule()
      return tensor.getRule 'printing'
   end
   for kind, shown in each {Tensor = print.tensor, Storage = print.storage} do
      classes.extend(kind, function(class)
         class.__tostring__ = shown
      end)
   end

   --- setprintoptions{threshold = elements, edgeitems = n, precision = digits, ...}: sets when
   -- tensors are summarized, and how numbers are printed. Returns a table of all options.
   tensor.setprintoptions = print.setoptions
end

return install
