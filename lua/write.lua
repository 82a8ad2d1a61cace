-- write(file) and read(file) of tensors, storages and generators: what an object consists of, by
-- the methods of a Torch7 file, writeInt, writeLong, writeObject and their like, in its order.

local types = require 'tensor.types'

local function install(tensor)
   -- The method of a file, or an error that says what is missing.
   local function method(name, file, key)
      local kind = type(file)
      local found = (kind == 'table' or kind == 'userdata') and file[key]
      if not found then
         error(('%s: a file with the method %s is expected, got %s')
               :format(name, key, tensor.type(file)), 3)
      end
      return found
   end

   local function storage_of(list)
      return tensor.LongStorage(list:totable())
   end

   local function read_count(name, value, most)
      if type(value) ~= 'number' or value < 0 or value > most or value % 1 ~= 0 then
         error(('%s: the file has %s where a size is expected'):format(name, tostring(value)), 3)
      end
      return value
   end

   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))

      --- t:write(file): sizes, strides, offset, and the storage as an object of its own.
      function class.write(self, file)
         local put_long = method('write', file, 'writeLong')
         method('write', file, 'writeInt')(file, self:dim())
         put_long(file, storage_of(self:size()))
         put_long(file, storage_of(self:stride()))
         put_long(file, self:storageOffset())
         method('write', file, 'writeObject')(file, self:storage())
      end

      --- t:read(file): t becomes the view that was written, of the storage that the file gives.
      function class.read(self, file)
         local get_long = method('read', file, 'readLong')
         local ndim = read_count('read', method('read', file, 'readInt')(file), 64)
         local sizes, strides = get_long(file, ndim), get_long(file, ndim)
         local offset = get_long(file)
         local storage = method('read', file, 'readObject')(file)
         if storage == nil then
            self:set():resize(sizes)
         elseif ndim == 0 then
            self:set(storage, offset)
         else
            self:set(storage, offset, sizes, strides)
         end
         return self
      end

      class = tensor.getmetatable(('torch.%sStorage'):format(element.name))

      --- s:write(file): the number of elements, and these.
      function class.write(self, file)
         method('write', file, 'writeLong')(file, self:size())
         method('write', file, 'write' .. element.name)(file, self)
      end

      --- s:read(file): s gets the size and the elements that were written.
      function class.read(self, file)
         local size = read_count('read', method('read', file, 'readLong')(file), 2 ^ 53)
         local elements = method('read', file, 'read' .. element.name)(file, size)
         return self:resize(size):copy(elements)
      end
   end

   local class = tensor.getmetatable 'torch.Generator'

   --- g:write(file): the generator's state, as getRNGState gives it.
   function class.write(self, file)
      method('write', file, 'writeByte')(file, tensor.getRNGState(self):storage())
   end

   --- g:read(file): goes on where the generator that was written stood.
   function class.read(self, file)
      local size = tensor.getRNGState(self):nElement()
      local state = method('read', file, 'readByte')(file, size)
      tensor.setRNGState(self, tensor.ByteTensor(state))
      return self
   end
end

return install
