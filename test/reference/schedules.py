#!/usr/bin/python3
"""Writes test/data/schedules.txt: the rates of 12 steps of PyTorch's schedules, from a rate of 0.5.

Run by hand, with PyTorch: test/reference/schedules.py > test/data/schedules.txt
A line is: case, and after a tab the rates. test/lua/schedules_spec.lua has the same cases.
"""

import sys
import warnings

del sys.path[0]  # the folder has a statistics.py, which is not Python's

import torch  # noqa: E402
from torch.optim.lr_scheduler import (ConstantLR, CosineAnnealingLR,  # noqa: E402
                                      CosineAnnealingWarmRestarts, ExponentialLR, LinearLR,
                                      MultiStepLR, OneCycleLR, PolynomialLR, SequentialLR, StepLR)

warnings.simplefilter('ignore')

CASES = {
    'step': lambda o: StepLR(o, 3, 0.5),
    'exponential': lambda o: ExponentialLR(o, 0.8),
    'linear': lambda o: LinearLR(o, 0.2, 1, 5),
    'multiStep': lambda o: MultiStepLR(o, [2, 5, 9], 0.5),
    'polynomial': lambda o: PolynomialLR(o, 8, 2),
    'cosine': lambda o: CosineAnnealingLR(o, 11, 0.01),
    'restarts': lambda o: CosineAnnealingWarmRestarts(o, 4, 1, 0.01),
    'growing restarts': lambda o: CosineAnnealingWarmRestarts(o, 2, 2),
    'oneCycle': lambda o: OneCycleLR(o, 0.5, 12),
    'oneCycle options': lambda o: OneCycleLR(o, 0.5, 12, pct_start=0.5, div_factor=10,
                                             final_div_factor=100),
    'constant': lambda o: ConstantLR(o, 0.1, 4),
    'sequence': lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 3), ExponentialLR(o, 0.5)], [3]),
}

for case, make in CASES.items():
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.5)
    schedule = make(optimizer)
    rates = []
    for k in range(12):
        rates.append(optimizer.param_groups[0]['lr'])
        optimizer.step()
        if k < 11:
            schedule.step()
    print(case + '\t' + ' '.join('%.17g' % x for x in rates))
