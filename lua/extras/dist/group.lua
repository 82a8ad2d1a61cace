-- Groups of ranks: the collectives on tensors and on nested tables of tensors, and handles of
-- asynchronous calls.

local tensor = require 'tensor'
local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local parts = require 'tensor.dist.parts'
local raise = require 'tensor.native'.raise
local type_name = require 'tensor.native'.type_name
local shown = require 'tensor.versions'.shown
local tree = require 'tensor.tree'

local is_tensor = tensor.isTensor

local Group = {}
Group.__index = Group

-- ---- handles ----

local Handle = {}
Handle.__index = Handle

-- results: the results, in a field, where tensor.scope finds them. finish(results): returns those
-- of wait.
local function new_handle(works, results, finish)
   return setmetatable({works = works, results = results, finish = finish}, Handle)
end

--- wait(): waits for the end of an asynchronous call. Returns its results.
function Handle:wait()
   if self.works then
      for _, work in ipairs(self.works) do
         native.wait(work)
      end
      self.works = nil
      self.result = self.finish(self.results)
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

--- split(color [, key]): divides the group. The ranks with the same color, a whole number from 1,
-- form a group, in the order of their keys (their ranks). Returns the group of this rank; nil for
-- color nil.
function Group:split(color, key)
   local most = 2 ^ 31 - 1
   if color ~= nil and not arguments.is_whole(color, 1, most) then
      raise(('split: color %s: nil or a whole number from 1 is expected'):format(
         shown(color)))
   elseif key ~= nil and not arguments.is_whole(key, -most, most) then
      raise(('split: key %s: a whole number is expected'):format(shown(key)))
   end
   local part = native.split(self.native, color and color - 1 or -1, (key or self.own_rank) - 1)
   return part and Group.new(part) or nil
end

--- group(ranks): a group of some ranks, in this order. All ranks call this. Returns nil on the
-- others. A rank that is listed twice counts once.
function Group:group(ranks)
   if type(ranks) ~= 'table' or #ranks == 0 then
      raise('group: a list of ranks is expected, got '
            .. (type(ranks) == 'table' and 'an empty table' or tensor.type(ranks)))
   end
   local place
   for k, rank in ipairs(ranks) do
      if not arguments.is_whole(rank, 1, self.own_size) then
         raise(('group: rank %s does not exist: the group has %d ranks'):format(shown(rank),
                                                                               self.own_size))
      elseif rank == self.own_rank then
         place = place or k
      end
   end
   local part = native.split(self.native, place and 0 or -1, (place or 1) - 1,
                             parts.of_call('group', 'ranks ' .. table.concat(ranks, ', ')))
   return part and Group.new(part) or nil
end

-- Returns true if is_leaf is true for a value, or for one in a nested table.
local function contains(value, is_leaf, seen)
   if type(value) ~= 'table' or seen[value] then
      tree.check(value)
      return is_leaf(value)
   end
   seen[value] = true
   for _, key in ipairs(tree.keys(value)) do
      if contains(value[key], is_leaf, seen) then
         return true
      end
   end
   return false
end

local function table_contains(x, is_leaf)
   return type(x) == 'table' and not getmetatable(x) and contains(x, is_leaf, {})
end

-- Returns true for a tensor, and for a nested table that contains one.
function Group.own_has_tensors(x)
   return is_tensor(x) or table_contains(x, is_tensor)
end

local function is_number(value)
   return type(value) == 'number'
end

-- Raises an error if one of the rows of a list, which parts.collect returns, is there.
local function refuse(name, rows, reason)
   local row = rows[1]
   if row then
      raise(('%s: %s is a %s: %s'):format(name, row.name, type(row.owner[row.key]), reason))
   end
end

-- Raises an error for what a call does not exchange: the numbers, strings and booleans of a table.
-- found: as of parts.collect.
local function check_others(name, found, options, is_in_place)
   if not is_in_place then
      refuse(name, found.others, 'a tensor is expected')
   elseif options.result then
      refuse(name, found.numbers, 'the option result is for tensors')
   end
   if name == 'broadcast' and (options.result or options.async) then
      refuse(name, found.others, ('the option %s is for tensors'):format(
         options.result and 'result' or 'async'))
   end
end

local function unchanged(...)
   return ...
end

-- The calls that reduce the numbers of a table.
local reduces_numbers = {allReduce = true, reduce = true}

-- Raises an error unless x contains operands, and result, if given, a tensor of the same type for
-- each tensor.
local function check_operands(name, x, result)
   if not Group.own_has_tensors(x)
      and not (reduces_numbers[name] and table_contains(x, is_number)) then
      raise(('%s: a tensor or a nested table of tensors is expected, got %s'):format(
         name, type_name(x)))
   end
   if result ~= nil then
      tree.map(function(leaf, given)
         if not is_tensor(given) or given:type() ~= leaf:type() then
            raise(('%s: result: a %s is expected, got %s'):format(name, leaf:type(),
                                                                tensor.type(given)))
         end
      end, x, result)
   end
