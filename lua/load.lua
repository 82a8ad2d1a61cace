-- Objects to and from files and strings: load and save, serialize and deserialize.

-- What load and save take as a mode, and how many bytes longs have in those that say.
local long_sizes = { b32 = 4, b64 = 8 }
local modes = { binary = true, ascii = true, b32 = true, b64 = true }

-- For each ending: what such files hold, and what makes objects of their bytes. All other files are
-- Torch7's.
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

-- The message of an error without the place where it was raised, and the function. Calls of what
-- raises errors of a level are in parentheses: a tail call is no level.
local function cause(failure)
   failure = tostring(failure):gsub('^[^\n]-:%d+: ', '')
   return (failure:gsub('^%a+: ', ''))
end

local function install(tensor)
   -- Whether files may bring functions where nobody says: as in Torch7, or not.
   local trusting = false

   --- Whether the files that load reads may bring functions where their readers do not say.
   function tensor._trustfiles(flag)
      trusting = flag == true
   end

   local function check_name(name, filename)
      if type(filename) ~= 'string' then
         error(('%s: the name of a file is expected, got %s')
               :format(name, tensor.type(filename)), 3)
      end
   end

   -- mode and referenced as Torch7 has them, or a table of options instead of the mode.
   local function options_of(name, mode, referenced, level)
      local options = type(mode) == 'table' and mode or { mode = mode, referenced = referenced }
      if options.mode ~= nil and not modes[options.mode] then
         error(('%s: "binary", "ascii", "b32" or "b64" (or nil) expected for mode, got %s')
               :format(name, tostring(options.mode)), level + 1)
      end
      for _, flag in ipairs { 'referenced', 'functions' } do
         if options[flag] ~= nil and type(options[flag]) ~= 'boolean' then
            error(('%s: true or false (or nil) expected for %s, got %s')
                  :format(name, flag, tensor.type(options[flag])), level + 1)
         end
      end
      local functions = options.functions
      if functions == nil then
         functions = trusting
      end
      return options.mode, options.referenced ~= false, functions
   end

   local function set_mode(file, mode)
      if mode == 'ascii' then
         return file:ascii()
      end
      file:binary()
      return long_sizes[mode] and file:longSize(long_sizes[mode]) or file
   end

   -- The mode and the order of bytes are told by the first number, a kind of object: a small one.
   -- False where there is none such.
   local function find_mode(file)
      file:binary():quiet():seekEnd()
      if file:hasError() then
         return file:clearError():pedantic()  -- a pipe
      end
      local size = file:position() - 1
      local head = file:seek(1):readChar(math.min(size, 4)):string()
      file:seek(1):clearError():pedantic()
      if size == 0 or head:match '^%d\n' then
         file:ascii()
      elseif head:match '^%z%z%z[%z\1-\8]' then
         file:bigEndianEncoding()
      elseif not head:match '^[%z\1-\8]%z%z%z' then
         return false
      end
      return true
   end

   -- The object of a file, which is closed then, or an error that says where.
   local function read_object(file, name, referenced, functions, level)
      file:referenced(referenced):_readFunctions(functions)
      local read, object = pcall(file.readObject, file)
      local at = file:quiet():position()
      file:close()
      if not read then
         error(('%s: %s, at byte %d'):format(name, cause(object), at), level + 1)
      end
      return object
   end

   local function load_format(format, filename)
      local file, failure = io.open(filename, 'rb')
      if not file then
         error('load: ' .. failure, 3)
      end
      local bytes, message = content(file, filename)
      if not bytes then
         error('load: ' .. message, 3)
      end
      local made, object = pcall(format.read, tensor, bytes)
      if not made then
         error(('load: %s: %s'):format(filename, cause(object)), 3)
      end
      return object
   end

   --- load(filename [, mode [, referenced]]) or load(filename, options): the object that save has
   -- put there, or Torch7. mode: 'binary', 'ascii', 'b32' or 'b64'; nil: found out. Options: mode,
   -- referenced, and functions: whether functions, which are code, are read. Of a .binaryproto
   -- file: a blob, FloatBlob or DoubleBlob by its numbers, or a table of blobs.
   function tensor.load(filename, mode, referenced)
      check_name('load', filename)
      local ending = filename:match('%.([^./\\]+)$')
      local format = mode == nil and formats[ending and ending:lower()]
      if format then
         return load_format(format, filename)
      end
      local chosen, isreferenced, functions = options_of('load', mode, referenced, 2)
      local opened, file = pcall(tensor.DiskFile, filename, 'r')
      if not opened then
         error('load: ' .. cause(file), 2)
      end
      if chosen then
         set_mode(file, chosen)
      elseif not find_mode(file) then
         file:close()
         error(('load: %s is of no format that can be read; these are: Torch7\'s, %s')
               :format(filename, known()), 2)
      end
      return (read_object(file, 'load: ' .. filename, isreferenced, functions, 2))
   end

   --- save(filename, object [, mode [, referenced]]): writes the object where load finds it. mode:
   -- 'binary', with numbers as they are in memory, 'ascii', or 'b32' and 'b64', whose longs have 4
   -- and 8 bytes. referenced false: what comes again is written again.
   function tensor.save(filename, object, mode, referenced)
      check_name('save', filename)
      local chosen, isreferenced = options_of('save', mode, referenced, 2)
      local opened, file = pcall(tensor.DiskFile, filename, 'w')
      if not opened then
         error('save: ' .. cause(file), 2)
      end
      set_mode(file, chosen):referenced(isreferenced)
      local written, failure = pcall(file.writeObject, file, object)
      local closed, closing_failure = pcall(file.close, file)
      if not (written and closed) then
         error(('save: %s: %s'):format(filename, cause(written and closing_failure or failure)), 2)
      end
   end

   tensor.loadobj, tensor.saveobj = tensor.load, tensor.save

   --- serializeToStorage(object [, mode]): a CharStorage of what save writes, and a 0.
   function tensor.serializeToStorage(object, mode)
      local chosen, isreferenced = options_of('serialize', mode, nil, 2)
      local file = set_mode(tensor.MemoryFile(), chosen)
      file:referenced(isreferenced):writeObject(object)
      local storage = file:storage()
      file:close()
      return storage
   end

   local function read_storage(storage, mode, level)
      local chosen, isreferenced, functions = options_of('deserialize', mode, nil, level + 1)
      local size = storage:size()
      local bytes = tensor.CharTensor(size + 1)
      if size > 0 then
         local Tensor = tensor[tensor.typename(storage):match '^torch%.(%a+)Storage$' .. 'Tensor']
         bytes:narrow(1, 1, size):copy(Tensor(storage))
      end
      bytes[size + 1] = 0
      local file = set_mode(tensor.MemoryFile(bytes:storage(), 'r'), chosen)
      return (read_object(file, 'deserialize', isreferenced, functions, level + 1))
   end

   --- deserializeFromStorage(storage [, mode or options]): the object that is in a CharStorage or
   -- ByteStorage.
   function tensor.deserializeFromStorage(storage, mode)
      local name = tensor.typename(storage)
      if name ~= 'torch.CharStorage' and name ~= 'torch.ByteStorage' then
         error('deserializeFromStorage: a CharStorage is expected, got ' .. tensor.type(storage), 2)
      end
      return (read_storage(storage, mode, 2))
   end

   --- serialize(object [, mode]): the same as a string.
   function tensor.serialize(object, mode)
      return tensor.serializeToStorage(object, mode):string()
   end

   --- deserialize(string [, mode or options]): the object that is in it.
   function tensor.deserialize(text, mode)
      if type(text) ~= 'string' then
         error('deserialize: a string is expected, got ' .. tensor.type(text), 2)
      end
      return (read_storage(tensor.CharStorage():string(text), mode, 2))
   end
end

return install
