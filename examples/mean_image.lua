-- Subtracts a mean image, read from a Caffe .binaryproto file, from images.
--
--   tensor examples/mean_image.lua [--mean FILE] [--out FILE]
--
-- The images are those of examples/data/digits.csv. Prints statistics of the mean image, and of the
-- images before and after the subtraction. --out writes the resulting images to a .binaryproto
-- file.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'mean', value = 'FILE', default = here .. 'data/digits-mean.binaryproto',
   help = 'the mean image (data/digits-mean.binaryproto)'},
  {name = 'out', value = 'FILE', help = 'where the images without the mean go (nowhere)'},
})

local function give_up(message)
  io.stderr:write('mean_image.lua: ', message, '\n')
  os.exit(1)
end

local SIDE = 8

-- Each line is an image: 64 numbers, then the digit it shows.
local function read_images(filename)
  local rows = {}
  for line in io.lines(filename) do
    local row = {}
    for field in line:gmatch('[^,]+') do
      row[#row + 1] = tonumber(field)
    end
    row[SIDE * SIDE + 1] = nil
    rows[#rows + 1] = row
  end
  local images = tensor.FloatBlob(#rows, 1, SIDE, SIDE)
  images:data():copy(tensor.FloatTensor(rows))
  return images
end

local function report(name, blob)
  local t = blob:data()
  print(('%-16s %-21s mean %8.4f   deviation %7.4f   from %6.2f to %6.2f')
        :format(name, blob:shapeString(), t:mean(), t:std(), t:min(), t:max()))
end

local loaded, mean = pcall(tensor.load, chosen.mean)
if not loaded then
  give_up(mean)
end
local images = read_images(here .. 'data/digits.csv')
if type(mean) == 'table' or not mean:shapeEquals(1, images:channels(), SIDE, SIDE) then
  local got = type(mean) == 'table' and #mean .. ' blobs' or tostring(mean)
  give_up(('%s: an image of 1 x %d x %d is expected, got %s')
          :format(chosen.mean, SIDE, SIDE, got))
end

report('mean image', mean)
report('images', images)

-- update() computes data - diff, as in Caffe. With the mean image in the diff of every image, it
-- subtracts the mean.
images:diff():copy(mean:data():float():view(1, 1, SIDE, SIDE):expandAs(images:diff()))
images:update()
report('without the mean', images)

-- The remaining mean of each pixel is rounding error.
local left = images:data():mean(1):abs():max()
print(('largest mean of a pixel left: %.1g'):format(left))

if chosen.out then
  local file, message = io.open(chosen.out, 'wb')
  if not file then
    give_up(message)
  end
  file:write(images:toProto())
  file:close()
  print('wrote ' .. chosen.out)
end
