-- Shared by the file formats, load and save. The functions raise messages without the file name,
-- which load and save put in front.

local core = require 'tensor.core'
local versions = require 'tensor.versions'
local progress = require 'tensor.progress'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local types = require 'tensor.types'
local is_tracked = require 'tensor.is_tracked'

local each = versions.each

local files = {}

local CHUNK = 2 ^ 24  -- bytes between two calls of progress

files.LARGEST = 2 ^ 53  -- the largest count that a Lua number represents exactly

--- Returns the message of an error without its position.
function files.without_position(failure)
   return (tostring(failure):gsub('^[^\n]-:%d+: ', ''))
end

-- The classes whose methods are called to read and write files.
local classes = {'torch.File', 'torch.CharStorage', 'torch.DoubleTensor', 'torch.DoubleBlob'}

-- Returns true if a word is the name of a function of the module, or of a method of these classes.
local function is_own_name(word)
   local found = rawget(core, word) ~= nil
   for _, class in ipairs(classes) do
      found = found or rawget(core.getmetatable(class) or {}, word) ~= nil
   end
   return found
end

--- Returns the message of an error without its position and the name of the module's function.
function files.cause(failure)
   local text = files.without_position(failure)
   local word, rest = text:match '^(%a+): (.*)'
   return word and is_own_name(word) and rest or text
end

-- The bytes of a printable character beyond ASCII in UTF-8, by its first byte.
local characters = {
   '\194[\160-\191]', '[\195-\223][\128-\191]',
   '\224[\160-\191][\128-\191]', '[\225-\236\238\239][\128-\191][\128-\191]',
   '\237[\128-\159][\128-\191]', '\240[\144-\191][\128-\191][\128-\191]',
   '[\241-\243][\128-\191][\128-\191][\128-\191]', '\244[\128-\143][\128-\191][\128-\191]',
}

