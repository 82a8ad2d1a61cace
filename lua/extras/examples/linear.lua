return [=[
quantizeRows
> tensor.quantizeRows(tensor.Tensor{{127, -1, 0.5}, {2, 1, 0}})
 127   -1    0
 127   64    0
[torch.CharTensor of size 2x3]
 1.0000
 0.0157
[torch.FloatTensor of size 2]

dequantizeRows
> tensor.dequantizeRows(tensor.CharTensor{{127, -64}}, tensor.FloatTensor{0.5})
 63.5000 -32.0000
[torch.FloatTensor of size 1x2]

quantizedLinear
> weight, scales = tensor.quantizeRows(tensor.Tensor{{127, -1}, {2, 1}})
> tensor.quantizedLinear(tensor.Tensor{1, 10}, weight, scales)
 117.0000
  12.0787
[torch.DoubleTensor of size 2]

vecdot
> tensor.vecdot(tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{1, 10})
 21
 43
[torch.DoubleTensor of size 2]

svdvals
> tensor.svdvals(tensor.Tensor{{3, 0}, {0, 4}})
 4
 3
[torch.DoubleTensor of size 2]

matrixPower
> tensor.matrixPower(tensor.Tensor{{1, 1}, {0, 1}}, 5)
 1  5
 0  1
[torch.DoubleTensor of size 2x2]

matrixExp
> tensor.matrixExp(tensor.Tensor{{0, 1}, {0, 0}})
 1  1
 0  1
[torch.DoubleTensor of size 2x2]

matrixNorm
> tensor.matrixNorm(tensor.Tensor{{3, 0}, {0, 4}})
5
> tensor.matrixNorm(tensor.Tensor{{3, 0}, {0, 4}}, 1)
4

nuclearNorm
> tensor.nuclearNorm(tensor.Tensor{{3, 0}, {0, 4}})
7

cond
> tensor.cond(tensor.Tensor{{1, 0}, {0, 4}})
4

lu
> p, l, u = tensor.lu(tensor.Tensor{{1, 2}, {3, 4}})
> tensor.allclose(p * l * u, tensor.Tensor{{1, 2}, {3, 4}})
true

gesv
> x = tensor.gesv(tensor.Tensor{{3}, {8}}, tensor.Tensor{{1, 0}, {0, 4}})
> x
 3
 2
[torch.DoubleTensor of size 2x1]

trtrs
> x = tensor.trtrs(tensor.Tensor{{4}, {6}}, tensor.Tensor{{1, 1}, {0, 2}})
> x
 1
 3
[torch.DoubleTensor of size 2x1]

gels
> x = tensor.gels(tensor.Tensor{{1}, {3}}, tensor.Tensor{{1}, {1}})
> x[1][1]
2

symeig
> (tensor.symeig(tensor.Tensor{{2, 1}, {1, 2}}))
 1
 3
[torch.DoubleTensor of size 2]

eig
> (tensor.eig(tensor.Tensor{{2, 0}, {0, 3}}))
 2  0
 3  0
[torch.DoubleTensor of size 2x2]

svd
> u, s, v = tensor.svd(tensor.Tensor{{3, 0}, {0, -4}})
> s
 4
 3
[torch.DoubleTensor of size 2]

inverse
> tensor.inverse(tensor.Tensor{{1, 2}, {3, 4}})
-2.0000  1.0000
 1.5000 -0.5000
[torch.DoubleTensor of size 2x2]

potrf
> tensor.potrf(tensor.Tensor{{4, 2}, {2, 5}})
 2  1
 0  2
[torch.DoubleTensor of size 2x2]

potri
> tensor.potri(tensor.potrf(tensor.Tensor{{4, 2}, {2, 5}}))
 0.3125 -0.1250
-0.1250  0.2500
[torch.DoubleTensor of size 2x2]

potrs
> tensor.potrs(tensor.Tensor{{4}, {5}}, tensor.potrf(tensor.Tensor{{4, 0}, {0, 5}}))
 1
 1
[torch.DoubleTensor of size 2x1]

pstrf
> factor, order = tensor.pstrf(tensor.Tensor{{1, 0}, {0, 4}})
> order
 2
 1
[torch.IntTensor of size 2]

qr
> q, r = tensor.qr(tensor.Tensor{{1, 2}, {3, 4}})
> tensor.allclose(q * r, tensor.Tensor{{1, 2}, {3, 4}})
true
> tensor.qr(tensor.ones(3, 1), true):size()
[3 x 3]

geqrf
> a, tau = tensor.geqrf(tensor.Tensor{{3, 0}, {4, 5}})
> a[1][1], tau[1]
-5  1.6

orgqr
> a, tau = tensor.geqrf(tensor.Tensor{{3, 0}, {4, 5}})
> q = tensor.orgqr(a, tau)
> tensor.allclose(q:t() * q, tensor.eye(2))
true

ormqr
> a, tau = tensor.geqrf(tensor.Tensor{{3, 0}, {4, 5}})
> c = tensor.ormqr(a, tau, tensor.eye(2))
> tensor.allclose(c, tensor.orgqr(a, tau))
true

btrifact
> lu, pivots = tensor.btrifact(tensor.Tensor{{{1, 2}, {4, 4}}})
> lu
(1,.,.) =
  4.0000  4.0000
  0.2500  1.0000
[torch.DoubleTensor of size 1x2x2]
> pivots
 2  2
[torch.IntTensor of size 1x2]

btrisolve
> lu, pivots = tensor.btrifact(tensor.Tensor{{{2, 0}, {0, 4}}})
> tensor.btrisolve(tensor.Tensor{{2, 8}}, lu, pivots)
 1  2
[torch.DoubleTensor of size 1x2]

det
> tensor.det(tensor.Tensor{{2, 1}, {0, 4}})
8

logdet
> tensor.logdet(tensor.eye(3))
0

slogdet
> tensor.slogdet(tensor.Tensor{{-1, 0}, {0, 1}})
-1  0

solve
> tensor.solve(tensor.Tensor{{2, 0}, {0, 4}}, tensor.Tensor{2, 8})
 1
 2
[torch.DoubleTensor of size 2]

lstsq
> x, residuals, rank = tensor.lstsq(tensor.Tensor{{1}, {1}}, tensor.Tensor{{1}, {3}})
> tensor.allclose(x, tensor.Tensor{{2}})
true

cholesky
> tensor.cholesky(tensor.Tensor{{4, 2}, {2, 5}})
 2  0
 1  2
[torch.DoubleTensor of size 2x2]

eigh
> (tensor.eigh(tensor.Tensor{{2, 1}, {1, 2}}))
 1
 3
[torch.DoubleTensor of size 2]

eigvalsh
> tensor.eigvalsh(tensor.Tensor{{2, 1}, {1, 2}})
 1
 3
[torch.DoubleTensor of size 2]

pinverse
> tensor.pinverse(tensor.Tensor{{2, 0}, {0, 0}})
 0.5000  0.0000
 0.0000  0.0000
[torch.DoubleTensor of size 2x2]

matrixRank
> tensor.matrixRank(tensor.Tensor{{1, 2}, {2, 4}})
1
]=]
