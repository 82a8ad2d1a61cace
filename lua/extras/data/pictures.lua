-- tensor.data: folders of pictures, with one subfolder for each class.

local files = require 'tensor.files'
local tensor = require 'tensor'
local raise = require 'tensor.native'.raise

local pictures = {}

-- Returns the sorted list of the pictures in the subfolders of a folder, by their names there, and
-- that of the subfolders. Returns nil if there is no such folder. Subfolders whose names begin with
-- a dot do not count.
local function list(folder)
   -- A name that begins with a dot is neither an option nor looked up in CDPATH.
   folder = folder:find '^/' and folder or './' .. folder
   local quoted = "'" .. folder:gsub("'", "'\\''") .. "'"
   local pipe = assert(io.popen(([[cd %s >/dev/null 2>&1 && {
      find -L . -maxdepth 1 -type d -print0
      find -L . -mindepth 2 -maxdepth 2 -type f ! -path './.*' -print0
   } 2>/dev/null]]):format(quoted)))
   local found = pipe:read '*a'
   pipe:close()
   local names, subfolders = {}, {}
   for name in found:gmatch '%./([^%z]+)' do
      local extension = name:lower():match '/.*%.(%a+)$'
      if extension == 'png' or extension == 'jpg' or extension == 'jpeg' then
         names[#names + 1] = name
      elseif not name:find '/' and not name:find '^%.' then
         subfolders[#subfolders + 1] = name
      end
   end
   table.sort(names)
   table.sort(subfolders)
   return found ~= '' and names or nil, subfolders
end

local function fail(...)
   raise('data.pictures: ' .. string.format(...))
end

local function is_size(value)
   return type(value) == 'number' and value >= 1 and value % 1 == 0
end

-- Returns the number of each class by its name.
local function numbers_of(class_names)
   local numbers = {}
   for k, name in ipairs(class_names) do
      if numbers[name] then
         fail('option classes has %s twice', tostring(name))
      end
      numbers[name] = k
   end
   return numbers
end

--- pictures(folder [, options]): the PNG and JPEG files in the subfolders of a folder. Returns a
-- source for `batches`; the classes, a LongTensor; and the list of the names of the classes, which
-- are those of the subfolders. source.get(indices) reads the files as batch x channels x height x
-- width with values from 0 to 1. options: size, {height, width} to which pictures are scaled,
-- without which all must have the same size; channels (3); classes, the list of the names of the
-- classes, by default all subfolders in alphabetical order.
function pictures.pictures(folder, options)
   if type(folder) ~= 'string' then
      fail('the name of a folder is expected, got %s', type(folder))
   end
   options = files.options('data.pictures', options,
                           {size = 'table', channels = 'number', classes = 'table'})
   local size = options.size
   if size and not (is_size(size[1]) and is_size(size[2])) then
      fail('option size must be {height, width}')
   end
   local names, subfolders = list(folder)
   if not names then
      fail('cannot open the folder %s', folder)
   elseif #names == 0 then
      fail('%s has no subfolders with PNG or JPEG files', folder)
   end
   local class_names, classes = options.classes or subfolders, {}
   local numbers = numbers_of(class_names)
   for k, name in ipairs(names) do
      local class = name:match '^[^/]*'
      classes[k] = numbers[class] or fail('the subfolder %s is not in the option classes', class)
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
         local picture = read(names[indices[k]])
         local first = list_of[1] or picture
         if not picture:isSameSizeAs(first) then
            fail('sizes differ without the option size: %s has %d x %d pixels, and %s has %d x %d',
                 names[indices[k]], picture:size(2), picture:size(3), names[indices[1]],
                 first:size(2), first:size(3))
         end
         list_of[k] = picture
      end
      return tensor.stack(list_of, 1)
   end
   return source, tensor.LongTensor(classes), class_names
end

return pictures
