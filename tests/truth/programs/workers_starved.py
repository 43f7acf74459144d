# SPDX-License-Identifier: MIT
# One worker cannot keep up with the loop.
# first: dataloader
import time

import torch
from torch.utils.data import DataLoader, Dataset
from training import model, optimizer, step


class Data(Dataset):
    def __len__(self):
        return 24 * 16

    def __getitem__(self, index):
        time.sleep(0.003)
        return torch.zeros(384), index % 8


net = model()
optim = optimizer(net)
for data in DataLoader(Data(), batch_size=16, num_workers=1):
    step(net, optim, data)
