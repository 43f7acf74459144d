# SPDX-License-Identifier: MIT
# A worker that keeps up.
# first: none
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import model, optimizer, step

if __name__ == "__main__":
    net = model()
    optim = optimizer(net)
    data = TensorDataset(torch.randn(16, 4096, 384), torch.randint(0, 8, (16, 4096)))
    for inputs, labels in DataLoader(data, batch_size=None, num_workers=1, prefetch_factor=8):
        step(net, optim, (inputs, labels))