end

-- Calls an operation for each tensor in x. If is_in_place, it overwrites them, or copies of them in
-- options.result, and the numbers in x. Otherwise the results are those of options.result, or new
-- tensors. Returns the nested table of the results, or a handle.
local function for_each(self, name, x, reduction, root, options, is_in_place)
   check_operands(name, x, options.result)
   -- The ranks compare the whole table before they exchange its first tensor.
   local found = not is_tensor(x) and parts.collect(name, x, is_in_place)
   local detail = nil
   if found then
      check_others(name, found, options, is_in_place)
      detail = parts.describe(found, name == 'broadcast')
   end
   local works = {}
   local function call(r, leaf)
      works[#works + 1] = native.call(self.native, name, r, leaf, reduction, root and root - 1,
                                      options.async or false, detail)
   end
   local results = tree.map(function(leaf, given)
      local r = nil
      if not is_in_place then
         r = given or leaf.new()
      elseif given then
         leaf = given:resizeAs(leaf):copy(leaf)
      end
      call(r, leaf)
      return r or leaf
   end, x, options.result)
   for _, number in ipairs(found and found.numbers or {}) do
      call(nil, number.leaf)
   end
   if found and name == 'broadcast' then
      self:own_broadcast_others(found, root)
   end
   local finish = unchanged
   if is_in_place and not options.result then
      results, finish = found or x, found and parts.put or unchanged
   end
   return options.async and new_handle(works, results, finish) or finish(results)
end

--- barrier([options]): waits until all ranks have called this.
function Group:barrier(options)
   options = arguments.options('barrier', options, 'async')
   local work = native.call(self.native, 'barrier', nil, nil, nil, nil, options.async or false)
   return work and new_handle({work}, nil, unchanged)
end

--- broadcast(x [, root = 1] [, options]): overwrites the tensors in x by those of the root, also
-- numbers, strings and booleans beside them, and returns x. If x contains no tensor, it is any Lua
-- value; returns that of the root.
function Group:broadcast(x, root, options)
   if type(root) == 'table' then
      root, options = nil, root
   end
   root, options = root or 1, arguments.options('broadcast', options, 'async', 'result')
   arguments.check_root(self, 'broadcast', root)
   if not Group.own_has_tensors(x) then
      return self:own_broadcast_value(x, root, options)
   end
   return for_each(self, 'broadcast', x, nil, root, options, true)
end

-- The arguments ([reduction] [, root] [, options]) of reductions.
local function read_reduction(name, reduction, root, options)
   if type(reduction) ~= 'string' then
      reduction, root, options = nil, reduction, root
   end
   if type(root) == 'table' then
      root, options = nil, root
   end
   return reduction or 'sum', root, arguments.options(name, options, 'async', 'result',
                                                  name == 'allReduce' and 'deterministic')
end

--- allReduce(x [, 'sum' | 'mean' | 'prod' | 'min' | 'max'] [, options]): overwrites the tensors and
-- the numbers in x by their reduction over all ranks. Returns x. A number returns the
-- reduced number. options: async returns a handle; deterministic adds in an order that depends only
-- on the number of ranks; result leaves x unchanged, and overwrites this tensor or nested table
-- instead.
function Group:allReduce(x, reduction, options)
   local root
   reduction, root, options = read_reduction('allReduce', reduction, options)
   if root then
      raise('allReduce: the name of a reduction is expected, got ' .. tensor.type(root))
   end
   if type(x) == 'number' then
      if options.result then
         raise('allReduce: the option result is for tensors')
      end
      local t = tensor.DoubleTensor{x}
      local result = self:allReduce(t, reduction, options)
      if options.async then
         result.finish = function(reduced) return reduced[1] end
         return result
      end
      return t[1]
   end
   if options.deterministic then
      if options.async then
         raise('allReduce: the options async and deterministic exclude each other')
      end
      check_operands('allReduce', x, options.result)
      check_others('allReduce', parts.collect('allReduce', x, true), options, true)
      if options.result then
         x = tree.map(function(leaf, r) return r:resizeAs(leaf):copy(leaf) end, x, options.result)
      end
      return self:own_ordered_reduce(parts.collect('allReduce', x, true), reduction)
   end
   return for_each(self, 'allReduce', x, reduction, nil, options, true)
end

--- reduce(x [, reduction] [, root = 1] [, options]): like allReduce, but only the tensors and the
-- numbers of the root are overwritten.
function Group:reduce(x, reduction, root, options)
   reduction, root, options = read_reduction('reduce', reduction, root, options)
   root = root or 1
   arguments.check_root(self, 'reduce', root)
   if root ~= self.own_rank then
      options = {async = options.async}
   end
   return for_each(self, 'reduce', x, reduction, root, options, true)
end

--- allGather(x [, options]): the tensors of all ranks: new tensors with one more dimension, the
-- first, for the ranks. If x contains no tensor, returns a list of the values of all ranks.
function Group:allGather(x, options)
   options = arguments.options('allGather', options, 'async', 'result')
   if not Group.own_has_tensors(x) then
      return self:own_gather_values('allGather', x, nil, options)
   end
   return for_each(self, 'allGather', x, nil, nil, options)
