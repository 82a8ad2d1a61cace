-- NumPy's .npy files: one array each.

local files = require 'tensor.files'

local npy = {}

local MAGIC = '\147NUMPY'
local LONGEST_HEAD = 2 ^ 20  -- NumPy writes headers of about a hundred bytes

-- NumPy's names of element types. The element type of the file is `element`, that of the tensor is
-- `as`, if present.
local kinds = {
   b1 = {element = 'Byte'}, u1 = {element = 'Byte'}, i1 = {element = 'Char'},
   i2 = {element = 'Short'}, i4 = {element = 'Int'}, i8 = {element = 'Long'},
   f2 = {element = 'Half'}, f4 = {element = 'Float'}, f8 = {element = 'Double'},
   V2 = {element = 'BFloat16'},  -- written by the package ml_dtypes; not a type of NumPy
   u2 = {element = 'Short', as = 'Int', above = 2 ^ 16},
   u4 = {element = 'Int', as = 'Long', above = 2 ^ 32},
   u8 = {element = 'Long', unsigned = true},
}
local names = {
   Byte = '|u1', Char = '|i1', Short = '<i2', Int = '<i4', Long = '<i8', Half = '<f2',
   BFloat16 = '<V2', Float = '<f4', Double = '<f8',
}
local readable = 'bool, integers of 8 to 64 bits, floats of 16 to 64 bits'

local function fail_of_kind(descr)
   local hint = ''
   if descr:find '^[<>=|]?c' then
      hint = '; complex numbers: save a.real and a.imag'
   elseif descr:find '^[<>=|]?O' then
      hint = '; objects are code in such a file, which is not run'
   end
   error(("elements of type '%s' cannot be read; readable types are %s%s")
         :format(descr, readable, hint), 0)
end

