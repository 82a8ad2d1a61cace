-- averageGradients: means over the ranks, in buckets that are reduced in the background.

local tensor = require 'tensor'
local files = require 'tensor.files'
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

   -- detail: the description of all tensors, on which the ranks must agree. plan: the calls that an
   -- earlier Reducer made for such tensors, or nil. With a plan, finish() reduces the last bucket,
   -- so that fail() can report an error at its last call.
   local function new_reducer(group, bytes, detail, plan)
      return setmetatable({group = group, bytes = bytes, detail = detail, plan = plan, calls = {},
                           open = {}, order = {}, running = {}}, Reducer)
   end

   -- Starts to reduce a tensor of a bucket, or waits until it is reduced: mode, as in send().
   function Reducer:call(leaf, bucket, mode)
      local k = #self.calls + 1
      -- No tensors and storages: a pass may run in a scope, which the plan outlives.
      self.calls[k] = {class = parts.class_of(leaf), size = leaf:size():totable(),
                       device = leaf:device(), bucket = bucket}
      return native.call(self.group.native, 'allReduce', nil, leaf, 'mean', nil, mode,
                         ('%s, bucket %d'):format(self.detail, bucket))
   end

   -- Reduces a bucket. mode: 'owning' starts to reduce it, false waits until it is done.
   function Reducer:send(bucket, mode)
      local small, works = {}, {}
      local function reduce(leaf)
         works[#works + 1] = self:call(leaf, #self.running + 1, mode)
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
      local is_last = self.plan and #self.running + 1 == self.plan[#self.plan].bucket
      if bucket.bytes >= self.bytes and not is_last then
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

   -- Reports an error of this rank: all ranks raise an error that contains the message. The other
   -- ranks make the calls of the plan. So does this rank, with zeros, up to the last call.
   function Reducer:fail(message)
      local plan = self.plan or {}
      for k = #self.calls + 1, #plan - 1 do
         pcall(function()
            local size = tensor.LongStorage(plan[k].size)
            local zeros = tensor[plan[k].class](size):zero():to(plan[k].device)
            self:call(zeros, plan[k].bucket, false)
         end)
      end
      arguments.announce(self.group, message)
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

   -- plans: for each description of parameters, the order of reduction and the calls of the last
   -- pass. All ranks must reduce in the same order, but functions with branches complete gradients
   -- in different orders.
   local function new_pass(group, bytes, argument, plans)
      local found = parts.collect('grad', argument, true)
      local key = parts.of_call('grad', parts.describe(found))
      local plan = plans[key] or {}
      -- After an error on one rank, the ranks must not average gradients of different steps.
      local detail = ('%s, step %d'):format(key, group.own_steps)
      return setmetatable({group = group, reducer = new_reducer(group, bytes, detail, plan.calls),
                           plans = plans, key = key, order = plan.order, detail = detail,
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
      if not self.order then
         local order = tensor.LongTensor(self.completed)
         native.call(self.group.native, 'broadcast', nil, order, nil, 0, false, self.detail)
         self.order = order:totable()
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
      self.plans[self.key] = {order = self.order, calls = self.reducer.calls}
      return parts.put(found)
   end

   --- grad(f [, options]): like tensor.grad, but the gradients are means over the ranks. They are
   -- reduced in the background, from the last layer to the first, while the backward pass goes on.
   -- The other results of f are not changed. An error on one rank is an error on all. Tensors of
   -- integers in the argument are constants, as in tensor.grad. options: those of averageGradients,
   -- and argument and tensors of tensor.grad.
   function Group:grad(f, options)
      options = arguments.options('grad', options, 'argument', 'bytes', 'deterministic', 'tensors')
      local own = {}
      local bytes = bucket_bytes('grad', options)
      local pass
      local plans = {}
      own.argument, own.tensors = options.argument, options.tensors
      if self.own_size > 1 and not options.deterministic then
         own.ready = function(gradient, number) pass:ready(gradient, number) end
      end
      local df = tensor.grad(f, own)
      local function averaged(fine, grads, ...)
         if not fine then
            local message = 'an error in grad: ' .. files.without_position(grads)
            if pass then
               pass.reducer:fail(message)
            else
               arguments.announce(self, message)
            end
            error(grads, 0)
         elseif pass then
            grads = pass:finish(grads)
         else
            grads = self:own_ordered_reduce(parts.collect('grad', grads, true, true), 'mean')
         end
         return grads, ...
      end
      return function(...)
         if self.own_size == 1 then
            return df(...)
         end
         self.own_steps = (self.own_steps or 0) + 1
         pass = own.ready and new_pass(self, bytes, (select(own.argument or 1, ...)), plans)
         return averaged(pcall(df, ...))
      end
   end
end

return install