end

--- gather(x [, root = 1] [, options]): the same at the root. Returns nil on other ranks.
function Group:gather(x, root, options)
   if type(root) == 'table' then
      root, options = nil, root
   end
   root, options = root or 1, arguments.options('gather', options, 'async', 'result')
   arguments.check_root(self, 'gather', root)
   if not Group.own_has_tensors(x) then
      return self:own_gather_values('gather', x, root, options)
   end
   local results = for_each(self, 'gather', x, nil, root, options)
   if self.own_rank ~= root then
      if options.async then
         results.finish = function() return nil end
         return results
      end
      return nil
   end
   return results
end

--- scatter(result, x [, root = 1] [, options]): overwrites the tensors in `result` by those of
-- x[rank], where x is the root's tensor or nested table, and nil on other ranks. Returns result.
-- scatter(list [, root = 1]): with a list of one value for each rank at the root and nil on other
-- ranks, returns the value of this rank.
function Group:scatter(result, x, root, options)
   if x == nil or Group.own_has_tensors(x) then
      if type(root) == 'table' then
         root, options = nil, root
      end
      root = root or 1
      if Group.own_has_tensors(result) and (x ~= nil or root ~= self.own_rank) then
         arguments.check_root(self, 'scatter', root)
         options = arguments.options('scatter', options, 'async')
         return self:own_scatter_tensors(result, x, root, options)
      elseif is_tensor(result) then
         arguments.fail(self, 'scatter: the root has no tensor to scatter')
      end
   else
      root, options = x, root
   end
   arguments.check_root(self, 'scatter', root)
   arguments.options('scatter', options)
   return self:own_scatter_values(result, root)
end

function Group:own_scatter_tensors(result, x, root, options)
   local detail = nil
   if not is_tensor(result) then
      local found = parts.collect('scatter', result)
      check_others('scatter', found, options)
      detail = parts.describe(found)
   end
   if root == self.own_rank then
      local fine, problem = pcall(tree.map, function(_, t)
         if not is_tensor(t) then
            raise('scatter: a tensor is expected, got ' .. tensor.type(t))
         end
      end, result, x)
      if not fine then
         arguments.fail(self, problem)
      end
   end
   local works = {}
   local function scatter(r, t)
      works[#works + 1] = native.call(self.native, 'scatter', r, t, nil, root - 1,
                                      options.async or false, detail)
   end
   if root == self.own_rank then
      tree.map(scatter, result, x)
   else
      tree.map(function(r) scatter(r) end, result)
   end
   return options.async and new_handle(works, result, unchanged) or result
end

--- reduceScatter(x [, reduction] [, options]): reduces over all ranks, and returns the part of this
-- rank: the first dimension is divided by the number of ranks.
function Group:reduceScatter(x, reduction, options)
   local root
   reduction, root, options = read_reduction('reduceScatter', reduction, options)
   if root then
      raise('reduceScatter: the name of a reduction is expected, got ' .. tensor.type(root))
   end
   return for_each(self, 'reduceScatter', x, reduction, nil, options)
end

--- allToAll(x [, options]): divides the first dimension into one part for each rank, and returns
-- the parts for this rank of all ranks, in their order.
function Group:allToAll(x, options)
   options = arguments.options('allToAll', options, 'async', 'result')
   return for_each(self, 'allToAll', x, nil, nil, options)
end

--- send(x, rank [, options]): sends a tensor or any Lua value to another rank, which calls receive.
function Group:send(x, rank, options)
   options = arguments.options('send', options, 'async')
   arguments.check_rank(self, 'send', rank)
   local name = 'send'
   if not is_tensor(x) then
      x, name = Group.own_to_tensor(x), 'sendValue'
   end
   local work = native.call(self.native, name, nil, x, nil, rank - 1, options.async or false)
   return work and new_handle({work}, nil, unchanged)
end

--- receive([t,] rank [, options]): receives what another rank has sent, in the order of sending. A
-- tensor t is overwritten; the message must be a tensor of its type and shape. Without t, returns a
-- new tensor or value.
function Group:receive(t, rank, options)
   if type(t) == 'number' then
      if rank ~= nil then
         raise('receive: options need a tensor')
      end
      arguments.check_rank(self, 'receive', t)
      local received, is_value = native.receive_any(self.native, t - 1)
      if is_value then
         return Group.own_from_tensor(received)
      end
      return received
   end
   options = arguments.options('receive', options, 'async')
   if not is_tensor(t) or type(rank) ~= 'number' then
      raise('receive: a tensor and a rank are expected, got ' .. tensor.type(t) .. ' and '
            .. tensor.type(rank))
   end
   arguments.check_rank(self, 'receive', rank)
   local work = native.call(self.native, 'receive', nil, t, nil, rank - 1, options.async or false)
   return work and new_handle({work}, t, unchanged) or t
end

return Group
