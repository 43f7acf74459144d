# SPDX-License-Identifier: MIT
# The sampler is slow.
# first: dataloader
import time

import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset
from training import model, optimizer, step


class Slow(Sampler):
    def __iter__(self):
        for index in range(24):
            time.sleep(0.03)
            yield index


net = model()
optim = optimizer(net)
data = TensorDataset(torch.randn(24, 256, 384), torch.randint(0, 8, (24, 256)))
for inputs, labels in DataLoader(data, batch_size=None, sampler=Slow()):
    step(net, optim, (inputs, labels))
