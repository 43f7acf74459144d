# SPDX-License-Identifier: MIT
# The data set decodes in the process of the loop.
# first: dataloader
# line: decode.py:17
import time

import torch
from torch.utils.data import DataLoader, Dataset
from training import model, optimizer, step


class Data(Dataset):
    def __len__(self):
        return 24 * 64

    def __getitem__(self, index):
        time.sleep(0.0005)
        return torch.zeros(384), index % 8


net = model()
optim = optimizer(net)
for data in DataLoader(Data(), batch_size=64):
    step(net, optim, data)
