-- The parameters in a nested table, and their gradients, as two lists.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local describe = require('tensor.native').describe(tensor)
local each = require('tensor.versions').each
local overlap = require 'tensor.optim.overlap'
local tree = require 'tensor.tree'
local types = require 'tensor.types'

local is_tensor = tensor.isTensor

local function is_floating(t)
   return types.is_floating[t:type()]
end

-- Returns a gradient in the type of its parameter. Gradients of parameters of 16 bits may have more
-- bits, which the copy of type float uses.
local function converted(g, p)
   return types.widened[p:type()] and g or g:type(p:type())
end

local function is_blob(value)
   return type(value) == 'userdata' and tensor.type(value):find 'Blob$' ~= nil
end

local function is_gradient(value)
   return is_tensor(value) or is_blob(value) or type(value) == 'table'
end

-- path: the keys that lead to the parameter.
-- Different paths have different texts: strings with dots, and those that begin as numbers, are in
-- quotes.
local function text_of(path)
   local parts = {}
   for k, key in ipairs(path) do
      local is_plain = type(key) == 'number' or key:find '^[%a_][%w_%-]*$'
      parts[k] = '.' .. (is_plain and tostring(key) or ('%q'):format(key))
   end
   return table.concat(parts)
end
local function fail(name, path, ...)
   raise(('optim.%s: params%s: '):format(name, text_of(path)) .. string.format(...))
end

-- The lists of parameters without common elements, by their first one.
local separate = setmetatable({}, {__mode = 'k'})

-- Raises an error if two parameters have elements in common: each gradient counts all uses of an
-- element, and the element would get both updates. Parameters of an earlier call are not checked
-- again.
local function check_separate(name, leaves, paths)
   local known = leaves[2] and separate[leaves[1]]
   local is_known = not leaves[2] or known and #known == #leaves
   for k = 2, is_known and #leaves or 0 do
      is_known = is_known and rawequal(known[k], leaves[k])
   end
   if is_known then
      return
   end
   local a, b = overlap.pair_in(leaves)
   if a then
      raise(('optim.%s: params%s and params%s share elements, which would be updated twice: keep '
             .. 'one of them, and compute the other from it in a layer'):format(
         name, paths[a], paths[b]))
   end
   known = setmetatable({}, {__mode = 'v'})
   for k, p in ipairs(leaves) do
      known[k] = p
   end
   separate[leaves[1]] = known
end

local parameters = {}

--- of(name, params, gradients [, with_zeros]): returns four lists: the tensors in `params`, each
-- once; their gradients, which `gradients` has at the same places; their paths, such as
-- '.layers.1.weight'; the paths of all tensors, also of those left out. The gradients get the types
-- of the tensors. A Blob stands for its data and its diff. Tensors of integers are constants.
-- `false` instead of a gradient or a table of gradients leaves the tensors out; if with_zeros is
-- true, their gradients are 0. name: that of the optimizer in errors.
function parameters.of(name, params, gradients, with_zeros)
   local leaves, found, paths, place, path = {}, {}, {}, {}, {}
   local datas = {}  -- of Blobs

   -- A tensor at several places may have its gradient at any of them. Its path is the first one.
   local function add(p, g)
      local k = place[p]
      if not k then
         k = #leaves + 1
         leaves[k], found[k], paths[k], place[p] = p, false, text_of(path), k
      end
      if g == false or found[k] then
         return
      elseif not is_tensor(g) or not g:isSameSizeAs(p) then
         fail(name, path, '%s is expected as the gradient, got %s', describe(p), describe(g))
      elseif not is_floating(g) then
         fail(name, path, 'a gradient of a floating-point type is expected, got %s', g:type())
      elseif overlap.within(p) then
         fail(name, path, 'elements of %s share memory, as those of expand do', describe(p))
      end
      found[k] = converted(g, p)
   end

   local enclosing = {}
   local function walk(depth, p, g)
      if is_tensor(p) then
         if is_floating(p) then
            add(p, g)
         end
      elseif is_blob(p) then
         datas[p] = datas[p] or p:data()
         add(datas[p], is_blob(g) and g:diff() or g)
      elseif type(p) == 'number' and (is_gradient(g) or type(g) == 'number' and g ~= 0) then
         -- A compiled step cannot read a tensor, so any tensor is refused.
         fail(name, path, 'a number cannot be updated in place; a tensor of one element can')
      elseif type(p) == 'table' then
         if g ~= false and type(g) ~= 'table' then
            fail(name, path, 'a table of gradients is expected, got %s%s', describe(g),
                 depth == 1 and '; the arguments are step(params, gradients)' or '')
         end
         tree.enter(enclosing, p)
         for _, key in ipairs(tree.keys(p)) do
            path[depth] = key
            walk(depth + 1, p[key], g and g[key])
         end
         path[depth], enclosing[p] = nil, nil
         for key in each(g or {}) do
            if p[key] == nil then
               fail(name, path, 'there is a gradient of %s, but no parameter', tostring(key))
            end
         end
      else
         tree.check(p)
         if is_gradient(g) then
            fail(name, path, 'there is a gradient, but the parameter is %s', describe(p))
         end
      end
   end

   if type(params) ~= 'table' and not is_tensor(params) and not is_blob(params) then
      tree.check(params)
      raise(('optim.%s: params: a table of tensors is expected, got %s'):format(
         name, describe(params)))
   elseif gradients == false then
      raise(('optim.%s: a table of gradients is expected, got false'):format(name))
   end
   walk(1, params, gradients)
   local kept, updated = {leaves = {}, found = {}, paths = {}}, {leaves = {}, paths = {}}
   for k, p in ipairs(leaves) do
      if found[k] then
         table.insert(updated.leaves, p)
         table.insert(updated.paths, paths[k])
      end
      local g = found[k] or with_zeros and p:clone():zero()
      if g then
         local n = #kept.leaves + 1
         kept.leaves[n], kept.found[n], kept.paths[n] = p, g, paths[k]
      end
   end
   check_separate(name, updated.leaves, updated.paths)
   return kept.leaves, kept.found, kept.paths, paths
end

--- gradients(name, t): returns the list of the gradients in a nested table, each once, without
-- those that have no elements. Raises an error of the function `name` if it cannot change one of
-- them in place.
function parameters.gradients(name, t)
   if not is_gradient(t) then
      tree.check(t)
      raise(('optim.%s: a table of gradients is expected, got %s'):format(name, describe(t)))
   end
   local list = {}
   for _, g in ipairs(tree.leaves(t, function(value) return is_blob(value) and value:diff() end)) do
      if is_floating(g) and g:nElement() > 0 then
         if overlap.within(g) then
            raise(('optim.%s: elements of %s share memory, as those of expand do'):format(
               name, describe(g)))
         end
         list[#list + 1] = g
      end
   end
   return list
end

return parameters
