-- Gives the classes their printed form.

local types = require 'tensor.types'

local function install(tensor)
   local print = require 'tensor.print'
   for _, element in ipairs(types) do
      tensor.getmetatable(('torch.%sTensor'):format(element.name)).__tostring__ = print.tensor
      tensor.getmetatable(('torch.%sStorage'):format(element.name)).__tostring__ = print.storage
   end

   --- setprintoptions{threshold = elements, edgeitems = n, precision = digits}: how large tensors
   -- are summarised, and how numbers are shown. Returns the options.
   tensor.setprintoptions = print.setoptions
end

return install
