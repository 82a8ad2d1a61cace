-- The formats of files that load and save tell by the ending of the name; all others are Torch7's.
--
-- Each is a module, or a field of one, with load(tensor, filename, options) and
-- save(tensor, filename, object, options). They raise messages that do not name the file.

local versions = require 'tensor.versions'
local each = versions.each

local formats = {
   binaryproto = {holds = "Caffe's BlobProto and BlobProtoVector"},
   csv = {holds = 'numbers and text between commas', field = 'csv'},
   jpeg = {holds = 'pictures', module = 'picture', field = 'jpeg'},
   jpg = {holds = 'pictures', module = 'picture', field = 'jpeg'},
   npy = {holds = "NumPy's arrays"},
   npz = {holds = "NumPy's arrays with names"},
   png = {holds = 'pictures', module = 'picture', field = 'png'},
   safetensors = {holds = 'tensors with names'},
   tsv = {holds = 'numbers and text between tabs', module = 'csv', field = 'tsv'},
}
for ending, format in each(formats) do
   format.module = 'tensor.formats.' .. (format.module or ending)
end

local known = {}

--- The format that a file of the name has, or nil.
function known.of(filename)
   local ending = filename:match '%.([^./\\]+)$'
   local format = ending and formats[ending:lower()]
   if not format then
      return nil
   end
   local module = versions.require(format.module)
   return format.field and module[format.field] or module
end

--- All of them, as text.
function known.list()
   local lines = {}
   for ending, format in each(formats) do
      lines[#lines + 1] = ('.%s (%s)'):format(ending, format.holds)
   end
   table.sort(lines)
   return table.concat(lines, ', ')
end

return known
