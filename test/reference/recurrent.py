#!/usr/bin/python3
"""Writes test/data/recurrent.txt: bidirectional LSTM and GRU and their gradients by PyTorch.

Run by hand, with PyTorch: test/reference/recurrent.py > test/data/recurrent.txt
A line is a name, a tab, and numbers. Element i, from 0, of tensor k, from 0, is ((7 i + 3 k) mod 11
- 5) / 8. The tensors are x and, of each layer and direction, the weight, the hidden weight, the
bias, and for the GRU the hidden bias. The loss is the sum of all elements of the outputs and the
last states times (5 i mod 7 - 3) / 4. test/lua/nn_bidirectional_spec.lua has the same cases.
"""

import torch

STEPS, BATCH, INPUTS, HIDDEN, LAYERS = 3, 2, 3, 2, 2


def elements(shape, k):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (((7 * i + 3 * k) % 11 - 5) / 8).reshape(shape)


def loss_of(t):
    i = torch.arange(t.numel(), dtype=torch.float64)
    return (t.reshape(-1) * ((5 * i) % 7 - 3) / 4).sum()


def line(name, t):
    print(name + "\t" + " ".join("%.17g" % v for v in t.detach().reshape(-1).tolist()))


def run(name, kind):
    net = kind(INPUTS, HIDDEN, LAYERS, bidirectional=True).double()
    x = elements((STEPS, BATCH, INPUTS), 0).requires_grad_()
    k, used = 1, []
    for part in range(LAYERS):
        for end in ("", "_reverse"):
            for field in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                p = getattr(net, "%s_l%d%s" % (field, part, end))
                if field == "bias_hh" and name == "lstm":
                    p.data.zero_()
                    continue
                p.data.copy_(elements(p.shape, k))
                used.append(("%d%s %s" % (part + 1, end, field), p))
                k += 1
    y, last = net(x)
    states = last if isinstance(last, tuple) else (last,)
    (loss_of(y) + sum(loss_of(s) for s in states)).backward()
    line(name + " y", y)
    for field, s in zip("hc", states):
        line(name + " " + field, s)
    line(name + " x", x.grad)
    for field, p in used:
        line(name + " " + field, p.grad)


print("# Made by test/reference/recurrent.py with PyTorch: do not edit.")
run("lstm", torch.nn.LSTM)
run("gru", torch.nn.GRU)
