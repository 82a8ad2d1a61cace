-- Finds our versions of the modules that every Torch7 installation had. This searcher is the last
-- one, so a module installed by the user takes precedence.

local ours = {
   dok = 'tensor.compat.dok',
   paths = 'tensor.compat.paths',
   sys = 'tensor.compat.sys',
   ['sys.colors'] = 'tensor.compat.colors',
   ['sys.fpath'] = 'tensor.compat.fpath',
   xlua = 'tensor.compat.xlua',
   ['xlua.OptionParser'] = 'tensor.compat.optionparser',
}

local function search(name)
   local module = ours[name]
   return module and function() return require(module) end or nil
end

table.insert(require 'tensor.versions'.searchers, search)

return ours
