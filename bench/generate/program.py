#!/usr/bin/env python3
"""Times the model of examples/lib/gpt.lua in PyTorch, with the threads of OMP_NUM_THREADS.

Usage: program.py MODEL TYPE TOKENS [eager | compile] [cuda]
MODEL is a .safetensors file that examples/generate.lua wrote. TYPE is bfloat16 or float. Prints the
medians for a prompt of 128 tokens and for a token, in ms. A token includes its sampling.
"""

import statistics
import sys
import time

import torch
import torch.nn.functional as F

from model import Model, load

PROMPT, PROMPTS = 128, 5


def main():
    model_file, kind, tokens = sys.argv[1:4]
    device = "cuda" if "cuda" in sys.argv[4:] else "cpu"
    weights = load(model_file, getattr(torch, kind))
    torch.set_default_device(device)
    model = Model({name: weight.to(device) for name, weight in weights.items()})
    scores = model.scores
    if "compile" in sys.argv[4:]:
        scores = torch.compile(scores, dynamic=True)
    prompt = torch.arange(1, PROMPT + 1)
    times = {"prompt": [], "token": []}

    def run(name, codes, first):
        start = time.perf_counter()
        probabilities = F.softmax(scores(codes, first).double(), 0)
        next_token = torch.multinomial(probabilities, 1)
        if device == "cuda":
            torch.cuda.synchronize()
        times[name].append(time.perf_counter() - start)
        return next_token

    with torch.no_grad():
        for _ in range(PROMPTS):
            token = run("prompt", prompt, 0)
        for k in range(int(tokens)):
            token = run("token", token, PROMPT + k)
    print(*(f"{1e3 * statistics.median(values[1:]):.2f}" for values in times.values()))


main()
