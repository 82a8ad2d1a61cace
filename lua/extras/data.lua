-- tensor.data: batches, transforms of images, and readers of data sets.

local versions = require 'tensor.versions'

local data = {batches = require 'tensor.data.batches'}

for _, part in ipairs {'transforms', 'idx', 'pictures'} do
   for name, value in versions.each(require('tensor.data.' .. part)) do
      data[name] = value
   end
end

return require 'tensor.native'.limit_arguments(data)
