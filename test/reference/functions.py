#!/usr/bin/python3
"""Writes test/data/functions.txt: results of NumPy and SciPy that test/lua/functions_spec.lua compares with.

Run by hand, with python3-scipy: test/reference/functions.py > test/data/functions.txt
A line is a name, a tab, and numbers. Indices count from 1. Element i, from 0, of x, which is 6 x 9,
is ((7 i) mod 23 - 11) / 4; of n, of that size, too, (5 i) mod 7 + 1; y is x with NaN where n is 3.
"""

import numpy as np
from scipy import linalg, special, stats
from scipy.spatial import distance

i = np.arange(54)
x = (((7 * i) % 23 - 11) / 4).reshape(6, 9)
n = ((5 * i) % 7 + 1).reshape(6, 9)
y = np.where(n == 3, np.nan, x)
p = np.abs(x) + 0.25
cubes = x.reshape(2, 3, 9)
square = x[:5, :5] + 4 * np.eye(5)
up = np.sort(x[0]) + np.arange(9) / 8


def line(name, values):
    print(name + "\t" + " ".join("%.17g" % v for v in np.asarray(values, dtype=float).ravel()))


print("# Made by test/reference/functions.py with NumPy and SciPy: do not edit.")
line("asinh", np.arcsinh(x))
line("acosh", np.arccosh(p + 1))
line("atanh", np.arctanh(x / 3))
line("sinc", np.sinc(x))
line("sinc far", np.sinc([1e6 + 0.5, -3, 1e300]))
line("i0", special.i0(x * 10))
line("i1", special.i1(x * 10))
line("i0 large", special.i0([100, 500, 700, 712]))
line("polygamma 1", special.polygamma(1, p))
line("polygamma 3", special.polygamma(3, p))
line("igamma", special.gammainc(p, n))
line("igammac", special.gammaincc(p, n))
line("igammac tail", special.gammaincc(p * 100, n * 40))
line("igamma large", special.gammainc([1e4, 1e6, 1e8], [1e4 + 30, 1e6 - 400, 1e8]))
line("xlogy", special.xlogy(x, p))
line("floorDivide", np.floor_divide(x, n - 4.5))
line("gcd", np.gcd(n * 6, n.T.reshape(6, 9) * 4))
line("lcm", np.lcm(n * 6, n.T.reshape(6, 9) * 4))
line("copysign", np.copysign(n, x))
line("fmax", np.fmax(y, x[::-1]))
line("fmin", np.fmin(y, x[::-1]))
line("round 1", np.trunc(x * 10 + np.copysign(0.5, x)) / 10)
line("frexp mantissa", np.frexp(x)[0])
line("frexp exponent", np.frexp(x)[1])
line("nanprod", np.nanprod(y, axis=1))
line("nanmin", np.nanmin(y, axis=0))
line("nanmax", np.nanmax(y, axis=1))
line("nanvar", np.nanvar(y, axis=1, ddof=1))
line("nanstd all", np.nanstd(y))
line("nanquantile", np.nanquantile(y, 0.3, axis=1))
line("nanquantile all", np.nanquantile(y, 0.77))
line("countNonzero", np.count_nonzero(n % 2, axis=0))
line("var correction", np.var(x, axis=1, ddof=2))
line("std correction", np.std(cubes, axis=(0, 2), ddof=0.5))
for method in ("lower", "higher", "nearest", "midpoint"):
    line("quantile " + method, np.quantile(x, [0.1, 0.25, 0.77], axis=1, method=method))
