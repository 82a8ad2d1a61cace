-- autograd.optim: the functions of Torch7's package optim for nested tables of parameters. Without
-- that package, they are those of tensor.optim.

local versions = require 'tensor.versions'
local tensor = require 'tensor'
local util = require 'tensor.autograd.util'

local pack, unpack = versions.pack, versions.unpack

-- The functions of tensor.optim that accept (opfunc, x, state).
local ours = {
   sgd = true, adam = true, adamW = true, rmsprop = true, adagrad = true, lbfgs = true,
}

local function find(name)
   local found, package = pcall(versions.require, 'optim')
   if found then
      return package[name]
   end
   return ours[name] and require('tensor.optim')[name]
end

local function wrap(name, update)
   return function(df, state, params)
      local leaves, states = util.sortedFlatten(params), {}
      for k, leaf in ipairs(leaves) do
         if not tensor.isTensor(leaf) then
            error(('autograd.optim.%s: parameter %d is a %s; tensors are expected')
                  :format(name, k, type(leaf)), 2)
         end
         states[k] = util.deepCopy(state or {})
      end
      return function(...)
         local results = pack(df(params, ...))
         local gradients = util.sortedFlatten(results[1])
         if #gradients ~= #leaves then
            error(('autograd.optim.%s: %d parameters, but %d gradients')
                  :format(name, #leaves, #gradients), 2)
         end
         for k, gradient in ipairs(gradients) do
            update(function() return results[2], gradient end, leaves[k], states[k])
         end
         return unpack(results, 1, results.n)
      end, states
   end
end

--- autograd.optim.<name>(df, state, params): returns a function `step` and the list of states.
-- step(...) calls df(params, ...), updates each tensor in params with its gradient and a state of
-- its own, a copy of `state`, and returns the results of df. The states are in the order of the
-- keys.
return setmetatable({}, {
   __index = function(optim, name)
      local update = find(name)
      if not update then
         error(('autograd.optim.%s: the function is not found in optim or tensor.optim')
               :format(tostring(name)), 2)
      end
      optim[name] = wrap(name, update)
      return optim[name]
   end,
})
