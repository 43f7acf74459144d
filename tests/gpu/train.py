# SPDX-License-Identifier: MIT
"""train.py RESULT.json WORK [--device DEVICE] [--epochs N] [--steps N] [--profiled PATH] [--without-cudnn]

Trains with deterministic algorithms and writes losses, a digest of the final weights and nanoseconds a
step. WORK is `demo` (the demo's network and data loader: cuDNN and cuBLAS launch most of it) or `plain`
(products and sums element by element, so that every kernel is PyTorch's own). What comes after a warm-up
is inside the NVTX range "measured" of the process; --profiled has torch.profiler look at just that (profiled.py).
"""
import argparse
import hashlib
import itertools
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.cuda import nvtx  # noqa: E402

from profiled import profiled  # noqa: E402

BATCH = 32
EPOCHS = {"demo": 5, "plain": 20}


class Plain(nn.Module):
    """Logistic regression without a matrix product."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(10, 64) / 8)
        self.bias = nn.Parameter(torch.zeros(10))

    def forward(self, images):
        return (images.flatten(1).unsqueeze(1) * self.weight).sum(-1) + self.bias


def make_demo(device):
    """Network, and a function that gives an epoch's batches."""
    import demo_train
    from torch.utils.data import DataLoader

    train, _ = demo_train.load_data()
    loader = DataLoader(train, batch_size=BATCH, shuffle=True, num_workers=demo_train.WORKERS,
                        persistent_workers=True, pin_memory=device.type == "cuda")
    return demo_train.make_network(), lambda: iter(loader)


def make_plain(device):
    images = torch.rand(40 * BATCH, 8, 8).to(device)
    labels = torch.randint(0, 10, (40 * BATCH,)).to(device)
    return Plain(), lambda: zip(images.split(BATCH), labels.split(BATCH))


def train(network, optimizer, batches, device):
    losses = []
    for images, labels in batches:
        with nvtx.range("step"):
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(network(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item().hex())
    return losses


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def digest(network):
    hashed = hashlib.sha256()
    for parameter in network.parameters():
        hashed.update(parameter.detach().cpu().numpy().tobytes())
    return hashed.hexdigest()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("result")
    parser.add_argument("work", choices=("demo", "plain"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, help="5 of demo, 20 of plain, after one to warm up")
    parser.add_argument("--steps", type=int, help="of an epoch, at most")
    parser.add_argument("--profiled")
    parser.add_argument("--without-cudnn", action="store_true", help="which finds no device in a fake CUDA")
    return parser.parse_args()


def main():
    options = parse()
    device = torch.device(options.device)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    # Without a deterministic form an operation only warns: test-gpu looks whether bare runs agree.
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.enabled = not options.without_cudnn
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    network, batches = (make_demo if options.work == "demo" else make_plain)(device)
    network.to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    losses = train(network, optimizer, itertools.islice(batches(), options.steps), device)
    warm = len(losses)
    with profiled(options.profiled, device.type):
        synchronize(device)
        measured = nvtx.range_start("measured")
        start = time.perf_counter_ns()
        for _ in range(options.epochs or EPOCHS[options.work]):
            losses += train(network, optimizer, itertools.islice(batches(), options.steps), device)
        synchronize(device)
        taken = time.perf_counter_ns() - start
        nvtx.range_end(measured)
    steps = len(losses) - warm
    name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
    with open(options.result, "w") as file:
        json.dump({"losses": losses, "weights": digest(network), "steps": steps, "ns": taken / steps,
                   "torch": torch.__version__, "device": name}, file, indent=1)


if __name__ == "__main__":
    main()
