-- Files of arrays: .npy, .npz and .safetensors. lib/TH/io/array_file.h reads and writes them.

local each = require 'tensor.versions'.each
local files = require 'tensor.files'
local named_columns = require 'tensor.named_columns'
local native = require 'tensor.native'

local STEP = 2 ^ 24  -- bytes between two calls of progress

-- ---- reading ------------------------------------------------------------------------------------

-- Reads an array. call(f, ...) returns f(...).
local function read(reader, k, map, done, call)
   local rest = call(native.arrays.bytes, reader, k)
   call(native.arrays.begin, reader, k, map == true)
   repeat
      local bytes = call(native.arrays.run, reader, STEP)
      if bytes > 0 then
         done(bytes)
         rest = rest - bytes
      end
   until bytes == 0
   if rest > 0 then
      done(rest)  -- the array is mapped
   end
   return call(native.arrays.finish, reader)
end

-- Returns the positions of the selected arrays. what: the word for an array in messages.
local function selected(names, only, what)
   local positions, list = {}, {}
   for k, name in ipairs(names) do
      positions[name], list[k] = k, k
   end
   if only then
      list = {}
      for k = 1, files.length('option only', only) do
         local name = only[k]
         list[k] = positions[name] or
                   error(('the file has no %s %s; it has %d: %s'):format(
                      what, tostring(name), #names, named_columns.shown(names)), 0)
      end
   end
   return list
end

-- Returns a table of the selected tensors by name.
local function read_all(reader, names, options, what)
   local list, total = selected(names, options.only, what), 0
   local at  -- the position of the array that is being read

   -- Returns f(...). Errors that name the array advise to select others.
   local function call(f, ...)
      local done, result = pcall(f, ...)
      if done then
         return result
      elseif #names > 1 and not options.only and result:find(names[at] .. ': ', 1, true) then
         result = ('%s; the option only selects %ss of the file: %s'):format(
            result, what, named_columns.shown(names))
      end
      error(result, 0)
   end

   for _, k in ipairs(list) do
      at = k
      total = total + call(native.arrays.bytes, reader, k)
   end
   local done, tensors = files.progress(options, total), {}
   for _, k in ipairs(list) do
      at = k
      tensors[names[k]] = read(reader, k, options.map, done, call)
   end
   return tensors
end

-- Opens a file, returns the results of use(reader, names, metadata), and closes the file.
local function with_reader(filename, format, use)
   local reader, names, metadata = native.arrays.reader(filename, format)
   local done, result, more = pcall(use, reader, names, metadata)
   native.arrays.close(reader)
   if not done then
      error(result, 0)
   end
   return result, more
end

-- ---- writing ------------------------------------------------------------------------------------

-- Writes a file. add(writer) adds the tensors and sets the options of the format.
local function write(filename, format, options, add)
   local writer = native.arrays.writer(filename, format)
   local written, failure = pcall(function()
      add(writer)
      local done = files.progress(options, native.arrays.start(writer))
      local early = 0  -- bytes that are reported before the call that writes them returns
      local function report(bytes)
         early = early + bytes
         done(bytes)
      end
      repeat
         local bytes = native.arrays.write(writer, STEP, report)
         if bytes > early then
            done(bytes - early)
         end
         early = math.max(early - bytes, 0)
      until bytes == 0
      native.arrays.commit(writer, options.sync)
   end)
   native.arrays.drop(writer)
   if not written then
      error(failure, 0)
   end
end

-- The end of errors about nested tables.
local flatten_hint = '; names are strings: tensor.tree.flatten makes them for a nested table'

local function add_named(tensor, writer, name, t)
   if not files.element(tensor, t) then
      error(('a tensor is expected for %s, got %s%s'):format(
         name, tensor.type(t), type(t) == 'table' and flatten_hint or ''), 0)
   end
   native.arrays.add(writer, name, t)
end

-- ---- the formats --------------------------------------------------------------------------------

local npy, npz, safetensors = {}, {}, {}

function npy.load(_, filename, options)
   files.check(options, {map = 'boolean', progress = 'function'})
   return (with_reader(filename, 'npy', function(reader)
      local done = files.progress(options, native.arrays.bytes(reader, 1))
      return read(reader, 1, options.map, done, function(f, ...) return f(...) end)
   end))
end

function npy.save(tensor, filename, t, options)
   files.check(options, {progress = 'function', sync = 'boolean'})
   if not files.element(tensor, t) then
      error('an .npy file contains a tensor, got ' .. tensor.type(t), 0)
   end
   write(filename, 'npy', options, function(writer)
      native.arrays.add(writer, '', t)
   end)
end

function npz.load(_, filename, options)
   files.check(options, {only = 'table', progress = 'function'})
   return (with_reader(filename, 'npz', function(reader, names)
      return read_all(reader, names, options, 'array')
   end))
end

--- object: a table of tensors. Those without names get NumPy's default names.
function npz.save(tensor, filename, object, options)
   files.check(options, {compress = 'boolean', progress = 'function', sync = 'boolean'})
   if files.element(tensor, object) then
      object = {object}
   elseif type(object) ~= 'table' then
      error('an .npz file contains a table of tensors, got ' .. tensor.type(object), 0)
   end
   write(filename, 'npz', options, function(writer)
      if options.compress then
         native.arrays.compress(writer)
      end
      for key, t in each(object) do
         local name = key
         if type(key) == 'number' and key >= 1 and key % 1 == 0 then
            name = ('arr_%d'):format(key - 1)
         elseif type(name) ~= 'string' then
            error(('invalid array name: %s'):format(tostring(key)), 0)
         end
         add_named(tensor, writer, name, t)
      end
   end)
end

--- Returns a table of tensors by name, and the metadata.
function safetensors.load(_, filename, options)
   files.check(options, {map = 'boolean', only = 'table', progress = 'function'})
   return with_reader(filename, 'safetensors', function(reader, names, metadata)
      return read_all(reader, names, options, 'tensor'), metadata
   end)
end

function safetensors.save(tensor, filename, object, options)
   files.check(options, {metadata = 'table', progress = 'function', sync = 'boolean'})
   if type(object) ~= 'table' then
      error('a .safetensors file contains a table of tensors, got ' .. tensor.type(object), 0)
   end
   write(filename, 'safetensors', options, function(writer)
      for name, t in each(object) do
         if type(name) ~= 'string' then
            error(('invalid tensor name: %s%s'):format(tostring(name), flatten_hint), 0)
         end
         add_named(tensor, writer, name, t)
      end
      for key, value in each(options.metadata or {}) do
         if type(key) ~= 'string' or type(value) ~= 'string' then
            error('metadata must be a table of strings by name', 0)
         end
         native.arrays.set_metadata(writer, key, value)
      end
   end)
end

return {npy = npy, npz = npz, safetensors = safetensors}
