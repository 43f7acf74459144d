# SPDX-License-Identifier: MIT
# A DataLoader that starts its workers anew in each of eight epochs.
# first: worker_restarts
# also: between_operators dataloader
# line: worker_restarts.py:15
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import model, optimizer, step
if __name__ == "__main__":
    net = model()
    optim = optimizer(net)
    data = TensorDataset(torch.randn(6, 2048, 384), torch.randint(0, 8, (6, 2048)))
    loader = DataLoader(data, batch_size=None, num_workers=2)
    for _ in range(8):
        for inputs, labels in loader:
            step(net, optim, (inputs, labels))
