-- tensor.data: batches, transforms of images, and readers of data sets.

local names = require 'tensor.names'
local tensor = require 'tensor'
local versions = require 'tensor.versions'

-- Equivalents of PyTorch's classes.
local others = {
   tensordataset = 'batches takes a list of tensors: batches({x, y}, {size = 50})',
   imagefolder = 'instead of ImageFolder, use pictures(folder)',
}

local data = {batches = require 'tensor.data.batches'}

for _, part in ipairs {'transforms', 'idx', 'pictures'} do
   for name, value in versions.each(require('tensor.data.' .. part)) do
      data[name] = value
   end
end

names.refuse_unknown(tensor, data, 'tensor.data', others)
return require 'tensor.native'.limit_arguments(data, 'data.')
