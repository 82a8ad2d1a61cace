-- Finds our versions of the modules that every Torch7 installation had, of torch-autograd, and of
-- torch-distlearn. This searcher is the last one, so a module installed by the user takes
-- precedence.

local ours = {
   autograd = 'tensor.autograd',
   ['distlearn.AllReduceSGD'] = 'tensor.compat.allreducesgd',
   dok = 'tensor.compat.dok',
   paths = 'tensor.compat.paths',
   sys = 'tensor.compat.sys',
   ['sys.colors'] = 'tensor.compat.colors',
   ['sys.fpath'] = 'tensor.compat.fpath',
   xlua = 'tensor.compat.xlua',
   ['xlua.OptionParser'] = 'tensor.compat.optionparser',
}
for _, part in ipairs {'gradcheck', 'loss', 'model', 'optim', 'util'} do
   ours['autograd.' .. part] = 'tensor.autograd.' .. part
end

local function search(name)
   local module = ours[name]
   -- Parts of an installed torch-autograd are not mixed with ours.
   if not module or name:find '^autograd%.' and require 'autograd' ~= require 'tensor.autograd' then
      return nil
   end
   return function() return require(module) end
end

table.insert(require 'tensor.versions'.searchers, search)

return ours
