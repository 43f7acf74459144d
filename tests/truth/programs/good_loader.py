# SPDX-License-Identifier: MIT
# Data that is there already, by a DataLoader.
# first: none
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import model, optimizer, step

net = model()
optim = optimizer(net)
data = TensorDataset(torch.randn(16, 2048, 384), torch.randint(0, 8, (16, 2048)))
for inputs, labels in DataLoader(data, batch_size=None):
    step(net, optim, (inputs, labels))
