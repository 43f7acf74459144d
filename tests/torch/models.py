# SPDX-License-Identifier: MIT
"""Small models for the proofs: each is a function that makes one and returns a function that is one step."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def training(model, loss_of, device="cpu"):
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        with torch.profiler.record_function("forward"):
            loss = loss_of(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def classify(layers, channels, device="cpu"):
    x = torch.randn(4, channels, 16, 16).to(device)
    y = torch.randint(0, 10, (4,)).to(device)
    return training(nn.Sequential(*layers), lambda model: F.cross_entropy(model(x), y), device)


def cnn():
    return classify([nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                     nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1),
                     nn.Linear(8 * 49, 10)], 3)


def transformer():
    model = nn.TransformerEncoderLayer(d_model=32, nhead=4, dim_feedforward=64, batch_first=True)
    x = torch.randn(2, 12, 32)
    return training(model, lambda model: model(x).square().mean())


def lstm():
    model = nn.ModuleList([nn.LSTM(8, 16, num_layers=2), nn.Linear(16, 4)])
    x = torch.randn(6, 2, 8)
    return training(model, lambda model: model[1](model[0](x)[0]).square().mean())


def checkpoint():
    from torch.utils.checkpoint import checkpoint as recompute

    model = nn.ModuleList(nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.LayerNorm(16)) for _ in range(3))
    x = torch.randn(4, 16, requires_grad=True)

    def loss_of(model):
        value = x
        for i, part in enumerate(model):
            value = recompute(part, value, use_reentrant=bool(i % 2))
        return value.sum()

    return training(model, loss_of)


def double_backward():
    x = torch.randn(5, requires_grad=True)

    def step():
        slope, = torch.autograd.grad((x.sin() * x).sum(), x, create_graph=True)
        slope.square().sum().backward()
        x.grad = None

    return step


def scripted():
    @torch.jit.script
    def mix(a, b):
        for _ in range(2):
            a = torch.tanh(a + b) * b
        return a

    x, y = torch.randn(3, 3), torch.randn(3, 3)
    return lambda: mix(x, y)


def compiled():
    """Training without a C++ compiler, and one function with it: that takes most of the time."""
    model = torch.compile(nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2)), backend="aot_eager")
    mix = torch.compile(lambda x: torch.tanh(x) * 2 + 1)
    x = torch.randn(4, 6)

    def loss_of(model):
        with torch.no_grad():
            value = mix(x)
        return model(value).square().mean()

    return training(model, loss_of)


def cuda():
    """Layers whose kernels the fake CUDA can launch: it has no cuDNN and knows no occupancy."""
    torch.backends.cudnn.enabled = False
    return classify([nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                     nn.Linear(4 * 64, 10)], 1, "cuda")
