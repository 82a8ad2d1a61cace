-- Groups of ranks: the collectives on tensors and on nested tables of tensors, and handles of
-- asynchronous calls.

local tensor = require 'tensor'
local native = require 'tensor.native'.dist
local versions = require 'tensor.versions'
local tree = require 'tensor.tree'

local is_tensor = tensor.isTensor

local Group = {}
Group.__index = Group

-- ---- handles ----

local Handle = {}
Handle.__index = Handle

--- wait(): waits for the end of an asynchronous call. Returns its results.
function Handle:wait()
   if self.works then
      for _, work in ipairs(self.works) do
         native.wait(work)
      end
      self.works = nil
      self.result = self.finish()
   end
   return self.result
end

--- isDone(): true if wait() will not have to wait for other ranks.
function Handle:isDone()
   for _, work in ipairs(self.works or {}) do
      if not native.is_done(work) then
         return false
      end
   end
   return true
end

-- ---- groups ----

function Group.new(handle)
   local self = setmetatable({native = handle}, Group)
   local rank, size = native.info(handle)
   self.own_rank, self.own_size = rank + 1, size
   return self
end

--- rank(): the rank of this process in the group, from 1.
function Group:rank()
   return self.own_rank
end

--- size(): the number of ranks.
function Group:size()
   return self.own_size
end

--- split(color [, key]): divides the group. The ranks with the same color form a group, in the
-- order of their keys (their ranks). Returns the group of this rank; nil for color nil.
function Group:split(color, key)
   local part = native.split(self.native, color and color - 1 or -1, (key or self.own_rank) - 1)
   return part and Group.new(part) or nil
end

--- group(ranks): a group of some ranks, in this order. All ranks call this. Returns nil on the
-- others.
function Group:group(ranks)
   local place
   for k, rank in ipairs(ranks) do
      if type(rank) ~= 'number' or rank < 1 or rank > self.own_size or rank % 1 ~= 0 then
         error(('group: rank %s does not exist: the group has %d ranks'):format(tostring(rank),
                                                                               self.own_size), 2)
      end
      if rank == self.own_rank then
         place = place or k
      end
   end
   return self:split(place and 1, place)
end

-- The options that calls know.
local known = {async = 'boolean', deterministic = 'boolean', bytes = 'number'}

-- Splits the arguments of a call into those before the options, which are the last table, and the
-- options.
function Group.options(name, options)
   if options == nil then
      return {}
   elseif type(options) ~= 'table' or getmetatable(options) then
      error(('%s: a table of options is expected, got %s'):format(name, tensor.type(options)), 3)
   end
   for key, value in versions.each(options) do
      if type(value) ~= known[key] then
         error(('%s: unknown option %s = %s'):format(name, tostring(key), tostring(value)), 3)
      end
   end
   return options
end

-- Returns true for a tensor, and for a nested table that contains one.
function Group.has_tensors(x)
   return is_tensor(x) or type(x) == 'table' and not getmetatable(x) and #tree.leaves(x) > 0
end

-- Calls an operation for each tensor in x. result(leaf) returns the tensor for its result, if that
-- is not the leaf itself. Returns the nested table of the results, or a handle.
local function for_each(self, name, x, reduction, root, options, result)
   if not Group.has_tensors(x) then
      error(('%s: a tensor or a nested table of tensors is expected, got %s'):format(name,
                                                                           tensor.type(x)), 3)
   end
   local works = {}
   local results = tree.map(function(leaf)
      local r = result and result(leaf)
      works[#works + 1] = native.call(self.native, name, r, leaf, reduction, root and root - 1,
                                      options.async or false)
      return r or leaf
   end, x)
   if not result then
      results = x
   end
   if options.async then
      return setmetatable({works = works, finish = function() return results end}, Handle)
   end
   return results
end

--- barrier([options]): waits until all ranks have called this.
function Group:barrier(options)
   options = Group.options('barrier', options)
   local work = native.call(self.native, 'barrier', nil, nil, nil, nil, options.async or false)
   return work and setmetatable({works = {work}, finish = function() end}, Handle)
end

--- broadcast(x [, root = 1] [, options]): overwrites the tensors in x by those of the root, and
-- returns x. If x contains no tensor, it is any Lua value; returns that of the root.
function Group:broadcast(x, root, options)
   if type(root) == 'table' then
      root, options = nil, root
   end
   options = Group.options('broadcast', options)
   if not Group.has_tensors(x) then
      return self:broadcast_value(x, root or 1, options)
   end
   return for_each(self, 'broadcast', x, nil, root or 1, options)
end

-- The arguments ([reduction] [, root] [, options]) of reductions.
local function read_reduction(name, reduction, root, options)
   if type(reduction) ~= 'string' then
      reduction, root, options = nil, reduction, root
   end
   if type(root) == 'table' then
      root, options = nil, root
   end
   return reduction or 'sum', root, Group.options(name, options)
end
Group.read_reduction = read_reduction

