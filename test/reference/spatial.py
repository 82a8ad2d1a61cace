#!/usr/bin/env python3
"""Writes test/data/spatial.txt: convolutions, pools and interpolation by PyTorch.

Run by hand, with torch: test/reference/spatial.py > test/data/spatial.txt
A line has these columns, separated by tabs: the function; the sizes of its tensors; its other
arguments as Lua text; the sizes of the result; its elements; the gradient of each tensor, for the
gradient `g` of the result; for maxima, the indices, from 1.
Element i, from 0, of tensor number k, from 0, is ((7 i + k) mod 101 - 50) / 16; g is number 5.
"""

import torch
from torch.nn import functional as F


def elements(shape, number):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (((7 * i + number) % 101 - 50) / 16).reshape(shape)


def text(values):
    return " ".join("%.17g" % x for x in values.reshape(-1).tolist())


def sizes(tensor):
    return "x".join(str(n) for n in tensor.shape)


def lua(value):
    if isinstance(value, (tuple, list)):
        return "{" + ", ".join(lua(x) for x in value) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value + "'"
    return "nil" if value is None else str(value)


def line(name, shapes, arguments, function):
    operands = [elements(shape, k).requires_grad_() for k, shape in enumerate(shapes)]
    results = function(*operands)
    indices = None
    if isinstance(results, tuple):
        results, indices = results
    results.backward(elements(results.shape, 5))
    columns = [name, " ".join(sizes(t) for t in operands), ", ".join(lua(x) for x in arguments),
               sizes(results), text(results.detach())]
    columns += [text(t.grad) for t in operands]
    if indices is not None:
        columns.append(" ".join(str(int(i) + 1) for i in indices.reshape(-1)))
    print("\t".join(columns))


def convolution(dims, shapes, *arguments):
    function = getattr(F, "conv%dd" % dims)
    line("conv%dd" % dims, shapes, arguments,
         lambda t, w, b=None: function(t, w, b, *arguments))


def transposed(dims, shapes, *arguments):
    function = getattr(F, "conv_transpose%dd" % dims)
    line("convTranspose%dd" % dims, shapes, arguments,
         lambda t, w, b=None: function(t, w, b, *arguments))


def pool(kind, dims, shape, *arguments):
    function = getattr(F, "%s_pool%dd" % (kind, dims))
    more = {"return_indices": True} if kind == "max" else {}
    line("%sPool%dd" % (kind, dims), [shape], arguments,
         lambda t: function(t, *[a or None if k == 1 else a for k, a in enumerate(arguments)],
                            **more))


def adaptive(kind, dims, shape, size):
    function = getattr(F, "adaptive_%s_pool%dd" % (kind, dims))
    more = {"return_indices": True} if kind == "max" else {}
    line("adaptive%sPool%dd" % (kind.capitalize(), dims), [shape], [size],
         lambda t: function(t, size, **more))


def interpolated(shape, size, mode, align):
    names = {"nearest": "nearest", "linear": ["linear", "bilinear", "trilinear"][len(shape) - 3]}
    more = {} if mode == "nearest" else {"align_corners": align}
    line("interpolate", [shape], [size, mode, align],
         lambda t: F.interpolate(t, size, mode=names[mode], **more))


def upsampled(shape, scale, mode, align):
    names = {"nearest": "nearest", "linear": ["linear", "bilinear", "trilinear"][len(shape) - 3]}
    more = {} if mode == "nearest" else {"align_corners": align}
    line("upsample", [shape], [scale, mode, align],
         lambda t: F.interpolate(t, scale_factor=scale, mode=names[mode], **more))


convolution(1, [(2, 3, 9), (4, 3, 3), (4,)], 2, 1, 2, 1)
convolution(1, [(4, 5), (6, 2, 2), (6,)], 1, 0, 1, 2)
convolution(2, [(2, 3, 5, 7), (4, 3, 3, 2), (4,)], 1, 0, 1, 1)
convolution(2, [(2, 4, 7, 8), (6, 2, 3, 3), (6,)], (2, 3), (2, 1), (1, 2), 2)
convolution(2, [(1, 3, 6, 6), (3, 1, 3, 3), (3,)], 1, 1, 1, 3)
convolution(2, [(3, 5, 5), (2, 3, 1, 1), (2,)], 2, 0, 1, 1)
convolution(2, [(2, 3, 9, 9), (5, 3, 7, 7), (5,)], 2, 3, 1, 1)
convolution(3, [(1, 2, 4, 5, 4), (2, 2, 2, 3, 2), (2,)], (1, 2, 1), (1, 0, 1), (2, 1, 1), 1)
transposed(1, [(2, 3, 4), (3, 2, 3), (2,)], 2, 1, 1, 1, 2)
transposed(2, [(2, 4, 3, 4), (4, 3, 3, 2), (6,)], (2, 3), (1, 0), (1, 2), 2, (1, 2))
transposed(2, [(3, 3, 3), (3, 2, 1, 1), (2,)], 3, 0, 2, 1, 1)
transposed(3, [(1, 2, 2, 3, 2), (2, 3, 2, 2, 3), (3,)], (2, 1, 2), (1, 0, 1), 0, 1, 1)
pool("max", 1, (2, 2, 9), 3, 2, 1, 1, False)
pool("max", 2, (2, 3, 6, 7), 2, 0, 0, 1, False)
pool("max", 2, (1, 2, 7, 8), (3, 2), (2, 3), (1, 1), (2, 1), True)
pool("max", 3, (2, 4, 5, 5), 2, 2, 1, 1, True)
pool("max", 2, (1, 2, 2, 3), (3, 2), 2, 0, 1, True)
pool("avg", 1, (2, 2, 9), 3, 2, 1, False, True)
pool("avg", 2, (2, 3, 6, 7), 2, 0, 0, False, True)
pool("avg", 2, (1, 2, 7, 8), (3, 2), (2, 3), (1, 1), True, True)
pool("avg", 2, (1, 2, 7, 8), (3, 2), (2, 3), (1, 1), True, False)
pool("avg", 3, (2, 4, 5, 5), 2, 2, 1, True, False)
pool("avg", 2, (1, 2, 2, 3), (3, 2), 2, 0, True, True)
adaptive("max", 1, (2, 2, 7), 3)
adaptive("max", 2, (1, 2, 5, 7), (2, 4))
adaptive("max", 3, (2, 3, 4, 5), (2, 3, 2))
adaptive("avg", 1, (2, 2, 7), 3)
adaptive("avg", 2, (1, 2, 5, 7), (2, 4))
adaptive("avg", 3, (2, 3, 4, 5), (1, 5, 2))
for mode in ("nearest", "linear"):
    for align in ((False, True) if mode == "linear" else (False,)):
        interpolated((2, 2, 5), 8, mode, align)
        interpolated((1, 2, 4, 5), (7, 3), mode, align)
        interpolated((1, 1, 1, 4), (3, 1), mode, align)
        interpolated((1, 1, 2, 3, 4), (3, 3, 6), mode, align)
        upsampled((1, 2, 4, 5), 1.7, mode, align)
        upsampled((1, 2, 3, 3), 2.0, mode, align)
        upsampled((1, 1, 6, 6), 0.5, mode, align)
