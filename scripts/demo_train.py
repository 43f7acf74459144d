# SPDX-License-Identifier: MIT
"""Trains a small convolutional network on the handwritten digits of scikit-learn.

usage: demo_train.py [EPOCHS] [--device cuda]
An ordinary training loop with NVTX ranges, as one would write it for Nsight Systems; it knows nothing of
intercept. On the CPU if nothing else is asked for; torch.cuda.nvtx works without a GPU.
"""
import argparse
import time

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.cuda import nvtx
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 12
BATCH = 32
WORKERS = 2


def load_data():
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels))
    test, train = order[:360], order[360:]
    return TensorDataset(images[train], labels[train]), TensorDataset(images[test], labels[test])


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10),
    )


def train_epoch(network, optimizer, loader, device):
    total = 0.0
    batches = iter(loader)
    for _ in range(len(loader)):
        with nvtx.range("data"):
            images, labels = (tensor.to(device) for tensor in next(batches))
        with nvtx.range("forward"):
            loss = nn.functional.cross_entropy(network(images), labels)
        with nvtx.range("backward"):
            optimizer.zero_grad()
            loss.backward()
        with nvtx.range("optimizer"):
            optimizer.step()
        total += loss.item()
    return total / len(loader)


def accuracy(network, dataset, device):
    images, labels = (tensor.to(device) for tensor in dataset.tensors)
    with torch.no_grad(), nvtx.range("validation"):
        return (network(images).argmax(1) == labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("epochs", nargs="?", type=int, default=EPOCHS)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.backends.cudnn.enabled = False  # PyTorch's own kernels, whose names can be seen
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(1)  # more do not help a network this small, and suffer on a busy machine
    train, test = load_data()
    network = make_network().to(given.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    loader = DataLoader(train, batch_size=BATCH, shuffle=True, num_workers=WORKERS,
                        persistent_workers=True)
    for epoch in range(given.epochs):
        start = time.perf_counter()
        with nvtx.range("epoch"):
            loss = train_epoch(network, optimizer, loader, given.device)
        print(f"epoch {epoch + 1}/{given.epochs}  loss {loss:.4f}  {time.perf_counter() - start:.2f} s",
              flush=True)
    print(f"accuracy on {len(test)} digits not seen in training: {accuracy(network, test, given.device):.1%}")


if __name__ == "__main__":
    main()
