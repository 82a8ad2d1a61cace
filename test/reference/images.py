#!/usr/bin/env python3
"""Writes test/data/images.txt: pictures that PyTorch made larger, for test/lua/image_spec.lua.

Run by hand, with PyTorch: test/reference/images.py > test/data/images.txt
A line is: the mode, the sizes before and after, a tab, the elements of the result. Element i, from
0, of a picture is ((7 i) mod 11 - 5) / 4.
"""

import torch
from torch.nn.functional import interpolate

CASES = [((1, 1), (3, 4)), ((3, 4), (7, 9)), ((5, 1), (5, 6)), ((4, 6), (4, 11)), ((6, 2), (13, 2)),
         ((2, 3), (3, 50)), ((7, 5), (8, 6))]

for before, after in CASES:
    i = torch.arange(before[0] * before[1])
    picture = (((7 * i) % 11 - 5).double() / 4).view(1, 1, *before)
    for mode, options in (("bilinear", {"align_corners": True}), ("nearest", {})):
        result = interpolate(picture, size=after, mode=mode, **options)
        sizes = ["x".join(str(n) for n in shape) for shape in (before, after)]
        numbers = " ".join("%.17g" % x for x in result.flatten().tolist())
        print(" ".join([mode] + sizes) + "\t" + numbers)
