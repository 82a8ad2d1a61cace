-- tensor.tree: nested tables of tensors, such as the parameters of a network and their gradients.
-- Fields are visited in a fixed order: by number, then by name.

local versions = require 'tensor.versions'
local tensor = require 'tensor'

local is_tensor = tensor.isTensor
local native = require 'tensor.native'
local is_tracked, is_integral = native.is_tracked, require('tensor.types').is_integral
local is_freed, raise, describe = native.is_freed, native.raise, native.describe(tensor)

local tree = {}

local is_name = {number = true, string = true}

--- Returns the keys of a table, numbers and strings, in order.
function tree.keys(t)
   if type(t) ~= 'table' then
      raise(('tree.keys: a table is expected, got %s'):format(describe(t)))
   end
   return versions.sorted_keys(t, is_name)
end

-- Raises an error if a value is a tensor that has been freed.
function tree.check(value)
   if is_freed(value) then
      raise(('a finalizer or tensor.scope has freed a %s'):format(tensor.type(value)))
   end
end

-- Adds a table to the set `enclosing` while its fields are visited. Raises an error if the table
-- is inside itself. name: that of the function that was called.
function tree.enter(enclosing, value, name)
   if enclosing[value] then
      raise((name or 'tree') .. ': a table of tensors contains itself')
   end
   enclosing[value] = true
end

local function check_function(name, f)
   if not versions.is_callable(f) then
      raise(('tree.%s: a function is expected, got %s'):format(name, describe(f)))
   end
end

-- Returns true for a table with fields to visit. A tracked number is a number.
local function is_branch(value)
   return type(value) == 'table' and not is_tracked(value)
end