line("cov counts", np.cov(x, fweights=n[0]))
line("cov weights", np.cov(x, aweights=p[0]))
line("logcumsumexp", np.logaddexp.accumulate(x * 100, axis=1))
line("trapezoid", np.trapezoid(x, dx=0.5, axis=0))
line("trapezoid at", np.trapezoid(x, x=up, axis=1))
line("slope", np.gradient(x, 0.5, axis=0))
line("slope at", np.gradient(x, up, axis=1))
line("interp", np.interp(x, up, n[0]))
line("unwrap", np.unwrap(x * 3, axis=1))
line("unwrap period", np.unwrap(x * 3, axis=0, period=4))
line("histogram", np.histogram(x, bins=7)[0])
line("histogram edges", np.histogram(x, bins=7)[1])
line("histogram density", np.histogram(x, bins=[-2, 0, 0.5, 2.75], density=True)[0])
line("histogram weights", np.histogram(x, bins=[-2, 0, 0.5, 2.75], weights=p)[0])
line("histogramdd", np.histogramdd(x[:, :2], bins=[[-3, -1, 0, 3], [-3, 1, 3]])[0])
line("histogramdd density",
     np.histogramdd(x[:, :2], bins=[[-3, -1, 0, 3], [-3, 1, 3]], density=True)[0])
line("union", np.union1d(n[0], n[1] + 3))
line("intersect", np.intersect1d(n[0], n[1] + 3))
line("setDifference", np.setdiff1d(n[0], n[1] + 3))
line("isin", np.isin(n, [1, 4, 9]))
values, first, inverse, counts = np.unique(n, return_index=True, return_inverse=True, return_counts=True)
line("uniqueAll first", first + 1)
line("uniqueAll counts", counts)
line("lexsort", np.lexsort((x[0], n[0] % 3)) + 1)
line("searchsorted sorter", np.searchsorted(x[0], x[1], sorter=np.argsort(x[0], kind="stable")) + 1)
line("matrixPower 5", np.linalg.matrix_power(square, 5))
line("matrixPower -3", np.linalg.matrix_power(square, -3))
line("matrixExp", linalg.expm(square))
line("matrixExp small", linalg.expm(square / 100))
line("matrixNorm", np.linalg.norm(x))
for order in (1, -1, 2, -2, np.inf, -np.inf):
    line("matrixNorm %g" % order, np.linalg.norm(x, order))
line("nuclearNorm", np.linalg.norm(x, "nuc"))
line("cond", np.linalg.cond(square))
line("cond 1", np.linalg.cond(square, 1))
line("cond -inf", np.linalg.cond(square, -np.inf))
line("svdvals", np.linalg.svd(cubes, compute_uv=False))
perm, lower, upper = linalg.lu(square)
line("lu permutation", perm)
line("lu lower", lower)
line("lu upper", upper)
for order in (1, 2, 3, np.inf):
    line("cdist %g" % order, distance.cdist(x[:4], x[2:], "minkowski", p=order)
         if np.isfinite(order) else distance.cdist(x[:4], x[2:], "chebyshev"))
line("combinations", [[a, b, c] for k, a in enumerate(x[0, :4]) for l, b in enumerate(x[0, k + 1:4], k + 1)
                      for c in x[0, l + 1:4]])
line("repeatInterleave", np.repeat(x, n[0], axis=1))
line("blockDiag", linalg.block_diag(x[:2, :3], x[:1, :2], n[:3, :1]))
line("diagonal", np.diagonal(cubes, 1, 0, 2))
line("pad crop", np.pad(x[1:, :-2], ((0, 2), (1, 0)), mode="reflect"))
line("tril", np.tril(cubes, -1))
for name, dist in (("gamma", stats.gamma(2.5)), ("beta", stats.beta(0.5, 2)), ("chi2", stats.chi2(3)),
                   ("poisson", stats.poisson(3.5)), ("poisson large", stats.poisson(50)),
                   ("binomial", stats.binom(12, 0.3)), ("binomial large", stats.binom(200, 0.7))):
    line("moments of " + name, dist.stats(moments="mvs"))
    line("parts of " + name, dist.cdf(dist.ppf([0.1, 0.25, 0.5, 0.75, 0.9])))
    line("points of " + name, dist.ppf([0.1, 0.25, 0.5, 0.75, 0.9]))
