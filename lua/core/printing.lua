-- Sets the __tostring__ methods of tensors and storages.

local types = require 'tensor.types'

local function install(tensor)
   local print = require 'tensor.print'
   function print.rule()
      return tensor.getRule 'printing'
   end
   for _, element in ipairs(types) do
      tensor.getmetatable(('torch.%sTensor'):format(element.name)).__tostring__ = print.tensor
      tensor.getmetatable(('torch.%sStorage'):format(element.name)).__tostring__ = print.storage
   end

   --- setprintoptions{threshold = elements, edgeitems = n, precision = digits, ...}: sets when
   -- tensors are summarized, and how numbers are printed. Returns a table of all options.
   tensor.setprintoptions = print.setoptions
end

return install
