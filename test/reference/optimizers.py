#!/usr/bin/python3
"""Writes test/data/optimizers.txt: parameters after steps of PyTorch's optimizers, in double.

Run by hand, with PyTorch: test/reference/optimizers.py > test/data/optimizers.txt
A line is: case, and after a tab the elements of the weight and the bias. test/lua/optim_spec.lua has
the same cases. 'tied' uses the weight twice, and clips the gradients.
"""

import sys

del sys.path[0]  # the folder has a statistics.py, which is not Python's

import torch  # noqa: E402
from torch.optim import (SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, LBFGS, NAdam,  # noqa: E402
                         RAdam, RMSprop)
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR  # noqa: E402

torch.set_default_dtype(torch.float64)  # that of NAdam's product of momenta
X = torch.tensor([[1, 2, -1], [0.5, -1, 2], [3, 1, 0]], dtype=torch.float64)
Y = torch.tensor([[1, 0], [0, 1], [2, -1]], dtype=torch.float64)

CASES = {
    'sgd': lambda p: SGD(p, 0.05),
    'momentum': lambda p: SGD(p, 0.05, 0.9),
    'nesterov': lambda p: SGD(p, 0.05, 0.9, nesterov=True),
    'dampening': lambda p: SGD(p, 0.05, 0.9, 0.3, 0.1),
    'adam': lambda p: Adam(p, 0.05),
    'adam options': lambda p: Adam(p, 0.05, (0.8, 0.95), 1e-3, 0.1),
    'adamW': lambda p: AdamW(p, 0.05),
    'adamW options': lambda p: AdamW(p, 0.05, (0.8, 0.95), 1e-3, 0.2),
    'rmsprop': lambda p: RMSprop(p, 0.05),
    'rmsprop options': lambda p: RMSprop(p, 0.05, 0.9, 1e-4, 0.1, 0.9),
    'amsgrad': lambda p: Adam(p, 0.05, (0.8, 0.5), 1e-3, amsgrad=True),
    'adagrad': lambda p: Adagrad(p, 0.05),
    'adagrad options': lambda p: Adagrad(p, 0.05, weight_decay=0.1, eps=1e-3),
    'adamax': lambda p: Adamax(p, 0.05),
    'adamax options': lambda p: Adamax(p, 0.05, (0.8, 0.7), 1e-3, 0.1),
    'nadam': lambda p: NAdam(p, 0.05),
    'nadam options': lambda p: NAdam(p, 0.05, (0.8, 0.95), 1e-3, 0.1, 0.5),
    'radam': lambda p: RAdam(p, 0.05),
    'radam options': lambda p: RAdam(p, 0.05, (0.8, 0.95), 1e-3, 0.1),
    'adadelta': lambda p: Adadelta(p),
    'adadelta options': lambda p: Adadelta(p, 0.05, 0.8, 0.1, 0.1),
    'lbfgs': lambda p: LBFGS(p, max_iter=3, history_size=2),
    'lbfgs evaluations': lambda p: LBFGS(p, 0.5, max_iter=8, max_eval=4),
    'step': lambda p: SGD(p, 0.05),
    'cosine': lambda p: SGD(p, 0.05),
    'tied': lambda p: SGD(p, 0.05, 0.9),
}
SCHEDULES = {
    'step': lambda o: StepLR(o, 3, 0.5),
    'cosine': lambda o: CosineAnnealingLR(o, 10, 0.001),
}

for case, make in CASES.items():
    w = torch.tensor([[1, -2, 3], [0.5, 0.25, -1]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([0.1, -0.3], dtype=torch.float64, requires_grad=True)
    optimizer = make([w, b])
    schedule = SCHEDULES[case](optimizer) if case in SCHEDULES else None

    def closure():
        optimizer.zero_grad()
        y = X @ w.t() + b
        if case == 'tied':
            y = y @ w @ w.t()
        loss = ((y - Y) ** 2).mean() + (w ** 4).sum() * 0.01
        loss.backward()
        return loss

    for _ in range(4 if case.startswith('lbfgs') else 9):
        if case.startswith('lbfgs'):
            optimizer.step(closure)
        else:
            closure()
            if case == 'tied':
                torch.nn.utils.clip_grad_norm_([w, b], 1)
            optimizer.step()
        if schedule:
            schedule.step()
    elements = w.flatten().tolist() + b.tolist()
    print(case + '\t' + ' '.join('%.17g' % x for x in elements))
