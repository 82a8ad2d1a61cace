-- tensor.data: folders of pictures, with one subfolder for each class.

local files = require 'tensor.files'
local tensor = require 'tensor'

local pictures = {}

-- Returns the sorted list of the pictures in the subfolders of a folder, by their names there.
local function list(folder)
   local quoted = "'" .. folder:gsub("'", "'\\''") .. "'"
   local pipe = assert(io.popen(('cd %s 2>/dev/null && find -L . -mindepth 2 -maxdepth 2 -type f '
                                 .. '-print0'):format(quoted)))
   local names = {}
   for name in pipe:read('*a'):gmatch '[^%z]+' do
      local extension = name:lower():match '%.(%a+)$'
      if extension == 'png' or extension == 'jpg' or extension == 'jpeg' then
         names[#names + 1] = name:sub(3)
      end
   end
   pipe:close()
   table.sort(names)
   return names
end

local function fail(...)
   error('data.pictures: ' .. string.format(...), 0)
end

local function is_size(value)
   return type(value) == 'number' and value >= 1 and value % 1 == 0
end

--- pictures(folder [, options]): the PNG and JPEG files in the subfolders of a folder. Returns a
-- source for `batches`; the classes, a LongTensor; and the list of the names of the classes, which
-- are those of the subfolders. source.get(indices) reads the files as batch x channels x height x
-- width with values from 0 to 1. options: size, {height, width} to which pictures are scaled,
-- without which all must have the same size; channels (3).
function pictures.pictures(folder, options)
   options = options or {}
   if type(folder) ~= 'string' then
      fail('the name of a folder is expected, got %s', type(folder))
   elseif type(options) ~= 'table' then
      fail('a table of options is expected, got %s', type(options))
   end
   local fine, failure = pcall(files.check, options, {size = 'table', channels = 'number'})
   if not fine then
      fail('%s', failure)
   end
   local size = options.size
   if size and not (is_size(size[1]) and is_size(size[2])) then
      fail('option size must be {height, width}')
   end
   local names, class_names, classes, numbers = list(folder), {}, {}, {}
   if #names == 0 then
      fail('%s has no subfolders with PNG or JPEG files', folder)
   end
   for k, name in ipairs(names) do
      local class = name:match '^[^/]*'
      if not numbers[class] then
         class_names[#class_names + 1] = class
         numbers[class] = #class_names
      end
      classes[k] = numbers[class]
   end

   local function read(name)
      local picture = tensor.load(('%s/%s'):format(folder, name),
                                  {type = 'Float', channels = options.channels or 3})
      if size and (picture:size(2) ~= size[1] or picture:size(3) ~= size[2]) then
         picture = tensor.image.scale(picture, size[2], size[1])
      end
      return picture
   end

   local source = {count = #names, names = names}
   function source.get(indices)
      local list_of = {}
      for k = 1, indices:nElement() do
         list_of[k] = read(names[indices[k]])
      end
      return tensor.stack(list_of, 1)
   end
   return source, tensor.LongTensor(classes), class_names
end

return pictures
