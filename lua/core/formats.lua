-- The file formats that load and save recognize by the file name extension. Files with other
-- extensions have Torch7's format.
--
-- A format is a module or a field of a module, which is loaded on first use. It has the functions
-- load(tensor, filename, options) and save(tensor, filename, object, options). Their error messages
-- do not contain the file name.

local versions = require 'tensor.versions'
local each = versions.each

local formats = {
   binaryproto = {holds = "Caffe's BlobProto and BlobProtoVector"},
   csv = {holds = 'numbers and text between commas'},
   jpeg = {holds = 'pictures', module = 'picture', field = 'jpeg'},
   jpg = {holds = 'pictures', module = 'picture', field = 'jpeg'},
   npy = {holds = "NumPy's arrays", module = 'arrays', field = 'npy'},
   npz = {holds = "NumPy's arrays with names", module = 'arrays', field = 'npz'},
   png = {holds = 'pictures', module = 'picture', field = 'png'},
   safetensors = {holds = 'tensors with names', module = 'arrays', field = 'safetensors'},
   tsv = {holds = 'numbers and text between tabs', module = 'csv'},
}
for ending, format in each(formats) do
   format.module = 'tensor.formats.' .. (format.module or ending)
end

local known = {}

--- Returns the format with this extension, or nil.
function known.named(ending)
   local format = formats[ending]
   if not format then
      return nil
   end
   local module = versions.require(format.module)
   return format.field and module[format.field] or module
end

--- Returns the format of a file name, or nil.
function known.of(filename)
   local ending = filename:match '%.([^./\\]+)$'
   return ending and known.named(ending:lower())
end

--- Returns the extensions as text.
function known.extensions()
   return table.concat(versions.sorted_keys(formats), ', ')
end

-- Extensions of other pictures, sound, tables, models and data, and of compressed files, which are
-- not written, and a misspelled one.
local foreign = {}
for ending in ('arrow avif bmp bz2 caffemodel ckpt eps feather flac gguf gif gz h5 hdf hdf5 ' ..
               'heic html ico ini jp2 json jsonl mat mp3 mp4 nc ods onnx parquet pbm pdf pgm ' ..
               'pickle pkl ppm prototxt psv pt pt2 pth safetensor svg tab tar tga tgz tif ' ..
               'tiff toml txt wav webp xls xlsx xml xz yaml zip zst'):gmatch '%w+' do
   foreign[ending] = true
end

--- Returns the extension of a file name if other programs expect another format in such a file than
-- Torch7's, otherwise nil.
function known.foreign(filename)
   local ending = filename:match '%.([^./\\]+)$'
   return ending and foreign[ending:lower()] and ending
end

--- Returns the list of formats as text.
function known.list()
   local lines = {}
   for ending, format in each(formats) do
      lines[#lines + 1] = ('.%s (%s)'):format(ending, format.holds)
   end
   table.sort(lines)
   return table.concat(lines, ', ')
end

return known
