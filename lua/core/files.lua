-- What the formats share. Their readers and writers raise messages without the file's name, which
-- load and save put in front.

local each = require 'tensor.versions'.each
local types = require 'tensor.types'

local files = {}

local CHUNK = 2 ^ 24  -- bytes between two calls of progress

files.LARGEST = 2 ^ 53  -- from which on a number of Lua is no exact count
local MOST_DIMENSIONS = 64  -- of a tensor

local element_of_class = {}
for _, element in ipairs(types) do
   element_of_class[('torch.%sTensor'):format(element.name)] = element.name
end

--- The message of an error without the place where it was raised, and the function.
function files.cause(failure)
   failure = tostring(failure):gsub('^[^\n]-:%d+: ', '')
   return (failure:gsub('^%a+: ', ''))
end

--- 'Float' of a FloatTensor; nil of any other object.
function files.element(tensor, object)
   return element_of_class[tensor.typename(object) or '']
end

--- 'Float' of what users call it: 'Float', 'FloatTensor' or 'torch.FloatTensor'.
function files.element_named(name)
   local text = type(name) == 'string' and name:gsub('^torch%.', ''):gsub('Tensor$', '')
   return text and element_of_class[('torch.%sTensor'):format(text)]
end

--- Raises an error where the options are none of those that known names, or of another type.
function files.check(options, known)
   for name, value in each(options) do
      local wanted = known[name]
      if not wanted then
         local names = {}
         for option in each(known) do
            names[#names + 1] = option
         end
         table.sort(names)
         error(('no option is named %s; there are %s')
               :format(tostring(name), table.concat(names, ', ')), 0)
      elseif not wanted:find(type(value), 1, true) then
         error(('the option %s is a %s, got a %s')
               :format(name, wanted:gsub(' ', ' or '), type(value)), 0)
      end
   end
end

--- A file that is read as bytes, and how many these are.
function files.open(tensor, filename)
   local file = tensor.DiskFile(filename, 'r'):binary():quiet()
   file:seekEnd()
   if file:hasError() then
      file:close()
      error('no regular file', 0)
   end
   local size = file:position() - 1
   file:seek(1)
   return file:pedantic(), size
end

--- The next bytes, which must be there, as a string.
function files.text(file, count)
   return count == 0 and '' or file:readChar(count):string()
end

--- Progress of so many bytes, a function to be called with how many were done more.
function files.progress(options, total)
   local tell, done = options.progress, 0
   if not tell then
      return function() end
   end
   tell(0, total)
   return function(bytes)
      done = done + bytes
      tell(done, total)
   end
end

local function in_chunks(storage, first, count, done, move)
   local item = storage:elementSize()
   local most = CHUNK / item
   for at = 0, count - 1, most do
      local n = math.min(most, count - at)
      move(first + at, n)
      done(n * item)
   end
end

--- So many elements of a storage, from first on, from the file and to the file.
function files.read(tensor, file, storage, count, done)
   in_chunks(storage, 1, count, done, function(first, n)
      tensor._readrange(file, storage, first, n)
   end)
end
function files.write(tensor, file, storage, first, count, done)
   in_chunks(storage, first, count, done, function(from, n)
      tensor._writerange(file, storage, from, n)
   end)
end

--- A storage of so many elements, and of one where there are none.
function files.storage(tensor, element, count)
   local storage = tensor[element .. 'Storage'](math.max(count, 1))
   if count == 0 then
      storage:fill(0)
   end
   return storage
end

--- Returns the number of bytes of a tensor: the product of sizes and the bytes of an element.
-- Errors: more dimensions than a tensor has; more bytes than a number counts exactly, where a size
-- of 0 counts as 1, since strides are products of the other sizes.
function files.bytes(sizes, item)
   if #sizes > MOST_DIMENSIONS then
      error(('%d dimensions; a tensor has at most %d'):format(#sizes, MOST_DIMENSIONS), 0)
   end
   local count, isempty = item, false
   for _, size in ipairs(sizes) do
      isempty = isempty or size == 0
      count = count * math.max(size, 1)
      if size > files.LARGEST or count > files.LARGEST then
         error(('a tensor of %s elements is too large'):format(table.concat(sizes, ' x ')), 0)
      end
   end
   return isempty and 0 or count
end

--- The elements of a tensor in their order, as a storage, and where in it they begin.
function files.elements(t)
   local dense = t:contiguous()
   if dense:nElement() == 0 then
      return t.new(1):storage(), 1
   end
   return dense:storage(), dense:storageOffset()
end

--- A tensor of sizes, a table, on a storage from an element on; strides may be nil.
function files.tensor(tensor, element, storage, first, sizes, strides)
   local Tensor, shape = tensor[element .. 'Tensor'], tensor.LongStorage(sizes)
   if not strides then
      return Tensor(storage, first, shape)
   end
   return Tensor(storage, first, shape, tensor.LongStorage(strides))
end

--- Maps an open file: returns a storage of its elements, none of which is read before it is used,
-- and the index of the element at a byte offset.
function files.map(tensor, element, file, offset)
   local storage = tensor._mapfile(file, tensor[element .. 'Storage']())
   local item = storage:elementSize()
   if offset % item ~= 0 then
      error(('it cannot be mapped: its elements of %d bytes begin at byte %d'):format(item, offset),
            0)
   end
   return storage, offset / item + 1
end

--- Replaces a file. Calls write with the name of the file to write, which takes the place of the
-- file when write returns. If write raises an error, the file keeps its contents.
function files.replace(tensor, filename, write)
   local replacement, name = tensor._newfile(filename)
   local written, failure = pcall(write, name)
   if written then
      written, failure = pcall(tensor._commitfile, replacement)
   end
   tensor._dropfile(replacement)
   if not written then
      if name ~= filename then
         local from = name:gsub('%p', '%%%0')
         failure = tostring(failure):gsub(from, (filename:gsub('%%', '%%%%')))
      end
      error(failure, 0)
   end
end

--- The same with an open file.
function files.write_file(tensor, filename, write)
   files.replace(tensor, filename, function(name)
      local file = tensor.DiskFile(name, 'w'):binary()
      local written, failure = pcall(write, file)
      local closed, closing_failure = pcall(file.close, file)
      if not (written and closed) then
         error(written and closing_failure or failure, 0)
      end
   end)
end

--- What a file begins with is read by read, and it is closed.
function files.read_file(tensor, filename, read)
   local file, size = files.open(tensor, filename)
   local done, result, more = pcall(read, file, size)
   local at = file:quiet():position()
   file:close()
   if not done then
      local text = tostring(result)
      error(text:find('read error', 1, true) and ('%s, at byte %d'):format(text, at) or result, 0)
   end
   return result, more
end

return files
