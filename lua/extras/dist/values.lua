-- Collectives on Lua values, by the serializer. Their bytes are sent as tensors.

local tensor = require 'tensor'
local files = require 'tensor.files'
local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local parts = require 'tensor.dist.parts'
local raise = require 'tensor.native'.raise

local function install(Group)
   -- A CharTensor with the bytes of a value.
   function Group.own_to_tensor(value)
      return tensor.CharTensor(tensor.serializeToStorage(value))
   end

   -- The same. All ranks raise an error if the value cannot be written. name: that of the call.
   local function bytes_of(self, name, value)
      local fine, bytes = pcall(Group.own_to_tensor, value)
      if not fine then
         arguments.fail(self, ('%s: %s'):format(name, files.cause(bytes)))
      end
      return bytes
   end

   function Group.own_from_tensor(bytes)
      -- All ranks run the same program, so its functions may be exchanged, too.
      return tensor.deserializeFromStorage(bytes:contiguous():clone():storage(), {functions = true})
   end

   -- caller: the name of the function that the program has called. The ranks compare it.
   local function call(self, caller, name, r, t, root)
      native.call(self.native, name, r, t, nil, root and root - 1, false,
                  parts.of_call(caller, 'a value'))
   end

   local function refuse_options(name, options)
      if options.async then
         raise(('%s: only tensors can be exchanged asynchronously'):format(name))
      elseif options.result then
         raise(('%s: the option result is for tensors'):format(name))
      end
   end

   function Group:own_broadcast_value(value, root, options, caller)
      caller = caller or 'broadcast'
      refuse_options('broadcast', options)
      if self.own_size == 1 then
         return value
      end
      local is_root = self.own_rank == root
      local bytes = is_root and bytes_of(self, caller, value)
      local count = tensor.LongTensor{bytes and bytes:size(1) or 0}
      call(self, caller, 'broadcast', nil, count, root)
      bytes = bytes or tensor.CharTensor(count[1])
      call(self, caller, 'broadcast', nil, bytes, root)
      if is_root then
         return value
      end
      return Group.own_from_tensor(bytes)
   end

   -- Overwrites the strings and booleans of a table by those of the root. found: as of
   -- parts.collect.
   function Group:own_broadcast_others(found, root)
      local values = {}
      for k, other in ipairs(found.others) do
         values[k] = other.owner[other.key]
      end
      if #values > 0 then
         values = self:own_broadcast_value(values, root, {}, found.call)
      end
      for k, other in ipairs(found.others) do
         other.owner[other.key] = values[k]
      end
   end

   -- Returns a list of the values in the rows of a matrix, where row k has counts[k] bytes.
   local function values_of(rows, counts)
      local values = {n = counts:size(1)}
      for k = 1, values.n do
         values[k] = Group.own_from_tensor(rows[k]:narrow(1, 1, counts[k][1]))
      end
      return values
   end

   function Group:own_gather_values(name, value, root, options, caller)
      caller = caller or name
      refuse_options(name, options)
      local bytes = bytes_of(self, caller, value)
      local counts = tensor.LongTensor()
      call(self, caller, 'allGather', counts, tensor.LongTensor{bytes:size(1)})
      local padded = tensor.CharTensor(counts:max()):zero()
      padded:narrow(1, 1, bytes:size(1)):copy(bytes)
      local rows = tensor.CharTensor()
      call(self, caller, name, rows, padded, root)
      if root and root ~= self.own_rank then
         return nil
      end
      return values_of(rows, counts)
   end

   function Group:own_scatter_values(list, root)
      local is_root = self.own_rank == root
      local counts = tensor.LongTensor(self.own_size):zero()
      local rows
      if is_root then
         if type(list) ~= 'table' then
            arguments.fail(self, 'scatter: a list of values is expected, got ' .. tensor.type(list))
         end
         local n = list.n or #list
         if n ~= self.own_size then
            arguments.fail(self, ('scatter: the list has %s values for %d ranks'):format(
               tostring(n), self.own_size))
         end
         local all = {}
         for k = 1, n do
            all[k] = bytes_of(self, 'scatter', list[k])
            counts[k] = all[k]:size(1)
         end
         rows = tensor.CharTensor(self.own_size, counts:max()):zero()
         for k, bytes in ipairs(all) do
            rows[k]:narrow(1, 1, counts[k]):copy(bytes)
         end
      end
      call(self, 'scatter', 'broadcast', nil, counts, root)
      local own = tensor.CharTensor(counts:max())
      call(self, 'scatter', 'scatter', own, rows, root)
      return Group.own_from_tensor(own:narrow(1, 1, counts[self.own_rank]))
   end
end

return install
