# SPDX-License-Identifier: MIT
"""usage: train.py small|large|tiny STEPS
Trains a convolutional network on random data, CPU, one thread. small: steps of about 1.5 ms with about
10,000 heap calls each; large: the same network on images so large that a step takes 20 ms or more; tiny: two
linear layers, so that many steps do not take long."""
import json
import sys
import time

import torch
from torch import nn

SIZE = sys.argv[1]
BATCH, EDGE = {"small": (16, 8), "large": (64, 32), "tiny": (4, 4)}[SIZE]
STEPS = int(sys.argv[2])
WARMUP = 10


def make_network():
    if SIZE == "tiny":
        return nn.Sequential(nn.Flatten(), nn.Linear(EDGE * EDGE, 8), nn.ReLU(), nn.Linear(8, 10))
    layers = []
    channels = 1
    for width in (8, 8, 16):
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    network = make_network()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, foreach=False)
    images = torch.randn(BATCH, 1, EDGE, EDGE)
    labels = torch.randint(0, 10, (BATCH,))
    for step in range(STEPS + WARMUP):
        if step == WARMUP:
            wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(images), labels).backward()
        optimizer.step()
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    print("result", json.dumps({"steps": STEPS, "wall_ns": wall, "cpu_ns": cpu}))


main()
