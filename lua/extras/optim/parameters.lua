-- The parameters in a nested table, and their gradients, as two lists.

local tensor = require 'tensor'
local describe = require('tensor.native').describe(tensor)
local tree = require 'tensor.tree'

local function is_floating(t)
   local name = t:type()
   return (name:find 'Float' or name:find 'Double' or name:find 'Half') ~= nil
end

local function is_blob(value)
   return type(value) == 'userdata' and tensor.type(value):find 'Blob$' ~= nil
end

local function fail(name, path, ...)
   error(('optim.%s: params%s: '):format(name, path) .. string.format(...), 0)
end

--- parameters(name, params, gradients): returns the list of the tensors in `params`, each once, and
-- the list of their gradients, which `gradients` has at the same places. A Blob stands for its data
-- and its diff. Tensors of integers are constants. name: that of the optimizer in errors.
return function(name, params, gradients)
   local leaves, found, seen = {}, {}, {}

   local function add(path, p, g)
      if seen[p] then
         return
      end
      seen[p] = true
      if not tensor.isTensor(g) or not g:isSameSizeAs(p) then
         fail(name, path, '%s is expected as the gradient, got %s', describe(p), describe(g))
      end
      leaves[#leaves + 1], found[#found + 1] = p, g
   end

   local function walk(path, p, g)
      if tensor.isTensor(p) then
         if is_floating(p) then
            add(path, p, g)
         end
      elseif is_blob(p) then
         add(path, p:data(), is_blob(g) and g:diff() or g)
      elseif type(p) == 'number' and type(g) == 'number' and g ~= 0 then
         fail(name, path, 'a number cannot be updated in place; a tensor of one element can')
      elseif type(p) == 'table' then
         if type(g) ~= 'table' then
            fail(name, path, 'a table of gradients is expected, got %s', describe(g))
         end
         for _, key in ipairs(tree.keys(p)) do
            walk(('%s.%s'):format(path, tostring(key)), p[key], g[key])
         end
         for _, key in ipairs(tree.keys(g)) do
            if p[key] == nil then
               fail(name, path, 'there is a gradient of %s, but no parameter', tostring(key))
            end
         end
      end
   end

   walk('', params, gradients)
   return leaves, found
end
