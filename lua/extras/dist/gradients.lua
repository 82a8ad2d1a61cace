-- averageGradients: means over the ranks, in buckets that are reduced in the background.

local tensor = require 'tensor'
local native = require 'tensor.native'.dist
local tree = require 'tensor.tree'

-- Buckets of this size use all of the bandwidth, and are small enough that several of them overlap
-- with the computation.
local BUCKET = 32 * 2 ^ 20
-- Tensors of this size are reduced in their own memory: a copy takes longer than another call.
local LARGE = 2 ^ 18

local function bytes_of(leaf)
   return leaf:nElement() * leaf:elementSize()
end

local function install(Group)
   -- A Reducer collects tensors in buckets of one type each. A full bucket is reduced while the
   -- program goes on.
   local Reducer = {}
   Reducer.__index = Reducer

   local function new_reducer(group, bytes)
      return setmetatable({group = group, bytes = bytes, open = {}, order = {}, running = {}},
                          Reducer)
   end

   -- Reduces a bucket. mode: 'owning' starts to reduce it, false waits until it is done.
   function Reducer:send(bucket, mode)
      local small, works = {}, {}
      local function reduce(leaf)
         works[#works + 1] = native.call(self.group.native, 'allReduce', nil, leaf, 'mean', nil,
                                         mode)
      end
      self.open[bucket.type] = nil
      for _, leaf in ipairs(bucket.leaves) do
         if bytes_of(leaf) < LARGE then
            small[#small + 1] = leaf
         else
            reduce(leaf)
         end
      end
      if #small > 0 then
         bucket.flat = Group.flatten(small)
         reduce(bucket.flat)
      end
      bucket.small, bucket.works = small, works
      self.running[#self.running + 1] = bucket
   end

   -- Adds a tensor, which finish() overwrites by the mean over the ranks. Its present elements are
   -- used later, when its bucket is full.
   function Reducer:add(leaf)
      local name = leaf:type()
      local bucket = self.open[name]
      if not bucket then
         bucket = {type = name, leaves = {}, bytes = 0}
         self.open[name] = bucket
         self.order[#self.order + 1] = bucket
      end
      table.insert(bucket.leaves, leaf)
      bucket.bytes = bucket.bytes + bytes_of(leaf)
      if bucket.bytes >= self.bytes then
         self:send(bucket, 'owning')
      end
   end

   function Reducer:finish()
      for _, bucket in ipairs(self.order) do
         -- Nothing is left to do meanwhile, so this needs no other thread.
         if self.open[bucket.type] == bucket then
            self:send(bucket, false)
         end
      end
      for _, bucket in ipairs(self.running) do
         for _, work in ipairs(bucket.works) do
            native.wait(work)
         end
         if bucket.flat then
            Group.restore(bucket.small, bucket.flat)
         end
      end
   end

   local function check_floating(name, leaf)
      local kind = leaf:type()
      if not (kind:find 'Float' or kind:find 'Double' or kind:find 'Half') then
         error(('%s: tensors of floating-point numbers are expected, got a %s'):format(name, kind),
               3)
      end
   end

   local function bucket_bytes(name, options)
      local bytes = options.bytes or BUCKET
      if bytes < 1 or bytes ~= bytes then
         error(('%s: bytes must be at least 1, got %g'):format(name, bytes), 3)
      end
      return bytes
   end

   --- averageGradients(grads [, options]): overwrites the tensors of a nested table by their means
   -- over the ranks, and returns it. options: bytes, the size of a bucket (32 MiB); deterministic
   -- adds in an order that depends only on the number of ranks.
   function Group:averageGradients(grads, options)
      options = Group.options('averageGradients', options)
      local leaves = tree.leaves(grads)
      for _, leaf in ipairs(leaves) do
         check_floating('averageGradients', leaf)
      end
      if self.own_size == 1 or #leaves == 0 then
         return grads
      elseif options.deterministic then
         return self:ordered_reduce(grads, 'mean')
      end
      local reducer = new_reducer(self, bucket_bytes('averageGradients', options))
      for _, leaf in ipairs(leaves) do
         reducer:add(leaf)
      end
      reducer:finish()
      return grads
   end

   --- grad(f [, options]): like tensor.grad, but the gradients are means over the ranks. They are
   -- reduced in the background, from the last layer to the first, while the backward pass goes on.
   -- The other results of f are not changed. options: those of averageGradients,
   -- and argument and tensors of tensor.grad.
   function Group:grad(f, options)
      options = options or {}
      local own = {}
      local bytes = bucket_bytes('grad', options)
      local reducer
      own.argument, own.tensors = options.argument, options.tensors
      if self.own_size > 1 and not options.deterministic then
         own.ready = function(gradient)
            check_floating('grad', gradient)
            reducer:add(gradient)
         end
      end
      local df = tensor.grad(f, own)
      local function averaged(grads, ...)
         if reducer then
            reducer:finish()
         elseif self.own_size > 1 then
            self:averageGradients(grads, {deterministic = true})
         end
         return grads, ...
      end
      return function(...)
         reducer = own.ready and new_reducer(self, bytes)
         return averaged(df(...))
      end
   end
end

return install
