-- autograd: the API of the package torch-autograd, for programs that use it. The gradients are
-- those of tensor.grad. After require 'torch', require 'autograd' finds this module if the package
-- itself is not installed.

local versions = require 'tensor.versions'
local tensor = require 'tensor'
local type_name = require 'tensor.native'.type_name
local util = require 'tensor.autograd.util'

local each, pack, unpack = versions.each, versions.pack, versions.unpack

local autograd = {
   VERSION = '0.1',
   util = util,
   loss = require 'tensor.autograd.loss',
   optim = require 'tensor.autograd.optim',
   model = require 'tensor.autograd.model',
   functionalize = require 'tensor.autograd.functionalize',
}
autograd.nn = autograd.functionalize.package('nn')

-- The options of autograd.grad. Those that are not used below set how the package computes or
-- reports. They have no effect here.
local accepted = {}
for name in ('gradArg withForward withGradients partialGrad stableGradients optimize protected '
             .. 'reduceFootprint profile profileReportFrequency showCode'):gmatch '%w+' do
   accepted[name] = true
end

local optimize, protect = false, false

--- optimize(flag): accepted for compatibility. There is only one mode.
function autograd.optimize(flag)
   optimize = flag
end
function autograd.optimizing()
   return optimize
end
--- protected(flag): accepted for compatibility.
function autograd.protected(flag)
   protect = flag
   return protect
end

-- Copies a nested table of gradients into an earlier one, where the tensors have the same type and
-- shape. Returns the table with the tensors of the earlier one.
local function reuse(earlier, gradients)
   if tensor.isTensor(gradients) then
      if tensor.isTensor(earlier) and earlier:type() == gradients:type()
         and earlier:isSameSizeAs(gradients) then
         return earlier:copy(gradients)
      end
   elseif type(gradients) == 'table' and getmetatable(gradients) == nil then
      for key, field in each(gradients) do
         gradients[key] = reuse(type(earlier) == 'table' and earlier[key] or nil, field)
      end
   end
   return gradients
end

-- Calls f and computes gradients with respect to the argument number `which`. `given` lists the
-- arguments, then the gradient of the first result. Returns a list: the gradients, f's results.
local function vjp(f, which, given)
   local cotangent = given[given.n]
   if given.n < 2 or not (tensor.isTensor(cotangent) or type(cotangent) == 'number'
                          or type(cotangent) == 'table') then
      error(('autograd: with partialGrad the last argument must be the gradient of the result, '
             .. 'got %s'):format(type_name(cotangent)), 0)
   end
   local function of_argument(x)
      local arguments = {}
      for k = 1, given.n - 1 do
         arguments[k] = given[k]
      end
      arguments[which] = x
      return f(unpack(arguments, 1, given.n - 1))
   end
   local results = pack(tensor.vjp(of_argument, {given[which]}, {cotangent}))
   results[1] = results[1][1]
   return results
end

--- grad(f [, options]): returns a function that calls f and returns the gradients of its first
-- result with respect to its first argument, then all results of f. Options:
--    gradArg: the number of the argument, instead of 1
--    withForward = false: only the gradients are returned
--    withGradients = false: only the results of f are returned
--    partialGrad: the last argument is the gradient of the first result, which may be a tensor
--    stableGradients: the gradients are in the same tensors in each call
function autograd.grad(f, options)
   options = options or {}
   for name in each(options) do
      if not accepted[name] then
         error(('autograd: the option %s is not supported'):format(tostring(name)), 2)
      end
   end
   if options.withGradients == false then
      return f
   end
   local which = options.gradArg or 1
   local df = not options.partialGrad and tensor.grad(f, {argument = which})
   local earlier
   return function(...)
      local results = df and pack(df(...)) or vjp(f, which, pack(...))
      if options.stableGradients then
         earlier = reuse(earlier, results[1])
         results[1] = earlier
      end
      return unpack(results, 1, options.withForward == false and 1 or results.n)
   end
end

autograd.gradcheck = require 'tensor.autograd.gradcheck'

-- Parts of the package that are missing here.
local missing = {
   overload = 'tensor.customGradient defines the gradient of a function',
   auto = 'classes of nn cannot be made from functions',
   module = 'tensor.nn has such layers',
}

return setmetatable(autograd, {
   __call = function(_, ...) return autograd.grad(...) end,
   __index = function(_, name)
      if missing[name] then
         error(('autograd.%s is not supported: %s'):format(name, missing[name]), 2)
      end
   end,
})
