# SPDX-License-Identifier: MIT
# Layers are timed as on a CPU: the host waits for the GPU before and after each.
# gpu: gemm=600000,matmul=600000,*=20000
# first: synchronising
# line: gpu_synchronize.py:18
import time

import torch
from gpu_training import model, train


class Timed(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.seconds = inner, 0.0

    def forward(self, inputs):
        torch.cuda.synchronize()
        began = time.perf_counter()
        output = self.inner(inputs)
        self.seconds += time.perf_counter() - began
        return output


train(net=torch.nn.Sequential(*(Timed(part) for part in model())), steps=48)
