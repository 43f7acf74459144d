# SPDX-License-Identifier: MIT
# One worker cannot keep up with the GPU.
# gpu: gemm=300000,matmul=300000,*=5000
# first: dataloader
import time

import torch
from gpu_training import DEVICE, model, optimizer
from torch.utils.data import DataLoader, Dataset
from training import step


class Data(Dataset):
    def __len__(self):
        return 24 * 16

    def __getitem__(self, index):
        time.sleep(0.003)
        return torch.zeros(256), index % 8


if __name__ == "__main__":
    net = model()
    optim = optimizer(net)
    for inputs, labels in DataLoader(Data(), batch_size=16, num_workers=1, pin_memory=True):
        step(net, optim, (inputs.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True)))
