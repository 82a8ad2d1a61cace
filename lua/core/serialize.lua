-- Serialization of objects in Torch7's file format: File's writeObject and readObject.
--
-- An object is written as a type code (an integer) and its contents. For tables, functions and
-- class instances, an index precedes the contents; if the same object occurs again in the file,
-- only type code and index are written. Plain values and the contents of tensors and storages are
-- written and read in C++ (serialize.cc).

local check_self = require 'tensor.check_self'
local is_tracked = require 'tensor.is_tracked'
local replace = require 'tensor.session_only'.replace
local versions = require 'tensor.versions'
local each, loadchunk = versions.each, versions.load

local kinds = {
   TABLE = 3, TORCH = 4, FUNCTION = 8,
   -- Older codes, which are read but not written: without upvalue names; the first also without an
   -- index.
   BARE_FUNCTION = 6, OLD_FUNCTION = 7,
}
local FIRST_OBJECT, BOOLEAN = 3, 5

-- A marker in a path: the objects that follow are the upvalue list of a function.
local UPVALUES = {}

local function install(tensor)
   local File = tensor.getmetatable 'torch.File'
   local writevalue, readvalue = File._writeValue, File._readValue
   local writehead, writetext, readtext = File._writeHead, File._writeText, File._readText
   local writeentries = File._writeEntries
   local readint = File.readInt
   local typename, pointer, classof = tensor.typename, tensor.pointer, tensor.getmetatable

   -- Returns the state of a file's serialization, which lives as long as the file.
   local function record_of(file)
      local environment = tensor.getenv(file)
      local record = rawget(environment, 'objects')
      if not record then
         record = {
            force = false,     -- write each reference as a separate object
            functions = true,  -- allow reading functions
            on_object = nil,   -- called with the file after each class instance
            count = 0,         -- number of objects written
            indices = {},      -- indices of written objects; userdata are keyed by pointer
            kept = {},         -- written userdata and functions: keeps pointers unique
            path = {},         -- names of the objects being written, from the root
            upvalues = {},     -- numbers of the variables captured by functions
            nupvalues = 0,
            read = {},         -- read objects by index
            is_running = false,  -- true during a call
            entered = {},      -- the indices that the call that runs has added to `read`
            variables = {},    -- by number of a shared variable: {chunk, slot}
         }
         tensor.setenv(file, { objects = record })
      end
      return record
   end

   -- Removes what a failed call has added to a record. count, nupvalues: those before the call.
   local function restore(record, count, nupvalues)
      for key, index in each(record.indices) do
         record.indices[key] = index <= count and index or nil
      end
      for variable, number in each(record.upvalues) do
         record.upvalues[variable] = number <= nupvalues and number or nil
      end
      for index = count + 1, record.count do
         record.kept[index] = nil
      end
      record.count, record.nupvalues, record.path = count, nupvalues, {}
      local removed = {}
      for _, index in ipairs(record.entered) do
         removed[record.read[index]], record.read[index] = true, nil
      end
      for id, variable in each(record.variables) do
         record.variables[id] = not removed[variable.chunk] and variable or nil
      end
      record.entered = {}
   end

   -- Returns f(file, record, ...). After an error, the record is as before: the objects in the file
   -- are incomplete. position: that to which the file returns after an error, or nil. Only the
   -- outermost call restores them: nested pcalls, from methods of classes, would reach the limit of
   -- C calls.
   local function call(f, position, file, ...)
      local record = record_of(file)
      if record.is_running then
         return f(file, record, ...)
      end
      local count, nupvalues = record.count, record.nupvalues
      record.is_running = true
      local ok, result = pcall(f, file, record, ...)
      record.is_running = false
      if ok then
         -- A new table only if it is needed: this makes writing small objects faster.
         if record.entered[1] then
            record.entered = {}
         end
         return result
      end
      restore(record, count, nupvalues)
      if position then
         pcall(file.seek, file, position)
      end
      error(result, 0)
   end

   -- Returns the type code of an object that is not a plain value, or nil if it cannot be written.
   -- For a class instance, also returns the class and its name.
   local function kind_of(object)
      local lua = type(object)
      if lua == 'table' and getmetatable(object) == nil then
         return kinds.TABLE
      end
      local name = typename(object)
      local class = name and classof(name)
      if class and rawget(class, '__factory') then
         return kinds.TORCH, class, name
      elseif lua == 'table' then
         return kinds.TABLE
      elseif lua == 'function' and pcall(string.dump, object) then
         return kinds.FUNCTION
      end
   end

   local function path_text(path)
      local parts = {}
      for i, name in ipairs(path) do
         if name ~= UPVALUES and path[i - 1] ~= UPVALUES then
            parts[#parts + 1] = name
         end
      end
      return table.concat(parts, '.')
   end

   local function fail_unwritable(record, what, reason)
      local at = path_text(record.path)
      record.path = {}
      error(('%s at %s%s'):format(what, at, reason or ''), 0)
   end

   -- Raises an error if the metatable of a table has the field __unwritable: a list of the kind of
   -- the object, such as 'layer', and what to save instead of it.
   local function check_writable(record, object)
      local metatable = getmetatable(object)
      local unwritable = type(metatable) == 'table' and rawget(metatable, '__unwritable')
      if unwritable then
         fail_unwritable(record, 'Unwritable ' .. unwritable[1], ': ' .. unwritable[2])
      end
   end

   local write

   -- upvalue_name: if the table belongs to an upvalue, the variable's name.
   local function write_entry(file, record, key, value, upvalue_name, hook)
      if not writevalue(file, key) then write(file, record, key, nil, hook) end
      if not writevalue(file, value) then
         local name = (type(key) == 'string' or type(key) == 'number') and tostring(key) or nil
         write(file, record, value, key == 'value' and upvalue_name or name, hook)
      end
   end

   local function write_table(file, record, object, hook)
      local path = record.path
      local name = path[#path - 1] == UPVALUES and type(object.name) == 'string' and object.name
      local left, key, value = writeentries(file, object)
      while key ~= nil do
         write_entry(file, record, key, value, name, hook)
         left, key, value = writeentries(file, object, key, left - 1)
      end
      if left ~= 0 then
         fail_unwritable(record, 'Unwritable table', ': it changed while it was written')
      end
   end

   -- Returns a number that identifies an upvalue's variable, which several functions may share.
   -- Returns nil if this Lua version has no debug.upvalueid.
   local function number_of_upvalue(record, object, slot)
      if not debug.upvalueid then
         return nil
      end
      local variable = debug.upvalueid(object, slot)
      if not record.upvalues[variable] then
         record.nupvalues = record.nupvalues + 1
         record.upvalues[variable] = record.nupvalues
      end
      return record.upvalues[variable]
   end

   local function write_function(file, record, object, hook)
      local upvalues = {}
      local name, value = debug.getupvalue(object, 1)
      while name do
         if name == '_ENV' then
            value = nil
         end
         local slot = #upvalues + 1
         upvalues[slot] = { name = name, id = number_of_upvalue(record, object, slot),
                             value = replace(value) }
         name, value = debug.getupvalue(object, slot + 1)
      end
      writetext(file, string.dump(object))
      write(file, record, upvalues, UPVALUES, hook)
   end

   -- The version of the class, 1 if it has none.
   local function version_of(object, class_name)
      local version = tensor.version(object)
      if version == nil then return 1 end
      if type(version) ~= 'number' then
         error(('writeObject: the field __version of %s must be a number, got %s'):format(
                  class_name, tensor.type(version)), 0)
      end
      return version
   end

   local function write_instance(file, record, object, class, name, hook)
      local method = class.__write or class.write
      if type(method) == 'function' then
         method(object, file)
         return
      elseif type(object) ~= 'table' then
         fail_unwritable(record, ('<%s> is a non-serializable Torch object'):format(name))
      end
      local fields = {}
      for key, value in each(object) do
         if File.isWritableObject(file, value) then
            fields[key] = value
         else
            print(('$ Warning: cannot write object field <%s> of <%s> %s')
                  :format(tostring(key), name, path_text(record.path)))
         end
      end
      write(file, record, fields, name, hook)
   end

   -- Calls a hook with an object. The result must have the same type code, which is already known.
   local function replaced(hook, object, kind)
      local result = hook(object)
      local result_kind, class, class_name = kind_of(result)
      if result_kind ~= kind then
         error(('writeObject: the hook must return an object of the same kind: got %s for %s')
               :format(tensor.type(result), tensor.type(object)), 0)
      end
      return result, class, class_name
   end

   -- Writes an object that is not a plain value.
   function write(file, record, object, name, hook)
      if is_tracked(object) then return writevalue(file, object:item()) end
      local path = record.path
      path[#path + 1] = name or '<?>'
      local kind, class, class_name = kind_of(object)
      if not kind then
         local of_class = typename(object)
         fail_unwritable(record, ('Unwritable object <%s>'):format(of_class or type(object)),
                         of_class and ': the class has no factory')
      elseif kind == kinds.TABLE then
         check_writable(record, object)
      end
      local isdata = type(object) == 'table' or type(object) == 'function'
      local key = isdata and object or pointer(object)
      local index = record.indices[key]
      if index and not record.force then
         writehead(file, kind, index)
      else
         index = record.count + 1
         record.count = index
         if not record.force then
            record.indices[key] = index
         end
         if type(object) ~= 'table' and (not record.force or type(object) == 'function') then
            record.kept[index] = object
         end
         if hook then
            object, class, class_name = replaced(hook, object, kind)
         end
         if kind == kinds.TABLE then
            writehead(file, kind, index)
            write_table(file, record, object, hook)
         elseif kind == kinds.TORCH then
            writehead(file, kind, index, 'V ' .. version_of(object, class_name), class_name)
            write_instance(file, record, object, class, class_name, hook)
            if record.on_object then
               record.on_object(file)
            end
         else
            writehead(file, kind, index)
            write_function(file, record, object, hook)
         end
      end
      path[#path] = nil
   end

   local read

   local function keep(record, index, object)
      if not record.force then
         record.read[index] = object
         record.entered[#record.entered + 1] = index
      end
      return object
   end

   local function read_table(file, record, index)
      local size = readint(file)
      if size < 0 then
         error(('readObject: invalid number of entries: %d'):format(size), 0)
      end
      local object = keep(record, index, {})
      for _ = 1, size do
         local key = read(file, record)
         local value = read(file, record)
         if key == nil or key ~= key then
            error(('readObject: invalid table key: %s'):format(tostring(key)), 0)
         end
         object[key] = value
      end
      return object
   end

   local function set_upvalue(record, chunk, slot, upvalue)
      local id = upvalue.id
      local same = id ~= nil and debug.upvaluejoin and record.variables[id]
      if upvalue.name == '_ENV' then
         debug.setupvalue(chunk, slot, _G)
      elseif same then
         debug.upvaluejoin(chunk, slot, same.chunk, same.slot)
      else
         debug.setupvalue(chunk, slot, upvalue.value)
         if id ~= nil and not record.force then
            record.variables[id] = { chunk = chunk, slot = slot }
         end
      end
   end

   local function read_function(file, record, kind, index)
      local isbare = kind == kinds.BARE_FUNCTION
      if not record.functions then
         error('readObject: the file contains a function, which is code; only data is allowed', 0)
      end
      -- In this format the number after the type code is the length of the code.
      local code = isbare and file:readChar(index):string() or readtext(file)
      local chunk, failure = loadchunk(code)
      if not chunk then
         error('readObject: Failed to load function from bytecode: ' .. failure, 0)
      end
      if not isbare then
         keep(record, index, chunk)
      end
      local upvalues = read(file, record)
      if type(upvalues) ~= 'table' then
         error("readObject: a function's upvalues are expected, got " .. type(upvalues), 0)
      end
      for slot, upvalue in ipairs(upvalues) do
         if kind ~= kinds.FUNCTION then
            debug.setupvalue(chunk, slot, upvalue)
         elseif type(upvalue) == 'table' then
            set_upvalue(record, chunk, slot, upvalue)
         end
      end
      return chunk
   end

   -- Without cutorch, CUDA classes are read as the CPU classes, whose format is the same.
   local function class_of_file(name)
      local class = classof(name)
      local element, kind = name:match '^torch%.Cuda(%a*)(Tensor)$'
      if not element then
         element, kind = name:match '^torch%.Cuda(%a*)(Storage)$'
      end
      if class or not element then
         return class
      end
      return classof(('torch.%s%s'):format(element == '' and 'Float' or element, kind))
   end

   local function read_instance(file, record, index)
      local name = readtext(file)
      local version = tonumber(name:match '^V (.*)$')
      -- The first version of the format had no version string.
      if version then
         name = readtext(file)
      end
      local class = class_of_file(name)
      local factory = class and rawget(class, '__factory')
      if not factory then
         local package = name:match '^(%w+)%.[%w_.]+$'
         local shown = versions.require 'tensor.files'.printable(name:sub(1, 300))
         local advice = package and package ~= 'torch' and (": require the package that defines " ..
            "it, such as '%s', first, or call tensor.class('%s', {}) to read the fields only")
            :format(package, shown) or ''
         error(('readObject: unknown Torch class <%s>%s'):format(shown, advice), 0)
      end
      local object = keep(record, index, factory(file))
      local method = class.__read or class.read
      if type(method) == 'function' then
         method(object, file, version or 0)
      elseif type(object) == 'table' then
         local fields = read(file, record)
         if type(fields) ~= 'table' then
            error(('readObject: fields of a <%s> are expected, got %s'):format(name, type(fields)),
                  0)
         end
         for key, value in each(fields) do
            object[key] = value
         end
      else
         error(('readObject: Cannot load object class <%s>'):format(name), 0)
      end
      if record.on_object then
         record.on_object(file)
      end
      return object
   end

   function read(file, record)
      local kind, value = readvalue(file)
      if kind >= 0 and kind < FIRST_OBJECT or kind == BOOLEAN then
         return value
      elseif kind == kinds.BARE_FUNCTION then
         return read_function(file, record, kind, value)
      end
      local object = value and record.read[value]
      if object ~= nil and not record.force then
         return object
      elseif kind == kinds.TABLE then
         return read_table(file, record, value)
      elseif kind == kinds.TORCH then
         return read_instance(file, record, value)
      elseif kind == kinds.FUNCTION or kind == kinds.OLD_FUNCTION then
         return read_function(file, record, kind, value)
      end
      error(('readObject: unknown type code %d'):format(kind), 0)
   end

   --- f:writeObject(object [, name [, hook]]): writes nil, a number, string, boolean, table,
   -- function or class instance. An object already written to the file is written as a reference.
   -- If the object cannot be written, the error message contains `name`. The hook is called with
   -- each table, function and instance before it is first written; the hook's result is written
   -- instead. After an error, the position is that before the call if the file can seek.
   function File.writeObject(file, object, name, hook)
      check_self(type(file) == 'userdata', 'writeObject')
      if hook ~= nil and not versions.is_callable(hook) then
         error('writeObject: the hook must be a function, got ' .. tensor.type(hook), 2)
      end
      local is_written, position = writevalue(file, object, true)
      if not is_written then
         call(write, position, file, object, name, hook)
      end
   end

   --- f:readObject(): reads the next object. After an error, the object can be read again.
   function File.readObject(file)
      check_self(type(file) == 'userdata', 'readObject')
      return call(read, nil, file)
   end

   --- f:referenced(flag): if flag is true (the default), repeated objects are written and read as
   -- references. Returns f.
   function File.referenced(file, flag)
      check_self(type(file) == 'userdata', 'referenced')
      record_of(file).force = not flag
      return file
   end

   --- f:isReferenced(): returns the flag set by referenced.
   function File.isReferenced(file)
      return not record_of(file).force
   end

   local values = { ['nil'] = 0, number = 1, string = 2, boolean = BOOLEAN }

   --- f:isWritableObject(object): returns the type code of the object, or nil if it cannot be
   -- written.
   function File.isWritableObject(_, object)
      return values[type(object)] or (kind_of(object))
   end

   --- f:writeBool(value), f:readBool(): a boolean stored as an integer, 1 or 0.
   function File.writeBool(file, value)
      file:writeInt(value and 1 or 0)
   end
   function File.readBool(file)
      return file:readInt() == 1
   end

   -- Sets a function that is called with the file after each class instance, such as a tensor.
   function File._setProgress(file, on_object)
      record_of(file).on_object = on_object
      return file
   end

   -- Sets whether functions may be read from the file.
   function File._readFunctions(file, flag)
      record_of(file).functions = flag
      return file
   end
end

return install
