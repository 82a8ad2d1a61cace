#!/usr/bin/python3
"""Writes .safetensors files with the package safetensors, for test/lua/safetensors_spec.lua.

Run by hand, in the root, where safetensors, NumPy and ml_dtypes are installed:
test/reference/safetensors_files.py
Element i of a tensor is start + i * step, in the order of rows; the spec has the same numbers.
"""

import os

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

FOLDER = "test/data/safetensors"
STEPS = {
    "uint8": (0, 10), "int8": (-50, 5), "int16": (-3000, 300), "uint16": (0, 2800),
    "int32": (-10, 90000007), "uint32": (0, 180000001), "int64": (-(1 << 50), 1 << 47),
    "uint64": (0, 1 << 48), "float16": (-2, 0.25), "bfloat16": (-2, 0.25), "float32": (-2, 0.25),
    "float64": (-2, 0.1),
}

os.makedirs(FOLDER, exist_ok=True)
tensors = {"bool": np.arange(24).reshape(2, 3, 4) % 2 == 1}
for name, (start, step) in STEPS.items():
    kind = ml_dtypes.bfloat16 if name == "bfloat16" else name
    numbers = [start + i * step for i in range(24)]
    tensors[name] = np.array(numbers).astype(kind).reshape(2, 3, 4)
tensors["scalar"] = np.array(7, dtype="int32")
tensors["empty"] = np.zeros((3, 0), dtype="float32")
save_file(tensors, f"{FOLDER}/all.safetensors", metadata={"author": "nobody", "note": 'a "b" \u00e9'})
