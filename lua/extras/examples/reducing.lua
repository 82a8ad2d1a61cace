return [=[
sum
> t = tensor.Tensor{{1, 2}, {3, 4}}
> t:sum()
10
> t:sum(1)
 4  6
[torch.DoubleTensor of size 1x2]
> t:sum({1, 2}, false)
 10
[torch.DoubleTensor of size 1]

prod
> tensor.Tensor{2, 3, 4}:prod()
24

nanprod
> tensor.Tensor{2, 0 / 0, 3}:nanprod()
6

nanmin
> tensor.Tensor{2, 0 / 0, 1}:nanmin()
1

nanmax
> tensor.Tensor{2, 0 / 0, 1}:nanmax()
2

nanvar
> tensor.Tensor{1, 0 / 0, 3}:nanvar()
2

nanstd
> tensor.Tensor{1, 0 / 0, 5}:nanstd(true)
2

nanmedian
> tensor.Tensor{5, 0 / 0, 3, 1}:nanmedian()
3

nanquantile
> tensor.Tensor{5, 0 / 0, 3, 1}:nanquantile(0.5)
3

countNonzero
> tensor.Tensor{1, 0, 2}:countNonzero()
2

cdist
> tensor.cdist(tensor.Tensor{{0, 0}}, tensor.Tensor{{3, 4}, {0, 1}})
 5  1
[torch.DoubleTensor of size 1x2]

logcumsumexp
> tensor.logcumsumexp(tensor.Tensor{0, 0})
 0.0000
 0.6931
[torch.DoubleTensor of size 2]

uniqueCounts
> tensor.uniqueCounts(tensor.Tensor{3, 1, 3})
 1
 3
[torch.DoubleTensor of size 2]
 1
 2
[torch.LongTensor of size 2]

uniqueInverse
> tensor.uniqueInverse(tensor.Tensor{3, 1, 3})
 1
 3
[torch.DoubleTensor of size 2]
 2
 1
 2
[torch.LongTensor of size 3]

histogram
> tensor.histogram(tensor.Tensor{1, 2, 2, 4}, 3)
 1
 2
 1
[torch.DoubleTensor of size 3]
 1
 2
 3
 4
[torch.DoubleTensor of size 4]
> tensor.histogram(tensor.Tensor{1, 2, 2, 4}, tensor.Tensor{0, 2, 4})
 1
 3
[torch.DoubleTensor of size 2]
> tensor.histogram(tensor.Tensor{1, 3}, tensor.Tensor{0, 2, 4}, tensor.Tensor{5, 7})
 5
 7
[torch.DoubleTensor of size 2]

covWeights
> tensor.covWeights(tensor.Tensor{1, 3}, tensor.Tensor{1, 1})
 2
[torch.DoubleTensor of size 1x1]

searchsortedBy
> tensor.searchsortedBy(tensor.Tensor{3, 1, 2}, tensor.Tensor{2.5}, tensor.LongTensor{2, 3, 1})
 3
[torch.LongTensor of size 1]

histogramdd
> tensor.histogramdd(tensor.Tensor{{1, 1}, {2, 3}}, {tensor.Tensor{0, 2, 4}, tensor.Tensor{0, 4}})
 1
 1
[torch.DoubleTensor of size 2x1]

trapezoid
> tensor.trapezoid(tensor.Tensor{1, 2, 4})
 4.5000
[torch.DoubleTensor of size 1]
> tensor.trapezoid(tensor.Tensor{1, 2}, tensor.Tensor{0, 4})
 6
[torch.DoubleTensor of size 1]

slope
> tensor.slope(tensor.Tensor{1, 2, 4})
 1.0000
 1.5000
 2.0000
[torch.DoubleTensor of size 3]
> tensor.slope(tensor.Tensor{1, 2, 4}, tensor.Tensor{0, 1, 3})
 1
 1
 1
[torch.DoubleTensor of size 3]

interp
> tensor.interp(tensor.Tensor{0.5, 9}, tensor.Tensor{0, 1, 2}, tensor.Tensor{0, 10, 5})
 5
 5
[torch.DoubleTensor of size 2]

unwrap
> tensor.unwrap(tensor.Tensor{0, 3, -3})
 0.0000
 3.0000
 3.2832
[torch.DoubleTensor of size 3]

uniqueAll
> tensor.uniqueAll(tensor.Tensor{3, 1, 3})
 1
 3
[torch.DoubleTensor of size 2]
 2
 1
[torch.LongTensor of size 2]
 2
 1
 2
[torch.LongTensor of size 3]
 1
 2
[torch.LongTensor of size 2]

uniqueValues
> tensor.uniqueValues(tensor.Tensor{3, 1, 3})
 1
 3
[torch.DoubleTensor of size 2]

uniqueConsecutive
> tensor.uniqueConsecutive(tensor.Tensor{1, 1, 2, 1})
 1
 2
 1
[torch.DoubleTensor of size 3]
 1
 1
 2
 3
[torch.LongTensor of size 4]
 2
 1
 1
[torch.LongTensor of size 3]

argpartition
> tensor.argpartition(tensor.Tensor{3, 1, 2}, 2)
 2
 3
 1
[torch.LongTensor of size 3]

lexsort
> tensor.lexsort{tensor.Tensor{1, 0, 2}, tensor.Tensor{1, 2, 1}}
 1
 3
 2
[torch.LongTensor of size 3]

isin
> tensor.isin(tensor.Tensor{1, 2, 3}, tensor.Tensor{3, 1})
 1
 0
 1
[torch.ByteTensor of size 3]

union
> tensor.union(tensor.Tensor{1, 3}, tensor.Tensor{3, 2})
 1
 2
 3
[torch.DoubleTensor of size 3]

intersect
> tensor.intersect(tensor.Tensor{1, 3}, tensor.Tensor{3, 2})
 3
[torch.DoubleTensor of size 1]

setDifference
> tensor.setDifference(tensor.Tensor{1, 3}, tensor.Tensor{3, 2})
 1
[torch.DoubleTensor of size 1]

mean
> tensor.IntTensor{1, 2}:mean()
1.5
> tensor.Tensor{{1, 2}, {3, 4}}:mean(2)
 1.5000
 3.5000
[torch.DoubleTensor of size 2x1]

min
> tensor.Tensor{3, 1, 2}:min()
1

max
> tensor.Tensor{3, 1, 2}:max()
3
> tensor.Tensor{{1, 2}, {4, 3}}:max(2)
 2
 4
[torch.DoubleTensor of size 2x1]
 2
 1
[torch.LongTensor of size 2x1]

var
> tensor.Tensor{1, 2, 3}:var()
1
> tensor.Tensor{1, 2, 3}:var(1, true)
 0.6667
[torch.DoubleTensor of size 1]

std
> tensor.Tensor{1, 3}:std(true)
1

norm
> tensor.Tensor{3, 4}:norm()
5
> tensor.Tensor{3, -4}:norm(1)
7

dist
> tensor.dist(tensor.Tensor{0, 0}, tensor.Tensor{3, 4})
5

all
> tensor.ByteTensor{1, 0}:all()
false
> tensor.ByteTensor{{1, 0}, {1, 1}}:all(2)
 0
 1
[torch.ByteTensor of size 2]

any
> tensor.ByteTensor{1, 0}:any()
true

trace
> tensor.trace(tensor.Tensor{{1, 2}, {3, 4}})
5
> tensor.trace(tensor.Tensor{{1, 2}, {3, 4}}, 1)
2

argmax
> tensor.Tensor{3, 1, 2}:argmax()
1
> tensor.Tensor{{1, 2}, {4, 3}}:argmax(2)
 2
 1
[torch.LongTensor of size 2]

argmin
> tensor.Tensor{3, 1, 2}:argmin()
2

nansum
> tensor.Tensor{1, 0 / 0, 2}:nansum()
3

nanmean
> tensor.Tensor{1, 0 / 0, 2}:nanmean()
1.5

logsumexp
> tensor.Tensor{1000, 1000}:logsumexp() - 1000
0.69314718055989

softmax
> tensor.softmax(tensor.Tensor{0, 0, math.log(2)})
 0.2500
 0.2500
 0.5000
[torch.DoubleTensor of size 3]

logSoftmax
> tensor.logSoftmax(tensor.Tensor{0, 0})
-0.6931
-0.6931
[torch.DoubleTensor of size 2]

cumsum
> tensor.cumsum(tensor.Tensor{1, 2, 3})
 1
 3
 6
[torch.DoubleTensor of size 3]
> tensor.cumsum(tensor.Tensor{1, 2, 3}, 1, true)
 0
 1
 3
 6
[torch.DoubleTensor of size 4]

cumprod
> tensor.cumprod(tensor.Tensor{1, 2, 3})
 1
 2
 6
[torch.DoubleTensor of size 3]

cummax
> tensor.cummax(tensor.Tensor{1, 3, 2})
 1
 3
 3
[torch.DoubleTensor of size 3]
 1
 2
 2
[torch.LongTensor of size 3]

cummin
> tensor.cummin(tensor.Tensor{2, 1, 3})
 2
 1
 1
[torch.DoubleTensor of size 3]
 1
 2
 2
[torch.LongTensor of size 3]

dot
> tensor.dot(tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
11

addmm
> tensor.addmm(tensor.ones(2, 2), tensor.Tensor{{1}, {2}}, tensor.Tensor{{3, 4}})
 4  5
 7  9
[torch.DoubleTensor of size 2x2]

addmv
> tensor.addmv(10, tensor.Tensor{1, 1}, 1, tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 1})
 13
 17
[torch.DoubleTensor of size 2]

addr
> tensor.addr(tensor.ones(2, 2), tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 4  5
 7  9
[torch.DoubleTensor of size 2x2]

addbmm
> tensor.addbmm(tensor.ones(1, 1), tensor.ones(3, 1, 2), tensor.ones(3, 2, 1))
 7
[torch.DoubleTensor of size 1x1]

baddbmm
> tensor.baddbmm(tensor.ones(2, 1, 1), tensor.ones(2, 1, 3), tensor.ones(2, 3, 1)):squeeze()
 4
 4
[torch.DoubleTensor of size 2]

mm
> tensor.mm(tensor.Tensor{{1, 2}}, tensor.Tensor{{3}, {4}})
 11
[torch.DoubleTensor of size 1x1]

mv
> tensor.mv(tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 10})
 21
 43
[torch.DoubleTensor of size 2]

ger
> tensor.ger(tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 3  4
 6  8
[torch.DoubleTensor of size 2x2]

bmm
> tensor.bmm(tensor.ones(2, 1, 3), tensor.ones(2, 3, 1)):size()
[2 x 1 x 1]

matmul
> tensor.matmul(tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 10})
 21
 43
[torch.DoubleTensor of size 2]
> tensor.matmul(tensor.ones(2, 1, 3), tensor.ones(3, 4)):size()
[2 x 1 x 4]

quantile
> tensor.Tensor{1, 2, 3, 5}:quantile(0.5)
2.5
> tensor.quantile(tensor.Tensor{{1, 2}, {3, 6}}, tensor.Tensor{0, 0.25, 1}, 1)
 1.0000  2.0000
 1.5000  3.0000
 3.0000  6.0000
[torch.DoubleTensor of size 3x2]

cov
> tensor.cov(tensor.Tensor{{1, 2, 3}, {3, 1, 0}})
 1.0000 -1.5000
-1.5000  2.3333
[torch.DoubleTensor of size 2x2]

corrcoef
> tensor.corrcoef(tensor.Tensor{{1, 2, 3}, {3, 1, 0}})
 1.0000 -0.9820
-0.9820  1.0000
[torch.DoubleTensor of size 2x2]

outer
> tensor.outer(tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 3  4
 6  8
[torch.DoubleTensor of size 2x2]

kron
> tensor.kron(tensor.Tensor{{1, 2}}, tensor.Tensor{{1, 10}})
  1  10   2  20
[torch.DoubleTensor of size 1x4]

conv2
> tensor.conv2(tensor.Tensor{{1, 2, 3}}, tensor.Tensor{{10, 1}})
 21  32
[torch.DoubleTensor of size 1x2]
> tensor.conv2(tensor.Tensor{{1, 2, 3}}, tensor.Tensor{{10, 1}}, 'F')
 10  21  32   3
[torch.DoubleTensor of size 1x4]

xcorr2
> tensor.xcorr2(tensor.Tensor{{1, 2, 3}}, tensor.Tensor{{10, 1}})
 12  23
[torch.DoubleTensor of size 1x2]

conv3
> tensor.conv3(tensor.ones(2, 2, 2), tensor.ones(1, 2, 2))
(1,.,.) =
  4
(2,.,.) =
  4
[torch.DoubleTensor of size 2x1x1]

xcorr3
> tensor.xcorr3(tensor.ones(2, 2, 2), tensor.ones(2, 2, 2))
(1,.,.) =
  8
[torch.DoubleTensor of size 1x1x1]

einsum
> tensor.einsum('ij,j->i', tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 10})
 21
 43
[torch.DoubleTensor of size 2]

tensordot
> tensor.tensordot(tensor.Tensor{{1, 2}, {3, 4}}, tensor.ones(2, 2))
 10
[torch.DoubleTensor of size 1]
> tensor.tensordot(tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 10}, {1}, {1})
 31
 42
[torch.DoubleTensor of size 2]
]=]
