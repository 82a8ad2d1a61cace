return [=[
asinh
> tensor.asinh(tensor.Tensor{0, 1})
 0.0000
 0.8814
[torch.DoubleTensor of size 2]

acosh
> tensor.acosh(tensor.Tensor{1, 2})
 0.0000
 1.3170
[torch.DoubleTensor of size 2]

atanh
> tensor.atanh(tensor.Tensor{0, 0.5})
 0.0000
 0.5493
[torch.DoubleTensor of size 2]

sinc
> tensor.sinc(tensor.Tensor{0, 0.5, 1})
 1.0000
 0.6366
 0.0000
[torch.DoubleTensor of size 3]

square
> tensor.square(tensor.IntTensor{-3, 4})
  9
 16
[torch.IntTensor of size 2]

exp2
> tensor.exp2(tensor.Tensor{-1, 0, 10})
    0.5000
    1.0000
 1024.0000
[torch.DoubleTensor of size 3]

cbrt
> tensor.cbrt(tensor.Tensor{-8, 27})
-2
 3
[torch.DoubleTensor of size 2]

deg2rad
> tensor.deg2rad(tensor.Tensor{0, 90, 180})
 0.0000
 1.5708
 3.1416
[torch.DoubleTensor of size 3]

rad2deg
> tensor.rad2deg(tensor.Tensor{0, math.pi})
   0
 180
[torch.DoubleTensor of size 2]

logit
> tensor.logit(tensor.Tensor{0.1, 0.5, 0.9})
-2.1972
 0.0000
 2.1972
[torch.DoubleTensor of size 3]

heaviside
> tensor.heaviside(tensor.Tensor{-2, 0, 3}, tensor.Tensor{0.5})
 0.0000
 0.5000
 1.0000
[torch.DoubleTensor of size 3]

bitnot
> tensor.bitnot(tensor.IntTensor{0, 5})
-1
-6
[torch.IntTensor of size 2]

polygamma
> tensor.polygamma(tensor.Tensor{1, 2}, 1)
 1.6449
 0.6449
[torch.DoubleTensor of size 2]

i0
> tensor.i0(tensor.Tensor{0, 1})
 1.0000
 1.2661
[torch.DoubleTensor of size 2]

i1
> tensor.i1(tensor.Tensor{0, 1})
 0.0000
 0.5652
[torch.DoubleTensor of size 2]

fmax
> tensor.fmax(tensor.Tensor{1, 0 / 0}, tensor.Tensor{2, 3})
 2
 3
[torch.DoubleTensor of size 2]

fmin
> tensor.fmin(tensor.Tensor{1, 0 / 0}, tensor.Tensor{2, 3})
 1
 3
[torch.DoubleTensor of size 2]

floorDivide
> tensor.floorDivide(tensor.IntTensor{7, -7}, 2)
 3
-4
[torch.IntTensor of size 2]

gcd
> tensor.gcd(tensor.IntTensor{12, -9}, tensor.IntTensor{18, 6})
 6
 3
[torch.IntTensor of size 2]

lcm
> tensor.lcm(tensor.IntTensor{4, 6}, tensor.IntTensor{6, 9})
 12
 18
[torch.IntTensor of size 2]

copysign
> tensor.copysign(tensor.Tensor{1, -2}, -1)
-1
-2
[torch.DoubleTensor of size 2]

nextafter
> tensor.nextafter(tensor.Tensor{1}, tensor.Tensor{2})[1] - 1
2.2204460492503e-16

ldexp
> tensor.ldexp(tensor.Tensor{3, 5}, 2)
 12
 20
[torch.DoubleTensor of size 2]

xlogy
> tensor.xlogy(tensor.Tensor{0, 2}, tensor.Tensor{0, 1})
 0
 0
[torch.DoubleTensor of size 2]

igamma
> tensor.igamma(tensor.Tensor{1}, tensor.Tensor{2})[1] - (1 - math.exp(-2))
0

igammac
> tensor.igammac(tensor.Tensor{1}, tensor.Tensor{2})[1] / math.exp(-2)
1

frexp
> tensor.frexp(tensor.Tensor{6, -0.75})
 0.7500
-0.7500
[torch.DoubleTensor of size 2]
 3
 0
[torch.IntTensor of size 2]
]=]
