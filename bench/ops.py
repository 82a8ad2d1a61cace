"""Times NumPy or PyTorch on the cases of ops.lua, in the same way, and prints the same lines.

usage: ops.py numpy|torch [threads] [substring of case names]
"""

import os
import sys
import time

which = sys.argv[1]
threads = sys.argv[2] if len(sys.argv) > 2 else "1"
wanted = sys.argv[3] if len(sys.argv) > 3 else ""
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = threads


def measure(name, run):
    if wanted not in name:
        return
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            run()
        elapsed = time.perf_counter() - start
        if elapsed > 0.02:
            break
        calls = min(int(calls * max(2, 0.02 / max(elapsed, 1e-9))) + 1, 2**24)
    rounds = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        rounds.append((time.perf_counter() - start) / calls * 1e9)
    rounds.sort()
    print(f"{name} {rounds[3]:.1f}", flush=True)


n = 1000000
if which == "numpy":
    import numpy as np

    f = np.float32
    small, other = np.ones(4, f), np.ones(4, f)
    measure("a:add(1) n=4", lambda: np.add(small, f(1), out=small))
    measure("a:add(b) n=4", lambda: np.add(small, other, out=small))
    measure("a + b n=4", lambda: small + other)
    measure("sum(a) n=4", lambda: small.sum())
    a, b = np.random.rand(n).astype(f), np.random.rand(n).astype(f)
    c = np.empty(n, f)
    measure("add(c, a, b) n=1e6", lambda: np.add(a, b, out=c))
    measure("a + b n=1e6", lambda: a + b)
    measure("exp(c, a) n=1e6", lambda: np.exp(a, out=c))
    measure("tanh(c, a) n=1e6", lambda: np.tanh(a, out=c))
    measure("sum(a) n=1e6", lambda: a.sum())
    measure("max(a) n=1e6", lambda: a.max())

    def sort():
        order = np.argsort(a)
        return a[order], order

    measure("sort(a) n=1e6", sort)
    m = np.random.rand(1000, 1000).astype(f)
    row, column = np.empty((1, 1000), f), np.empty((1000, 1), f)
    measure("sum(m, rows) 1000x1000", lambda: m.sum(0, keepdims=True, out=row))
    measure("sum(m, columns) 1000x1000", lambda: m.sum(1, keepdims=True, out=column))
    copy = np.empty((1000, 1000), f)
    measure("copy of transpose 1000x1000", lambda: np.copyto(copy, m.T))
    measure("m + transpose 1000x1000", lambda: np.add(m, m.T, out=copy))
    measure("add row, broadcast 1000x1000", lambda: np.add(m, row, out=copy))
    for size in (16, 64, 512, 1024):
        x, y = np.random.rand(size, size).astype(f), np.random.rand(size, size).astype(f)
        z = np.empty((size, size), f)
        measure(f"mm {size}x{size}", lambda: np.matmul(x, y, out=z))
    index = np.random.randint(0, n, n)
    measure("index n=1e6", lambda: np.take(a, index, out=c, mode="clip"))
    generator = np.random.Generator(np.random.MT19937(1))
    measure("uniform n=1e6", lambda: generator.random(out=c, dtype=f))
    measure("normal n=1e6", lambda: generator.standard_normal(out=c, dtype=f))
else:
    import torch

    torch.set_num_threads(int(threads))
    torch.set_grad_enabled(False)
    small, other = torch.ones(4), torch.ones(4)
    measure("a:add(1) n=4", lambda: small.add_(1))
    measure("a:add(b) n=4", lambda: small.add_(other))
    measure("a + b n=4", lambda: small + other)
    measure("sum(a) n=4", lambda: small.sum())
    a, b, c = torch.rand(n), torch.rand(n), torch.empty(n)
    measure("add(c, a, b) n=1e6", lambda: torch.add(a, b, out=c))
    measure("a + b n=1e6", lambda: a + b)
    measure("exp(c, a) n=1e6", lambda: torch.exp(a, out=c))
    measure("tanh(c, a) n=1e6", lambda: torch.tanh(a, out=c))
    measure("sum(a) n=1e6", lambda: a.sum())
    measure("max(a) n=1e6", lambda: a.max())
    measure("sort(a) n=1e6", lambda: torch.sort(a))
    m = torch.rand(1000, 1000)
    row, column = torch.zeros(1, 1000), torch.zeros(1000, 1)
    measure("sum(m, rows) 1000x1000", lambda: torch.sum(m, 0, keepdim=True, out=row))
    measure("sum(m, columns) 1000x1000", lambda: torch.sum(m, 1, keepdim=True, out=column))
    copy = torch.zeros(1000, 1000)
    measure("copy of transpose 1000x1000", lambda: copy.copy_(m.t()))
    measure("m + transpose 1000x1000", lambda: torch.add(m, m.t(), out=copy))
    measure("add row, broadcast 1000x1000", lambda: torch.add(m, row, out=copy))
    for size in (16, 64, 512, 1024):
        x, y, z = torch.rand(size, size), torch.rand(size, size), torch.zeros(size, size)
        measure(f"mm {size}x{size}", lambda: torch.mm(x, y, out=z))
    index = torch.randint(0, n, (n,))
    measure("index n=1e6", lambda: torch.index_select(a, 0, index, out=c))
    measure("uniform n=1e6", lambda: c.uniform_())
    measure("normal n=1e6", lambda: c.normal_())
