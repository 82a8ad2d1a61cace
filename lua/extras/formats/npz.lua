-- NumPy's .npz files: archives of named arrays.

local each = require 'tensor.versions'.each
local files = require 'tensor.files'
local native = require 'tensor.native'
local npy = require 'tensor.formats.npy'

local npz = {}

local options_of_load = {only = 'table', progress = 'function'}
local options_of_save = {compress = 'boolean', progress = 'function'}

-- Returns the selected names as keys of a table; nil selects all.
local function wanted(options, present)
   if not options.only then
      return nil
   end
   local keys = {}
   for _, name in ipairs(options.only) do
      if not present[name] then
         error(('the file has no array %s'):format(tostring(name)), 0)
      end
      keys[name] = true
   end
   return keys
end

local function read_member(tensor, archive, k, size)
   local function read(first, count)
      local bytes = tensor.CharStorage(count)
      native.zip_read(archive, k, first, bytes, count)
      return bytes:string()
   end
   local array = npy.describe(read, size)
   local storage = files.storage(tensor, array.kind.element, array.count)
   native.zip_read(archive, k, array.begin, storage, array.count, array.swapped)
   return npy.tensor(tensor, array, storage, 1)
end

function npz.load(tensor, filename, options)
   files.check(options, options_of_load)
   local archive, names, sizes = native.zip_reader(filename)
   local present, total = {}, 0
   for k, name in ipairs(names) do
      local key = name:gsub('%.npy$', '')
      if present[key] then
         error(('two members are named %s'):format(name), 0)
      end
      present[key] = k
   end
   local chosen = wanted(options, present)
   for key, k in each(present) do
      total = total + ((not chosen or chosen[key]) and sizes[k] or 0)
   end
   local done = files.progress(options, total)
   local arrays = {}
   for k, name in ipairs(names) do
      local key = name:gsub('%.npy$', '')
      if not chosen or chosen[key] then
         local read, array = pcall(read_member, tensor, archive, k, sizes[k])
         if not read then
            error(('array %s: %s'):format(key, files.cause(array)), 0)
         end
         arrays[key] = array
         done(sizes[k])
      end
   end
   return arrays
end

-- Returns a list of names and tensors, sorted by name. Unnamed tensors get NumPy's default names.
local function arrays_of(tensor, object)
   if files.element(tensor, object) then
      object = {object}
   elseif type(object) ~= 'table' then
      error('an .npz file contains a table of tensors, got ' .. tensor.type(object), 0)
   end
   local list, seen = {}, {}
   for key, t in each(object) do
      local name = type(key) == 'number' and ('arr_%d'):format(key - 1) or key
      local element = files.element(tensor, t)
      if type(name) ~= 'string' or name == '' or name:find '%z' or seen[name] then
         error(('invalid array name: %s'):format(tostring(key)), 0)
      elseif not element then
         error(('a tensor is expected for %s, got %s'):format(name, tensor.type(t)), 0)
      end
      seen[name] = true
      list[#list + 1] = {name = name, element = element, tensor = t}
   end
   table.sort(list, function(a, b) return a.name < b.name end)
   return list
end

function npz.save(tensor, filename, object, options)
   files.check(options, options_of_save)
   local archive, total = native.zip_writer(), 0
   for _, array in ipairs(arrays_of(tensor, object)) do
      local storage, first = files.elements(array.tensor)
      local count = array.tensor:nElement()
      native.zip_add(archive, array.name .. '.npy', npy.head(array.element, array.tensor), storage,
                     first, count)
      total = total + count * storage:elementSize()
   end
   local done = files.progress(options, total)
   files.replace(tensor, filename, function(name)
      native.zip_write(archive, name, options.compress == true)
   end)
   done(total)
end

return npz
