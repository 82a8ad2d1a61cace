-- The classes of tensors and storages. A class gets its methods when a program first uses it
-- (generic/classes.cc): programs use few of the element types, and the garbage collector visits
-- each method.

local core = require 'tensor.core'
local limit = require 'tensor.extra_arguments'.limit
local by_name = require 'tensor.types'.by_name
local each = require 'tensor.versions'.each

-- The program may assign to globals before a class is first used.
local ipairs = ipairs

local classes = {}

-- The functions of extend, and the classes that have their methods, by kind.
local extensions = {Tensor = {}, Storage = {}}
local prepared = {Tensor = {}, Storage = {}}

--- extend(kind, f): calls f(class, element) for each class of a kind, 'Tensor' or 'Storage', before
-- a program can use it. element: the row of tensor.types.
function classes.extend(kind, f)
   table.insert(extensions[kind], f)
   for class, element in each(prepared[kind]) do
      f(class, element)
      limit(class)
   end
end

-- Private. If this file has been loaded before, the classes have its functions already.
if core._extendclasses then
   core._extendclasses(function(class, kind, name)
      local element = by_name[name]
      for _, f in ipairs(extensions[kind]) do
         f(class, element)
      end
      limit(class)
      prepared[kind][class] = element
   end)
   core._extendclasses = nil
end

return classes
