-- DLPack: exchanges tensors with other libraries in the process, through the FFI.

local refuse_extra = require 'tensor.extra_arguments'.refuse
local classes = require 'tensor.classes'

-- the structs of THDLPack.h
local declarations = {
   [[typedef struct { uint32_t major, minor; } DLPackVersion;]],
   [[typedef struct { int32_t device_type, device_id; } DLDevice;]],
   [[typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;]],
   [[typedef struct {
      void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides;
      uint64_t byte_offset;
   } DLTensor;]],
   [[typedef struct DLManagedTensor {
      DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self);
   } DLManagedTensor;]],
   [[typedef struct DLManagedTensorVersioned {
      DLPackVersion version; void *manager_ctx;
      void (*deleter)(struct DLManagedTensorVersioned *self); uint64_t flags; DLTensor dl_tensor;
   } DLManagedTensorVersioned;]],
   [[typedef struct { DLManagedTensorVersioned *managed; } THDLPack;]],
}

local function install(tensor)
   local ffi = require 'tensor.versions'.ffi
   if not ffi then
      local function refusal(name, got)
         return function(...)
            error(('%s: it needs the FFI of LuaJIT%s')
                  :format(name, got and ', got ' .. tensor.type((...)) or ''), 2)
         end
      end
      classes.extend('Tensor', function(class)
         class.toDLPack = refusal 'toDLPack'
      end)
      tensor.fromDLPack = refusal('fromDLPack', true)
      return
   end
   for _, text in ipairs(declarations) do
      pcall(ffi.cdef, text)  -- fails if already declared; see ffi.lua
   end
   local Versioned, Unversioned = ffi.typeof 'DLManagedTensorVersioned*',
                                  ffi.typeof 'DLManagedTensor*'
   local Owner = ffi.typeof 'THDLPack'

   local function address_of(object)
      return tonumber(ffi.cast('uintptr_t', ffi.cast('void *', object)))
   end

   local function check(owner, name)
      if not ffi.istype(Owner, owner) then
         error(('%s: a result of toDLPack is expected, got %s'):format(name, tensor.type(owner)), 3)
      elseif owner.managed == nil then
         error(name .. ': the struct has already been handed over', 3)
      end
   end

   -- Methods of Owner, a cdata that owns the exported struct until release() or fromDLPack takes it
   -- over.
   local methods = {}
   --- release(): returns the pointer, a DLManagedTensorVersioned*. The receiver must call its
   -- deleter.
   function methods.release(owner)
      check(owner, 'release')
      local managed = owner.managed
      owner.managed = nil
      return managed
   end
   pcall(ffi.metatype, Owner, {
      __index = methods,
      __gc = function(owner)
         local managed = owner.managed
         if managed ~= nil then
            owner.managed = nil
            managed.deleter(managed)
         end
      end,
   })

   classes.extend('Tensor', function(class)
      --- t:toDLPack([device]): returns a cdata that owns a view of the elements for another
      -- library, by default on the CPU. The pointer is its field `managed`, or the result of
      -- release().
      function class.toDLPack(self, device, ...)
         refuse_extra('toDLPack', 2, self, device, ...)
         local owner = Owner()
         tensor._todlpack(self, address_of(owner), device)
         return owner
      end
   end)

   --- fromDLPack(cdata): returns a tensor that shares the elements and takes ownership of the
   -- struct. cdata: the result of toDLPack, or a DLManagedTensorVersioned* or DLManagedTensor* of
   -- another library.
   function tensor.fromDLPack(managed)
      if ffi.istype(Owner, managed) then
         check(managed, 'fromDLPack')
         local t = tensor._fromdlpack(address_of(managed.managed), true)
         managed.managed = nil
         return t
      end
      local isversioned = ffi.istype(Versioned, managed)
      if not isversioned and not ffi.istype(Unversioned, managed) then
         error(('fromDLPack: a result of toDLPack or a DLPack pointer is expected, got %s')
               :format(tensor.type(managed)), 2)
      end
      local t = tensor._fromdlpack(address_of(managed), isversioned)
      ffi.gc(managed, nil)
      return t
   end
end

return install
