-- Classes: torch.class, and functions that return or test the type of an object.

-- Returns the module of a class name: the global (possibly nested) table before the last dot, or
-- the non-table value found there. Uses rawget, since reading undefined globals may raise an error.
local function named_module(name)
   local at = _G
   for part in name:gmatch '([^.]*)%.' do
      at = type(at) == 'table' and rawget(at, part) or nil
   end
   return at
end

local function install(tensor)
   -- typename(object): the class name, or nil if the value has no class.
   local typename = tensor.typename

   --- type(object): the class name, or the Lua type name if the value has no class.
   function tensor.type(object)
      return typename(object) or type(object)
   end

   -- Returns the module that receives the constructor of a class, or nil for the existing global
   -- module. Names that start with 'torch.' belong to this module if there is no global `torch`.
   -- Raises an error if the module does not exist.
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
      error(('%s: cannot create the class %s: %s is %s; a table is expected')
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

   --- newmetatable(name, ...): creates a luaT class with these functions, or adds them to an
   -- existing class.
   function tensor.newmetatable(name, parent, constructor, destructor, factory, module)
      if type(name) ~= 'string' then
         error('newmetatable: a class name is expected, got ' .. tensor.type(name), 2)
      end
      module = module_for(name, module, 'newmetatable')
      local class = newmetatable(name, parent, constructor, destructor, factory, module)
      return class
   end

   --- class(name [, parent] [, module]): creates a class of tables. Returns the table for its
   -- methods, and the parent's. The name may start with a module name and a dot; the constructor
   -- becomes a field of that module, or of the table `module` if it is given.
   function tensor.class(name, parent, module)
      if type(name) ~= 'string' then
         error('class: a class name is expected, got ' .. tensor.type(name), 2)
      end
      if type(parent) == 'table' and module == nil then
         parent, module = nil, parent
      end
      if parent and not tensor.getmetatable(parent) then
         error(('class: unknown parent class %s of %s'):format(parent, name), 2)
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

   -- Compares a class name with a name or a Lua pattern. A plain name must be equal; a pattern may
   -- match part of the class name.
   local function ismeant(name, wanted)
      local found, first, last = pcall(name.find, name, wanted)
      if not found then
         error(('isTypeOf: %s is neither a class name nor a pattern'):format(wanted), 3)
      end
      return first and (name == wanted or name:sub(first, last) ~= wanted)
   end

   --- isTypeOf(object, class): true if the object is an instance of the class or of a derived
   -- class. class: a name, a Lua pattern that matches any part of the name ('.*Long'), or a
   -- metatable.
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

   --- setdefaulttensortype(name): sets the class of tensor.Tensor and of tensors created without a
   -- type.
   function tensor.setdefaulttensortype(name)
      local element = type(name) == 'string' and name:match('^torch%.(.*)Tensor$')
      if not element or not rawget(tensor, element .. 'Tensor') then
         error(("setdefaulttensortype: %s is not a tensor class, as 'torch.FloatTensor' is")
               :format(tostring(name)), 2)
      end
      tensor._defaulttype(name)
      tensor.Tensor = tensor[element .. 'Tensor']
      tensor.Storage = tensor[element .. 'Storage']
   end

   --- getdefaulttensortype(): returns the name of the default tensor class.
   function tensor.getdefaulttensortype()
      return tensor._defaulttype()
   end
end

return install
