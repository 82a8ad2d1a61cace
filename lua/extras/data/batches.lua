-- tensor.data.batches: the rows of tensors in batches, in the same random order for the same seed.

local files = require 'tensor.files'
local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, type_name = native.raise, native.type_name
local prepare = require 'tensor.data.prepare'
local versions = require 'tensor.versions'
local shown = versions.shown
local workers = require 'tensor.data.workers'

local ended = 'stop or an error has ended this loop'

local Batches = {__unwritable = {'data.batches', 'save its state, or use training.save'}}

local function fail(...)
   raise('data.batches: ' .. string.format(...))
end

local function fail_without_call()
   fail('a loop needs a call: for x, y in batches() do')
end

-- From Lua 5.3 on, ipairs reads elements by __index.
Batches.__index = function(_, key)
   local value = Batches[key]
   if value == nil and type(key) == 'number' then
      fail_without_call()
   end
   return value
end

local function check_count(name, value, least)
   if type(value) ~= 'number' or value < least or value % 1 ~= 0 then
      fail('%s: a whole number of at least %d is expected, got %s', name, least, shown(value))
   end
   return value
end

local function check_seed(name, value)
   if type(value) ~= 'number' or value % 1 ~= 0 then
      fail('%s: a whole number is expected, got %s', name, shown(value))
   end
   return value
end

-- Returns the number of rows of a source: a tensor, or a table with the fields count and get.
local function count_of(source, k)
   if tensor.isTensor(source) and source:dim() > 0 then
      return source:size(1)
   elseif type(source) == 'table' and source.count and source.get then
      if not versions.is_callable(source.get) then
         fail('get of source %d: a function is expected, got %s', k, type_name(source.get))
      end
      return check_count(('count of source %d'):format(k), source.count, 0)
   end
   fail('source %d: a tensor or a table with count and get is expected, got %s', k,
        type_name(source))
end

--- Returns the order of the rows in an epoch, a LongTensor. It depends on the seed and the epoch
-- only.
function Batches:order(epoch)
   if self.rows == 0 then
      return tensor.LongTensor(0)
   elseif not self.shuffle then
      return tensor.LongTensor():range(1, self.rows)
   end
   local generator = tensor.Generator()
   tensor.manualSeed(generator, (self.state.seed + epoch * 2654435761) % 2 ^ 32)
   return tensor.randperm(tensor.LongTensor(), generator, self.rows)
end

-- Returns the seed of all randomness in the preparation of a batch.
function Batches:seed_of(epoch, number)
   return (self.state.seed + epoch * 2654435761 + number * 2246822519) % 2 ^ 32
end

-- Sets the state of the generator, or its seed.
local function set_generator(state)
   if type(state) == 'number' then
      tensor.manualSeed(state)
   else
      tensor.setRNGState(state)
   end
end

-- Calls f(indices) with random numbers that depend on the seed alone, and restores the generator.
local function with_seed(seed, f, indices)
   return native.with_setting(tensor.getRNGState, set_generator, seed, f, indices)
end

-- In a thread: returns a function that prepares the batch with a seed and indices.
local function seeded(sources, transform)
   local run = prepare(sources, transform)
   return function(seed, indices)
      -- Other Luas have one generator for all threads, which belongs to the program.
      if rawget(_G, 'jit') or _VERSION == 'Lua 5.4' then
         math.randomseed(seed)
      end
      return with_seed(seed, run, indices)
   end
end

-- Starts the threads, which get copies of the sources and the transform.
function Batches:start()
   local list = {{value = self.sources, name = 'sources'},
                 {value = self.transform, name = 'transform'}, n = 2}
   local fine, pool = pcall(workers.start, self.threads, seeded, list)
   if not fine then
      fail('threads: %s', tostring(pool))
   end
   self.pool = pool
end

-- Returns a function that returns the batches with the indices that next_indices() returns. Threads
-- prepare the following ones in the meantime. done: the number of batches before them.
function Batches:prefetched(epoch, next_indices, done)
   if not self.pool then
      self:start()
   end
   local pool, turn, begun, pending, first = self.pool, {}, done, {}, done + 1
   -- The batches that a loop before has left.
   pool:drop()
   self.turn = turn

   local function submit()
      while begun < first - 1 + self.ahead do
         local indices = next_indices()
         if not indices then
            return
         end
         begun = begun + 1
         pending[begun] = pool:submit(self:seed_of(epoch, begun), indices)
      end
   end

   return function()
      if self.turn ~= turn then
         fail('%s', self.turn and 'a later loop has ended this one: threads prepare the batches of '
              .. 'one loop at a time' or ended)
      end
      submit()
      if first > begun then
         return nil
      end
      local batch = versions.pack(pcall(pool.take, pool, pending[first]))
      pending[first] = nil
      first = first + 1
      if not batch[1] then
         pool:drop()
         self.turn = nil
         error(batch[2], 0)
      end
      submit()
      return versions.unpack(batch, 2, batch.n)
   end
end

