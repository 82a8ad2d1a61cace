return [=[
conv1d
> tensor.conv1d(tensor.Tensor{{1, 2, 4, 8}}, tensor.Tensor{{{-1, 1}}})
 1  2  4
[torch.DoubleTensor of size 1x3]

conv2d
> image, kernels = tensor.range(1, 9):view(1, 3, 3), tensor.ones(2, 1, 2, 2)
> tensor.conv2d(image, kernels, tensor.Tensor{0, 100}, 1, 0)
(1,.,.) =
   12   16
   24   28
(2,.,.) =
  112  116
  124  128
[torch.DoubleTensor of size 2x2x2]

conv3d
> tensor.conv3d(tensor.ones(2, 3, 4, 4), tensor.ones(1, 2, 3, 3, 3), nil, 2, {0, 1, 1})
(1,1,.,.) =
  24  36
  36  54
[torch.DoubleTensor of size 1x1x2x2]

convTranspose1d
> tensor.convTranspose1d(tensor.Tensor{{1, 2}}, tensor.Tensor{{{1, 10, 100}}}, nil, 2)
   1   10  102   20  200
[torch.DoubleTensor of size 1x5]

convTranspose2d
> tensor.convTranspose2d(tensor.Tensor{{{1, 2}}}, tensor.ones(1, 1, 2, 2), nil, 2)
(1,.,.) =
  1  1  2  2
  1  1  2  2
[torch.DoubleTensor of size 1x2x4]

convTranspose3d
> tensor.convTranspose3d(tensor.ones(1, 1, 1, 2), tensor.ones(1, 1, 1, 2, 2))
(1,1,.,.) =
  1  2  1
  1  2  1
[torch.DoubleTensor of size 1x1x2x3]

maxPool1d
> tensor.maxPool1d(tensor.Tensor{{3, 1, 4, 1, 5, 9}}, 2)
 3  4  9
[torch.DoubleTensor of size 1x3]
 1  3  6
[torch.LongTensor of size 1x3]

maxPool2d
> values, indices = tensor.maxPool2d(tensor.range(1, 16):view(1, 4, 4), 2)
> values
(1,.,.) =
   6   8
  14  16
[torch.DoubleTensor of size 1x2x2]
> indices
(1,.,.) =
   6   8
  14  16
[torch.LongTensor of size 1x2x2]

maxPool3d
> (tensor.maxPool3d(tensor.range(1, 8):view(1, 2, 2, 2), {1, 2, 2}))
(1,1,.,.) =
  4
(1,2,.,.) =
  8
[torch.DoubleTensor of size 1x2x1x1]

avgPool1d
> tensor.avgPool1d(tensor.Tensor{{3, 1, 4, 1, 5, 9}}, 2)
 2.0000  2.5000  7.0000
[torch.DoubleTensor of size 1x3]

avgPool2d
> tensor.avgPool2d(tensor.ones(1, 2, 4), {2, 3}, 1, 1, false, false)
(1,.,.) =
  1  1  1  1
  1  1  1  1
  1  1  1  1
[torch.DoubleTensor of size 1x3x4]

avgPool3d
> tensor.avgPool3d(tensor.range(1, 8):view(1, 2, 2, 2), {1, 2, 2})
(1,1,.,.) =
  2.5000
(1,2,.,.) =
  6.5000
[torch.DoubleTensor of size 1x2x1x1]

adaptiveMaxPool1d
> (tensor.adaptiveMaxPool1d(tensor.Tensor{{3, 1, 4, 1, 5, 9, 2}}, 3))
 4  5  9
[torch.DoubleTensor of size 1x3]

adaptiveMaxPool2d
> (tensor.adaptiveMaxPool2d(tensor.range(1, 16):view(1, 4, 4), {1, 2}))
(1,.,.) =
  14  16
[torch.DoubleTensor of size 1x1x2]

adaptiveMaxPool3d
> (tensor.adaptiveMaxPool3d(tensor.range(1, 8):view(1, 2, 2, 2), 1))
(1,1,.,.) =
  8
[torch.DoubleTensor of size 1x1x1x1]

adaptiveAvgPool1d
> tensor.adaptiveAvgPool1d(tensor.Tensor{{3, 1, 4, 1, 5, 9}}, 3)
 2.0000  2.5000  7.0000
[torch.DoubleTensor of size 1x3]

adaptiveAvgPool2d
> tensor.adaptiveAvgPool2d(tensor.range(1, 16):view(1, 4, 4), {1, 2})
(1,.,.) =
  7.5000  9.5000
[torch.DoubleTensor of size 1x1x2]

adaptiveAvgPool3d
> tensor.adaptiveAvgPool3d(tensor.range(1, 8):view(1, 2, 2, 2), 1)
(1,1,.,.) =
  4.5000
[torch.DoubleTensor of size 1x1x1x1]

interpolate
> tensor.interpolate(tensor.Tensor{{{{1, 2}, {3, 4}}}}, {3, 3}, 'bilinear', true)
(1,1,.,.) =
  1.0000  1.5000  2.0000
  2.0000  2.5000  3.0000
  3.0000  3.5000  4.0000
[torch.DoubleTensor of size 1x1x3x3]

upsample
> tensor.upsample(tensor.Tensor{{{1, 2, 3}}}, 2)
(1,.,.) =
  1  1  2  2  3  3
[torch.DoubleTensor of size 1x1x6]
]=]
