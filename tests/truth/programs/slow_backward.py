# SPDX-License-Identifier: MIT
# One of four equal blocks is slow, and only in its backward function: it is the module with the most time of its own.
# first: none
# module: blocks.2
# trace: -alloc,-tensors,+modules
import torch
from training import STEPS


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        wasted = torch.ones(400, 400)
        for _ in range(6):
            wasted = wasted @ wasted * 1e-3
        return gradient + 0 * wasted[0, 0]


class Block(torch.nn.Module):
    def __init__(self, is_slow):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(32, 2, batch_first=True)
        self.parts = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 32))
        self.is_slow = is_slow

    def forward(self, x):
        x = x + self.attention(x, x, x, need_weights=False)[0]
        if self.is_slow:
            x = Slow.apply(x)
        return x + self.parts(x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(number == 2) for number in range(4))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


net = Net()
optim = torch.optim.SGD(net.parameters(), lr=0.001)
for _ in range(STEPS):
    optim.zero_grad()
    net(torch.randn(4, 16, 32)).sum().backward()
    optim.step()