-- Returns an iterator over the batches of an epoch after the first `done`.
function Batches:iterate(epoch, done)
   local order, first, number = self:order(epoch), 1 + done * self.size, done

   local function next_indices()
      local count = math.min(self.size, self.rows - first + 1)
      if count < 1 or count < self.size and not self.partial then
         return nil
      end
      first = first + count
      return order:narrow(1, first - count, count)
   end

   if self.threads > 0 then
      return self:prefetched(epoch, next_indices, done)
   end
   local run = prepare(self.sources, self.transform)
   return function()
      local indices = next_indices()
      if not indices then
         return nil
      elseif self.is_plain then
         return run(indices)
      end
      number = number + 1
      return with_seed(self:seed_of(epoch, number), run, indices)
   end
end

-- batches([epoch]): iterates over the batches of an epoch, by default the next one. Loading a
-- checkpoint replaces the field state. If it was saved in the loop of this epoch, the first loop
-- continues with the next batch, and is empty after the last one.
function Batches:__call(epoch, ...)
   if select('#', ...) > 0 then
      -- The generic for calls what follows `in` with two arguments.
      fail_without_call()
   end
   local state, done = self.state, 0
   if type(state) ~= 'table' then
      fail('a table is expected as the state, got %s', tostring(state))
   end
   check_seed('seed in the state', state.seed)
   check_count('epoch in the state', state.epoch, 0)
   check_count('batch in the state', state.batch or 0, 0)
   if state ~= self.last_state and epoch == state.epoch then
      done = state.batch or 0
      if done > 0 and state.size ~= self.size then
         fail('the checkpoint was saved after %d batches of size %d, but the size is %d', done,
              state.size, self.size)
      -- Checkpoints of earlier versions do not have the number of rows.
      elseif done > 0 and state.rows and state.rows ~= self.rows then
         fail('the checkpoint was saved after %d batches of a source of %d rows, but source 1 has '
              .. '%d', done, state.rows, self.rows)
      end
   end
   epoch = check_count('epoch', epoch or state.epoch + 1, 0)
   self.last_state = state
   state.epoch, state.batch, state.size, state.rows = epoch, done, self.size, self.rows
   local iterator = self:iterate(epoch, done)
   local loop = {}
   self.loop = loop

   local function counted(...)
      -- A loop within this one is the later one, whose batches count.
      if select('#', ...) > 0 and (...) ~= nil and self.loop == loop then
         done = done + 1
         state.batch = done
      end
      return ...
   end
   local stops = self.stops
   return function()
      if self.stops ~= stops then
         fail('%s', ended)
      end
      return counted(iterator())
   end
end

--- stop(): ends the threads, which a later loop starts again. A loop that runs cannot continue. The
-- garbage collector and the end of the program do the same.
function Batches:stop()
   native.check_self(getmetatable(self) == Batches, 'stop')
   if self.pool then
      self.pool:stop()
      self.pool, self.turn = nil, nil
   end
   self.stops = self.stops + 1
end

--- batches(sources, options): sources: a list of tensors with the same number of rows; instead of a
-- tensor, a table with the fields count and get, where get(indices) returns a tensor. options:
-- size; shuffle (true); seed (default: a random one); partial (true): the last batch may be
-- smaller; transform: a function of the rows of all sources that returns the batch; threads (0):
-- the number of threads that prepare batches while the program uses others; ahead (2 * threads):
-- the number of batches that they prepare in advance.
-- Returns an object: `for x, y in batches(epoch) do`. Its field count is the number of batches. Its
-- field state is what a checkpoint needs: the seed, the last epoch, how many of its batches the
-- loop has got, their size, and the number of rows.
return function(sources, options)
   if tensor.isTensor(sources) or type(sources) == 'table' and sources.get then
      sources = {sources}
   elseif type(sources) ~= 'table' then
      fail('sources: a tensor, a table with count and get, or a list of them is expected, got %s',
           type_name(sources))
   end
   local is_list, problem = pcall(files.count, sources)
   if not is_list then
      fail('sources: %s', problem)
   end
   options = files.options('data.batches', options, {
      size = 'number', shuffle = 'boolean', seed = 'number', partial = 'boolean',
      transform = 'function', threads = 'number', ahead = 'number',
   })
   local size = options.size
   check_count('size', size, 1)
   local threads = check_count('threads', options.threads or 0, 0)
   local ahead = check_count('ahead', options.ahead or 2 * threads, math.min(threads, 1))
   local rows, is_plain = count_of(sources[1], 1), not options.transform
   for k, source in ipairs(sources) do
      local own = count_of(source, k)
      is_plain = is_plain and tensor.isTensor(source)
      if own ~= rows then
         fail('source %d has %d rows, but source 1 has %d', k, own, rows)
      end
   end
   local partial = options.partial ~= false
   local batch_count = (partial and math.ceil or math.floor)(rows / size)
   local seed = check_seed('seed', options.seed or tensor.random())
   local state = {seed = seed, epoch = 0, batch = 0}
   return setmetatable({
      sources = sources, size = size, rows = rows, shuffle = options.shuffle ~= false,
      partial = partial, transform = options.transform, ahead = ahead, is_plain = is_plain,
      -- Each thread has a batch to prepare.
      threads = math.min(threads, math.max(batch_count, 1)), count = batch_count,
      state = state, last_state = state, stops = 0,
   }, Batches)
end
