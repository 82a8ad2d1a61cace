-- tensor.load: objects from files, read by what the end of the file's name says they are.

-- For each ending: what such files hold, and what makes objects of their bytes.
local formats = {
   binaryproto = {
      holds = "Caffe's BlobProto and BlobProtoVector",
      read = function(tensor, bytes)
         local isvector = tensor._isblobvector(bytes)
         return isvector and tensor.blobsFromProto(bytes) or tensor.blobFromProto(bytes)
      end,
   },
}

local function known()
   local lines = {}
   for ending, format in pairs(formats) do
      lines[#lines + 1] = ('.%s (%s)'):format(ending, format.holds)
   end
   table.sort(lines)
   return table.concat(lines, ', ')
end

local function content(file, filename)
   local bytes, failure = file:read('*a')
   file:close()
   if not bytes then
      return nil, ('%s: %s'):format(filename, failure or 'it cannot be read')
   end
   return bytes
end

local function install(tensor)
   --- load(filename): what the file holds; of a .binaryproto file a blob, FloatBlob or DoubleBlob
   -- by its numbers, or a table of blobs.
   function tensor.load(filename)
      if type(filename) ~= 'string' then
         error('load: the name of a file is expected, got ' .. tensor.type(filename), 2)
      end
      local file, failure = io.open(filename, 'rb')
      if not file then
         error('load: ' .. failure, 2)
      end
      local ending = filename:match('%.([^./\\]+)$')
      local format = formats[ending and ending:lower()]
      if not format then
         file:close()
         error(('load: %s is of no format that can be read; these are: %s')
               :format(filename, known()), 2)
      end
      local bytes, message = content(file, filename)
      if not bytes then
         error('load: ' .. message, 2)
      end
      local made, object = pcall(format.read, tensor, bytes)
      if not made then
         error(('load: %s: %s'):format(filename, (tostring(object):gsub('^.-:%d+: ', ''))), 2)
      end
      return object
   end
end

return install
