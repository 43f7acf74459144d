# SPDX-License-Identifier: MIT
# The function that puts a batch together is slow.
# first: dataloader
# line: collate.py:13
import time

import torch
from torch.utils.data import DataLoader, default_collate
from training import model, optimizer, pause, step


def collate(rows):
    time.sleep(pause(0.03))
    return default_collate(rows)


net = model()
optim = optimizer(net)
for data in DataLoader([(torch.zeros(384), i % 8) for i in range(24 * 64)], batch_size=64, collate_fn=collate):
    step(net, optim, data)
