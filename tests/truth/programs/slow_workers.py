# SPDX-License-Identifier: MIT
# Both DataLoader workers are slow, one as the other: 200 ms for each sample.
# first: dataloader
# line: slow_workers.py:18
# text: the workers were in
import time

import torch
from torch.utils.data import DataLoader, Dataset
from training import model, optimizer, step


class Data(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(0.2)
        return torch.randn(512, 384), torch.randint(0, 8, (512,))


if __name__ == "__main__":
    net = model()
    optim = optimizer(net)
    for data in DataLoader(Data(), batch_size=None, num_workers=2):
        step(net, optim, data)
