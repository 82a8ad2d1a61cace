#!/usr/bin/python3
"""Writes test/data/convolution.txt: convolutions by SciPy that the Lua tests compare with.

Run by hand, with python3-scipy: test/reference/convolution.py > test/data/convolution.txt
A line is: function, mode, the sizes of image, kernel and result, a tab, the result's elements.
Element i, from 0, of an image is ((7 i) mod 11 - 5) / 4, of a kernel ((5 i) mod 7 - 3) / 2.
"""

import numpy as np
from scipy import signal

SHAPES = [((6, 7), (3, 2)), ((4, 4), (4, 4)), ((1, 9), (1, 4)), ((5, 33), (2, 3)),
          ((3, 4, 5), (2, 2, 3)), ((2, 3, 4), (2, 1, 1))]


def elements(shape, factor, period, shift, scale):
    i = np.arange(np.prod(shape))
    return (((factor * i) % period - shift) / scale).reshape(shape)


for image_shape, kernel_shape in SHAPES:
    image = elements(image_shape, 7, 11, 5, 4)
    kernel = elements(kernel_shape, 5, 7, 3, 2)
    for name in ("conv", "xcorr"):
        for option, mode in (("V", "valid"), ("F", "full")):
            function = signal.convolve if name == "conv" else signal.correlate
            result = function(image, kernel, mode=mode, method="direct")
            sizes = ["x".join(str(n) for n in a.shape) for a in (image, kernel, result)]
            head = [name + str(len(image_shape)), option] + sizes
            print(" ".join(head) + "\t" + " ".join("%.17g" % x for x in result.ravel()))
