-- require 'distlearn.AllReduceSGD': the functions of torch-distlearn's AllReduceSGD on tensor.dist.

local dist = require 'tensor.dist'
local tensor = require 'tensor'
local tree = require 'tensor.tree'

--- AllReduceSGD([group]): functions to train the same parameters on all ranks of a group, by
-- default all. The tree of torch-ipc that torch-distlearn's programs pass is ignored. Ranks may
-- have different numbers of steps: a rank in synchronizeParameters takes part in the sums of the
-- others with zeros, until all ranks are there.
return function(group)
   if type(group) ~= 'table' or not group.allGather then
      group = dist.world()
   end
   local self, steps = {}, 0

   -- Adds gradients over the ranks. Returns the number of ranks that have some.
   local function add(grads, has_some)
      local count = group:allReduce(has_some and 1 or 0)
      if count > 0 then
         group:allReduce(tree.leaves(grads))
      end
      return count
   end

   --- Overwrites the gradients by their sums over the ranks, and returns them.
   function self.sumGradients(grads)
      add(grads, true)
      steps = steps + 1
      return grads
   end

   --- The same, divided by the number of ranks that have called this.
   function self.sumAndNormalizeGradients(grads)
      local count = add(grads, true)
      steps = steps + 1
      for _, leaf in ipairs(tree.leaves(grads)) do
         if leaf:nElement() > 0 then
            leaf:div(count)
         end
      end
      return grads
   end

   --- Waits for all ranks. Then overwrites the parameters by those of the rank with most steps
   -- since the last call, and returns them.
   function self.synchronizeParameters(params)
      local zeros = tree.map(tensor.zerosLike, params)
      while add(zeros, false) > 0 do
         for _, leaf in ipairs(tree.leaves(zeros)) do
            leaf:zero()
         end
      end
      local all, winner = group:allGather{steps}, 1
      for rank = 2, group:size() do
         if all[rank][1] > all[winner][1] then
            winner = rank
         end
      end
      steps = 0
      return group:synchronize(params, winner)
   end

   return self
end
