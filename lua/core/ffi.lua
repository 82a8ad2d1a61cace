-- The FFI interface of tensors and storages: pointers to their elements and to their C structs.

local classes = require 'tensor.classes'
local each = require 'tensor.versions'.each
local raise = require 'tensor.raise'
local types = require 'tensor.types'

-- Used instead of the FFI in Lua versions without it.
local none = {
   cdef = function() end,
   typeof = function(text) return text end,
   cast = function()
      raise 'pointers need the FFI of LuaJIT: data(true) and cdata(true) give addresses'
   end,
}

local function install(tensor)
   local ffi = require 'tensor.versions'.ffi or none

   -- cdef fails if another Lua state or a package has already declared the type in this process.
   local function declare(text)
      pcall(ffi.cdef, text)
   end
   declare 'typedef struct THHalf { unsigned short x; } THHalf;'
   declare 'typedef struct THBFloat16 { unsigned short x; } THBFloat16;'
   declare 'typedef struct THGenerator THGenerator;'

   -- The public fields, as in the installed headers.
   local structs = {
      Storage = [[typedef struct THRealStorage {
         real *data; ptrdiff_t size; int refcount; char flag;
      } THRealStorage;]],
      Tensor = [[typedef struct THRealTensor {
         int64_t *size; int64_t *stride; int nDimension; THRealStorage *storage;
         ptrdiff_t storageOffset; int refcount; char flag;
      } THRealTensor;]],
   }

   for _, element in ipairs(types) do
      for _, kind in ipairs {'Storage', 'Tensor'} do
         declare((structs[kind]:gsub('Real', element.name):gsub('real', element.ctype)))
      end
   end

   for kind in each(structs) do
      classes.extend(kind, function(class, element)
         local pointer = ffi.typeof(element.ctype .. '*')
         local object = ffi.typeof(('TH%s%s*'):format(element.name, kind))
         local address, structaddress = class._address, class._struct

         --- data([asnumber]): copies the elements to the host if necessary. Returns a pointer to
         -- the first element, or its address as a number. The pointer does not keep the object
         -- alive.
         function class.data(self, asnumber)
            local number = address(self)
            if asnumber then
               return number
            end
            return ffi.cast(pointer, number)
         end

         --- cdata([asnumber]): returns a pointer to the C struct, for C functions called through
         -- the FFI and for its fields: t:cdata().size[0]. Copies the elements to the host if
         -- necessary.
         function class.cdata(self, asnumber)
            local number = structaddress(self)
            if asnumber then
               return number
            end
            return ffi.cast(object, number)
         end
      end)
   end

   --- data(object, ...) and cdata(object, ...): the methods as functions, as in Torch7.
   for _, name in ipairs {'data', 'cdata'} do
      tensor[name] = function(object, asnumber)
         if object == nil and tensor.getRule 'arguments' == 'torch7' then
            return nil
         end
         if not (tensor.isTensor(object) or tensor.isStorage(object)) then
            error(('%s: a tensor or storage is expected, got %s')
                  :format(name, tensor.type(object)), 2)
         end
         return object[name](object, asnumber)
      end
   end
end

return install
