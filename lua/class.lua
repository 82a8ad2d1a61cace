-- Classes: torch.class and what asks an object for its type.

-- The table that the part of a class name before its last dot names, or what stands in its place.
-- Reads raw, since globals may be guarded against being read before they exist.
local function named_module(name)
   local at = _G
   for part in name:gmatch '([^.]*)%.' do
      at = type(at) == 'table' and rawget(at, part) or nil
   end
   return at
end

local function install(tensor)
   -- A class name, or nil for anything that is no object of a class.
   local typename = tensor.typename

   --- The class name of an object, or Lua's type name of anything else.
   function tensor.type(object)
      return typename(object) or type(object)
   end

   -- Where the constructor of a class goes: to its module, which must be there. The module torch is
   -- this one where no global has the name.
   local function module_for(name, module, caller)
      if module ~= nil or type(name) ~= 'string' then
         return module
      end
      local found = named_module(name)
      if type(found) == 'table' then
         return nil
      end
      if found == nil and name:find '^torch%.[^.]*$' then
         return tensor
      end
      error(('%s: the class %s cannot be made, since %s is %s, and no table')
            :format(caller, name, name:match '^(.*)%.', tensor.type(found)), 3)
   end

   local make = tensor.newmetatable
   local function newmetatable(...)
      local made, result = pcall(make, ...)
      if not made then
         error(result, 3)
      end
      return result
   end

   --- Makes a class of functions, or adds to one: see luaT.
   function tensor.newmetatable(name, parent, constructor, destructor, factory, module)
      if type(name) ~= 'string' then
         error('newmetatable: a class name is expected, got ' .. tensor.type(name), 2)
      end
      module = module_for(name, module, 'newmetatable')
      local class = newmetatable(name, parent, constructor, destructor, factory, module)
      return class
   end

   --- Makes a class of tables: methods go into the table that is returned first; the second is
   -- the parent's. name may have a module's name before a dot; with a module table given, the
   -- constructor is put there.
   function tensor.class(name, parent, module)
      if type(name) ~= 'string' then
         error('class: a class name is expected, got ' .. tensor.type(name), 2)
      end
      if type(parent) == 'table' and module == nil then
         parent, module = nil, parent
      end
      if parent and not tensor.getmetatable(parent) then
         error(('class: there is no class %s to derive %s from'):format(parent, name), 2)
      end
      module = module_for(name, module, 'class')
      local function constructor(...)
         local object = {}
         tensor.setmetatable(object, name)
         if object.__init then
            object:__init(...)
         end
         return object
      end
      local function factory()
         local object = {}
         tensor.setmetatable(object, name)
         return object
      end
      local class = newmetatable(name, parent, constructor, nil, factory, module)
      return class, parent and tensor.getmetatable(parent)
   end

   -- Whether a class name is meant: a plain name is all of it, a pattern may match a part.
   local function ismeant(name, wanted)
      local found, first, last = pcall(name.find, name, wanted)
      if not found then
         error(('isTypeOf: %s is no class name, nor a pattern for one'):format(wanted), 3)
      end
      return first and (name == wanted or name:sub(first, last) ~= wanted)
   end

   --- Whether an object is of a class or of one derived from it. The class is given by its name, by
   -- a Lua pattern that matches any part of the name ('.*Long'), or by its metatable.
   function tensor.isTypeOf(object, class)
      local wanted
      if type(class) == 'table' then
         wanted = tensor.getmetatable(class.__typename or '') and class.__typename
      else
         wanted = class
      end
      if type(wanted) ~= 'string' then
         error('isTypeOf: a class or its name is expected, got ' .. tensor.type(class), 2)
      end
      local metatable = getmetatable(object)
      local name = typename(object)
      while name and type(metatable) == 'table' do
         if ismeant(name, wanted) then
            return true
         end
         metatable = getmetatable(metatable)
         name = metatable and rawget(metatable, '__typename')
      end
      return false
   end

   --- Sets the class that tensor.Tensor and the constructing functions use.
   function tensor.setdefaulttensortype(name)
      local element = type(name) == 'string' and name:match('^torch%.(.*)Tensor$')
      if not element or not tensor[element .. 'Tensor'] then
         error(('setdefaulttensortype: %s is no tensor class'):format(tostring(name)), 2)
      end
      tensor._defaulttype(name)
      tensor.Tensor = tensor[element .. 'Tensor']
      tensor.Storage = tensor[element .. 'Storage']
   end

   --- The name of the class that tensor.Tensor is.
   function tensor.getdefaulttensortype()
      return tensor._defaulttype()
   end
end

return install
