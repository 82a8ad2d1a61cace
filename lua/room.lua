-- Whether there is address space for the libraries that the module brings along. OpenBLAS takes its
-- first buffer while it is loaded, and where there is none it tries for ever: then `require` fails.

local function check()
   local found, ffi = pcall(require, 'ffi')
   if not found or ffi.os ~= 'Linux' then
      return
   end
   pcall(ffi.cdef, [[
      void *tensor_mmap(void *, size_t, int, int, int, intptr_t) __asm__("mmap");
      int tensor_munmap(void *, size_t) __asm__("munmap");
      void *tensor_dlopen(const char *, int) __asm__("dlopen");
   ]])
   -- RTLD_LAZY and RTLD_NOLOAD: a library that is there already has what it needs.
   if ffi.C.tensor_dlopen('libTH.so.0', 1 + 4) ~= nil then
      return
   end
   local bytes = 200 * 2 ^ 20
   -- No access; private and anonymous.
   local room = ffi.C.tensor_mmap(nil, bytes, 0, 0x22, -1, 0)
   if ffi.cast('intptr_t', room) == -1 then
      error(('tensor: out of memory: its libraries need %d MiB of address space')
            :format(bytes / 2 ^ 20), 0)
   end
   ffi.C.tensor_munmap(room, bytes)
end

return check
