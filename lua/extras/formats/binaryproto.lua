-- Caffe's .binaryproto files: blobs.

local files = require 'tensor.files'
local native = require 'tensor.native'

local binaryproto = {}

--- Returns a FloatBlob or DoubleBlob, by the numbers in the file, or a table of blobs.
function binaryproto.load(tensor, filename, options)
   files.check(options, {})
   local bytes = files.read_file(tensor, filename, files.text)
   if bytes == '' then
      error('the file is empty', 0)
   end
   return native.is_blob_vector(bytes) and tensor.blobsFromProto(bytes) or
          tensor.blobFromProto(bytes)
end

function binaryproto.save(tensor, filename, object, options)
   files.check(options, {diff = 'boolean', sync = 'boolean'})
   local isblob = tostring(tensor.typename(object)):find 'Blob$' ~= nil
   if not isblob and type(object) ~= 'table' then
      error('a .binaryproto file contains a blob or a table of blobs, got ' .. tensor.type(object),
            0)
   end
   if not isblob and files.length('the table of blobs', object) == 0 then
      error('the table has no blob: a file without blobs would be an empty file', 0)
   end
   local bytes = isblob and object:toProto(options.diff) or
                 tensor.blobsToProto(object, options.diff)
   files.write_file(tensor, filename, function(file)
      file:writeString(bytes)
   end, options.sync)
end

return binaryproto
