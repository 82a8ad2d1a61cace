"""A step of scripts/first-gpu-hour: shares memory of the GPU with PyTorch and CuPy in one process.

usage: first-gpu-hour-dlpack.py <libTH.so>

Each library changes the memory that another one allocated, in its own stream and in libTH's. A
library that is not installed, or finds no GPU, is left out.
"""

import ctypes
import importlib
import sys

modules = {}
for name in ("torch", "cupy"):
    try:
        module = importlib.import_module(name)
        if module.cuda.is_available():
            modules[name] = module
        else:
            print(f"left out: {name} finds no GPU")
    except ImportError as error:
        print(f"left out: {error}")
if not modules:
    print("skipped: neither PyTorch nor CuPy can use a GPU here")
    sys.exit(77)
torch, cupy = modules.get("torch"), modules.get("cupy")

th = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [pointer, ctypes.c_char_p, pointer]
python.PyCapsule_GetPointer.restype = pointer
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
UNUSED, USED = b"dltensor", b"used_dltensor"


def function(name, result, *arguments):
    found = getattr(th, name)
    found.restype, found.argtypes = result, arguments
    return found


new = function("THFloatTensor_newWithSize1d", pointer, ctypes.c_long)
free = function("THFloatTensor_free", None, pointer)
fill = function("THFloatTensor_fill", None, pointer, ctypes.c_float)
multiply = function("THFloatTensor_mul", None, pointer, pointer, ctypes.c_float)
total = function("THFloatTensor_sumall", ctypes.c_double, pointer)
export = function("THFloatTensor_toDLPackUnversionedOn", pointer, pointer, ctypes.c_char_p)
import_ = function("THFloatTensor_fromDLPackUnversioned", pointer, pointer)
synchronize = function("THSynchronize", None, ctypes.c_char_p)
stream = function("THDeviceStream", pointer, ctypes.c_char_p)

SIZE = 1 << 20


class Exported:
    """A tensor of libTH as an object of the DLPack protocol."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **_):
        return python.PyCapsule_New(export(self.tensor, b"gpu"), UNUSED, None)

    def __dlpack_device__(self):
        return (2, 0)


def imported(array):
    capsule = array.__dlpack__()
    managed = python.PyCapsule_GetPointer(capsule, UNUSED)
    python.PyCapsule_SetName(capsule, USED)
    return import_(managed)


def expect(found, wanted, what):
    assert abs(found - wanted) < 1e-6 * wanted, f"{what}: {found} instead of {wanted}"


def wait():
    if module is torch:
        torch.cuda.synchronize()
    else:
        cupy.cuda.Device().synchronize()


for name, module in modules.items():
    # Our memory, changed by the other library in its own stream.
    tensor = new(SIZE)
    fill(tensor, 2)
    view = module.from_dlpack(Exported(tensor))
    view *= 3
    wait()
    expect(total(tensor), 6 * SIZE, f"{name} in its stream")
    # The work of both in one stream needs no wait.
    if module is torch:
        with torch.cuda.stream(torch.cuda.ExternalStream(stream(b"gpu"))):
            for _ in range(100):
                view.mul_(2)
                multiply(tensor, tensor, 0.5)
    else:
        with cupy.cuda.ExternalStream(stream(b"gpu")):
            for _ in range(100):
                view *= 2
                multiply(tensor, tensor, 0.5)
    expect(total(tensor), 6 * SIZE, f"{name} in our stream")
    # The other library's view outlives our tensor.
    free(tensor)
    expect(float(view.sum()), 6 * SIZE, f"{name} after the tensor was freed")
    del view

    # The other library's memory, changed by us.
    if module is torch:
        array = torch.ones(SIZE, device="cuda")
    else:
        array = cupy.ones(SIZE, dtype=cupy.float32)
    ours = imported(array)
    multiply(ours, ours, 5)
    synchronize(b"gpu")
    expect(float(array.sum()), 5 * SIZE, f"{name}'s memory")
    free(ours)
    wait()
print("memory shared with", " and ".join(modules))
