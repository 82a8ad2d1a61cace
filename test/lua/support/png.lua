-- An encoder of PNG files (ISO/IEC 15948) that uses zlib alone.

local ffi = require 'ffi'

ffi.cdef [[
unsigned long compressBound(unsigned long length);
int compress2(unsigned char *to, unsigned long *to_length,
              const unsigned char *from, unsigned long length, int level);
unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned int length);
]]

-- libz.so exists only if the development package of zlib is installed.
local found, zlib = pcall(ffi.load, 'z')
if not found then
  zlib = ffi.load('libz.so.1')
end

local png = {}

local SIGNATURE = '\137PNG\r\n\26\n'
local GREY, RGB = 0, 2
local BEST_COMPRESSION = 9

local function bigendian(x)
  return string.char(math.floor(x / 2 ^ 24) % 256, math.floor(x / 2 ^ 16) % 256,
                     math.floor(x / 2 ^ 8) % 256, x % 256)
end

-- Returns a chunk: the length of the data, the type, the data, and the CRC of type and data.
local function chunk(kind, data)
  local body = kind .. data
  return bigendian(#data) .. body .. bigendian(tonumber(zlib.crc32(0, body, #body)))
end

local function deflate(data)
  local length = ffi.new('unsigned long[1]', zlib.compressBound(#data))
  local buffer = ffi.new('unsigned char[?]', length[0])
  local status = zlib.compress2(buffer, length, data, #data, BEST_COMPRESSION)
  if status ~= 0 then
    error(('png: zlib failed with status %d'):format(status))
  end
  return ffi.string(buffer, length[0])
end

--- Encodes a ByteTensor as a PNG file: grey values of shape H x W, or red, green and blue of shape
-- 3 x H x W.
function png.encode(image)
  local grey = image:dim() == 2
  local planes = grey and image:unsqueeze(1) or image
  local channels, height, width = planes:size(1), planes:size(2), planes:size(3)

  -- PNG stores the pixels of each row in sequence, preceded by the number of the row's filter (0:
  -- none).
  local rows = planes.new(height, 1 + width * channels):zero()
  rows:narrow(2, 2, width * channels):copy(planes:permute(2, 3, 1))
  local scanlines = ffi.string(rows:data(), rows:nElement())

  local depth, method, filter, interlace = 8, 0, 0, 0
  local header = bigendian(width) .. bigendian(height)
                 .. string.char(depth, grey and GREY or RGB, method, filter, interlace)
  return SIGNATURE .. chunk('IHDR', header) .. chunk('IDAT', deflate(scanlines))
         .. chunk('IEND', '')
end

return png
