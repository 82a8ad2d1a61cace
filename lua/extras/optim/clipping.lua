-- tensor.optim: clipping of gradients.

local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, is_tracked, describe = native.raise, native.is_tracked, native.describe(tensor)
local files = require 'tensor.files'
local parameters = require 'tensor.optim.parameters'
local shown = require('tensor.versions').shown
local widened = require('tensor.optim.state').widened

local clipping = {}

-- Returns the norm of all elements as a DoubleTensor of one element, or nil if there are none.
local function norm_of(leaves)
   local norms = {}
   for _, g in ipairs(leaves) do
      if g:nElement() > 0 then
         -- The norm of many 16-bit elements may exceed the largest one.
         local wide = widened(g)
         norms[#norms + 1] = tensor.norm(wide:contiguous():view(-1), 2, 1):double()
      end
   end
   return #norms > 1 and tensor.norm(tensor.cat(norms, 1), 2, 1) or norms[1]
end

-- Raises an error unless the limit of a clipping function is a number of at least 0.
local function check_limit(name, limit)
   if type(limit) ~= 'number' or limit < 0 or limit ~= limit then
      raise(('optim.%s: a limit of at least 0 is expected, got %s'):format(
         name, is_tracked(limit) and describe(limit) or shown(limit)))
   end
end

--- clipValue(gradients, limit): replaces elements below -limit by -limit, and those above it by
-- limit. NaN stays. Returns the gradients.
function clipping.clipValue(gradients, limit)
   check_limit('clipValue', limit)
   for _, g in ipairs(parameters.gradients('clipValue', gradients)) do
      g:clamp(-limit, limit)
   end
   return gradients
end

--- clipNorm(gradients, limit, {tensors = false}): scales the gradients if the norm of all their
-- elements is above the limit, or NaN. A Blob stands for its diff, and integers are constants, as
-- for optimizers. Returns the norm before: a number, or a DoubleTensor of one element if `tensors`
-- is true or tensor.compile records.
function clipping.clipNorm(gradients, limit, options)
   check_limit('clipNorm', limit)
   options = files.options('optim.clipNorm', options, {tensors = 'boolean'})
   local leaves = parameters.gradients('clipNorm', gradients)
   local norm = norm_of(leaves)
   if not norm then
      return options.tensors and tensor.DoubleTensor{0} or 0
   elseif options.tensors or tensor.isCompiling() then
      local one = tensor.onesLike(norm)
      local scale = tensor.where(tensor.le(norm, limit), one, tensor.cdiv(one * limit, norm + 1e-6))
      for _, g in ipairs(leaves) do
         -- As the product with a number, which is computed in float for elements of 16 bits.
         local wide = widened(g)
         wide:cmul(scale:type(wide:type()):expandAs(g))
         if wide ~= g then
            g:copy(wide)
         end
      end
      return norm
   end
   norm = norm[1]
   local value = is_tracked(norm) and norm:item() or norm
   if value > limit or value ~= value then
      for _, g in ipairs(leaves) do
         g:mul(limit / (norm + 1e-6))
      end
   end
   return norm
end

return clipping
