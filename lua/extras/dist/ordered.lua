-- Sums in a fixed order. The summands have numbers, from 0. They are the leaves of a binary tree.
-- Node k of a level is the sum of the nodes 2k and 2k + 1 of the level below. Each
-- rank adds up the whole subtrees of its own summands. The ranks then exchange the sums, and add
-- them up along the same tree. So the result does not depend on the number of ranks.

local tensor = require 'tensor'
local files = require 'tensor.files'
local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local parts = require 'tensor.dist.parts'
local raise = require 'tensor.native'.raise
local tree = require 'tensor.tree'
local types = require 'tensor.types'
local versions = require 'tensor.versions'

local pack = versions.pack

-- Adds a node to a list of finished subtrees, from left to right. A right node is combined with its
-- left neighbour: combine(left value, right value).
local function push(nodes, level, index, value, combine)
   local left = nodes[#nodes]
   while left and left.level == level and left.index % 2 == 0 and index == left.index + 1 do
      value = combine(left.value, value)
      nodes[#nodes] = nil
      level, index = level + 1, left.index / 2
      left = nodes[#nodes]
   end
   nodes[#nodes + 1] = {value = value, level = level, index = index}
end

local function add(a, b)
   return a:add(b)
end

-- The sum of all nodes. If the number of summands is not a power of 2, there are several: the right
-- subtrees are added first.
local function total_of(nodes)
   local value = nodes[#nodes].value
   for k = #nodes - 1, 1, -1 do
      value = nodes[k].value:add(value)
   end
   return value
end

-- The summands first + 1 to last of rank r, of `count`, for `size` ranks.
local function part(count, size, r)
   return math.floor((r - 1) * count / size), math.floor(r * count / size)
end

-- The subtrees that a rank adds up, without values.
local function subtrees(first, last)
   local nodes = {}
   for k = first, last - 1 do
      push(nodes, 0, k, true, function() return true end)
   end
   return nodes
end

-- One vector of all elements of the leaves, and back. Half and BFloat16 are added in float.
local function flatten(leaves)
   local total = 0
   for _, leaf in ipairs(leaves) do
      total = total + leaf:nElement()
   end
   local kind = types.widened[leaves[1]:type()]
   local flat = (kind and tensor.getmetatable(kind) or leaves[1]).new(total)
   local at = 1
   for _, leaf in ipairs(leaves) do
      local n = leaf:nElement()
      if n > 0 then
         flat:narrow(1, at, n):viewAs(leaf):copy(leaf)
      end
      at = at + n
   end
   return flat
end

local function restore(leaves, flat)
   local at = 1
   for _, leaf in ipairs(leaves) do
      local n = leaf:nElement()
      if n > 0 then
         leaf:copy(flat:narrow(1, at, n):viewAs(leaf))
      end
      at = at + n
   end
end

-- Lists of the leaves of each type, in a fixed order.
local function by_type(leaves)
   local lists, of = {}, {}
   for _, leaf in ipairs(leaves) do
      local name = leaf:type()
      if not of[name] then
         of[name] = {}
         lists[#lists + 1] = of[name]
      end
      table.insert(of[name], leaf)
   end
   return lists
end

-- Raises an error unless the sum or mean of these tensors is defined.
local function check_reduction(reduction, leaves)
   if reduction ~= 'sum' and reduction ~= 'mean' then
      raise(("allReduce: the option deterministic is for 'sum' and 'mean', not '%s'"):format(
         reduction))
   end
   for _, leaf in ipairs(leaves) do
      if reduction == 'mean' and not parts.is_floating(leaf) then
         local name = parts.class_of(leaf)
         raise(("allReduce: 'mean' of %s %s: a floating-point tensor is expected"):format(
            name:find '^I' and 'an' or 'a', name))
      end
   end
end

local function install(Group)
   -- Returns the sum of `count` vectors. nodes: the subtrees of this rank. detail: a text that is
   -- equal on all ranks if the vectors have the same parts.
   local function exchange(self, nodes, count, detail)
      local size = self.own_size
      if size == 1 then
         return total_of(nodes)
      end
      local length = nodes[1].value:size(1)
      local all, most = {}, 0
      for r = 1, size do
         all[r] = subtrees(part(count, size, r))
         most = math.max(most, #all[r])
      end
      -- Rank r adds up slice r of the elements of all nodes.
      local slice = math.ceil(length / size)
      local sent = nodes[1].value.new(size, most, slice):zero()
      for k, node in ipairs(nodes) do
         for r = 1, size do
            local first = (r - 1) * slice
            local n = math.min(slice, length - first)
            if n > 0 then
               sent[r][k]:narrow(1, 1, n):copy(node.value:narrow(1, first + 1, n))
            end
         end
      end
      local received = sent.new()
      native.call(self.native, 'allToAll', received, sent, nil, nil, false, detail)
      local sum = {}
      for r = 1, size do
         for k, place in ipairs(all[r]) do
            push(sum, place.level, place.index, received[r][k], add)
         end
      end
      local slices = sent.new()
      native.call(self.native, 'allGather', slices, total_of(sum):contiguous(), nil, nil, false)
      return slices:view(-1):narrow(1, 1, length)
   end

   -- allReduce with the option deterministic: one summand for each rank. found: the leaves, as of
   -- parts.collect. Returns the value of parts.put.
   function Group:own_ordered_reduce(found, reduction)
      check_reduction(reduction, found.leaves)
      local detail, is_empty = parts.of_call(found.call, parts.describe(found)), true
      for _, leaves in ipairs(by_type(found.leaves)) do
         local nodes = {{value = flatten(leaves), level = 0, index = self.own_rank - 1}}
         if nodes[1].value:nElement() > 0 then
            local total = exchange(self, nodes, self.own_size, detail)
            if reduction == 'mean' then
               total:div(self.own_size)
            end
            restore(leaves, total)
            is_empty = false
         end
      end
      if is_empty then
         parts.agree(self, found)
      end
      return parts.put(found)
   end

   --- averageChunks(count, f): calls f(k) for those of the chunks k = 1, ..., count that belong to
   -- this rank. Returns the means of its results over all chunks. The results are numbers, tensors
   -- of floating-point numbers, or nested tables of them. The chunks are added in a fixed order, so
   -- the bits do not depend on the number of ranks. count must be at least the number of ranks.
   function Group:averageChunks(count, f)
      if type(count) ~= 'number' or count % 1 ~= 0 or count < self.own_size then
         raise(('averageChunks: %s chunks for %d ranks: at least one for each is expected'):format(
            versions.shown(count), self.own_size))
      elseif not versions.is_callable(f) then
         raise('averageChunks: a function is expected, got ' .. tensor.type(f))
      end
      local first, last = part(count, self.own_size, self.own_rank)
      local sums, found, returned, detail = {}, nil, nil, nil
      local function add_chunk(k)
         returned = pack(f(k + 1))
         found = parts.collect('averageChunks', {versions.unpack(returned, 1, returned.n)}, true)
         for _, leaf in ipairs(found.leaves) do
            if not parts.is_floating(leaf) then
               raise(('averageChunks: tensors of floating-point numbers are expected, got a %s')
                  :format(leaf:type()))
            end
         end
         if #found.leaves == 0 then
            raise('averageChunks: the function has returned no tensor and no number')
         end
         local text = ('%d chunks of %s'):format(count, parts.describe(found))
         if detail and text ~= detail then
            raise(('averageChunks: the results differ: %s; then %s'):format(detail, text))
         end
         detail = text
         for j, list in ipairs(by_type(found.leaves)) do
            sums[j] = sums[j] or {}
            push(sums[j], 0, k, flatten(list), add)
         end
      end
      for k = first, last - 1 do
         local fine, problem = pcall(add_chunk, k)
         if not fine then
            arguments.announce(self, 'an error in averageChunks: '
                                     .. files.without_position(problem))
            error(problem, 0)
         end
      end
      -- The tensors that f returned stay as they are.
      local results = tree.clone(found.x)
      found = parts.collect('averageChunks', results, true)
      local is_empty = true
      for j, list in ipairs(by_type(found.leaves)) do
         if sums[j][1].value:nElement() > 0 then
            restore(list, exchange(self, sums[j], count,
                                    parts.of_call('averageChunks', detail)):div(count))
            is_empty = false
         end
      end
      if is_empty then
         parts.agree(self, found)
      end
      parts.put(found)
      return versions.unpack(results, 1, returned.n)
   end

   Group.own_flatten, Group.own_restore, Group.own_part = flatten, restore, part
end

return install
