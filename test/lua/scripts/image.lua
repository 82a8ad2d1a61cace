-- Image operations: channels, crops, mirror images, pooling, padding, filters, histograms.
require 'torch'

-- Three channels of 4 x 4.
local image = torch.range(0, 47):resize(3, 4, 4)
print(image:size())
print(image[1])

local gray = image[1] * 0.25 + image[2] * 0.5 + image[3] * 0.25
print(gray)

-- A crop is a view. A mirror image is a copy, made with index.
local crop = gray[{{2, 3}, {2, 3}}]
print(crop, crop:isContiguous())
print(gray:index(2, torch.range(4, 1, -1):long())[1])

-- The mean of each block, through unfold.
local blocks = gray:unfold(1, 2, 2):unfold(2, 2, 2)
print(blocks:size())
print(blocks:contiguous():view(2, 2, 4):mean(3):squeeze())

local padded = torch.zeros(4, 4)
padded:narrow(1, 2, 2):narrow(2, 2, 2):copy(crop)
print(padded)

local sobel = torch.Tensor {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}
print(torch.xcorr2(gray, sobel))
print(torch.conv2(gray, sobel, 'V'))

-- Normalizes each channel to mean 0 and standard deviation 1.
local flat = image:view(3, 16)
local normal = torch.add(flat, -1, flat:mean(2):expandAs(flat)):cdiv(flat:std(2):expandAs(flat))
print(normal:mean(2):abs():max() < 1e-12, torch.abs(normal:std(2) - 1):max() < 1e-12)

print(torch.histc(gray:float(), 4))
print(image:transpose(1, 3):size(3), image:permute(2, 3, 1)[{1, 2, 3}])
print(image:byte():max(), torch.clamp(gray, 20, 25):sum())
