-- PNG and JPEG files: reads and writes tensors of shape channels x height x width.

local files = require 'tensor.files'
local native = require 'tensor.native'

local picture = {}

local options_of_load = {channels = 'number', type = 'string', progress = 'function'}
local elements = {Byte = true, Half = true, BFloat16 = true, Float = true, Double = true}

-- Weights of red, green and blue in the conversion to grey: ITU-R BT.601, as in JPEG files.
local GREY = {0.299, 0.587, 0.114}

local LARGEST = 10  -- Pictures with larger values may have values from 0 to 255.

-- Converts between grey and color, with or without alpha. t must be floating point.
local function convert(t, channels)
   local has = t:size(1)
   if has == channels then
      return t
   end
   local color = has >= 3 and t:narrow(1, 1, 3) or t:narrow(1, 1, 1)
   if channels <= 2 and has >= 3 then
      color = (color[1] * GREY[1]):add(GREY[2], color[2]):add(GREY[3], color[3]):unsqueeze(1)
   elseif channels >= 3 and has <= 2 then
      color = color:expand(3, t:size(2), t:size(3))
   end
   if channels % 2 == 1 then
      return color:contiguous()
   end
   local alpha = has % 2 == 0 and t:narrow(1, has, 1) or t.new(1, t:size(2), t:size(3)):fill(1)
   return alpha.cat(color, alpha, 1)
end

local function element_of(options)
   local element = files.element_named(options.type or 'Float')
   if not elements[element] then
      error(('the type of a picture is Byte, Half, BFloat16, Float or Double, got %s')
            :format(options.type), 0)
   end
   return element
end

-- The formats that are known by the first bytes of a file.
local heads = {
   {'^\137PNG', 'png'}, {'^\255\216\255', 'jpeg'},
   {'^GIF8', name = 'a GIF'}, {'^RIFF....WEBP', name = 'a WebP'}, {'^BM', name = 'a BMP'},
}

-- Returns the format of a file, in which the extension may be wrong. format: that of the extension,
-- for unknown bytes. Raises an error for other known formats.
local function format_of_bytes(bytes, format)
   local characters = {}
   for k = 1, math.min(bytes:size(), 12) do
      characters[k] = string.char(bytes[k])
   end
   local head = table.concat(characters)
   for _, known in ipairs(heads) do
      if head:find(known[1]) then
         return known[2] or error(('it is %s file: PNG and JPEG files can be read')
                                  :format(known.name), 0)
      end
   end
   return format
end

local function load(tensor, format, filename, options)
   files.check(options, options_of_load)
   local element, channels = element_of(options), options.channels
   if channels and not (channels >= 1 and channels <= 4 and channels % 1 == 0) then
      error(('channels are 1 (grey), 2 (grey, alpha), 3 (color) or 4 (color, alpha), got %s')
            :format(channels), 0)
   end
   local bytes = files.read_file(tensor, filename, function(file, size)
      local storage = tensor.ByteStorage(size)
      files.read(tensor, file, storage, size, files.progress(options, size))
      return storage
   end)
   format = format_of_bytes(bytes, format)
   local has, height, width, bits = native.picture_shape(format, bytes)
   local storage = tensor[bits == 16 and 'ShortStorage' or 'ByteStorage'](has * height * width)
   native.picture_read(format, bytes, storage)
   local kind = bits == 16 and 'Short' or 'Byte'
   local pixels = files.tensor(tensor, kind, storage, 1, {height, width, has}):permute(3, 1, 2)
   local class = ('torch.%sTensor'):format(element)
   if bits == 8 and (channels or has) == has then
      -- The quotients are those of doubles, rounded, in each type.
      return element == 'Byte' and pixels:contiguous() or pixels:type(class):div(255)
   end
   local values = pixels:double()
   if bits == 16 then
      values:add(65536, values:lt(0):double())  -- unsigned samples in a ShortTensor
   end
   values = convert(values:div(2 ^ bits - 1), channels or has)
   if element == 'Byte' then
      values:mul(255):round()
   end
   return values:type(class)
end

