-- autograd.gradcheck: compares gradients with differences.

local versions = require 'tensor.versions'
local tensor = require 'tensor'
local util = require 'tensor.autograd.util'

local unpack = versions.unpack

-- Directions that are tried. A wrong gradient agrees with one by chance only.
local DIRECTIONS = 4

local function check(randomize, f, first, ...)
   if randomize then
      for _, leaf in ipairs(util.sortedFlatten(first)) do
         if tensor.isTensor(leaf) then
            leaf:uniform(-1, 1)
         end
      end
   end
   local others = versions.pack(...)
   local ok, message = tensor.gradcheck(function(x)
      return (f(x, unpack(others, 1, others.n)))
   end, {first}, {directions = DIRECTIONS, tolerance = 1e-5})
   if not ok then
      print('gradcheck: ' .. message)
   end
   return ok
end

--- gradcheck(options): returns a function check(f, ...). It returns true if the gradients of the
-- number f(...) with respect to its first argument agree with differences; otherwise it prints
-- the difference and returns false. The tensors should be DoubleTensors. By default they are first
-- filled with random numbers from -1 to 1; options.randomizeInput = false keeps them.
-- gradcheck(f, ...) checks at once.
return function(options, ...)
   if versions.is_callable(options) then
      return check(true, options, ...)
   end
   local randomize = not options or options.randomizeInput ~= false
   return function(...)
      return check(randomize, ...)
   end
end
