-- tensor.data: the idx files of MNIST and similar data sets.

local tensor = require 'tensor'

local idx = {}

-- Types of elements by the third byte of a file.
local types = {
   [8] = 'Byte', [9] = 'Char', [11] = 'Short', [12] = 'Int', [13] = 'Float', [14] = 'Double',
}

local function exists(filename)
   local file = io.open(filename, 'rb')
   if file then
      file:close()
   end
   return file ~= nil
end

-- Opens a file. A file that ends in .gz is read through the program gzip.
local function open(filename)
   if not exists(filename) then
      error(('data.idx: cannot open <%s>'):format(filename), 0)
   elseif filename:find '%.gz$' then
      local quoted = "'" .. filename:gsub("'", "'\\''") .. "'"
      return tensor.PipeFile('gzip -dc < ' .. quoted, 'r')
   end
   return tensor.DiskFile(filename, 'r')
end

local function read(file)
   file:binary():bigEndianEncoding()
   local head = file:readByte(4)
   local element = types[head[3]]
   if head[1] ~= 0 or head[2] ~= 0 or not element or head[4] < 1 then
      error('not an idx file', 0)
   end
   local sizes, count = {}, 1
   for d = 1, head[4] do
      sizes[d] = file:readInt()
      if sizes[d] < 1 then
         error(('dimension %d has size %d'):format(d, sizes[d]), 0)
      end
      count = count * sizes[d]
   end
   return tensor[element .. 'Tensor'](file['read' .. element](file, count), 1,
                                      tensor.LongStorage(sizes))
end

--- idx(filename): reads a file in the idx format, which may be compressed by gzip (.gz). Returns a
-- tensor with the file's element type and sizes.
function idx.idx(filename)
   local file = open(filename)
   local done, result = pcall(read, file)
   file:close()
   if not done then
      error(('data.idx: %s: %s'):format(filename, tostring(result)), 0)
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