--- check_values(tensor, object): raises an error unless the object is a tensor of bytes, or in
-- floating point of 0 to 1. Values of 0 to 255 are recognized by their maximum, and because most of
-- the elements above 0 are above 1.
function picture.check_values(tensor, object)
   local element = files.element(tensor, object)
   if not elements[element] then
      error(('a ByteTensor of 0 to 255, or a tensor in floating point of 0 to 1, is expected, ' ..
             'got %s'):format(tensor.type(object)), 0)
   end
   if element == 'Byte' or not object:gt(LARGEST):any() then
      return
   end
   local positive = object:maskedSelect(object:gt(0):cmul(object:lt(math.huge)))
   local largest = positive:nElement() > 0 and positive:max() or 0
   if largest > LARGEST and 2 * positive:gt(1):sum() > positive:nElement() then
      error(('pictures in floating point have values from 0 to 1, got values up to %g: divide ' ..
             'them by 255, or convert them by t:byte()'):format(largest), 0)
   end
end

--- advice(t): returns a text about the order of the dimensions if t is H x W x channels, else ''.
function picture.advice(t)
   local is_last = t:dim() == 3 and (t:size(3) == 3 or t:size(3) == 1)
   return is_last and '; t:permute(3, 1, 2) puts the channels first' or ''
end

-- Returns the samples of an object as a tensor of channels x H x W: a ByteTensor, or a ShortTensor
-- for 16 bits per sample.
local function samples(tensor, object, most, bits)
   picture.check_values(tensor, object)
   local element = files.element(tensor, object)
   local t = object:dim() == 2 and object:unsqueeze(1) or object
   if t:dim() ~= 3 or t:nElement() == 0 or t:size(1) > 4 or not most[t:size(1)] then
      error(('a picture has H x W or channels x H x W elements, channels %s, got %s%s')
            :format(most.text, table.concat(object:size():totable(), ' x '),
                    picture.advice(object)), 0)
   end
   if element == 'Byte' and bits == 8 then
      return t
   end
   local values = t:double()
   if values:ne(values):any() then
      error('the picture contains NaN', 0)
   end
   values = element == 'Byte' and values:mul(257) or
            tensor.clamp(values, 0, 1):mul(2 ^ bits - 1):round()
   if bits == 16 then
      return values:add(-65536, values:gt(32767):double()):short()
   end
   return values:byte()
end

-- Encodes samples of channels x H x W as a file, and returns it as a string.
local function encode(t, format, quality)
   local storage, first = files.elements(t:permute(2, 3, 1))
   return native.picture_write(format, storage, first, t:nElement(), t:size(1), t:size(2),
                               t:size(3), math.floor(quality))
end

--- encode_png(pixels): returns a ByteTensor of channels x H x W as a PNG file in a string.
function picture.encode_png(pixels)
   return encode(pixels, 'png', 90)
end

local function save(tensor, format, filename, object, most, options)
   local bits, quality = options.bits or 8, options.quality or 90
   if bits ~= 8 and bits ~= 16 then
      error(('bits are 8 or 16, got %s'):format(bits), 0)
   elseif not (quality >= 1 and quality <= 100) then
      error(('quality is from 1 to 100, got %s'):format(quality), 0)
   end
   local bytes = encode(samples(tensor, object, most, bits), format, quality)
   local done = files.progress(options, #bytes)
   files.write_file(tensor, filename, function(file)
      file:writeChar(tensor.CharStorage():string(bytes))
      done(#bytes)
   end, options.sync)
end

local function format_of(name, most, options_of_save)
   local format = {}
   function format.load(tensor, filename, options)
      return load(tensor, name, filename, options)
   end
   function format.save(tensor, filename, object, options)
      files.check(options, options_of_save)
      save(tensor, name, filename, object, most, options)
   end
   return format
end

picture.png = format_of('png', {true, true, true, true, text = '1 to 4'},
                        {bits = 'number', progress = 'function', sync = 'boolean'})
picture.jpeg = format_of('jpeg', {true, false, true, false, text = '1 or 3'},
                         {quality = 'number', progress = 'function', sync = 'boolean'})

return picture
