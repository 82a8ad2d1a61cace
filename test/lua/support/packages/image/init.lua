-- A package used like Torch7's image: it needs the globals torch, xlua and paths, defines a global,
-- has functions with and without a result tensor, and adds methods to three classes. Its scale only
-- repeats elements, so its results differ from those of tensor.image.

require 'torch'
require 'xlua'
require 'paths'

image = {}

function image.scale(dst, src, width, height)
  if type(src) == 'number' then dst, src, width, height = nil, dst, src, width end
  dst = dst or src.new()
  local w, h = width or dst:size(dst:dim()), height or dst:size(dst:dim() - 1)
  dst:resize(src:size(1), h, w)
  for y = 1, h do
    for x = 1, w do
      local from = src[{{}, math.ceil(y * src:size(2) / h), math.ceil(x * src:size(3) / w)}]
      dst[{{}, y, x}]:copy(from)
    end
  end
  return dst
end

function image.crop(src, x1, y1, x2, y2)
  return src:narrow(3, x1 + 1, x2 - x1):narrow(2, y1 + 1, y2 - y1):clone()
end

function image.hflip(src)
  return src:index(3, torch.range(src:size(3), 1, -1):long())
end

function image.load(name, channels, type)
  local t = torch.load(name)
  t = channels == 1 and t:mean(1) or t
  return type == 'byte' and t:mul(255):byte() or t
end

function image.save(name, t)
  torch.save(paths.concat(paths.dirname(name), paths.basename(name)), t)
end

for _, name in ipairs {'Byte', 'Float', 'Double'} do
  local methods = torch.getmetatable('torch.' .. name .. 'Tensor')
  methods.image = {scale = image.scale, name = name}
end

return image