--- allReduce(x [, 'sum' | 'mean' | 'prod' | 'min' | 'max'] [, options]): overwrites the tensors in
-- x by their reduction over all ranks, and returns x. A number returns the reduced number. options:
-- async returns a handle; deterministic adds in an order that depends only on the number of ranks.
function Group:allReduce(x, reduction, options)
   local root
   reduction, root, options = read_reduction('allReduce', reduction, options)
   if root then
      error('allReduce: the name of a reduction is expected, got ' .. tensor.type(root), 2)
   end
   if type(x) == 'number' then
      local t = tensor.DoubleTensor{x}
      local result = self:allReduce(t, reduction, options)
      if options.async then
         result.finish = function() return t[1] end
         return result
      end
      return t[1]
   end
   if options.deterministic then
      return self:ordered_reduce(x, reduction)
   end
   return for_each(self, 'allReduce', x, reduction, nil, options)
end

--- reduce(x [, reduction] [, root = 1] [, options]): like allReduce, but only the tensors of the
-- root are overwritten.
function Group:reduce(x, reduction, root, options)
   reduction, root, options = read_reduction('reduce', reduction, root, options)
   return for_each(self, 'reduce', x, reduction, root or 1, options)
end

--- allGather(x [, options]): the tensors of all ranks: new tensors with one more dimension, the
-- first, for the ranks. If x contains no tensor, returns a list of the values of all ranks.
function Group:allGather(x, options)
   options = Group.options('allGather', options)
   if not Group.has_tensors(x) then
      return self:gather_values('allGather', x, nil, options)
   end
   return for_each(self, 'allGather', x, nil, nil, options, function(leaf) return leaf.new() end)
end

--- gather(x [, root = 1] [, options]): the same at the root. Returns nil on other ranks.
function Group:gather(x, root, options)
   if type(root) == 'table' then
      root, options = nil, root
   end
   root, options = root or 1, Group.options('gather', options)
   if not Group.has_tensors(x) then
      return self:gather_values('gather', x, root, options)
   end
   local results = for_each(self, 'gather', x, nil, root, options,
                            function(leaf) return leaf.new() end)
   if self.own_rank ~= root then
      if options.async then
         results.finish = function() return nil end
         return results
      end
      return nil
   end
   return results
end

--- scatter(result, x [, root = 1] [, options]): overwrites `result` by x[rank], where x is the
-- root's tensor and nil on other ranks. Returns result. scatter(list [, root = 1]): with a list of
-- values at the root and nil on other ranks, returns the value of this rank.
function Group:scatter(result, x, root, options)
   if not is_tensor(result) then
      return self:scatter_values(result, x or 1)
   end
   if type(root) == 'table' then
      root, options = nil, root
   end
   root, options = root or 1, Group.options('scatter', options)
   local work = native.call(self.native, 'scatter', result, x, nil, root - 1,
                            options.async or false)
   if options.async then
      return setmetatable({works = {work}, finish = function() return result end}, Handle)
   end
   return result
end

--- reduceScatter(x [, reduction] [, options]): reduces over all ranks, and returns the part of this
-- rank: the first dimension is divided by the number of ranks.
function Group:reduceScatter(x, reduction, options)
   local root
   reduction, root, options = read_reduction('reduceScatter', reduction, options)
   if root then
      error('reduceScatter: the name of a reduction is expected, got ' .. tensor.type(root), 2)
   end
   return for_each(self, 'reduceScatter', x, reduction, nil, options,
                   function(leaf) return leaf.new() end)
end

--- allToAll(x [, options]): divides the first dimension into one part for each rank, and returns
-- the parts for this rank of all ranks, in their order.
function Group:allToAll(x, options)
   options = Group.options('allToAll', options)
   return for_each(self, 'allToAll', x, nil, nil, options, function(leaf) return leaf.new() end)
end

--- send(x, rank [, options]): sends a tensor or any Lua value to another rank, which calls receive.
function Group:send(x, rank, options)
   options = Group.options('send', options)
   local name = 'send'
   if not is_tensor(x) then
      x, name = Group.to_tensor(x), 'sendValue'
   end
   if type(rank) ~= 'number' then
      error('send: a rank is expected, got ' .. tensor.type(rank), 2)
   end
   local work = native.call(self.native, name, nil, x, nil, rank - 1, options.async or false)
   return work and setmetatable({works = {work}, finish = function() end}, Handle)
end

--- receive([t,] rank [, options]): receives what another rank has sent, in the order of sending. A
-- tensor t is overwritten; the message must be a tensor of its type and shape. Without t, returns a
-- new tensor or value.
function Group:receive(t, rank, options)
   if type(t) == 'number' then
      if rank ~= nil then
         error('receive: options need a tensor', 2)
      end
      local received, is_value = native.receive_any(self.native, t - 1)
      if is_value then
         return Group.from_tensor(received)
      end
      return received
   end
   options = Group.options('receive', options)
   if not is_tensor(t) or type(rank) ~= 'number' then
      error('receive: a tensor and a rank are expected, got ' .. tensor.type(t) .. ' and '
            .. tensor.type(rank), 2)
   end
   local work = native.call(self.native, 'receive', nil, t, nil, rank - 1, options.async or false)
   if work then
      return setmetatable({works = {work}, finish = function() return t end}, Handle)
   end
   return t
end

return Group
