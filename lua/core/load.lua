-- load and save, serialize and deserialize: objects in files and strings.

local each = require 'tensor.versions'.each
local extra_arguments = require 'tensor.extra_arguments'
local files = require 'tensor.files'
local formats = require 'tensor.formats'
local raise_text = require 'tensor.raise'

local cause = files.cause

local PROGRESS_BYTES = 2 ^ 22  -- minimum number of bytes between two calls of progress
local HEAD_BYTES = 4096        -- number of bytes that are examined to find the format

-- The modes of load and save, and the size in bytes of longs in the modes that define it.
local long_sizes = { b32 = 4, b64 = 8 }
local known_options = { mode = 'string', referenced = 'boolean', functions = 'boolean',
                        progress = 'function' }
-- `format` is read by format_of.
local options_of_load = { mode = 'string', referenced = 'boolean', functions = 'boolean',
                          progress = 'function', format = 'string' }
local options_of_save = { mode = 'string', referenced = 'boolean', functions = 'boolean',
                          progress = 'function', format = 'string', sync = 'boolean' }
local modes = { binary = true, ascii = true, b32 = true, b64 = true }

-- Raises a message, which may contain names of a file.
local function raise(message)
   return raise_text(files.printable(message))
end

-- Raises an error object that is not text. Methods of classes and `progress` may raise such
-- objects.
local function pass_object(failure)
   if type(failure) ~= 'string' then
      error(failure, 0)
   end
end

