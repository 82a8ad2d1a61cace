"""Times the steps of bench/torch7 in PyTorch.

usage: peers.py lenet|resnet18|lstm seconds
"""

import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

name, seconds = sys.argv[1], float(sys.argv[2])
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))


def lenet():
    net = nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.Tanh(), nn.MaxPool2d(2),
        nn.Conv2d(20, 50, 5), nn.Tanh(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(800, 500), nn.Tanh(), nn.Linear(500, 10),
    )  # fmt: skip
    images, gradient = torch.rand(64, 1, 28, 28), torch.rand(64, 10)

    def run():
        net.zero_grad()
        net(images).backward(gradient)

    return run


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        stride = 1 if inputs == outputs else 2
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(3))
        self.shortcut = nn.Conv2d(inputs, outputs, 1, 2, bias=False) if stride == 2 else None

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y))
        return F.relu(y + (self.norms[2](self.shortcut(x)) if self.shortcut else x))


def resnet18():
    widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
    blocks = [Block(a, b) for a, b in zip(widths, widths[1:])]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    net = nn.Sequential(*stem, nn.MaxPool2d(3, 2, 1), *blocks, *head).eval()
    image = torch.rand(1, 3, 224, 224)

    def run():
        with torch.no_grad():
            net(image)

    return run


def lstm():
    net, decoder = nn.LSTM(65, 128, 2).double(), nn.Linear(128, 65).double()
    characters = torch.randint(0, 65, (50, 50))
    inputs = F.one_hot(characters, 65).double()

    def run():
        net.zero_grad()
        decoder.zero_grad()
        scores = decoder(net(inputs)[0])
        F.cross_entropy(scores.view(2500, 65), characters.view(2500)).backward()

    return run


step = {"lenet": lenet, "resnet18": resnet18, "lstm": lstm}[name]()
step()
least, begin = float("inf"), time.perf_counter()
while time.perf_counter() < begin + seconds:
    start = time.perf_counter()
    step()
    least = min(least, time.perf_counter() - start)
print(f"{1e9 * least:.0f}")
