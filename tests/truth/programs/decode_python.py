# SPDX-License-Identifier: MIT
# The data set computes in Python in the process of the loop.
# first: dataloader
import torch
from torch.utils.data import DataLoader, Dataset
from training import model, optimizer, step


class Data(Dataset):
    def __len__(self):
        return 24 * 32

    def __getitem__(self, index):
        return torch.full((384,), float(sum(i * i for i in range(15000)) % 7)), index % 8


net = model()
optim = optimizer(net)
for data in DataLoader(Data(), batch_size=32):
    step(net, optim, data)
