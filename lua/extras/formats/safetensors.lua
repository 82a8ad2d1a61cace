-- .safetensors: named tensors and metadata strings. The file contains the length of the header, the
-- header in JSON, and the elements.

local files = require 'tensor.files'
local npy = require 'tensor.formats.npy'
local versions = require 'tensor.versions'
local each = versions.each

local safetensors = {}

local LONGEST_HEAD = 1e8  -- the limit of the format

-- The format's names of element types, with the fields of those in npy.lua.
local kinds = {
   BOOL = {element = 'Byte'}, U8 = {element = 'Byte'}, I8 = {element = 'Char'},
   I16 = {element = 'Short'}, I32 = {element = 'Int'}, I64 = {element = 'Long'},
   F16 = {element = 'Half'}, BF16 = {element = 'BFloat16'}, F32 = {element = 'Float'},
   F64 = {element = 'Double'}, U16 = {element = 'Short', as = 'Int', above = 2 ^ 16},
   U32 = {element = 'Int', as = 'Long', above = 2 ^ 32}, U64 = {element = 'Long', unsigned = true},
}
local names = {
   Byte = 'U8', Char = 'I8', Short = 'I16', Int = 'I32', Long = 'I64', Half = 'F16',
   BFloat16 = 'BF16', Float = 'F32', Double = 'F64',
}

local options_of_load = {map = 'boolean', only = 'table', progress = 'function'}
local options_of_save = {metadata = 'table', progress = 'function'}

local function json()
   local found, library = pcall(versions.require, 'cjson')
   if not found and not tostring(library):find 'not found' then
      error(library, 0)
   elseif not found then
      error('the Lua package cjson is needed and not found; install it with "apt-get install ' ..
            'lua-cjson" or "luarocks install lua-cjson"', 0)
   end
   return library
end

local function is_count(x)
   return type(x) == 'number' and x >= 0 and x % 1 == 0 and x <= files.LARGEST
end

-- Parses the header entry of one tensor. base: the position of the first element (from 0).
local function parse_entry(name, entry, base, size)
   local function fail(text)
      error(('tensor %s: %s'):format(name, text), 0)
   end
   if type(entry) ~= 'table' or type(entry.shape) ~= 'table' or
      type(entry.data_offsets) ~= 'table' then
      fail 'dtype, shape and data_offsets are expected'
   end
   local kind = kinds[entry.dtype]
   if not kind then
      fail(('elements of type %s cannot be read'):format(tostring(entry.dtype)))
   end
   local sizes = {}
   for d, n in each(entry.shape) do
      if type(d) ~= 'number' or not is_count(n) then
         fail 'the shape contains an invalid size'
      end
      sizes[d] = n
   end
   local item = npy.item_sizes[kind.element]
   local first, last = entry.data_offsets[1], entry.data_offsets[2]
   local fits, bytes = pcall(files.bytes, sizes, item)
   if not fits then
      fail(bytes)
   elseif not (is_count(first) and is_count(last)) or last - first ~= bytes then
      fail(('%.0f bytes are expected, and data_offsets are %s and %s')
           :format(bytes, tostring(first), tostring(last)))
   elseif base + last > size then
      fail(('it should end at byte %.0f of %.0f: the file is cut off or damaged')
           :format(base + last, size))
   end
   return {
      name = name, kind = kind, sizes = #sizes == 0 and {1} or sizes, item = item,
      begin = base + first, count = bytes / item,
   }
end

