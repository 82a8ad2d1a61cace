"""Times a * b in NumPy, as bench/new_results/program.lua does in our library.

usage: program.py seconds state bytes ...
"""

import math
import sys
import time

import numpy as np

seconds, state = float(sys.argv[1]), sys.argv[2].split(",")[0]
kept = [[] for _ in range(int(state))] if state.isdigit() else []


def measure(a, b):
    result = a * b
    calls, elapsed = 1, 0.0
    while elapsed < seconds:
        start = time.process_time()
        for _ in range(calls):
            result = a * b
        elapsed = time.process_time() - start
        if elapsed < seconds:
            calls = math.ceil(calls * min(10, 1.2 * seconds / elapsed))
    return 1e9 * elapsed / calls


for argument in sys.argv[3:]:
    count = int(argument) // 4
    a = np.random.rand(count).astype(np.float32)
    b = np.random.rand(count).astype(np.float32)
    print(f"{argument} {measure(a, b):.1f}")
