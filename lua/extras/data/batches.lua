-- tensor.data.batches: the rows of tensors in batches, in the same random order for the same seed.

local files = require 'tensor.files'
local tensor = require 'tensor'
local versions = require 'tensor.versions'

local Batches = {}
Batches.__index = Batches

local function fail(...)
   error('data.batches: ' .. string.format(...), 0)
end

-- Returns the number of rows of a source: a tensor, or a table with the fields count and get.
local function count_of(source, k)
   if tensor.isTensor(source) and source:dim() > 0 then
      return source:size(1)
   elseif type(source) == 'table' and type(source.count) == 'number' and source.get then
      return source.count
   end
   fail('source %d: a tensor or a table with count and get is expected, got %s', k,
        tensor.type(source) or type(source))
end

-- Returns the rows of a source at the indices in a LongTensor.
local function rows_of(source, indices)
   if tensor.isTensor(source) then
      return source:index(1, indices)
   end
   return source.get(indices)
end

--- Returns the order of the rows in an epoch, a LongTensor. It depends on the seed and the epoch
-- only.
function Batches:order(epoch)
   if not self.shuffle then
      return tensor.range(1, self.rows):long()
   end
   local generator = tensor.Generator()
   tensor.manualSeed(generator, (self.seed + epoch * 2654435761) % 2 ^ 32)
   return tensor.randperm(generator, self.rows):long()
end

-- batches([epoch]): iterates over the batches of an epoch, by default the next one.
function Batches:__call(epoch)
   self.epoch = epoch or self.epoch + 1
   local order, first = self:order(self.epoch), 1
   return function()
      local count = math.min(self.size, self.rows - first + 1)
      if count < 1 or count < self.size and not self.partial then
         return nil
      end
      local indices, batch = order:narrow(1, first, count), {}
      first = first + count
      for k, source in ipairs(self.sources) do
         batch[k] = rows_of(source, indices)
      end
      if self.transform then
         return self.transform(versions.unpack(batch))
      end
      return versions.unpack(batch)
   end
end

--- batches(sources, options): sources: a list of tensors with the same number of rows; instead of a
-- tensor, a table with the fields count and get, where get(indices) returns a tensor. options:
-- size; shuffle (true); seed (default: a random one); partial (true): the last batch may be
-- smaller; transform: a function of the rows of all sources that returns the batch.
-- Returns an object: `for x, y in batches(epoch) do`. Its field count is the number of batches.
return function(sources, options)
   if tensor.isTensor(sources) or type(sources) == 'table' and sources.get then
      sources = {sources}
   end
   options = options or {}
   local fine, failure = pcall(files.check, options, {
      size = 'number', shuffle = 'boolean', seed = 'number', partial = 'boolean',
      transform = 'function',
   })
   local size = options.size
   if not fine then
      fail('%s', failure)
   elseif size == nil or size < 1 or size % 1 ~= 0 then
      fail('size: a whole number of at least 1 is expected, got %s', tostring(size))
   end
   local rows = count_of(sources[1], 1)
   for k, source in ipairs(sources) do
      local own = count_of(source, k)
      if own ~= rows then
         fail('source %d has %d rows, but source 1 has %d', k, own, rows)
      end
   end
   local partial = options.partial ~= false
   return setmetatable({
      sources = sources, size = size, rows = rows, shuffle = options.shuffle ~= false,
      seed = options.seed or tensor.random(), partial = partial, transform = options.transform,
      epoch = 0, count = (partial and math.ceil or math.floor)(rows / size),
   }, Batches)
end
