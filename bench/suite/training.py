"""Training steps in PyTorch for bench/cases.txt: forward pass, backward pass and update."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


def mlp(rand, index, batch):
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
    return model, sgd(model), rand(batch, 784), index(batch, 10)


def lenet(rand, index, batch):
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )
    return model, sgd(model), rand(batch, 1, 28, 28), index(batch, 10)


class Characters(nn.Module):
    def __init__(self, letters, width):
        super().__init__()
        self.embedding = nn.Embedding(letters, width)
        self.lstm = nn.LSTM(width, width, 2)
        self.output = nn.Linear(width, letters)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0]).flatten(0, 1)


def lstm(rand, index, batch):
    steps, letters = 50, 64
    model = Characters(letters, 128)
    x = index(steps * batch, letters).reshape(steps, batch)
    return model, sgd(model), x, index(steps * batch, letters)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.input, self.result = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, rows, width = x.shape
        parts = self.input(self.norm1(x)).split(width, dim=2)
        q, k, v = (p.view(batch, rows, self.heads, -1).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.result(y.transpose(1, 2).reshape(batch, rows, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, letters, block, width):
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(block, width)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(4)))
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, letters)
        self.register_buffer("at", torch.arange(block))

    def forward(self, x):
        y = self.blocks(self.letters(x) + self.places(self.at))
        return self.output(self.norm(y)).flatten(0, 1)


def transformer(rand, index, batch):
    block, letters = 64, 64
    model = Transformer(letters, block, 128)
    x = index(batch * block, letters).reshape(batch, block)
    return model, torch.optim.AdamW(model.parameters(), lr=0.001), x, index(batch * block, letters)


MODELS = {"mlp": mlp, "lenet": lenet, "lstm": lstm, "transformer": transformer}


def training_step(rand, index, name, batch, compiled):
    """Returns a function that trains a model for one step."""
    torch.set_grad_enabled(True)
    model, optimizer, x, classes = MODELS[name](rand, index, batch)

    def loss_of(x):
        return F.cross_entropy(model(x), classes)

    loss_function = torch.compile(loss_of) if compiled else loss_of

    def step():
        with torch.enable_grad():
            optimizer.zero_grad()
            loss = loss_function(x)
            loss.backward()
        optimizer.step()
        return loss.item()

    return step
