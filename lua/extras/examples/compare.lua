return [=[
lt
> tensor.lt(tensor.Tensor{1, 2, 3}, 2)
 1
 0
 0
[torch.ByteTensor of size 3]

le
> tensor.le(tensor.Tensor{1, 2, 3}, 2)
 1
 1
 0
[torch.ByteTensor of size 3]

gt
> tensor.Tensor{1, 2, 3}:gt(2)
 0
 0
 1
[torch.ByteTensor of size 3]

ge
> tensor.ge(tensor.Tensor{1, 2, 3}, tensor.Tensor{3, 2, 1})
 0
 1
 1
[torch.ByteTensor of size 3]

eq
> tensor.eq(tensor.Tensor{1, 2, 3}, tensor.Tensor{3, 2, 1})
 0
 1
 0
[torch.ByteTensor of size 3]

ne
> tensor.ne(tensor.Tensor{1, 2, 3}, 2)
 1
 0
 1
[torch.ByteTensor of size 3]

logicalNot
> tensor.logicalNot(tensor.IntTensor{0, 5})
 1
 0
[torch.ByteTensor of size 2]

logicalAnd
> tensor.logicalAnd(tensor.IntTensor{0, 1, 2}, tensor.IntTensor{1, 1, 1})
 0
 1
 1
[torch.ByteTensor of size 3]

logicalOr
> tensor.logicalOr(tensor.IntTensor{0, 0, 2}, tensor.IntTensor{0, 1, 1})
 0
 1
 1
[torch.ByteTensor of size 3]

logicalXor
> tensor.logicalXor(tensor.IntTensor{0, 0, 2}, tensor.IntTensor{0, 1, 1})
 0
 1
 0
[torch.ByteTensor of size 3]

isnan
> tensor.isnan(tensor.Tensor{0 / 0, 1})
 1
 0
[torch.ByteTensor of size 2]

isinf
> tensor.isinf(tensor.Tensor{-1 / 0, 1})
 1
 0
[torch.ByteTensor of size 2]
> tensor.isinf(tensor.IntTensor{7})
 0
[torch.ByteTensor of size 1]

isfinite
> tensor.isfinite(tensor.Tensor{0 / 0, 1 / 0, 1})
 0
 0
 1
[torch.ByteTensor of size 3]

signbit
> tensor.signbit(tensor.Tensor{-2, -0, 3})
 1
 1
 0
[torch.ByteTensor of size 3]
> tensor.signbit(tensor.IntTensor{-2, 3})
 1
 0
[torch.ByteTensor of size 2]

isclose
> tensor.isclose(tensor.Tensor{1, 1}, tensor.Tensor{1 + 1e-9, 1.1})
 1
 0
[torch.ByteTensor of size 2]
> tensor.isclose(tensor.IntTensor{100}, tensor.IntTensor{101}, 0.01)
 1
[torch.ByteTensor of size 1]

allclose
> tensor.allclose(tensor.Tensor{1, 2}, tensor.Tensor{1, 2 + 1e-9})
true

nanToNum
> tensor.nanToNum(tensor.Tensor{0 / 0, 1 / 0, 1}, 0, 100)
   0
 100
   1
[torch.DoubleTensor of size 3]

equal
> tensor.equal(tensor.Tensor{1, 2}, tensor.Tensor{1, 2})
true

isSameSizeAs
> tensor.ones(2, 3):isSameSizeAs(tensor.FloatTensor(2, 3))
true

isSetTo
> t = tensor.range(1, 4)
> t:narrow(1, 1, 4):isSetTo(t)
true
> t:clone():isSetTo(t)
false

histc
> tensor.histc(tensor.Tensor{1, 2, 2, 3, 9}, 3, 0, 3)
 0
 1
 3
[torch.DoubleTensor of size 3]

bhistc
> tensor.bhistc(tensor.Tensor{{1, 2, 2}, {3, 3, 3}}, 3, 1, 3)
 1  2  0
 0  0  3
[torch.DoubleTensor of size 2x3]

bincount
> tensor.bincount(tensor.LongTensor{1, 3, 3})
 1
 0
 2
[torch.LongTensor of size 3]
> tensor.bincount(tensor.LongTensor{1, 3, 3}, tensor.Tensor{0.5, 2, 3})
 0.5000
 0.0000
 5.0000
[torch.DoubleTensor of size 3]

cross
> tensor.cross(tensor.Tensor{1, 0, 0}, tensor.Tensor{0, 1, 0})
 0
 0
 1
[torch.DoubleTensor of size 3]

renorm
> tensor.renorm(tensor.Tensor{{3, 4}, {0, 1}}, 2, 1, 1)
 0.6000  0.8000
 0.0000  1.0000
[torch.DoubleTensor of size 2x2]

match
> tensor.match(tensor.Tensor{{0, 0}, {1, 1}}, tensor.Tensor{{0, 1}, {3, 4}})
  1  25
  1  13
[torch.DoubleTensor of size 2x2]

sort
> tensor.sort(tensor.Tensor{3, 1, 2})
 1
 2
 3
[torch.DoubleTensor of size 3]
 2
 3
 1
[torch.LongTensor of size 3]
> (tensor.sort(tensor.Tensor{3, 1, 2}, 1, true))
 3
 2
 1
[torch.DoubleTensor of size 3]

argsort
> tensor.argsort(tensor.Tensor{3, 1, 2})
 2
 3
 1
[torch.LongTensor of size 3]

kthvalue
> tensor.kthvalue(tensor.Tensor{30, 10, 20}, 2)
20

median
> tensor.median(tensor.Tensor{{30, 10, 20}, {4, 6, 5}})
6
> tensor.median(tensor.Tensor{{30, 10, 20}, {4, 6, 5}}, 2)
 20
  5
[torch.DoubleTensor of size 2x1]
 3
 3
[torch.LongTensor of size 2x1]

mode
> tensor.mode(tensor.Tensor{5, 2, 2, 5, 7})
2

topk
> tensor.topk(tensor.Tensor{30, 10, 20}, 2, 1, true)
 30
 20
[torch.DoubleTensor of size 2]
 1
 3
[torch.LongTensor of size 2]

unique
> tensor.unique(tensor.Tensor{3, 1, 3})
 1
 3
[torch.DoubleTensor of size 2]
 2
 1
 2
[torch.LongTensor of size 3]
 1
 2
[torch.LongTensor of size 2]
> (tensor.unique(tensor.Tensor{{1, 2}, {0, 5}, {1, 2}}, 1))
 0  5
 1  2
[torch.DoubleTensor of size 2x2]

searchsorted
> tensor.searchsorted(tensor.Tensor{10, 20, 30}, tensor.Tensor{5, 20, 99})
 1
 2
 4
[torch.LongTensor of size 3]
> tensor.searchsorted(tensor.Tensor{10, 20, 30}, tensor.Tensor{20}, true)
 3
[torch.LongTensor of size 1]
]=]
