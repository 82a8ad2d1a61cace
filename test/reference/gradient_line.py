"""Writes lines of test/data/gradients.txt: see gradients.py."""

import torch

INF, NAN = float("inf"), float("nan")


def sequence(name, shape, number, function):
    """A tensor of function(n) for distinct n from 0 to 100. number: 0 to 3."""
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    t = function(((37 + 71 * number) * i + 3 * i * i + 11 * number) % 101).reshape(shape)
    t.source = "%s %s %d" % (name, "x".join(str(n) for n in shape), number)
    return t


def real(*shape, number=0):
    """Between -1.6 and 1.6, not near a multiple of 1/2."""
    return sequence("real", shape, number, lambda n: (n - 50) / 32 + 1 / 128)


def positive(*shape, number=0):
    """Between 0.5 and 3."""
    return sequence("positive", shape, number, lambda n: (n + 20) / 40)


def unit(*shape, number=0):
    """Between -1 and 1."""
    return sequence("unit", shape, number, lambda n: (n - 50) / 64)


def matrices(*shape, number=0):
    """Well-conditioned square matrices."""
    return real(*shape, number=number) + 3 * torch.eye(shape[-1], dtype=torch.float64)


def definite(*shape):
    """Symmetric matrices with positive eigenvalues, multiples of 1/64."""
    m = real(*shape)
    return torch.round((m @ m.mT + torch.eye(shape[-1], dtype=torch.float64)) * 64) / 64


def text(t):
    return " ".join("%.12g" % x for x in t.detach().reshape(-1).tolist())


def case(rows, code, function, *inputs):
    """Writes a line. inputs: tensors, or lists of numbers."""
    leaves, sources = [], []
    for x in inputs:
        t = torch.tensor(x, dtype=torch.float64) if isinstance(x, list) else x
        shape = "x".join(str(n) for n in t.shape)
        sources.append(getattr(t, "source", "%s: %s" % (shape, text(t))))
        if not hasattr(t, "source"):
            # In the digits of the file.
            digits = [float(n) for n in text(t).split()]
            t = torch.tensor(digits, dtype=torch.float64).reshape(t.shape)
        leaves.append(t.clone().requires_grad_())
    result = function(*leaves)
    i = torch.arange(result.numel(), dtype=torch.float64)
    g = ((5 * i) % 7 + 1) / 4 if result.dim() > 0 else torch.ones(1, dtype=torch.float64)
    gradients = torch.autograd.grad(result, leaves, g.reshape(result.shape), allow_unused=True)
    gradients = [torch.zeros_like(t) if g is None else g for t, g in zip(leaves, gradients)]
    print("\t".join([rows, code] + sources + [text(result)] + [text(g) for g in gradients]))


def index(*values):
    """Indices as the Lua code has them, from 1."""
    return torch.tensor(values) - 1