--- Returns a text that may contain bytes of a file as a terminal can show it: bytes of control
-- characters, except line breaks and tabs, and those that are not UTF-8, become \x1b and so on.
function files.printable(text)
   return (text:gsub('[^\9\10\32-\126]+', function(run)
      local parts, at = {}, 1
      while at <= #run do
         local part
         for _, character in ipairs(characters) do
            part = part or run:match('^' .. character, at)
         end
         parts[#parts + 1] = part or ('\\x%02x'):format(run:byte(at))
         at = at + (part and #part or 1)
      end
      return table.concat(parts)
   end))
end

--- Returns 'Float' for a FloatTensor, also on a GPU, and so on; nil for other objects.
function files.element(tensor, object)
   local element = types.by_class[tensor.typename(object) or '']
   return element and element.name
end

--- Returns 'Float' for 'Float', 'FloatTensor' or 'torch.FloatTensor', and so on; otherwise nil.
function files.element_named(name)
   local text = type(name) == 'string' and name:gsub('^torch%.', ''):gsub('Tensor$', '')
   return types.by_name[text] and text or nil
end

-- Returns true if a value is of one of the types in a string. Callable values are functions.
local function is_of_type(value, wanted)
   return wanted:find(type(value), 1, true)
          or wanted:find('function', 1, true) and versions.is_callable(value)
end

-- Returns the names of options, sorted, as text. known: a table with these keys.
local function options_text(known)
   local names = table.concat(versions.sorted_keys(known), ', ')
   return names == '' and 'it has no options' or 'the options are ' .. names
end

--- Checks a table of options. known: the accepted types by name, such as 'number string'. Raises
-- an error if an option is unknown or has another type.
function files.check(options, known)
   for name, value in each(options) do
      local wanted = known[name]
      if not wanted then
         error(('unknown option %s; %s'):format(tostring(name), options_text(known)), 0)
      elseif not is_of_type(value, wanted) then
         error(('option %s must be a %s, got a %s')
               :format(name, wanted:gsub(' ', ' or '),
                       is_tracked(value) and 'tracked number' or type(value)), 0)
      end
   end
end

--- Returns the options of a function, {} instead of nil. Errors are raised at the program's line.
function files.options(name, options, known)
   if options ~= nil and type(options) ~= 'table' then
      raise(('%s: a table of options is expected, got a %s; %s'):format(
         name, type_name(options), options_text(known)))
   end
   local fine, failure = pcall(files.check, options or {}, known)
   if not fine then
      raise(name .. ': ' .. failure)
   end
   return options or {}
end

--- Returns the number of elements of a list. Raises an error if one of them is nil. Other keys than
-- whole numbers from 1 do not count.
function files.count(list)
   local count, last = 0, 0
   for key in each(list) do
      if type(key) == 'number' and key >= 1 and key % 1 == 0 then
         count, last = count + 1, math.max(last, key)
      end
   end
   if count < last then
      local k = 1
      while list[k] ~= nil do
         k = k + 1
      end
      error(('position %d is nil, but position %s is not'):format(k, last), 0)
   end
   return count
end

--- Returns the number of elements of a list. Raises an error if it has other keys than 1 to n.
-- what: what the list is, for the error.
function files.length(what, list)
   for key in each(list) do
      if type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then
         error(('%s must be a list, got the key %s'):format(what, tostring(key)), 0)
      end
   end
   local done, count = pcall(files.count, list)
   if not done then
      error(('%s: %s'):format(what, count), 0)
   end
   return count
end

--- Opens a file for reading bytes. Returns the file and its size. Pipes, and files of /proc, whose
-- size is 0, are read to their end into memory.
function files.open(tensor, filename)
   local file = tensor.DiskFile(filename, 'r'):binary():quiet()
   file:seekEnd()
   if file:hasError() or file:position() == 1 then
      file:clearError()
      local bytes = file:readChar(2 ^ 52)
      file:close()
      bytes:resize(bytes:size() + 1)
      bytes[bytes:size()] = 0
      file = tensor.MemoryFile(bytes, 'r'):binary():quiet()
      file:seekEnd()
   end
   local size = file:position() - 1
   file:seek(1)
   return file:pedantic(), size
end

--- Returns the next `count` bytes as a string. Raises an error if the file ends before.
function files.text(file, count)
   if count == 0 then
      return ''
   end
   local storage = file:readChar(count)
   local text = storage:string()
   storage:resize(0)                    -- frees its memory at once
   return text
end

--- Calls f(...) while long reads and writes show a line on the terminal, and returns the results of
-- pcall.
function files.with_line(name, filename, f, ...)
   local before = files.line
   local line, clear = progress.of_file(('%s %s'):format(name, filename:match '[^/]*$'))
   files.line = line
   local done, result, more = pcall(f, ...)
   files.line = before
   if clear then
      clear()
   end
   return done, result, more
end

--- Returns a function that is called with the number of bytes processed since its last call. It
-- calls the option `progress`, or the line on the terminal, with the bytes done so far and the
-- total.
function files.progress(options, total)
   local report, done = options.progress or files.line, 0
   if not report then
      return function() end
   end
   report(0, total)
   return function(bytes)
      done = done + bytes
      report(done, total)
   end
end

--- Reads `count` elements into a storage. done: the result of files.progress.
function files.read(tensor, file, storage, count, done)
   local item = storage:elementSize()
   local most = CHUNK / item
   for at = 0, count - 1, most do
      local n = math.min(most, count - at)
      tensor._readrange(file, storage, at + 1, n)
      done(n * item)
   end
end

--- Returns a storage that contains the elements of a tensor in order, and the index of the first.
function files.elements(t)
   local dense = t:contiguous()
   if dense:nElement() == 0 then
      return t.new(1):storage(), 1
   end
   return dense:storage(), dense:storageOffset()
end

--- Returns a contiguous tensor that views a storage from element `first` on. sizes: a table.
function files.tensor(tensor, element, storage, first, sizes)
   return tensor[element .. 'Tensor'](storage, first, tensor.LongStorage(sizes))
end

--- Replaces a file. Calls write with the name of a temporary file, which replaces the file when
-- write returns. If write raises an error, the file keeps its contents. sync: true waits until the
-- data is on the disk, false does not; nil waits if there was a file.
function files.replace(tensor, filename, write, sync)
   local replacement, name = tensor._newfile(filename)
   local written, failure = pcall(write, name)
   if written then
      written, failure = pcall(tensor._commitfile, replacement, sync)
   end
   tensor._dropfile(replacement)
   if not written then
      if name ~= filename and type(failure) == 'string' then
         local from = name:gsub('%p', '%%%0')
         failure = failure:gsub(from, (filename:gsub('%%', '%%%%')))
      end
      error(failure, 0)
   end
end

--- Like replace, but calls write with an open file.
function files.write_file(tensor, filename, write, sync)
   files.replace(tensor, filename, function(name)
      local file = tensor.DiskFile(name, 'w'):binary()
      local written, failure = pcall(write, file)
      local closed, closing_failure = pcall(file.close, file)
      if not (written and closed) then
         error(written and closing_failure or failure, 0)
      end
   end, sync)
end

--- Opens a file, returns the results of read(file, size), and closes the file.
function files.read_file(tensor, filename, read)
   local file, size = files.open(tensor, filename)
   local done, result, more = pcall(read, file, size)
   local at = file:quiet():position()
   file:close()
   if not done then
      local is_of_file = type(result) == 'string' and result:find('read error', 1, true)
      error(is_of_file and ('%s, at byte %d'):format(result, at) or result, 0)
   end
   return result, more
end

return files
