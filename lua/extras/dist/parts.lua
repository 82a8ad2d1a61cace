-- The tensors and the numbers of nested tables, in a fixed order, with their names.

local tensor = require 'tensor'
local native = require 'tensor.native'.dist
local tree = require 'tensor.tree'
local types = require 'tensor.types'

local parts = {}

--- is_floating(leaf): true for tensors whose elements can be divided.
function parts.is_floating(leaf)
   return types.is_floating[leaf:type()]
end

--- class_of(leaf): the name of its class on the CPU, without the module: 'FloatTensor'; that of a
-- class that a program has derived, unchanged.
function parts.class_of(leaf)
   local element = types.element_name(leaf)
   return element and element .. 'Tensor' or leaf:type()
end

local is_plain = {boolean = true, number = true, string = true}

--- collect(call, x [, numbers [, skips_integers]]): a table with the lists `leaves`, the tensors in
-- x, each once, and `names`, such as 'layers.1.weight'. If numbers is true, numbers are leaves,
-- too: DoubleTensors of one element. If skips_integers is true, tensors of integers are not leaves.
-- The list `others` has the rows {owner=, key=, name=} of the strings, booleans and other numbers.
-- call: the name of the function that was called, for errors.
function parts.collect(call, x, numbers, skips_integers)
   local found = {call = call, x = x, leaves = {}, names = {}, numbers = {}, others = {}}
   local seen = {}
   local enclosing = {}
   local function add(leaf, name)
      found.leaves[#found.leaves + 1] = leaf
      found.names[#found.names + 1] = name
   end
   local function visit(value, name, owner, key)
      if tensor.isTensor(value) then
         if not seen[value] and not (skips_integers and not parts.is_floating(value)) then
            seen[value] = true
            add(value, name)
         end
      elseif numbers and type(value) == 'number' then
         local leaf = tensor.DoubleTensor{value}
         add(leaf, name)
         table.insert(found.numbers, {owner = owner, key = key, leaf = leaf, name = name})
      elseif is_plain[type(value)] and owner then
         table.insert(found.others, {owner = owner, key = key, name = name})
      elseif type(value) == 'table' then
         tree.enter(enclosing, value, call)
         for _, k in ipairs(tree.keys(value)) do
            visit(value[k], name == '' and tostring(k) or name .. '.' .. tostring(k), value, k)
         end
         enclosing[value] = nil
      end
   end
   visit(x, '')
   return found
end

--- put(found): writes the leaves of numbers back to the tables. Returns x, or its new value if it
-- is a number.
function parts.put(found)
   for _, number in ipairs(found.numbers) do
      if not number.owner then
         return number.leaf[1]
      end
      number.owner[number.key] = number.leaf[1]
   end
   return found.x
end

--- describe(found [, others]): a text such as 'bias Float[3], weight Float[2 x 3]', which is equal
-- on all ranks if they have the same tensors. If others is true, also the names in found.others.
function parts.describe(found, others)
   local texts = {}
   for k, leaf in ipairs(found.leaves) do
      local sizes = {}
      for d = 1, leaf:dim() do
         sizes[d] = leaf:size(d)
      end
      local name = found.names[k]
      texts[k] = ('%s%s%s[%s]'):format(name, name == '' and '' or ' ',
                                       types.element_name(leaf) or leaf:type(),
                                       table.concat(sizes, ' x '))
   end
   for _, other in ipairs(others and found.others or {}) do
      texts[#texts + 1] = other.name
   end
   return table.concat(texts, ', ')
end

--- of_call(call, detail): a description, with the name of the function that the program has called.
-- Messages show both. For functions that make other calls.
function parts.of_call(call, detail)
   return call .. '\31' .. detail  -- Header::kAfterCaller
end

--- agree(group, found): raises an error on all ranks unless each of them calls this with the same
-- leaves. For tables without elements to exchange.
function parts.agree(group, found)
   local detail = #found.leaves > 0 and parts.describe(found) or 'no tensors'
   native.call(group.native, 'barrier', nil, nil, nil, nil, false,
               parts.of_call(found.call, detail))
end

return parts
