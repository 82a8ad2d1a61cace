-- Modules that every installation of Torch7 had: where the user has none of that name, ours is
-- found, behind all other ways to find one.

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
