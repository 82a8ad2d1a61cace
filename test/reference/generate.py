#!/usr/bin/python3
"""Writes test/data/generate/tokens.txt: what the model of bench/generate/model.py generates.

Run by hand, in the root, with PyTorch and NumPy. The weights are written first:
build/prefix/bin/tensor examples/generate.lua --seed 3 --save test/data/generate/tiny.safetensors
test/reference/generate.py > test/data/generate/tokens.txt
A line is a name and numbers: the prompt; the likeliest tokens; tokens sampled with seed 7; the
scores of the first token, in float and in bfloat16. Tokens count from 1.
"""

import sys

import numpy as np
import torch

sys.path.insert(0, "bench/generate")
from model import Model, load  # noqa: E402

WEIGHTS, COUNT, SEED, LEAST_GAP = "test/data/generate/tiny.safetensors", 24, 7, 1e-4
PROMPT = [4, 17, 32, 9, 21, 1]


def generate(dtype, choose, count):
    """The tokens, and the scores of the first one."""
    model, tokens, first = Model(load(WEIGHTS, dtype)), torch.tensor(PROMPT) - 1, 0
    chosen = []
    with torch.no_grad():
        for _ in range(count):
            scores = model.scores(tokens, first).double()
            first_scores = scores if first == 0 else first_scores
            first += len(tokens)
            chosen.append(choose(scores) + 1)
            tokens = torch.tensor([chosen[-1] - 1])
    return chosen, first_scores.tolist()


def likeliest(scores):
    two = scores.topk(2)
    assert two.values[0] - two.values[1] > LEAST_GAP
    return int(two.indices[0])


def sampler(seed):
    """Inversion of the distribution function, with the generator of torch.manualSeed in Lua."""
    generator = np.random.MT19937()
    generator._legacy_seeding(seed)

    def sample(scores):
        sums = torch.softmax(scores, 0).cumsum(0)
        number = generator.random_raw() / 2**32
        assert (sums - number).abs().min() > LEAST_GAP
        return int((sums <= number).sum())

    return sample


def line(name, numbers):
    print(name, *(f"{x:.7g}" for x in numbers))


line("prompt", PROMPT)
tokens, scores = generate(torch.float32, likeliest, COUNT)
line("likeliest", tokens)
line("sampled", generate(torch.float32, sampler(SEED), COUNT)[0])
line("float", scores)
line("bfloat16", generate(torch.bfloat16, lambda scores: 0, 1)[1])
