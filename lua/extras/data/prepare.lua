-- tensor.data.prepare: what makes a batch of rows. batches calls it here or in other threads.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local describe = require('tensor.native').describe(tensor)
local versions = require 'tensor.versions'

-- Returns the rows of the k-th source at the indices.
local function rows_of(source, k, indices)
   if tensor.isTensor(source) then
      return source:index(1, indices)
   end
   local count = indices:nElement()
   local rows, other = source.get(indices)
   if other ~= nil then
      raise(('data.batches: get of source %d: one result is expected, got several; use a source '
         .. 'for each, or a transform'):format(k))
   end
   if rows == nil or tensor.isTensor(rows) and (rows:dim() == 0 or rows:size(1) ~= count) then
      raise(('data.batches: source %d: %d rows are expected, got %s'):format(
         k, count, describe(rows)))
   end
   return rows
end

-- A loop ends at nil, so a batch must not begin with it.
local function checked(first, ...)
   if first == nil then
      raise('data.batches: the first result of transform is nil; a batch is expected')
   end
   return first, ...
end

--- prepare(sources, transform): returns a function of the indices of rows, a LongTensor, which
-- returns the rows of all sources there, or what the transform makes of them.
return function(sources, transform)
   return function(indices)
      local batch, count = {}, #sources
      for k, source in ipairs(sources) do
         batch[k] = rows_of(source, k, indices)
      end
      if transform then
         return checked(transform(versions.unpack(batch, 1, count)))
      end
      return versions.unpack(batch, 1, count)
   end
end
