"""Times cases in NumPy or PyTorch for bench/run.lua, as bench/worker.lua does in our library.

usage: worker.py numpy|torch threads
"""

import ctypes
import math
import os
import platform
import sys
import tempfile
import time

which, threads = sys.argv[1], int(sys.argv[2])
import numpy as np

DTYPES = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "long": np.int64,
    "byte": np.uint8,
    "half": np.float16,
    "bfloat16": np.float32,  # which torch rounds
}

if which == "torch":
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)

    def adopt(array, element=None):
        tensor = torch.from_numpy(array)
        return tensor.bfloat16() if element == "bfloat16" else tensor

else:

    def adopt(array, element=None):
        return array


class Helpers(dict):
    """What cases may use, for a type of elements."""

    def __init__(self, element):
        self.seed = 0
        self.element, self.dtype = element, DTYPES[element]
        self.directory = tempfile.TemporaryDirectory()
        self.update(np=np, rand=self.rand, new=self.new, index=self.index, like=self.like)
        self.update(digits_step=self.digits_step, training_step=self.training_step)
        self.update(scratch=self.directory.name + "/file")
        self.update(eye=lambda n: adopt(np.eye(n, dtype=self.dtype)))
        if which == "torch":
            self.update(torch=torch, F=F)

    def draw(self, shape):
        # Raw 32-bit draws of MT19937: the same numbers as in our library.
        self.seed += 1
        raw = np.random.RandomState(self.seed).randint(0, 2**32, size=shape, dtype=np.uint32)
        return (raw >> 8) / 2.0**24

    def rand(self, *shape):
        numbers = self.draw(shape)
        if not np.issubdtype(self.dtype, np.floating):
            numbers = np.floor(numbers * 100) + 1
        return adopt(numbers.astype(self.dtype), self.element)

    def new(self, *shape):
        return adopt(np.zeros(shape, self.dtype), self.element)

    def index(self, count, span):
        return adopt(np.floor(self.draw((count,)) * span).astype(np.int64))

    def like(self, array, element):
        return adopt(np.asarray(array).astype(DTYPES[element]))

    def training_step(self, name, batch, compiled=False):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite"))
        import training

        return training.training_step(self.rand, self.index, name, batch, compiled)

    def digits_step(self, n):
        pixels, hidden_size, classes = 64, 256, 10
        sizes = [(pixels, hidden_size), (1, hidden_size), (hidden_size, classes), (1, classes)]
        size = sum(rows * columns for rows, columns in sizes)
        parameters, gradients = (self.rand(size) - 0.5) * 0.1, self.new(size)
        velocity = self.new(size)

        def views(vector):
            first = 0
            for rows, columns in sizes:
                yield vector[first : first + rows * columns].reshape(rows, columns)
                first += rows * columns

        w1, b1, w2, b2 = views(parameters)
        gw1, gb1, gw2, gb2 = views(gradients)
        x, wanted = self.rand(n, pixels), self.new(n, classes)
        for i in range(n):
            wanted[i, (i + 1) % classes] = 1

        def numpy_step():
            nonlocal velocity
            hidden = np.maximum(x @ w1 + b1, 0)
            scores = hidden @ w2 + b2
            scores -= scores.max(1, keepdims=True)
            log_p = scores - np.log(np.exp(scores).sum(1, keepdims=True))
            delta = (np.exp(log_p) - wanted) / np.float32(n)
            np.matmul(hidden.T, delta, out=gw2)
            np.sum(delta, 0, keepdims=True, out=gb2)
            delta = (delta @ w2.T) * np.sign(hidden)
            np.matmul(x.T, delta, out=gw1)
            np.sum(delta, 0, keepdims=True, out=gb1)
            velocity *= 0.9
            velocity -= 0.01 * gradients
            parameters[:] += velocity

        def torch_step():
            hidden = (x @ w1).add_(b1).clamp_(min=0)
            scores = (hidden @ w2).add_(b2)
            scores = scores - scores.max(1, keepdim=True)[0]
            log_p = scores - torch.exp(scores).sum(1, keepdim=True).log()
            delta = (torch.exp(log_p) - wanted).div_(n)
            torch.mm(hidden.t(), delta, out=gw2)
            torch.sum(delta, 0, keepdim=True, out=gb2)
            delta = (delta @ w2.t()).mul_(torch.sign(hidden))
            torch.mm(x.t(), delta, out=gw1)
            torch.sum(delta, 0, keepdim=True, out=gb1)
            velocity.mul_(0.9).add_(gradients, alpha=-0.01)
            parameters.add_(velocity)

        return torch_step if which == "torch" else numpy_step


def clock(run, calls):
    start = time.perf_counter()
    run(calls)
    return time.perf_counter() - start


state = {}


def prepare(element, n, m, k, seconds, setup, code):
    n, m, k, seconds = int(n), int(m), int(k), float(seconds)
    # Setup variables are closure variables here, which are about as fast as locals.
    body = "\n            ".join(code.split("\n"))
    source = f"""
def make(n, m, k):
    {setup}
    def run(calls):
        for _ in range(calls):
            {body}
    return run
"""
    try:
        code_object = compile(source, "case", "exec")
    except SyntaxError as error:
        raise ValueError(f"{error}: {source}")
    helpers = Helpers(element)
    exec(code_object, helpers)
    run, calls = helpers["make"](n, m, k), 1
    state.update(helpers=helpers, run=run)
    run(1)
    while True:
        elapsed = clock(run, calls)
        if elapsed >= seconds:  # the first calls may have waited for the system's memory
            elapsed = clock(run, calls)
        if elapsed >= seconds or calls >= 2**26:
            break
        calls = math.ceil(calls * min(max(2, seconds / max(elapsed, 1e-9)), 100))
    state["calls"] = calls
    return calls


def measure():
    return clock(state["run"], state["calls"]) / state["calls"]


def drop():
    if "helpers" in state:
        state["helpers"].directory.cleanup()
    state.clear()
    return 0


def describe():
    if which == "torch":
        return f"PyTorch {torch.__version__}, Python {platform.python_version()}"
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__}, {blas['name']} {blas['version']}"


def main():
    # The kernel kills this process when its parent ends, even while this process is stopped.
    ctypes.CDLL(None).prctl(1, 9)
    probe = np.asarray(Helpers("double").rand(1000)).sum()
    print(f"ready\t{os.getpid()}\t{probe:.17g}\t{describe()}", flush=True)
    commands = {"prepare": prepare, "round": measure, "drop": drop}
    for line in sys.stdin:
        name, *fields = [field.replace("\\n", "\n") for field in line.rstrip("\n").split("\t")]
        try:
            print(f"ok\t{commands[name](*fields):.17g}", flush=True)
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"error\t{text}", flush=True)


main()
