#!/usr/bin/python3
"""Writes test/data/statistics.txt: statistics by NumPy and SciPy that the Lua tests compare with.

Run by hand, with python3-scipy: test/reference/statistics.py > test/data/statistics.txt
A line is a name, a tab, and numbers. Indices count from 1. Element i, from 0, of x, which is 6 x 9,
is ((7 i) mod 23 - 11) / 4; of n, of that size, too, (5 i) mod 7 + 1; y is x with NaN where n is 3.
"""

import numpy as np
from scipy import special, stats
from scipy.spatial import distance

i = np.arange(54)
x = (((7 * i) % 23 - 11) / 4).reshape(6, 9)
n = ((5 * i) % 7 + 1).reshape(6, 9)
y = np.where(n == 3, np.nan, x)
NAN_LAST = np.sort(y, axis=1)


def line(name, values):
    print(name + "\t" + " ".join("%.17g" % v for v in np.asarray(values, dtype=float).ravel()))


print("# Made by test/reference/statistics.py with NumPy and SciPy: do not edit.")
line("logsumexp", special.logsumexp(100 * x, axis=1))
line("logsumexp all", special.logsumexp(x))
line("logsumexp dims", special.logsumexp(x.reshape(2, 3, 9), axis=(0, 2)))
line("softmax 1", special.softmax(x, axis=0))
line("softmax", special.softmax(100 * x, axis=1))
line("logSoftmax", special.log_softmax(x, axis=1))
line("median", np.sort(x, axis=1)[:, 4])
line("median with NaN", NAN_LAST[:, 4])
line("kthvalue 7 with NaN", NAN_LAST[:, 6])
line("mode", stats.mode(n, axis=1).mode)
line("histc", np.histogram(x, bins=8)[0])
line("histc range", np.histogram(x, bins=8, range=(-1.5, 2))[0])
line("bincount", np.bincount(n.ravel())[1:])
line("bincount weights", np.bincount(n.ravel(), weights=x.ravel())[1:])
values, inverse, counts = np.unique(n, return_inverse=True, return_counts=True)
line("unique", values)
line("unique inverse", inverse + 1)
line("unique counts", counts)
line("searchsorted left", np.searchsorted(np.sort(x[0]), x, side="left") + 1)
line("searchsorted right", np.searchsorted(np.sort(x[0]), x, side="right") + 1)
line("nansum", np.nansum(y, axis=0))
line("nanmean", np.nanmean(y, axis=1))
line("nanmean all", np.nanmean(y))
line("cross", np.cross(x[:, :3], x[:, 3:6]))
line("cross columns", np.cross(x[:3], x[3:], axis=0))
line("match", distance.cdist(x[:4], x[2:], "sqeuclidean"))
line("cummax", np.maximum.accumulate(x, axis=0))
line("cummin", np.minimum.accumulate(x, axis=1))
line("integer mean", np.mean(n, axis=0))
line("integer var", np.var(n, axis=1, ddof=1))
line("integer std", np.std(n))
line("var dims", np.var(x.reshape(2, 3, 9), axis=(0, 2), ddof=1))
line("norm dims", np.sqrt(np.sum(x.reshape(2, 3, 9) ** 2, axis=(0, 1))))
line("quantile", np.quantile(x, 0.3, axis=1))
line("quantile all", np.quantile(x, 0.77))
line("quantile with NaN", np.quantile(y, 0.5, axis=1))
line("quantiles", np.quantile(x, [0, 0.1, 0.5, 0.9, 1], axis=0))
line("cov", np.cov(x))
line("cov biased", np.cov(x[:, :4], bias=True))
line("corrcoef", np.corrcoef(x))
line("pad reflect", np.pad(x, ((7, 1), (0, 11)), mode="reflect"))
line("pad symmetric", np.pad(x, ((7, 1), (0, 11)), mode="symmetric"))
line("pad edge", np.pad(x, ((7, 1), (0, 11)), mode="edge"))
line("pad wrap", np.pad(x, ((7, 1), (0, 11)), mode="wrap"))
line("pad", np.pad(x, ((2, 1), (0, 3)), constant_values=0.5))
