-- The FFI's view of tensors and storages: pointers to their elements and to their C structs.

local types = require 'tensor.types'

-- What takes its place where there is none.
local none = {
   cdef = function() end,
   typeof = function(text) return text end,
   cast = function()
      error('pointers need the FFI of LuaJIT: data(true) and cdata(true) give addresses', 3)
   end,
}

local function install(tensor)
   local ffi = require 'tensor.versions'.ffi or none

   -- Once per process: another Lua state, or a package, may have declared them before.
   local function declare(text)
      pcall(ffi.cdef, text)
   end
   declare 'typedef struct THHalf { unsigned short x; } THHalf;'
   declare 'typedef struct THBFloat16 { unsigned short x; } THBFloat16;'
   declare 'typedef struct THGenerator THGenerator;'

   -- The fields that C code may read, as the installed headers have them.
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
         local struct = ('TH%s%s'):format(element.name, kind)
         declare((structs[kind]:gsub('Real', element.name):gsub('real', element.ctype)))
         local class = tensor.getmetatable(('torch.%s%s'):format(element.name, kind))
         local pointer = ffi.typeof(element.ctype .. '*')
         local object = ffi.typeof(struct .. '*')
         local address, structaddress = class._address, class._struct

         --- A pointer to the first element, or its address as a number. The elements must be kept
         -- alive by a reference to the object, and are at the CPU from now on.
         function class.data(self, asnumber)
            local number = address(self)
            if asnumber then
               return number
            end
            return ffi.cast(pointer, number)
         end

         --- A pointer to the C struct, for C functions called through the FFI, and for its fields:
         -- t:cdata().size[0]. The elements are at the CPU from now on.
         function class.cdata(self, asnumber)
            local number = structaddress(self)
            if asnumber then
               return number
            end
            return ffi.cast(object, number)
         end
      end
   end

   --- Functions of the methods' names, as Torch7 has them.
   for _, name in ipairs {'data', 'cdata'} do
      tensor[name] = function(object, asnumber)
         if not (tensor.isTensor(object) or tensor.isStorage(object)) then
            error(('%s: a tensor or storage is expected, got %s')
                  :format(name, tensor.type(object)), 2)
         end
         return object[name](object, asnumber)
      end
   end
end

return install
