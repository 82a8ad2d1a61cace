return [=[
abs
> tensor.abs(tensor.Tensor{-1, 2})
 1
 2
[torch.DoubleTensor of size 2]

neg
> tensor.neg(tensor.IntTensor{1, -2})
-1
 2
[torch.IntTensor of size 2]

sign
> tensor.sign(tensor.Tensor{-3, 0, 5})
-1
 0
 1
[torch.DoubleTensor of size 3]

cinv
> tensor.cinv(tensor.Tensor{2, -4})
 0.5000
-0.2500
[torch.DoubleTensor of size 2]

sqrt
> tensor.sqrt(16)
4
> tensor.Tensor{1, 4, 9}:sqrt()
 1
 2
 3
[torch.DoubleTensor of size 3]

rsqrt
> tensor.rsqrt(16)
0.25

exp
> tensor.exp(tensor.Tensor{0, 1})
 1.0000
 2.7183
[torch.DoubleTensor of size 2]

expm1
> tensor.expm1(1e-20)
1e-20

log
> tensor.log(tensor.Tensor{2, 10})
 0.6931
 2.3026
[torch.DoubleTensor of size 2]

log1p
> tensor.log1p(1e-20)
1e-20

log2
> tensor.log2(8)
3

log10
> tensor.log10(1000)
3

sin
> tensor.sin(math.pi / 2)
1

cos
> tensor.cos(tensor.Tensor{0, math.pi})
 1
-1
[torch.DoubleTensor of size 2]

tan
> tensor.tan(math.pi / 4)
1

asin
> tensor.asin(1) == math.pi / 2
true

acos
> tensor.acos(-1) == math.pi
true

atan
> tensor.atan(1) == math.pi / 4
true

sinh
> tensor.sinh(tensor.Tensor{0, 1})
 0.0000
 1.1752
[torch.DoubleTensor of size 2]

cosh
> tensor.cosh(tensor.Tensor{0, 1})
 1.0000
 1.5431
[torch.DoubleTensor of size 2]

tanh
> tensor.tanh(tensor.Tensor{-1, 0, 1})
-0.7616
 0.0000
 0.7616
[torch.DoubleTensor of size 3]

sigmoid
> tensor.sigmoid(tensor.Tensor{-2, 0, 2})
 0.1192
 0.5000
 0.8808
[torch.DoubleTensor of size 3]

erf
> tensor.erf(tensor.Tensor{0, 1})
 0.0000
 0.8427
[torch.DoubleTensor of size 2]

erfc
> tensor.erfc(tensor.Tensor{0, 1})
 1.0000
 0.1573
[torch.DoubleTensor of size 2]

erfinv
> tensor.erfinv(tensor.Tensor{0, 0.5, 1})
 0.0000
 0.4769
    inf
[torch.DoubleTensor of size 3]

digamma
> tensor.digamma(tensor.Tensor{1, 2})
-0.5772
 0.4228
[torch.DoubleTensor of size 2]

relu
> tensor.relu(tensor.Tensor{-1, 0, 2})
 0
 0
 2
[torch.DoubleTensor of size 3]

gelu
> tensor.gelu(tensor.Tensor{-1, 0, 1})
-0.1587
 0.0000
 0.8413
[torch.DoubleTensor of size 3]

silu
> tensor.silu(tensor.Tensor{-1, 0, 1})
-0.2689
 0.0000
 0.7311
[torch.DoubleTensor of size 3]

softplus
> tensor.softplus(tensor.Tensor{-1, 0, 1000})
    0.3133
    0.6931
 1000.0000
[torch.DoubleTensor of size 3]

lgamma
> math.exp(tensor.lgamma(5))
24

ceil
> tensor.ceil(tensor.Tensor{-1.5, 1.2})
-1
 2
[torch.DoubleTensor of size 2]

floor
> tensor.floor(tensor.Tensor{-1.5, 1.2})
-2
 1
[torch.DoubleTensor of size 2]

round
> tensor.round(tensor.Tensor{-1.5, 1.2, 2.5})
-2
 1
 3
[torch.DoubleTensor of size 3]

trunc
> tensor.trunc(tensor.Tensor{-1.5, 1.2})
-1
 1
[torch.DoubleTensor of size 2]

frac
> tensor.frac(tensor.Tensor{-1.5, 1.25})
-0.5000
 0.2500
[torch.DoubleTensor of size 2]

add
> t = tensor.Tensor{1, 2}
> tensor.add(t, 10)
 11
 12
[torch.DoubleTensor of size 2]
> t:add(10, tensor.Tensor{1, 2})
 11
 22
[torch.DoubleTensor of size 2]

csub
> tensor.csub(tensor.Tensor{5, 6}, tensor.Tensor{1, 2})
 4
 4
[torch.DoubleTensor of size 2]

mul
> tensor.mul(tensor.Tensor{1, 2}, 3)
 3
 6
[torch.DoubleTensor of size 2]

div
> tensor.div(tensor.Tensor{1, 2}, 4)
 0.2500
 0.5000
[torch.DoubleTensor of size 2]
> tensor.div(tensor.IntTensor{-7, 7}, 2)
-3
 3
[torch.IntTensor of size 2]

fmod
> tensor.fmod(tensor.Tensor{-7, 7}, 3)
-1
 1
[torch.DoubleTensor of size 2]

remainder
> tensor.remainder(tensor.Tensor{-7, 7}, 3)
 2
 1
[torch.DoubleTensor of size 2]

pow
> tensor.pow(tensor.Tensor{1, 2, 3}, 2)
 1
 4
 9
[torch.DoubleTensor of size 3]
> tensor.pow(2, tensor.Tensor{1, 2, 3})
 2
 4
 8
[torch.DoubleTensor of size 3]

lshift
> tensor.lshift(tensor.IntTensor{1, 3}, 4)
 16
 48
[torch.IntTensor of size 2]

rshift
> tensor.rshift(tensor.IntTensor{16, 9}, 3)
 2
 1
[torch.IntTensor of size 2]

bitand
> tensor.bitand(tensor.IntTensor{5, 6}, 4 + 1)
 5
 4
[torch.IntTensor of size 2]

bitor
> tensor.bitor(tensor.IntTensor{5, 6}, 1)
 5
 7
[torch.IntTensor of size 2]

bitxor
> tensor.bitxor(tensor.IntTensor{5, 6}, 1)
 4
 7
[torch.IntTensor of size 2]

cmax
> tensor.cmax(tensor.Tensor{1, 5}, 3)
 3
 5
[torch.DoubleTensor of size 2]
> tensor.cmax(tensor.Tensor{1, 5}, tensor.Tensor{2, 4})
 2
 5
[torch.DoubleTensor of size 2]

cmin
> tensor.cmin(tensor.Tensor{1, 5}, 3)
 1
 3
[torch.DoubleTensor of size 2]

clamp
> tensor.clamp(tensor.Tensor{-2, 0.5, 7}, 0, 1)
 0.0000
 0.5000
 1.0000
[torch.DoubleTensor of size 3]

leakyRelu
> tensor.leakyRelu(tensor.Tensor{-2, 0, 3})
-0.0200
 0.0000
 3.0000
[torch.DoubleTensor of size 3]

elu
> tensor.elu(tensor.Tensor{-2, 0, 3})
-0.8647
 0.0000
 3.0000
[torch.DoubleTensor of size 3]

clampMax
> tensor.clampMax(tensor.Tensor{-2, 0.5, 7}, 1)
-2.0000
 0.5000
 1.0000
[torch.DoubleTensor of size 3]

cmul
> tensor.cmul(tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 3
 8
[torch.DoubleTensor of size 2]

cdiv
> tensor.cdiv(tensor.Tensor{1, 2}, tensor.Tensor{4, -4})
 0.2500
-0.5000
[torch.DoubleTensor of size 2]

cpow
> tensor.cpow(tensor.Tensor{2, 3}, tensor.Tensor{3, 2})
 8
 9
[torch.DoubleTensor of size 2]

cfmod
> tensor.cfmod(tensor.Tensor{-7, 7}, tensor.Tensor{3, -3})
-1
 1
[torch.DoubleTensor of size 2]

cremainder
> tensor.cremainder(tensor.Tensor{-7, 7}, tensor.Tensor{3, -3})
 2
-2
[torch.DoubleTensor of size 2]

clshift
> tensor.clshift(tensor.IntTensor{1, 3}, tensor.IntTensor{4, 1})
 16
  6
[torch.IntTensor of size 2]

crshift
> tensor.crshift(tensor.IntTensor{16, 9}, tensor.IntTensor{3, 1})
 2
 4
[torch.IntTensor of size 2]

cbitand
> tensor.cbitand(tensor.IntTensor{5, 6}, tensor.IntTensor{4, 3})
 4
 2
[torch.IntTensor of size 2]

cbitor
> tensor.cbitor(tensor.IntTensor{5, 6}, tensor.IntTensor{2, 1})
 7
 7
[torch.IntTensor of size 2]

cbitxor
> tensor.cbitxor(tensor.IntTensor{5, 6}, tensor.IntTensor{4, 3})
 1
 5
[torch.IntTensor of size 2]

atan2
> tensor.atan2(tensor.Tensor{0, 1}, tensor.Tensor{-1, 0})
 3.1416
 1.5708
[torch.DoubleTensor of size 2]

hypot
> tensor.hypot(tensor.Tensor{3, 5}, tensor.Tensor{4, 12})
  5
 13
[torch.DoubleTensor of size 2]

logaddexp
> tensor.logaddexp(tensor.Tensor{0, 1000}, tensor.Tensor{0, 1000})
    0.6931
 1000.6931
[torch.DoubleTensor of size 2]

addcmul
> tensor.addcmul(tensor.Tensor{1, 1}, 10, tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 31
 81
[torch.DoubleTensor of size 2]

addcdiv
> tensor.addcdiv(tensor.Tensor{1, 1}, 10, tensor.Tensor{1, 2}, tensor.Tensor{2, 4})
 6
 6
[torch.DoubleTensor of size 2]

where
> tensor.where(tensor.ByteTensor{1, 0}, tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 1
 4
[torch.DoubleTensor of size 2]
> tensor.where(tensor.ByteTensor{1, 0}, 9, 0)
 9
 0
[torch.DoubleTensor of size 2]

lerp
> tensor.lerp(tensor.Tensor{0, 10}, tensor.Tensor{10, 20}, 0.25)
  2.5000
 12.5000
[torch.DoubleTensor of size 2]

fuse
> distance = tensor.fuse('sum((x - y)^2, 2)')
> distance(tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 1})
  1
 13
[torch.DoubleTensor of size 2x1]

mod
> tensor.mod(tensor.Tensor{-7, 7}, 3)
-1
 1
[torch.DoubleTensor of size 2]

cmod
> tensor.cmod(tensor.Tensor{-7, 7}, tensor.Tensor{3, -3})
-1
 1
[torch.DoubleTensor of size 2]
]=]
