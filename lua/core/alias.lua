-- multinomialAlias: samples from a discrete distribution with precomputed alias tables.

local function install(tensor)
   local function istable(state)
      return type(state) == 'table' and tensor.isTensor(state[1]) and tensor.isTensor(state[2])
   end

   --- multinomialAliasSetup(probabilities [, state]): returns a table of two tensors: the alias of
   -- each category (from 1), and the probability of keeping the category. If state is given, it is
   -- overwritten and returned.
   function tensor.multinomialAliasSetup(probabilities, state)
      if state ~= nil and not istable(state) then
         error('multinomialAliasSetup: a table that it returned is expected, got '
               .. tensor.type(state), 2)
      end
      if not tensor.isTensor(probabilities) then
         error('multinomialAliasSetup: a tensor of probabilities is expected, got '
               .. tensor.type(probabilities), 2)
      end
      if state then
         tensor.multinomialAliasSetup_(probabilities, state[1], state[2])
         return state
      end
      return {tensor.multinomialAliasSetup_(probabilities)}
   end

   --- multinomialAlias(indices, state): fills the LongTensor indices with sampled categories.
   function tensor.multinomialAlias(indices, state)
      if not istable(state) then
         error('multinomialAlias: a table from multinomialAliasSetup is expected, got '
               .. tensor.type(state), 2)
      end
      return tensor.multinomialAlias_(indices, state[1], state[2])
   end
end

return install
