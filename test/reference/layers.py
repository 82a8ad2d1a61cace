#!/usr/bin/python3
"""Writes test/data/layers.txt: layers, losses and their gradients by PyTorch, in double.

Run by hand, with PyTorch: test/reference/layers.py > test/data/layers.txt
A line is: case, the sizes of the inputs, and after tabs the elements of the result and of the
gradients of the inputs. Element i, from 0, of input k, from 0, is ((7 i + 3 k) mod 11 - 5) / 4, and
of the gradient of the result ((5 i) mod 7 - 3) / 2; that of a number is 1. test/lua/layers_spec.lua
has the same cases.
"""

import torch
import torch.nn.functional as F


def elements(shape, k):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (((7 * i + 3 * k) % 11 - 5) / 4).reshape(shape).requires_grad_()


def running(x):
    """The running mean and variance after a step of training."""
    n = x.shape[1]
    mean, variance = torch.zeros(n, dtype=x.dtype), torch.ones(n, dtype=x.dtype)
    F.batch_norm(x, mean, variance, training=True, momentum=0.25)
    return torch.stack([mean.detach(), variance.detach()])


def evaluated(x, w, b):
    n = x.shape[1]
    mean, variance = torch.arange(n).double() / 4, torch.arange(n).double() + 0.5
    return F.batch_norm(x, mean, variance, w, b, eps=0.25)


def classes(n, count):
    return (torch.arange(n) * 3) % count


SEEN = torch.tensor([[1, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 1]]).bool()
WEIGHT = torch.tensor([0.5, 1, 2, 1.5, 1], dtype=torch.float64)

CASES = {
    "layerNorm": ([(3, 4), (4,), (4,)], lambda x, w, b: F.layer_norm(x, (4,), w, b)),
    "layerNorm2": ([(2, 3, 4), (3, 4)], lambda x, w: F.layer_norm(x, (3, 4), w, None, 0.5)),
    "rmsNorm": ([(3, 4), (4,)], lambda x, w: F.rms_norm(x, (4,), w, 1e-5)),
    "groupNorm": ([(2, 4, 3), (4,), (4,)], lambda x, w, b: F.group_norm(x, 2, w, b)),
    "batchNorm": ([(4, 3, 2, 2), (3,), (3,)],
                  lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
    "batchNorm2": ([(5, 3)], lambda x: F.batch_norm(x, None, None, None, None, True)),
    "batchNormRunning": ([(4, 3, 5)], running),
    "batchNormEvaluated": ([(4, 3), (3,), (3,)], evaluated),
    "embedding": ([(4, 3)], lambda w: F.embedding(torch.tensor([[0, 3], [2, 3]]), w)),
    "attention": ([(2, 3, 2), (2, 4, 2), (2, 4, 3)], F.scaled_dot_product_attention),
    "attentionCausal": ([(2, 4, 2), (2, 4, 2), (2, 4, 3)],
                        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
    "attentionBytes": ([(1, 2, 3, 2), (1, 2, 4, 2), (1, 2, 4, 3)],
                       lambda q, k, v: F.scaled_dot_product_attention(q, k, v, SEEN, scale=0.5)),
    "attentionAdded": ([(2, 3, 2), (2, 4, 2), (2, 4, 3), (3, 4)],
                       lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m)),
    "crossEntropy": ([(6, 5)], lambda x: F.cross_entropy(x, classes(6, 5))),
    "crossEntropyWeighted": ([(6, 5)], lambda x: F.cross_entropy(
        x, classes(6, 5), WEIGHT, ignore_index=3, label_smoothing=0.25)),
    "crossEntropySum": ([(6, 5)], lambda x: F.cross_entropy(
        x, classes(6, 5), ignore_index=3, label_smoothing=0.25, reduction="sum")),
    "crossEntropyNone": ([(2, 5, 3)], lambda x: F.cross_entropy(
        x, classes(6, 5).view(2, 3), WEIGHT, label_smoothing=0.1, reduction="none")),
    "nll": ([(6, 5)], lambda x: F.nll_loss(x, classes(6, 5), WEIGHT)),
    "nllNone": ([(6, 5)], lambda x: F.nll_loss(x, classes(6, 5), ignore_index=1,
                                               reduction="none")),
    "mse": ([(3, 4), (3, 4)], F.mse_loss),
    "mseNone": ([(3, 4), (3, 4)], lambda x, y: F.mse_loss(x, y, reduction="none")),
    "huber": ([(3, 4), (3, 4)], lambda x, y: F.huber_loss(x, y, delta=0.8)),
    "huberSum": ([(3, 4), (3, 4)], lambda x, y: F.huber_loss(x, y, reduction="sum", delta=0.8)),
    "binaryCrossEntropy": ([(3, 4), (3, 4)], F.binary_cross_entropy_with_logits),
    "binaryCrossEntropyWeighted": (
        [(3, 5), (3, 5)], lambda x, y: F.binary_cross_entropy_with_logits(
            x, y, WEIGHT, reduction="none", pos_weight=WEIGHT.flip(0))),
}

print("# Made by test/reference/layers.py with PyTorch: do not edit.")
for name, (shapes, function) in CASES.items():
    inputs = [elements(shape, k) for k, shape in enumerate(shapes)]
    result = function(*inputs)
    parts = [result]
    if result.requires_grad:
        i = torch.arange(result.numel(), dtype=torch.float64)
        g = ((5 * i) % 7 - 3) / 2 if result.dim() > 0 else torch.ones(1, dtype=torch.float64)
        parts += torch.autograd.grad(result, inputs, g.reshape(result.shape))
    sizes = " ".join("x".join(str(n) for n in shape) for shape in shapes)
    lines = [" ".join("%.17g" % x for x in part.detach().ravel().tolist()) for part in parts]
    print("\t".join([name + " " + sizes] + lines))
