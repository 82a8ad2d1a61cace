"""Times convolutions and ResNet-18 in PyTorch, as bench/networks/program.lua does.

usage: program.py seconds batch shape ...
"""

import math
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

seconds, batch = float(sys.argv[1]), int(sys.argv[2])
threads = int(os.environ["OMP_NUM_THREADS"])
torch.set_num_threads(threads)
# The processor time does not count other programs, but has all threads.
clock = time.process_time if threads == 1 else time.perf_counter


def measure(run):
    run()
    calls, best, rounds = 1, math.inf, 0
    while rounds < 3:
        start = clock()
        for _ in range(calls):
            run()
        elapsed = clock() - start
        if elapsed < seconds:
            calls = math.ceil(calls * min(10, 1.2 * seconds / elapsed))
        else:
            best, rounds = min(best, elapsed / calls), rounds + 1
    return 1e9 * best


def pattern(*size):
    count = math.prod(size)
    return ((torch.arange(count, dtype=torch.float64) % 251) / 251 - 0.5).float().view(size)


def convolution(inputs, outputs, size, kernel, stride, padding):
    x, weight = pattern(batch, inputs, size, size), pattern(outputs, inputs, kernel, kernel)

    def run():
        return F.conv2d(x, weight, None, stride, padding)

    return measure(run), run().sum().item()


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = None
        if stride != 1:
            convolution = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(outputs))

    def forward(self, x):
        short = self.shortcut(x) if self.shortcut else x
        return F.relu_(self.body(x).add_(short))


def resnet18():
    first = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
    layers = [first, nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, outputs in enumerate([64, 128, 256, 512]):
        layers += [Block(inputs, outputs, 1 if stage == 0 else 2), Block(outputs, outputs, 1)]
        inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*layers).eval()


def network():
    model, x = resnet18(), pattern(batch, 3, 224, 224)

    def run():
        return model(x)

    return measure(run), run().size(1)


folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "shapes.txt")) as file:
    shapes = [list(map(int, line.split())) for line in file if not line.startswith("#")]
with torch.inference_mode():
    for name in sys.argv[3:]:
        result = network() if name == "resnet18" else convolution(*shapes[int(name) - 1])
        print(f"{result[0]:.1f} {result[1]:.9g}")