local function collect(value, list, seen, enclosing, convert)
   if is_branch(value) then
      tree.enter(enclosing, value)
      for _, key in ipairs(tree.keys(value)) do
         collect(value[key], list, seen, enclosing, convert)
      end
      enclosing[value] = nil
      return list
   end
   local leaf = is_tensor(value) and value or convert and convert(value)
   if not leaf then
      tree.check(value)
   elseif not seen[leaf] then
      seen[leaf] = true
      list[#list + 1] = leaf
   end
   return list
end

--- Returns the list of the tensors in a nested table, each once. convert(value), if given, returns
-- the tensor for another value, or nil.
function tree.leaves(t, convert)
   if convert ~= nil then
      check_function('leaves', convert)
   end
   return collect(t, {}, {}, {}, convert)
end

-- Returns true if two lists have the same n values.
local function are_same(a, b, n)
   for k = 1, n do
      if not rawequal(a[k], b[k]) then
         return false
      end
   end
   return true
end

-- Raises an error if a key of one table is not in the other one.
local function check_keys(path, one, other)
   for _, key in ipairs(tree.keys(one)) do
      if other[key] == nil then
         raise(('tree: the tables differ: %s is in only one of them')
               :format(('%s.%s'):format(path, tostring(key)):sub(2)))
      end
   end
end

-- seen: the arguments and the result of earlier calls of f, by the tensor.
local function walk(path, f, value, others, seen, enclosing)
   if is_tensor(value) then
      local call = seen[value]
      if not call or not are_same(call.others, others, #others) then
         call = {others = others, result = f(value, versions.unpack(others))}
         seen[value] = call
      end
      return call.result
   elseif not is_branch(value) then
      return value
   end
   tree.enter(enclosing, value)
   for k, other in ipairs(others) do
      if not is_branch(other) then
         raise(('tree.map: argument %d: a table is expected%s, got %s'):format(
            k + 2, path == '' and '' or ' at ' .. path:sub(2), describe(other)))
      end
      check_keys(path, value, other)
      check_keys(path, other, value)
   end
   local result = {}
   for _, key in ipairs(tree.keys(value)) do
      local own, name = {}, ('%s.%s'):format(path, tostring(key))
      for k, other in ipairs(others) do
         own[k] = other[key]
      end
      result[key] = walk(name, f, value[key], own, seen, enclosing)
   end
   enclosing[value] = nil
   return result
end

--- map(f, t, ...): calls f(tensor, ...) for each tensor in t, with the values at the same places in
-- the other tables. Returns a nested table of the results. Other values in t are kept. A tensor at
-- several places has one result, unless the other values there differ.
function tree.map(f, t, ...)
   check_function('map', f)
   return walk('', f, t, {...}, {}, {})
end

-- Appends the pairs of tensors at the same places in two tables to a list. Raises an error if their
-- shapes differ, or if a key is in only one of them.
local function pair(path, to, from, pairs_found, enclosing)
   local function fail(...)
      raise(('tree.copy: %s: '):format(path) .. string.format(...))
   end
   tree.check(to)
   tree.check(from)
   local is_pair = is_tensor(to)
   if is_pair ~= is_tensor(from) or is_pair and not to:isSameSizeAs(from)
      or is_branch(to) ~= is_branch(from) then
      fail('%s is expected, got %s', describe(to), describe(from))
   elseif is_pair then
      pairs_found[#pairs_found + 1] = {to, from}
   elseif is_branch(to) then
      tree.enter(enclosing, to)
      for _, key in ipairs(tree.keys(from)) do
         if to[key] == nil then
            fail('%s is only in the source', tostring(key))
         end
      end
      for _, key in ipairs(tree.keys(to)) do
         if from[key] == nil then
            fail('%s is only in the destination', tostring(key))
         end
         pair(('%s.%s'):format(path, tostring(key)), to[key], from[key], pairs_found, enclosing)
      end
      enclosing[to] = nil
   end
end

--- copy(to, from): copies the elements of the tensors in `from` into those in `to`, and returns
-- `to`. If the keys or the shapes differ, it raises an error and copies nothing.
function tree.copy(to, from)
   local pairs_found = {}
   pair('to', to, from, pairs_found, {})
   for _, tensors in ipairs(pairs_found) do
      tensors[1]:copy(tensors[2])
   end
   return to
end

-- Raises an error if an object that can be called, such as a layer, is in a table. A copy of its
-- fields could not be called, and the functions in them would share its state. name: that of the
-- function that was called; advice: the end of the message.
local function refuse_objects(name, value, enclosing, advice)
   if not is_branch(value) then
      return
   elseif versions.is_callable(value) then
      -- The text of a network lists its layers.
      local text = getmetatable(value).__tostring and tostring(value):match '^[^({\n]+'
                   or 'an object'
      raise(('tree.%s: a table of tensors is expected, got %s%s'):format(name, text, advice))
   end
   tree.enter(enclosing, value)
   for _, key in ipairs(tree.keys(value)) do
      refuse_objects(name, value[key], enclosing, advice)
   end
   enclosing[value] = nil
end

--- Returns a copy of a nested table with copies of its tensors. Raises an error if it contains an
-- object that can be called, such as a layer.
function tree.clone(t)
   refuse_objects('clone', t, {}, ', which only its constructor can make')
   return tree.map(function(leaf) return leaf:clone() end, t)
end

-- Checks the arguments of flatten and unflatten. Returns the separator and the number of the first
-- element of a list.
local function names_of(name, t, separator, first)
   if not is_branch(t) then
      raise(('tree.%s: a table is expected, got %s'):format(name, describe(t)))
   elseif separator ~= nil and (type(separator) ~= 'string' or separator == '') then
      raise(('tree.%s: a separator of one or more characters is expected, got %s'):format(
         name, separator == '' and 'an empty string' or describe(separator)))
   elseif first ~= nil and first ~= 0 and first ~= 1 then
      raise(('tree.%s: the number of the first element must be 0 or 1, got %s'):format(
         name, type(first) == 'number' and versions.shown(first) or describe(first)))
   end
   return separator or '.', first or 1
end

local function flatten_into(flat, prefix, value, separator, first, enclosing)
   tree.enter(enclosing, value)
   for _, key in ipairs(tree.keys(value)) do
      local field = value[key]
      if type(key) == 'number' and (key < 1 or key % 1 ~= 0) then
         raise(('tree.flatten: the numbers of elements are whole and 1 or more, got %s'):format(
            versions.shown(key)))
      end
      local name = type(key) == 'number' and versions.shown(key - 1 + first) or key
      name = prefix .. name
      if is_branch(field) then
         flatten_into(flat, name .. separator, field, separator, first, enclosing)
      elseif flat[name] ~= nil then
         raise(('tree.flatten: two values have the name %q'):format(name))
      else
         flat[name] = field
      end
   end
   enclosing[value] = nil
end

--- flatten(t [, separator = '.' [, first = 1]]): returns a table of the values in a nested table by
-- the names of their paths, such as 'layers.1.weight', for files of tensors by name. first: the
-- number of the first element of a list, 0 or 1; 0 gives PyTorch's names. Tensors are not copied.
-- Empty tables have no names.
function tree.flatten(t, separator, first)
   separator, first = names_of('flatten', t, separator, first)
   refuse_objects('flatten', t, {}, '; its parameters are what net.init() returns')
   local flat = {}
   flatten_into(flat, '', t, separator, first, {})
   return flat
end

--- unflatten(flat [, separator = '.' [, first = 1]]): returns the nested table of the values in a
-- table by name. A part of a name that is a whole number is an index, which counts from `first`.
function tree.unflatten(flat, separator, first)
   separator, first = names_of('unflatten', flat, separator, first)
   local result, made = {}, {}
   for _, name in ipairs(tree.keys(flat)) do
      if type(name) ~= 'string' then
         raise(('tree.unflatten: a name is expected, got %s'):format(versions.shown(name)))
      end
      local place, from, key = result, 1
      repeat
         local last, following = name:find(separator, from, true)
         local part = name:sub(from, last and last - 1)
         key = (part:find '^[1-9]%d*$' or part == '0') and #part < 16
            and tonumber(part) + 1 - first or part
         if last then
            local inner = place[key]
            if inner == nil then
               inner = {}
               place[key], made[inner] = inner, true
            elseif not made[inner] then
               raise(('tree.unflatten: %q is a value, so it has no field %q'):format(
                  name:sub(1, last - 1), name:sub(following + 1)))
            end
            place, from = inner, following + 1
         end
      until not last
      if place[key] ~= nil then
         raise(('tree.unflatten: %q is a value and a table'):format(name))
      end
      place[key] = flat[name]
   end
   return result
end

--- Returns the number of elements of all tensors.
function tree.count(t)
   local count = 0
   for _, leaf in ipairs(tree.leaves(t)) do
      count = count + leaf:nElement()
   end
   return count
end

--- Returns the Euclidean norm of all elements, a number. Tensors of integers are constants, which
-- do not count.
function tree.norm(t)
   local norms = {}
   for _, leaf in ipairs(tree.leaves(t)) do
      if leaf:nElement() > 0 and not is_integral[leaf:type()] then
         norms[#norms + 1] = leaf:norm()
      end
   end
   if #norms < 2 then
      return norms[1] or 0
   end
   -- The norm of norms has the gradient 0 at 0.
   return tensor.DoubleTensor(norms):norm()
end

return require 'tensor.native'.limit_arguments(tree)