-- Returns the entries of the tensors in file order, and the metadata.
local function read_head(file, size)
   if size < 8 then
      error('not a .safetensors file: the header is missing', 0)
   end
   local length = 0
   for k, byte in ipairs {files.text(file, 8):byte(1, 8)} do
      length = length + byte * 256 ^ (k - 1)
   end
   if length > LONGEST_HEAD or length > size - 8 then
      error(('the header should end at byte %.0f of %.0f: cut off, or not a .safetensors file')
            :format(8 + length, size), 0)
   end
   local decoded, head = pcall(json().decode, files.text(file, length))
   if not decoded or type(head) ~= 'table' then
      error(('the header, bytes 9 to %.0f, is not a JSON object: %s')
            :format(8 + length, decoded and type(head) or files.cause(head)), 0)
   end
   local entries, metadata = {}, {}
   for name, entry in each(head) do
      if name == '__metadata__' then
         metadata = type(entry) == 'table' and entry or metadata
      else
         entries[#entries + 1] = parse_entry(tostring(name), entry, 8 + length, size)
      end
   end
   table.sort(entries, function(a, b)
      return a.begin < b.begin or a.begin == b.begin and a.count < b.count
   end)
   -- Overlapping tensors would let a small file allocate any amount of memory.
   local previous
   for _, entry in ipairs(entries) do
      if previous and entry.begin < previous.begin + previous.count * previous.item then
         error(('tensors %s and %s overlap in the file'):format(previous.name, entry.name), 0)
      end
      previous = entry
   end
   return entries, metadata
end

local function chosen(entries, options)
   if not options.only then
      return entries
   end
   local by_name, list = {}, {}
   for _, entry in ipairs(entries) do
      by_name[entry.name] = entry
   end
   for k, name in ipairs(options.only) do
      list[k] = by_name[name] or error(('the file has no tensor %s'):format(tostring(name)), 0)
   end
   return list
end

--- Returns a table of tensors by name, and the metadata.
function safetensors.load(tensor, filename, options)
   files.check(options, options_of_load)
   return files.read_file(tensor, filename, function(file, size)
      local entries, metadata = read_head(file, size)
      entries = chosen(entries, options)
      local total = 0
      for _, entry in ipairs(entries) do
         total = total + entry.count * entry.item
      end
      local done = files.progress(options, total)
      local tensors, maps = {}, {}
      for _, entry in ipairs(entries) do
         local element = entry.kind.element
         local mappable = options.map and entry.count > 0 and not entry.kind.as and
                          entry.begin % entry.item == 0
         local storage
         local first = 1
         if mappable then
            maps[element] = maps[element] or files.map(tensor, element, file, 0)
            storage, first = maps[element], entry.begin / entry.item + 1
         else
            storage = files.storage(tensor, element, entry.count)
            file:seek(entry.begin + 1)
            files.read(tensor, file, storage, entry.count, done)
         end
         local made, t = pcall(npy.tensor, tensor, entry, storage, first)
         if not made then
            error(('tensor %s: %s'):format(entry.name, files.cause(t)), 0)
         end
         tensors[entry.name] = t
      end
      return tensors, metadata
   end)
end

local function head_of(list, metadata)
   local encode, parts, at = json().encode, {}, 0
   local texts = {}
   for key, value in each(metadata) do
      if type(key) ~= 'string' or type(value) ~= 'string' then
         error('metadata must be a table of strings by name', 0)
      end
      texts[#texts + 1] = encode(key) .. ':' .. encode(value)
   end
   if #texts > 0 then
      table.sort(texts)
      parts[1] = ('"__metadata__":{%s}'):format(table.concat(texts, ','))
   end
   for _, entry in ipairs(list) do
      local sizes = {}
      for d = 1, entry.tensor:dim() do
         sizes[d] = ('%d'):format(entry.tensor:size(d))
      end
      local last = at + entry.tensor:nElement() * entry.item
      parts[#parts + 1] = ('%s:{"dtype":"%s","shape":[%s],"data_offsets":[%.0f,%.0f]}')
         :format(encode(entry.name), names[entry.element],
                 #sizes == 0 and '0' or table.concat(sizes, ','), at, last)
      at = last
   end
   local text = '{' .. table.concat(parts, ',') .. '}'
   text = text .. (' '):rep(-#text % 8)
   local length, bytes = #text, {}
   for k = 1, 8 do
      bytes[k] = string.char(length % 256)
      length = math.floor(length / 256)
   end
   return table.concat(bytes) .. text, at
end

function safetensors.save(tensor, filename, object, options)
   files.check(options, options_of_save)
   if type(object) ~= 'table' then
      error('a .safetensors file contains a table of tensors, got ' .. tensor.type(object), 0)
   end
   local list = {}
   for name, t in each(object) do
      local element = files.element(tensor, t)
      if type(name) ~= 'string' or name == '__metadata__' then
         error(('invalid tensor name: %s'):format(tostring(name)), 0)
      elseif not element then
         error(('a tensor is expected for %s, got %s'):format(name, tensor.type(t)), 0)
      end
      list[#list + 1] = {name = name, element = element, tensor = t,
                         item = npy.item_sizes[element]}
   end
   -- Tensors with large elements first: then each starts at a multiple of its element size.
   table.sort(list, function(a, b)
      if a.item ~= b.item then
         return a.item > b.item
      end
      return a.name < b.name
   end)
   local head, total = head_of(list, options.metadata or {})
   files.write_file(tensor, filename, function(file)
      file:writeString(head)
      local done = files.progress(options, total)
      for _, entry in ipairs(list) do
         local storage, first = files.elements(entry.tensor)
         files.write(tensor, file, storage, first, entry.tensor:nElement(), done)
      end
   end)
end

return safetensors