local function parse_sizes(text)
   local sizes = {}
   if not text:find '^[%d%sL,]*$' then
      return nil
   end
   for digits in text:gmatch '[^,]+' do
      if digits:find '%S' then
         local number = digits:match '^%s*(%d+)L?%s*$'
         if not number or tonumber(number) > files.LARGEST then
            return nil
         end
         sizes[#sizes + 1] = tonumber(number)
      end
   end
   return sizes
end

-- Parses the header: element kind, byte order, column-major order, sizes.
local function parse_head(text)
   local descr = text:match "'descr'%s*:%s*'([^']*)'" or text:match '"descr"%s*:%s*"([^"]*)"'
   if not descr then
      if text:find "'descr'%s*:%s*%[" then
         error('structured arrays cannot be read: save each field separately', 0)
      end
      error('the header has no descr: ' .. text:sub(1, 100), 0)
   end
   local order, name = descr:match '^([<>=|]?)(%a%d+)$'
   local kind = kinds[name]
   if not kind then
      fail_of_kind(descr)
   end
   local columns = text:match "'fortran_order'%s*:%s*(%a+)"
   local sizes = parse_sizes(text:match "'shape'%s*:%s*%(([^()]*)%)" or '?')
   if not sizes or (columns ~= 'True' and columns ~= 'False') then
      error('the header has no fortran_order and shape: ' .. text:sub(1, 200), 0)
   end
   local isscalar = #sizes == 0
   return {
      kind = kind, swapped = order == '>', columns = columns == 'True' and #sizes > 1,
      sizes = isscalar and {1} or sizes,
   }
end

-- Returns the length of the header and its position (from 0).
local function head_range(start)
   if start:sub(1, 6) ~= MAGIC or #start < 10 then
      error('not an .npy file: the magic number is missing', 0)
   end
   local major = start:byte(7)
   local a, b, c, d = start:byte(9, 12)
   if major == 1 then
      return a + 256 * b, 10
   elseif (major == 2 or major == 3) and d then
      return a + 256 * (b + 256 * (c + 256 * d)), 12
   end
   error(('unknown version %d of the format'):format(major), 0)
end

--- Describes the array in a file of `size` bytes. read(first, count) returns bytes of the file.
-- Returns the fields of parse_head, the byte of the first element (from 0), and the element count.
function npy.describe(read, size)
   local length, first = head_range(read(0, math.min(size, 12)))
   local begin = first + length
   if begin > size then
      error(('the header should end at byte %.0f of %.0f: the file is cut off or damaged')
            :format(begin, size), 0)
   elseif length > LONGEST_HEAD then
      error(('the header has %d bytes; at most %d are read'):format(length, LONGEST_HEAD), 0)
   end
   local array = parse_head(read(first, length))
   local item = array.kind.element
   array.item = npy.item_sizes[item]
   local bytes = files.bytes(array.sizes, array.item)
   if bytes > size - begin then
      error(('%s elements of %d bytes from byte %d on should end at byte %.0f of %.0f: the file ' ..
             'is cut off or damaged')
            :format(table.concat(array.sizes, ' x '), array.item, begin + 1, begin + bytes, size),
            0)
   end
   array.begin, array.count = begin, bytes / array.item
   return array
end

npy.item_sizes = {
   Byte = 1, Char = 1, Short = 2, Int = 4, Long = 8, Half = 2, BFloat16 = 2, Float = 4, Double = 8,
}

-- Converts unsigned numbers that were read as signed to a type that represents them.
local function widened(row, kind)
   local wide = row:type(('torch.%sTensor'):format(kind.as))
   return wide:add(kind.above, row:lt(0):typeAs(wide))
end

--- Returns the tensor of an array whose elements are in a storage from `first` on.
function npy.tensor(tensor, array, storage, first)
   local element, sizes, strides = array.kind.element, array.sizes, nil
   if array.columns then
      strides = {1}
      for d = 2, #sizes do
         strides[d] = strides[d - 1] * math.max(sizes[d - 1], 1)
      end
   end
   if array.kind.as or array.kind.unsigned then
      -- The storage of an empty array has one element.
      local row = files.tensor(tensor, element, storage, first, {math.max(array.count, 1)})
      if array.kind.as then
         storage, first, element = widened(row, array.kind):storage(), 1, array.kind.as
      elseif row:min() < 0 then
         error('unsigned numbers of 2^63 and more do not fit into a LongTensor', 0)
      end
   end
   return files.tensor(tensor, element, storage, first, sizes, strides)
end

--- Returns the header of a file with the elements of a tensor in row-major order.
function npy.head(element, t)
   local sizes = {}
   for d = 1, t:dim() do
      sizes[d] = ('%d'):format(t:size(d))
   end
   local shape = #sizes == 0 and '0,' or table.concat(sizes, ', ') .. (#sizes == 1 and ',' or '')
   local text = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }")
                :format(names[element], shape)
   -- The elements start at a multiple of 64 bytes.
   text = text .. (' '):rep(63 - (10 + #text) % 64) .. '\n'
   return MAGIC .. '\1\0' .. string.char(#text % 256, math.floor(#text / 256)) .. text
end

local options_of_load = {map = 'boolean', progress = 'function'}
local options_of_save = {progress = 'function'}

function npy.load(tensor, filename, options)
   files.check(options, options_of_load)
   return (files.read_file(tensor, filename, function(file, size)
      local array = npy.describe(function(first, count)
         file:seek(first + 1)
         return files.text(file, count)
      end, size)
      local element = array.kind.element
      if options.map and array.count > 0 then
         if array.swapped or array.kind.as then
            error('cannot be mapped: the layout of the elements differs from that in memory', 0)
         end
         return npy.tensor(tensor, array, files.map(tensor, element, file, array.begin))
      end
      if array.swapped then
         file:bigEndianEncoding()
      end
      file:seek(array.begin + 1)
      local storage = files.storage(tensor, element, array.count)
      files.read(tensor, file, storage, array.count,
                  files.progress(options, array.count * array.item))
      return npy.tensor(tensor, array, storage, 1)
   end))
end

function npy.save(tensor, filename, t, options)
   files.check(options, options_of_save)
   local element = files.element(tensor, t)
   if not element then
      error('an .npy file contains a tensor, got ' .. tensor.type(t), 0)
   end
   files.write_file(tensor, filename, function(file)
      file:writeString(npy.head(element, t))
      local storage, first = files.elements(t)
      files.write(tensor, file, storage, first, t:nElement(),
                   files.progress(options, t:nElement() * storage:elementSize()))
   end)
end

return npy
