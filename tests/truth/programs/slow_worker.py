# SPDX-License-Identifier: MIT
# One of two DataLoader workers is slow: its samples take 400 ms, those of the other nothing.
# first: slow_worker
# also: slow_steps
# line: slow_worker.py:20
# text: one DataLoader worker is slower than the others
import time

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info
from training import model, optimizer, step


class Data(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        if get_worker_info().id == 1:
            time.sleep(0.4)
        return torch.randn(32, 384), torch.randint(0, 8, (32,))


if __name__ == "__main__":
    net = model()
    optim = optimizer(net)
    for data in DataLoader(Data(), batch_size=None, num_workers=2):
        step(net, optim, data)