local function install(tensor)
   local function check_name(name, filename)
      if rawequal(filename, tensor) then
         raise(('%s: functions of the module are called with a dot: tensor.%s(...)')
               :format(name, name))
      elseif type(filename) ~= 'string' then
         raise(('%s: the name of a file is expected, got %s')
               :format(name, tensor.type(filename)))
      end
   end

   -- Raises an error if all unknown options are those of tables.
   local function check_table_options(name, options, known)
      local csv = known ~= known_options and formats.of '.csv'
      local unknown
      for option in each(csv and options or {}) do
         if not known[option] then
            local is_of_load = known == options_of_load
            if not csv[is_of_load and 'options_of_load' or 'options_of_save'][option] then
               return
            end
            unknown = option
         end
      end
      if unknown then
         raise(("%s: the option %s requires format = 'csv', or a file name ending in .csv")
               :format(name, unknown))
      end
   end

   -- Returns the values of mode and referenced, or of a table of options in place of the mode.
   -- known: the types of the options by name; default: known_options.
   local function options_of(name, mode, referenced, known)
      local options = type(mode) == 'table' and mode or { mode = mode, referenced = referenced }
      if options.mode ~= nil and not modes[options.mode] then
         raise(('%s: "binary", "ascii", "b32" or "b64" (or nil) expected for mode, got %s')
               :format(name, tostring(options.mode)))
      end
      if options == mode then
         local checked, message = pcall(files.check, options, known or known_options)
         if not checked then
            check_table_options(name, options, known or known_options)
            raise(('%s: %s'):format(name, message))
         end
      elseif referenced ~= nil and type(referenced) ~= 'boolean' then
         raise(('%s: true or false (or nil) expected for referenced, got %s')
               :format(name, tensor.type(referenced)))
      end
      local functions = options.functions
      if functions == nil then
         functions = tensor.getRule 'files' == 'torch7'
      end
      return options.mode, options.referenced ~= false, functions, options.progress, options.sync
   end

   -- Returns the number of bytes before the position, or nil for a pipe.
   local function find_position(file)
      local at = file:quiet():clearError():position()
      local is_known = not file:hasError()
      file:clearError():pedantic()
      return is_known and at - 1 or nil
   end

   -- Calls progress(done, total) with byte counts while a file is read or written; total may be
   -- nil. Never calls it for a pipe. Returns a function that reports completion.
   local function tell_progress(file, progress, total)
      progress = progress or files.line
      if not progress or not find_position(file) then
         return function() end
      end
      local reported = 0
      progress(0, total)
      file:_setProgress(function()
         local done = file:position() - 1
         if done - reported >= PROGRESS_BYTES then
            reported = done
            progress(done, total)
         end
      end)
      return function()
         local done = file:position() - 1
         progress(done, done)
      end
   end

   local function set_mode(file, mode)
      if mode == 'ascii' then
         return file:ascii()
      end
      file:binary()
      return long_sizes[mode] and file:longSize(long_sizes[mode]) or file
   end

   -- Returns up to HEAD_BYTES bytes at the beginning of a file, or nil for a pipe. Sets the binary
   -- mode.
   local function head_of(file)
      file:binary():quiet():clearError():seekEnd()
      if file:hasError() then
         file:clearError():pedantic()
         return nil
      end
      local size = file:position() - 1
      local head = file:seek(1):readChar(math.min(size, HEAD_BYTES)):string()
      file:seek(1):clearError():pedantic()
      return head
   end

   -- Returns the form of a file from the type code of the first object, which is from 0 to 8:
   -- 'text', 'binary' or 'big-endian'. Returns nil if the file does not start with a type code.
   local function form_of(head)
      return head:match '^%d\n' and 'text' or
             head:match '^%z%z%z[\1-\8]' and 'big-endian' or
             head:match '^[%z\1-\8]%z%z%z' and 'binary' or nil
   end

   -- Detects the mode and byte order of a file that is not a pipe. Returns false and the head if
   -- the file does not start with a type code.
   local function find_mode(file)
      local head = head_of(file)
      local form = form_of(head)
      if form == 'text' then
         file:ascii()
      elseif form == 'big-endian' then
         file:bigEndianEncoding()
      end
      return form ~= nil, head
   end

   -- Returns the end of the error message about a file if its data may need another mode.
   -- mode: the requested one, or nil.
   local function advice_on_mode(file, mode, message)
      local head = head_of(file)
      local form = head and form_of(head)
      if mode and form and (form == 'text') ~= (mode == 'ascii') then
         return ('; the data are %s: omit the mode to detect it')
                :format(form == 'text' and 'text, not binary' or 'binary, not text')
      elseif mode ~= 'b32' and form == 'binary' and message:find('unknown type code', 1, true) then
         return "; if a 32-bit or Windows Torch7 wrote it, pass the mode 'b32'"
      end
      return ''
   end

   -- Raises an error if a file has many zero bytes only. A nil has 4.
   local function refuse_zeros(file)
      local head = head_of(file)
      if head and #head > 64 and not head:find '[^%z]' then
         error(('no object: the first %d bytes are 0'):format(#head), 0)
      end
   end

   -- Returns the error message for a file that begins with `head`.
   local function unknown_format(filename, head)
      if head == '' then
         return filename .. ' is empty'
      end
      local advice = "; the option format = 'csv' reads a table of text"
      local kind = head:find '^PK\3\4' and 'ZIP archive' or head:find '^\128[\2-\5]' and 'pickle'
      if kind then
         advice = ("; it is a %s, as PyTorch's torch.save writes: save the state_dict " ..
                   'as .safetensors there'):format(kind)
      end
      return ("%s has an unknown format; the known formats are Torch7's, %s%s")
             :format(filename, formats.list(), advice)
   end

   -- Returns the size in bytes, or nil for a pipe.
   local function size_of(file)
      file:quiet():seekEnd()
      local size = not file:hasError() and file:position() - 1 or nil
      if size then
         file:seek(1)
      end
      file:clearError():pedantic()
      return size
   end

   -- Reads an object and closes the file. Errors contain the byte position unless the file is a
   -- pipe, and none of a line.
   -- mode: the requested one, or nil.
   local function read_object(file, name, mode, referenced, functions, progress)
      file:referenced(referenced):_readFunctions(functions)
      local read, object = pcall(function()
         local shows = progress or files.line
         local tell_end = tell_progress(file, progress, shows and size_of(file))
         local object = file:readObject()
         tell_end()
         if object == nil then
            refuse_zeros(file)
         end
         return object
      end)
      local done = find_position(file)
      local advice = not read and type(object) == 'string' and
                     advice_on_mode(file, mode, object) or ''
      file:quiet():close()
      if not read then
         pass_object(object)
         local at = done and (', at byte %d'):format(done + 1) or ''
         error(('%s: %s%s%s'):format(name, cause(object), at, advice), 0)
      end
      return object
   end

   -- Returns the format given by the option `format` or the file name extension, and its options.
   -- Returns nil for Torch7's format.
   local function format_of(name, filename, mode)
      local fields = type(mode) == 'table' and mode or {}
      local format
      if fields.format ~= nil then
         format = formats.named(fields.format)
         if fields.mode ~= nil then
            raise(("%s: the option mode is for Torch7's format, not with format"):format(name))
         elseif not format then
            raise(('%s: option format must be one of %s, got %s'):format(
               name, formats.extensions(), tostring(fields.format)))
         end
      elseif mode == nil or type(mode) == 'table' and fields.mode == nil then
         format = formats.of(filename)
      end
      if not format then
         return nil
      end
      local options = {}
      for key, value in each(fields) do
         options[key] = value
      end
      if fields.format == 'tsv' and options.separator == nil then
         options.separator = '\t'
      end
      -- These options apply only to Torch7's format, or have been used here.
      options.functions, options.referenced, options.format = nil, nil, nil
      return format, options
   end

   local function call_format(name, filename, call, ...)
      local done, result, more = files.with_line(name, filename, call, tensor, filename, ...)
      if not done then
         pass_object(result)
         local text = cause(result)
         local names_file = text:find(filename, 1, true)
         raise(names_file and ('%s: %s'):format(name, text) or
               ('%s: %s: %s'):format(name, filename, text))
      end
      return result, more
   end

   --- load(filename [, mode [, referenced]]) or load(filename, options): returns the object in a
   -- file written by save or by Torch7. mode: 'binary', 'ascii', 'b32' or 'b64'; default:
   -- detected. options: mode, referenced, progress, format, and functions: whether functions, which
   -- are code, are read. Other formats are recognized by the file name extension and have their own
   -- options.
   local function load_as(name)
      return function(filename, mode, referenced)
         check_name(name, filename)
         local format, options = format_of(name, filename, mode)
         if format then
            local object, more = call_format(name, filename, format.load, options)
            if more == nil then
               return object
            end
            return object, more
         end
         local chosen, isreferenced, functions, progress = options_of(name, mode, referenced,
                                                                      options_of_load)
         local opened, file
         if chosen then
            opened, file = pcall(tensor.DiskFile, filename, 'r')
         else
            opened, file = pcall(files.open, tensor, filename)
         end
         if not opened then
            raise(('%s: %s'):format(name, cause(file)))
         end
         local is_known, head = true, nil
         if chosen then
            set_mode(file, chosen)
         else
            is_known, head = find_mode(file)
         end
         if not is_known then
            file:close()
            raise(('%s: %s'):format(name, unknown_format(filename, head)))
         end
         local label = ('%s: %s'):format(name, filename)
         local done, result = files.with_line(name, filename, read_object, file, label, chosen,
                                              isreferenced, functions, progress)
         if not done then
            pass_object(result)
            raise(result)
         end
         return result
      end
   end

   --- save(filename, object [, mode [, referenced]]) or save(filename, object, options): writes the
   -- object for load. mode: 'binary' (numbers as in memory), 'ascii', or 'b32' and 'b64', whose
   -- longs have 4 and 8 bytes. If referenced is false, an object that occurs twice is written
   -- twice. The file name extension may select another format, which has its own options. An
   -- existing file is replaced only when the new one is complete.
   local function save_as(name)
      return function(filename, ...)
         extra_arguments.refuse(name, 4, filename, ...)
         check_name(name, filename)
         if select('#', ...) == 0 and tensor.getRule 'files' ~= 'torch7' then
            raise(('%s: an object is expected after the name of the file'):format(name))
         end
         local object, mode, referenced = ...
         local format, options = format_of(name, filename, mode)
         if format then
            call_format(name, filename, format.save, object, options)
            return
         end
         local chosen, isreferenced, _, progress, sync = options_of(name, mode, referenced,
                                                                    options_of_save)
         local ending = not chosen and tensor.getRule 'files' == 'tensor' and
                        formats.foreign(filename)
         if ending then
            raise(('%s: %s: .%s files cannot be written; the known formats are %s and .t7 (any ' ..
                   "object); a mode, such as 'binary', selects Torch7's for any name"):format(
                   name, filename, ending, formats.list()))
         end
         local function write(file)
            set_mode(file, chosen):referenced(isreferenced)
            local tell_end = tell_progress(file, progress, nil)
            file:writeObject(object)
            tell_end()
         end
         local saved, failure = files.with_line(name, filename, files.write_file, tensor, filename,
                                                write, sync)
         if not saved then
            pass_object(failure)
            failure = cause(failure)
            local names_file = failure:find('^cannot open <')
            local label = names_file and name or ('%s: %s'):format(name, filename)
            raise(('%s: %s'):format(label, failure))
         end
      end
   end

   -- The aliases are separate functions so that error messages contain the name that was called.
   local made = {load = load_as 'load', loadobj = load_as 'loadobj',
                 save = save_as 'save', saveobj = save_as 'saveobj'}

   local function storage_of(name, object, mode)
      local chosen, isreferenced = options_of(name, mode)
      local file = set_mode(tensor.MemoryFile(), chosen)
      local written, failure = pcall(file.writeObject, file:referenced(isreferenced), object)
      if not written then
         pass_object(failure)
         raise(('%s: %s'):format(name, cause(failure)))
      end
      local storage = file:storage()
      file:close()
      -- Remove the 0 byte that a MemoryFile appends to its storage.
      return storage:resize(storage:size() - 1)
   end

   --- serializeToStorage(object [, mode]): returns a CharStorage with the bytes that save would
   -- write.
   function made.serializeToStorage(object, mode)
      return storage_of('serializeToStorage', object, mode)
   end

   -- source: a CharTensor or ByteTensor.
   local function read_bytes(source, mode)
      local chosen, isreferenced, functions = options_of('deserialize', mode)
      local size = source:nElement()
      local bytes = tensor.CharTensor(size + 1)
      bytes:narrow(1, 1, size):copy(source:contiguous():view(size))
      bytes[size + 1] = 0
      local file = tensor.MemoryFile(bytes:storage(), 'r')
      if chosen or not find_mode(file) then
         set_mode(file, chosen)
      end
      local done, result = pcall(read_object, file, 'deserialize', chosen, isreferenced, functions)
      if not done then
         pass_object(result)
         raise(result)
      end
      return result
   end

   local byte_tensors = {['torch.CharStorage'] = 'CharTensor', ['torch.CharTensor'] = 'CharTensor',
                         ['torch.ByteStorage'] = 'ByteTensor', ['torch.ByteTensor'] = 'ByteTensor'}

   --- deserializeFromStorage(storage [, mode or options]): returns the object serialized in a
   -- CharStorage, ByteStorage, CharTensor or ByteTensor.
   function made.deserializeFromStorage(storage, mode)
      local Tensor = byte_tensors[tensor.type(storage)]
      if not Tensor then
         raise('deserializeFromStorage: a CharStorage or a CharTensor is expected, got '
               .. tensor.type(storage))
      end
      return read_bytes(tensor[Tensor](storage), mode)
   end

   --- serialize(object [, mode]): like serializeToStorage, but returns a string.
   function made.serialize(object, mode)
      local storage = storage_of('serialize', object, mode)
      local done, result = pcall(storage.string, storage)
      if not done then
         raise(('serialize: %s'):format(cause(result)))
      end
      return result
   end

   --- deserialize(string [, mode or options]): returns the object serialized in the string.
   function made.deserialize(text, mode)
      if type(text) ~= 'string' then
         raise('deserialize: a string is expected, got ' .. tensor.type(text))
      end
      return read_bytes(tensor.CharTensor(tensor.CharStorage():string(text)), mode)
   end

   return made
end

return install
