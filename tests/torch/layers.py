# SPDX-License-Identifier: MIT
"""usage: layers.py MODEL [checkpoint] [FILE]

Four models: a transformer, a ResNet, an MLP, an LSTM. Two steps of one of them, or with `forward` as FILE two forward
passes; with another FILE, counted by torch.utils.flop_counter and by hooks.
"""
import collections
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(1)

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, w))

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.att, self.norm2 = nn.LayerNorm(width), Attention(width, 4), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        x = x + self.att(self.norm1(x))
        return x + self.mlp(self.norm2(x))

class Transformer(nn.Module):
    def __init__(self, checkpointed=False):
        super().__init__()
        self.embed, self.layers, self.head = nn.Embedding(50, 32), nn.ModuleList(Layer(32) for _ in range(3)), nn.Linear(32, 50)
        self.checkpointed = checkpointed
    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.checkpointed else layer(x)
        return self.head(x)

class Basic(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))
    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + self.down(x))

class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 7, 2, 3)
        self.blocks = nn.Sequential(Basic(8, 8, 1), Basic(8, 16, 2))
        self.up = nn.ConvTranspose2d(16, 8, 3, 2, 1)
        self.fc = nn.Linear(8, 10)
    def forward(self, x):
        return self.fc(self.up(self.blocks(self.stem(x))).mean((2, 3)))

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(16, 24, 2, batch_first=True), nn.Linear(24, 5)
    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])

MODELS = {
    "Transformer": (Transformer(), torch.randint(0, 50, (2, 12))),
    "ResNet": (ResNet(), torch.randn(2, 3, 32, 32)),
    "MLP": (nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 4)), torch.randn(8, 20)),
    "Recurrent": (Recurrent(), torch.randn(3, 7, 16)),
}


# models of transformers return an object that has the tensor
def loss_of(model, data):
    output = model(data)
    return getattr(output, "logits", output).float().pow(2).mean()


def train(model, data):
    for _ in range(2):
        loss_of(model, data).backward()


def main(models, arguments):
    name, *options = arguments
    model, data = models[name]
    if "checkpoint" in options:
        options.remove("checkpoint")
        model.checkpointed = True
    if not options:
        train(model, data)
        return
    if options == ["forward"]:
        loss_of(model, data), loss_of(model, data)
        return
    with FlopCounterMode(display=False) as forward:
        loss_of(model, data), loss_of(model, data)
    calls = collections.Counter()
    for path, part in model.named_modules():
        part.register_forward_pre_hook(lambda module, arguments, path=path or name: calls.update([path]))
    with FlopCounterMode(display=False) as mode:
        train(model, data)
    with open(options[0], "w", encoding="utf-8") as file:
        flops, forward_flops = ({path: sum(counts.values()) for path, counts in each.get_flop_counts().items()} for each in (mode, forward))
        json.dump({"flops": flops, "forward_flops": forward_flops, "calls": calls, "parameters": {path or name: sum(
            each.numel() * each.element_size() for each in part.parameters()) for path, part in model.named_modules()}}, file)


if __name__ == "__main__":
    main(MODELS, sys.argv[1:])
