#!/usr/bin/python3
"""Writes test/data/linalg-reference.txt: figures of linear algebra that the tests compare with.

Run by hand, with python3-mpmath, python3-numpy and python3-scipy:
test/reference/linalg.py > test/data/linalg-reference.txt
A line is a name, a tab, and numbers (%.17g) separated by blanks; matrices go by rows. The figures
are mpmath's, from 300 bits; those that NumPy and SciPy have, too, were compared with theirs.
The elements of the matrices are multiples of 1/512 below 64, which float and double hold exactly.
"""

import sys

import mpmath
import numpy as np
import scipy.linalg

mpmath.mp.prec = 300
print("# Made by test/reference/linalg.py with mpmath, NumPy and SciPy: do not edit.")


class Numbers:
    """A generator of our own, so that versions of libraries change nothing."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = self.state * 16807 % 2147483647
        return (self.state // 97 % 65 - 32) / 8

    def matrix(self, rows, cols):
        return mpmath.matrix([[self.next() for _ in range(cols)] for _ in range(rows)])


def text(x):
    return "%.17g" % float(x)


def line(name, values):
    print(name + "\t" + " ".join(text(v) for v in values))


def by_rows(m):
    return [m[i, j] for i in range(m.rows) for j in range(m.cols)]


def numpy_of(m):
    return np.array([[float(m[i, j]) for j in range(m.cols)] for i in range(m.rows)])


def compare(name, ours, theirs):
    """Fails where another library is further away than rounding explains."""
    theirs = np.asarray(theirs, dtype=float).ravel()
    size = max(1.0, max(abs(float(x)) for x in ours))
    for x, y in zip(ours, theirs):
        if abs(float(x) - y) > 1e-9 * size:
            sys.exit("%s: %.17g, but %.17g elsewhere" % (name, float(x), y))


def order(z):
    """By real parts, of which those of a conjugate pair may differ by rounding."""
    return (round(float(z.real), 9), float(z.imag))


def singular_values(a):
    return sorted((mpmath.sqrt(abs(x)) for x in mpmath.eigsy(a.T * a, eigvals_only=True)),
                  reverse=True)


def square(name, a, b):
    n = a.rows
    line(name + " A", by_rows(a))
    line(name + " B", by_rows(b))
    solution = [mpmath.lu_solve(a, b[:, j]) for j in range(b.cols)]
    x = [solution[j][i] for i in range(n) for j in range(b.cols)]
    compare(name + " X", x, np.linalg.solve(numpy_of(a), numpy_of(b)))
    line(name + " X", x)
    inverse = by_rows(mpmath.inverse(a))
    compare(name + " inverse", inverse, scipy.linalg.inv(numpy_of(a)))
    line(name + " inverse", inverse)
    det = mpmath.det(a)
    compare(name + " det", [det], [np.linalg.det(numpy_of(a))])
    line(name + " det", [det, mpmath.sign(det), mpmath.log(abs(det))])
    values = singular_values(a)
    compare(name + " values", values, scipy.linalg.svdvals(numpy_of(a)))
    line(name + " singular", values)
    line(name + " condition", [values[0] / values[-1]])
    eigenvalues = sorted(mpmath.eig(a, left=False, right=False),
                         key=order)
    parts = [part for z in eigenvalues for part in (mpmath.re(z), mpmath.im(z))]
    theirs = sorted(scipy.linalg.eigvals(numpy_of(a)), key=order)
    compare(name + " eigenvalues", parts, [p for z in theirs for p in (z.real, z.imag)])
    line(name + " eigenvalues", parts)


def positive(name, a):
    line(name + " A", by_rows(a))
    factor = by_rows(mpmath.cholesky(a))
    compare(name + " factor", factor, scipy.linalg.cholesky(numpy_of(a), lower=True))
    line(name + " factor", factor)
    line(name + " inverse", by_rows(mpmath.inverse(a)))


def symmetric(name, a):
    line(name + " A", by_rows(a))
    values, vectors = mpmath.eigsy(a)
    compare(name + " values", list(values), np.linalg.eigvalsh(numpy_of(a)))
    line(name + " values", list(values))
    # With the largest element of each vector positive.
    for j in range(a.cols):
        column = [vectors[i, j] for i in range(a.rows)]
        if max(column, key=abs) < 0:
            for i in range(a.rows):
                vectors[i, j] = -vectors[i, j]
    line(name + " vectors", by_rows(vectors))


def rectangle(name, a, b):
    line(name + " A", by_rows(a))
    line(name + " B", by_rows(b))
    if a.rows >= a.cols:
        inverse = mpmath.inverse(a.T * a) * a.T
    else:
        inverse = a.T * mpmath.inverse(a * a.T)
    compare(name + " pinverse", by_rows(inverse), np.linalg.pinv(numpy_of(a)))
    line(name + " pinverse", by_rows(inverse))
    x = inverse * b
    compare(name + " X", by_rows(x), np.linalg.lstsq(numpy_of(a), numpy_of(b), rcond=None)[0])
    line(name + " X", by_rows(x))
    rest = a * x - b
    line(name + " residuals", [sum(rest[i, j] ** 2 for i in range(rest.rows))
                               for j in range(rest.cols)])
    side = a if a.rows >= a.cols else a.T
    line(name + " singular", singular_values(side))
    # R of the QR factors, with a positive diagonal.
    gram = mpmath.cholesky(a.T * a).T if a.rows >= a.cols else None
    if gram is not None:
        compare(name + " R", [abs(gram[i, i]) for i in range(a.cols)],
                np.abs(np.diag(scipy.linalg.qr(numpy_of(a), mode="economic")[1])))
        line(name + " R", by_rows(gram))


def dominant(numbers, n):
    a = numbers.matrix(n, n)
    for i in range(n):
        a[i, i] += 8
    return a


numbers = Numbers(20)
for n in (1, 2, 5, 8):
    square("square %d" % n, dominant(numbers, n), numbers.matrix(n, 3))
for n in (2, 5, 7):
    half = numbers.matrix(n, n)
    positive("positive %d" % n, half * half.T / 8 + 4 * mpmath.eye(n))
    full = numbers.matrix(n, n)
    symmetric("symmetric %d" % n, full + full.T)
for m, n in ((6, 3), (3, 6), (9, 5)):
    rectangle("rectangle %dx%d" % (m, n), numbers.matrix(m, n), numbers.matrix(m, 2))
