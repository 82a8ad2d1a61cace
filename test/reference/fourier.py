#!/usr/bin/python3
"""Writes test/data/fourier.txt: Fourier transforms and windows that the tests compare with.

Run by hand, with NumPy and SciPy: test/reference/fourier.py > test/data/fourier.txt
A line is a name, a tab, and numbers (%.17g) separated by blanks; complex numbers are two of them.
"""

import numpy as np
import scipy.fft
import scipy.signal

print("# Made by test/reference/fourier.py with SciPy: do not edit.")


def numbers(count, seed):
    """Multiples of 1/8, by a generator that the test has, too."""
    values = []
    for _ in range(count):
        seed = seed * 16807 % 2147483647
        values.append((seed // 97 % 65 - 32) / 8)
    return np.array(values)


def complex_numbers(count, seed):
    pairs = numbers(2 * count, seed)
    return pairs[0::2] + 1j * pairs[1::2]


def line(name, values):
    values = np.ascontiguousarray(values)
    if np.iscomplexobj(values):
        values = values.view(float)
    print(name + "\t" + " ".join("%.17g" % x for x in values.ravel()))


for n in (1, 7, 16, 45, 61, 67, 134):
    line(f"fft {n}", scipy.fft.fft(complex_numbers(n, n)))
    line(f"rfft {n}", scipy.fft.rfft(numbers(n, n)))
    line(f"irfft {n}", scipy.fft.irfft(complex_numbers(n // 2 + 1, n), n))
line("fftn", scipy.fft.fftn(complex_numbers(24, 3).reshape(2, 3, 4), norm="ortho"))
line("irfftn", scipy.fft.irfftn(complex_numbers(24, 4).reshape(2, 3, 4), (3, 5), (2, 0)))
line("fftconvolve", scipy.signal.fftconvolve(numbers(12, 5).reshape(3, 4),
                                             numbers(6, 6).reshape(2, 3), "same"))
for periodic in (True, False):
    word = "periodic" if periodic else "symmetric"
    for name in ("hann", "hamming", "blackman", "bartlett"):
        line(f"{name} {word}", scipy.signal.get_window(name, 7, periodic))
    line(f"kaiser {word}", scipy.signal.get_window(("kaiser", 12.0), 7, periodic))
