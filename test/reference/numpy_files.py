#!/usr/bin/python3
"""Writes .npy and .npz files with NumPy, for test/lua/numpy_files_spec.lua.

Run by hand, in the root, where NumPy is installed: test/reference/numpy_files.py
Element i of an array is start + i * step, in the order of rows; the spec has the same numbers.
"""

import os

import numpy as np

FOLDER = "test/data/numpy"
STEPS = {
    "b1": (0, 1), "u1": (0, 10), "i1": (-50, 5), "i2": (-3000, 300), "u2": (0, 2800),
    "i4": (-10, 90000007), "u4": (0, 180000001), "i8": (-(1 << 50), 1 << 47), "u8": (0, 1 << 48),
    "f2": (-2, 0.25), "f4": (-2, 0.25), "f8": (-2, 0.1),
}


def array(kind, sizes, order):
    start, step = STEPS[kind]
    count = int(np.prod(sizes))
    numbers = [start + i * step for i in range(count)]
    if kind == "b1":
        numbers = [i % 2 == 1 for i in range(count)]
    return np.array(numbers, dtype=np.dtype(order + kind)).reshape(sizes)


os.makedirs(FOLDER, exist_ok=True)
arrays = {}
for kind in STEPS:
    for name, order in (("little", "<"), ("big", ">")):
        a = array(kind, (2, 3, 4), order)
        arrays[f"{kind}-{name}"] = a
        arrays[f"{kind}-{name}-fortran"] = np.asfortranarray(a)
    arrays[f"{kind}-scalar"] = array(kind, (), "<")
    arrays[f"{kind}-empty"] = array(kind, (3, 0), "<")
np.savez_compressed(f"{FOLDER}/all.npz", **arrays)
np.savez(f"{FOLDER}/stored.npz", array("f8", (3,), "<"), named=array("i4", (2, 2), "<"))
np.save(f"{FOLDER}/vector.npy", array("f8", (5,), "<"))
np.save(f"{FOLDER}/matrix.npy", np.asfortranarray(array("f4", (3, 4), "<")))
with open(f"{FOLDER}/version2.npy", "wb") as file:
    np.lib.format.write_array(file, array("i2", (4,), "<"), version=(2, 0))
for name, wrong in (
    ("complex", np.zeros(2, dtype=complex)),
    ("object", np.array([{}, 1], dtype=object)),
    ("text", np.array(["one", "two"])),
    ("structured", np.zeros(2, dtype=[("a", "f4"), ("b", "i4")])),
    ("unsigned", np.array([1 << 63], dtype="u8")),
):
    np.save(f"{FOLDER}/{name}.npy", wrong)
