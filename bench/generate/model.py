#!/usr/bin/env python3
"""The model of examples/lib/gpt.lua in PyTorch, for bench/generate and test/reference."""

import json
import struct

import torch
import torch.nn.functional as F

KINDS = {"F32": torch.float32, "BF16": torch.bfloat16}


def load(name, dtype):
    """Returns the tensors of a .safetensors file, with the matrices as torch.nn.Linear has them."""
    with open(name, "rb") as file:
        head = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    head.pop("__metadata__", None)
    weights = {}
    for key, of in head.items():
        first, end = of["data_offsets"]
        flat = torch.frombuffer(data, dtype=KINDS[of["dtype"]], offset=first,
                                count=(end - first) // KINDS[of["dtype"]].itemsize)
        weights[key] = flat.view(of["shape"]).to(dtype)
    for key in weights:
        if key.startswith("h.") and weights[key].dim() == 2:
            weights[key] = weights[key].t().contiguous()
    return weights


class Model:
    def __init__(self, weights):
        self.w = weights
        self.width = weights["wte.weight"].shape[1]
        self.heads = 2 if self.width < 128 else self.width // 64
        self.layers = sum(key.endswith("ln_1.weight") for key in weights)
        shape = (1, self.heads, weights["wpe.weight"].shape[0], self.width // self.heads)
        self.cache = [[torch.zeros(shape, dtype=weights["wte.weight"].dtype) for _ in range(2)]
                      for _ in range(self.layers)]

    def norm(self, name, x):
        return F.layer_norm(x, (self.width,), self.w[name + ".weight"], self.w[name + ".bias"])

    def linear(self, name, x):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def scores(self, tokens, first):
        """Appends tokens to the cache, which has `first` ones. Returns the scores of the next."""
        rows = tokens.shape[0]
        x = self.w["wte.weight"][tokens] + self.w["wpe.weight"][first:first + rows]
        for k in range(self.layers):
            name = f"h.{k}."
            qkv = self.linear(name + "attn.c_attn", self.norm(name + "ln_1", x))
            q, key, value = (part.view(1, rows, self.heads, -1).transpose(1, 2)
                             for part in qkv.split(self.width, 1))
            keys, values = self.cache[k]
            keys[:, :, first:first + rows] = key
            values[:, :, first:first + rows] = value
            y = F.scaled_dot_product_attention(q, keys[:, :, :first + rows],
                                               values[:, :, :first + rows], is_causal=rows > 1)
            x = x + self.linear(name + "attn.c_proj", y.transpose(1, 2).reshape(rows, -1))
            hidden = F.gelu(self.linear(name + "mlp.c_fc", self.norm(name + "ln_2", x)))
            x = x + self.linear(name + "mlp.c_proj", hidden)
        return F.linear(self.norm("ln_f", x[-1]), self.w["wte.weight"])
