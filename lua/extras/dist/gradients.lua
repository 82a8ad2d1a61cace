-- averageGradients: means over the ranks, in buckets that are reduced in the background.

local tensor = require 'tensor'
local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local parts = require 'tensor.dist.parts'
local raise = require 'tensor.native'.raise

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

   -- detail: the description of all tensors, on which the ranks must agree.
   local function new_reducer(group, bytes, detail)
      return setmetatable({group = group, bytes = bytes, detail = detail, open = {}, order = {},
                           running = {}}, Reducer)
   end

   -- Reduces a bucket. mode: 'owning' starts to reduce it, false waits until it is done.
   function Reducer:send(bucket, mode)
      local small, works = {}, {}
      local function reduce(leaf)
         works[#works + 1] = native.call(self.group.native, 'allReduce', nil, leaf, 'mean', nil,
                                         mode, self.detail)
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
         bucket.flat = Group.own_flatten(small)
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
            Group.own_restore(bucket.small, bucket.flat)
         end
      end
   end

   local function check_floating(name, leaf)
      if not parts.is_floating(leaf) then
         raise(('%s: tensors of floating-point numbers are expected, got a %s'):format(
            name, leaf:type()))
      end
   end

   local function bucket_bytes(name, options)
      local bytes = options.bytes or BUCKET
      if bytes < 1 or bytes ~= bytes then
         raise(('%s: bytes must be at least 1, got %g'):format(name, bytes))
      end
      return bytes
   end

   --- averageGradients(grads [, options]): overwrites the tensors and the numbers of a nested table
   -- by their means over the ranks, and returns it. options: bytes, the size of a bucket (32 MiB);
   -- deterministic adds in an order that depends only on the number of ranks.
   function Group:averageGradients(grads, options)
      options = arguments.options('averageGradients', options, 'bytes', 'deterministic')
      local bytes = bucket_bytes('averageGradients', options)
      local found = parts.collect('averageGradients', grads, true)
      for _, leaf in ipairs(found.leaves) do
         check_floating('averageGradients', leaf)
      end
      if self.own_size == 1 then
         return grads
      elseif #found.leaves == 0 then
         parts.agree(self, found)
         return grads
      elseif options.deterministic then
         return self:own_ordered_reduce(found, 'mean')
      end
      local reducer = new_reducer(
         self, bytes, parts.of_call('averageGradients', parts.describe(found)))
      for _, leaf in ipairs(found.leaves) do
         reducer:add(leaf)
      end
      reducer:finish()
      return parts.put(found)
   end

   -- One backward pass: the gradients that are complete, by the numbers of their parameters.
   local Pass = {}
   Pass.__index = Pass

   -- orders: the order of reduction for each description of parameters. All ranks must reduce in
   -- the same order, but functions with branches complete gradients in different orders.
   local function new_pass(group, bytes, argument, orders)
      local found = parts.collect('grad', argument, true)
      local detail = parts.of_call('grad', parts.describe(found))
      return setmetatable({group = group, reducer = new_reducer(group, bytes, detail),
                           orders = orders, order = orders[detail], detail = detail,
                           complete = {}, completed = {}, sent = {}, next = 1}, Pass)
   end

   -- Reduces what is complete, as far as the order permits.
   function Pass:advance()
      local order = self.order
      while order and order[self.next] and self.complete[order[self.next]] do
         local gradient = self.complete[order[self.next]]
         self.reducer:add(gradient)
         self.sent[gradient] = true
         self.next = self.next + 1
      end
   end

   function Pass:ready(gradient, number)
      check_floating('grad', gradient)
      self.complete[number] = gradient
      table.insert(self.completed, number)
      self:advance()
   end

   -- Reduces the other gradients, and waits. Returns the gradients. The order of later passes is
   -- that in which rank 1 completed them first.
   function Pass:finish(grads)
      if not self.order and #self.completed > 0 then
         local order = tensor.LongTensor(self.completed)
         native.call(self.group.native, 'broadcast', nil, order, nil, 0, false, self.detail)
         self.order = order:totable()
         self.orders[self.detail] = self.order
      end
      self:advance()
      -- Gradients of numbers and of Blobs. Tensors of integers are constants: their gradients are 0
      -- on all ranks.
      local found = parts.collect('grad', grads, true, true)
      for _, leaf in ipairs(found.leaves) do
         if not self.sent[leaf] then
            self.reducer:add(leaf)
         end
      end
      self.reducer:finish()
      return parts.put(found)
   end

   --- grad(f [, options]): like tensor.grad, but the gradients are means over the ranks. They are
   -- reduced in the background, from the last layer to the first, while the backward pass goes on.
   -- The other results of f are not changed. Tensors of integers in the argument are constants, as
   -- in tensor.grad. options: those of averageGradients, and argument and tensors of tensor.grad.
   function Group:grad(f, options)
      options = arguments.options('grad', options, 'argument', 'bytes', 'deterministic', 'tensors')
      local own = {}
      local bytes = bucket_bytes('grad', options)
      local pass
      local orders = {}
      own.argument, own.tensors = options.argument, options.tensors
      if self.own_size > 1 and not options.deterministic then
         own.ready = function(gradient, number) pass:ready(gradient, number) end
      end
      local df = tensor.grad(f, own)
      local function averaged(grads, ...)
         if pass then
            grads = pass:finish(grads)
         elseif self.own_size > 1 then
            grads = self:own_ordered_reduce(parts.collect('grad', grads, true, true), 'mean')
         end
         return grads, ...
      end
      return function(...)
         pass = own.ready and new_pass(self, bytes, (select(own.argument or 1, ...)), orders)
         return averaged(df(...))
      end
   end
end

return install
