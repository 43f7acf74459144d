# SPDX-License-Identifier: MIT
"""A training that has events of every family, for tests/golden/record.sh: families.py. On a GPU, or over the fake
CUDA; between cudaProfilerStart() and cudaProfilerStop(), so that the file stays small."""
import warnings

import torch

warnings.simplefilter("ignore")
from lightning.pytorch.profilers import PassThroughProfiler  # noqa: E402

torch.manual_seed(1)
torch.set_num_threads(1)
torch.backends.cudnn.enabled = False


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 2, 3)
        self.fc = torch.nn.Linear(72, 4)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.full((1, 8, 8), index / 24), index % 4


def train(device, loader, profiler):
    net = Net().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    kept = []
    for number, (x, y) in enumerate(loader):
        with profiler.profile("run_training_batch"):
            with torch.cuda.nvtx.range("iteration"), torch.profiler.record_function("forward"):
                loss = net(x.to(device)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if number % 2:
            kept.append(torch.ones(1000, device=device))
    return kept


def main():
    loader, profiler = torch.utils.data.DataLoader(Data(), batch_size=4), PassThroughProfiler()
    for device in "cpu", "cuda":
        train(device, loader, profiler)  # imports of torch's own come with the first step
    torch.cuda.cudart().cudaProfilerStart()
    for device in "cpu", "cuda":
        train(device, loader, profiler)
    held = torch.empty(48 << 20, dtype=torch.uint8, device="cuda")  # more than the cache holds
    torch.cuda.synchronize()
    del held
    torch.cuda.cudart().cudaProfilerStop()


main()
