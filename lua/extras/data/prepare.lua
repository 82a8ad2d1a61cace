-- tensor.data.prepare: what makes a batch of rows. batches calls it here or in other threads.

local tensor = require 'tensor'
local versions = require 'tensor.versions'

--- prepare(sources, transform): returns a function of the indices of rows, a LongTensor, which
-- returns the rows of all sources there, or what the transform makes of them.
return function(sources, transform)
   return function(indices)
      local batch, count = {}, #sources
      for k, source in ipairs(sources) do
         batch[k] = tensor.isTensor(source) and source:index(1, indices) or source.get(indices)
      end
      if transform then
         return transform(versions.unpack(batch, 1, count))
      end
      return versions.unpack(batch, 1, count)
   end
end
