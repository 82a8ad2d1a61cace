-- tensor.data: the idx files of MNIST and similar data sets.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise

local idx = {}

-- Types of elements by the third byte of a file, and their sizes in bytes.
local types = {
   [8] = 'Byte', [9] = 'Char', [11] = 'Short', [12] = 'Int', [13] = 'Float', [14] = 'Double',
}
local bytes = {Byte = 1, Char = 1, Short = 2, Int = 4, Float = 4, Double = 8}

-- The text after the data of a compressed file in which gzip has found no error.
local COMPLETE = 'complete'

local function exists(filename)
   local file = io.open(filename, 'rb')
   if file then
      file:close()
   end
   return file ~= nil
end

-- Opens a file. A file that ends in .gz is read through the program gzip, and COMPLETE follows.
-- Returns the file and its length; nil: unknown.
local function open(filename)
   if not exists(filename) then
      raise(('data.idx: cannot open <%s>'):format(filename))
   elseif filename:find '%.gz$' then
      local quoted = "'" .. filename:gsub("'", "'\\''") .. "'"
      return tensor.PipeFile(('gzip -dc < %s 2> /dev/null && printf %s'):format(quoted, COMPLETE),
                             'r')
   end
   local file = tensor.DiskFile(filename, 'r')
   file:seekEnd()
   local length = file:position() - 1
   file:seek(1)
   return file, length
end

-- length: that of the file, or nil for a compressed one.
local function read(file, length)
   file:binary():bigEndianEncoding():quiet()
   local function numbers(element, count)
      local storage = file['read' .. element](file, count)
      if file:hasError() or storage:size() ~= count then
         error(length and 'the file ends too early' or 'the file ends too early or is damaged', 0)
      end
      return storage
   end
   local head = numbers('Byte', 4)
   local element = types[head[3]]
   if head[1] ~= 0 or head[2] ~= 0 or not element or head[4] < 1 then
      error('not an idx file', 0)
   end
   local size_list, count = numbers('Int', head[4]):totable(), 1.0
   for d, size in ipairs(size_list) do
      -- The sizes of the format are unsigned.
      size_list[d] = size < 0 and size + 2 ^ 32 or size
      count = count * size_list[d]
   end
   local expected = 4 + 4 * head[4] + count * bytes[element]
   if count > 2 ^ 40 or count ~= count then
      error('the header states more than 2^40 elements', 0)
   elseif length and length ~= expected then
      error(('the header states %.0f bytes, but the file has %d'):format(expected, length), 0)
   end
   local elements = numbers(element, count)
   if not length then
      local rest = numbers('Byte', #COMPLETE):string()
      if rest ~= COMPLETE then
         error('the file is longer than its header states', 0)
      end
   end
   return tensor[element .. 'Tensor'](elements, 1, tensor.LongStorage(size_list))
end

--- idx(filename): reads a file in the idx format, which may be compressed by gzip (.gz). Returns a
-- tensor with the file's element type and sizes. The length must be that of the header.
function idx.idx(filename)
   if type(filename) ~= 'string' then
      raise(('data.idx: the name of a file is expected, got %s'):format(type(filename)))
   end
   local file, length = open(filename)
   local done, result = pcall(read, file, length)
   file:close()
   if not done then
      raise(('data.idx: %s: %s'):format(filename, tostring(result)))
   end
   return result
end

local function find(folder, name)
   for _, suffix in ipairs{'', '.gz'} do
      local filename = ('%s/%s%s'):format(folder, name, suffix)
      if exists(filename) then
         return filename
      end
   end
   return ('%s/%s'):format(folder, name)
end

--- mnist(folder): reads the four files of MNIST, with their usual names. Returns two tables, train
-- and test, with the fields images, a ByteTensor of count x rows x columns, and classes, a
-- LongTensor of the digits plus 1.
function idx.mnist(folder)
   local function part(name)
      return {images = idx.idx(find(folder, name .. '-images-idx3-ubyte')),
              classes = idx.idx(find(folder, name .. '-labels-idx1-ubyte')):long():add(1)}
   end
   return part 'train', part 't10k'
end

return idx
