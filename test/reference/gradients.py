#!/usr/bin/env python3
"""Writes test/data/gradients.txt: gradients of the rows of the op table by PyTorch, in double.

Run by hand, with torch: test/reference/gradients.py > test/data/gradients.txt
A line has these columns, separated by tabs: rows of the table, separated by blanks; Lua code, a
function of the tensors a, b, c, d; these tensors; the elements of the result, and of the gradient of
each tensor. A tensor is a shape and its elements; or `real`, `positive` or `unit`, a shape and a
number, for the elements of the functions of these names in gradient_line.py. Element i, from 0, of
the gradient of the result is ((5 i) mod 7 + 1) / 4; that of a number is 1.
layers.py and spatial.py do the same for layers, losses, convolutions and pools.
"""

print("# Made by test/reference/gradients.py with PyTorch: do not edit.")

# Each module writes its cases.
import gradient_rows  # noqa: E402
import gradient_linalg  # noqa: E402
import gradient_corners  # noqa: E402
