# SPDX-License-Identifier: MIT
# The GPU copies more than it computes: a layer makes its input contiguous that it need not, and clones it.
# gpu: gemm=100000,matmul=100000,elementwise=300000,*=20000
# first: copies
# also: gpu_bound
import torch
from gpu_training import batch, train


class Layer(torch.nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, inputs):
        inputs = inputs.t().contiguous().t()
        return torch.relu(self.linear(inputs.contiguous()))


train(net=torch.nn.Sequential(*[Layer() for _ in range(4)], torch.nn.Linear(256, 8)).to("cuda"), data=batch(), steps=40)
