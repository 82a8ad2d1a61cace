#!/usr/bin/env python3
"""Tensors shared with NumPy and PyTorch in one process, through DLPack.

Usage: test/checks/dlpack.py <prefix>. Without NumPy it ends with 77; without PyTorch it looks at
NumPy only.
"""

import ctypes
import gc
import sys

try:
    import numpy as np
except ImportError:
    print("NumPy is not there")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

PREFIX = sys.argv[1]
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
TH = ctypes.CDLL(f"{PREFIX}/lib/libTH.so", mode=ctypes.RTLD_GLOBAL)
# Capsules keep the address of their name.
NAMES = {True: b"dltensor_versioned", False: b"dltensor"}
USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}


def function(name, result, *arguments):
    f = getattr(TH, name)
    f.restype, f.argtypes = result, arguments
    return f


def dlpack(kind, versioned, direction):
    name = f"TH{kind}Tensor_{direction}DLPack" + ("" if versioned else "Unversioned")
    return function(name, ctypes.c_void_p, ctypes.c_void_p)


class Producer:
    """What from_dlpack of NumPy and PyTorch takes."""

    def __init__(self, managed, versioned):
        self.capsule = api.PyCapsule_New(managed, NAMES[versioned], None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


def ours(kind, sizes):
    make = function(f"TH{kind}Tensor_newWithSize2d", ctypes.c_void_p, ctypes.c_int64,
                    ctypes.c_int64)
    return make(*sizes)


def free(kind, t):
    function(f"TH{kind}Tensor_free", None, ctypes.c_void_p)(t)


def to_others(kind, dtype, versioned, tensor_first, from_dlpack):
    t = ours(kind, (3, 4))
    producer = Producer(dlpack(kind, versioned, "to")(t), versioned)
    array = from_dlpack(producer)
    view = array.T if tensor_first else array[1:]
    # NumPy writes to nothing that came without a version.
    writable = not isinstance(array, np.ndarray) or array.flags.writeable
    assert writable or not versioned
    if writable:
        array[:] = 3
    data = function(f"TH{kind}Tensor_data", ctypes.c_void_p, ctypes.c_void_p)
    address = array.ctypes.data if isinstance(array, np.ndarray) else array.data_ptr()
    assert address == data(t), (kind, versioned)
    if not writable:
        ctypes.memset(data(t), 0, 12 * array.itemsize)
    assert str(array.dtype).replace("torch.", "") == dtype, (array.dtype, dtype)
    assert tuple(array.shape) == (3, 4)
    if tensor_first:
        free(kind, t)
    del array, producer
    gc.collect()
    if writable:
        view += 2
    assert float(view.sum()) == (5 if writable else 0) * (12 if tensor_first else 8)
    del view
    gc.collect()
    if not tensor_first:
        # Nothing else refers to the memory, so it may be resized again.
        resize = function(f"TH{kind}Tensor_resize1d", None, ctypes.c_void_p, ctypes.c_int64)
        resize(t, 1000)
        free(kind, t)


def from_others(kind, array, versioned):
    keywords = {"max_version": (1, 0)} if versioned else {}
    capsule = array.__dlpack__(**keywords)
    managed = api.PyCapsule_GetPointer(capsule, NAMES[versioned])
    t = dlpack(kind, versioned, "from")(managed)
    api.PyCapsule_SetName(capsule, USED[versioned])
    fill = getattr(TH, f"TH{kind}Tensor_fill")
    argument = {"Float": ctypes.c_float, "Double": ctypes.c_double}.get(kind, ctypes.c_int64)
    fill.restype, fill.argtypes = None, (ctypes.c_void_p, argument)
    fill(t, 9)
    assert float(array.sum()) == 9 * 12
    references = sys.getrefcount(array)
    clone = function(f"TH{kind}Tensor_newWithTensor", ctypes.c_void_p, ctypes.c_void_p)(t)
    free(kind, t)
    # The array outlives its name: the tensor has it.
    keep = array[:] if isinstance(array, np.ndarray) else array.view(-1)
    del array, capsule
    gc.collect()
    fill(clone, 4)
    assert float(keep.sum()) == 4 * 12
    free(kind, clone)
    assert references > 0


KINDS = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Half": "float16", "Float": "float32", "Double": "float64",
}
count = 0
for kind, dtype in KINDS.items():
    for versioned in (True, False):
        for tensor_first in (True, False):
            to_others(kind, dtype, versioned, tensor_first, np.from_dlpack)
            count += 1
            if torch:
                to_others(kind, dtype, versioned, tensor_first, torch.from_dlpack)
                count += 1
        if kind not in ("Half", "BFloat16"):
            from_others(kind, np.ones((3, 4), dtype=dtype), versioned)
            from_others(kind, np.asfortranarray(np.ones((3, 4), dtype=dtype)), versioned)
            count += 2
            if torch:
                from_others(kind, torch.ones(3, 4, dtype=getattr(torch, dtype)), versioned)
                count += 1
if torch:
    to_others("BFloat16", "bfloat16", True, True, torch.from_dlpack)
    count += 1
print(f"{count} passed, 0 failed; NumPy {np.__version__}, PyTorch",
      torch.__version__ if torch else "not there")
