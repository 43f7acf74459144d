# SPDX-License-Identifier: MIT
"""usage: workers.py OUTPUT

The same code in DataLoader workers and in threads, where one torch.profiler does not look, and once under
torch.profiler. Writes what that saw; compare_parts.py finds the same below each user scope of that name.
"""
import json
import sys
import threading

import torch
from torch.profiler import ProfilerActivity, profile, record_function

import proof


class Items(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        with record_function("item"):
            value = torch.full((3, 8, 8), float(index))
            return (value - value.mean()) / (value.std() + 1)


def see(work):
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        work()
    return proof.threads(profiler)[0]


def infer(model, x, times):
    for _ in range(times):
        with record_function("inference"), torch.no_grad():
            model(x)


def main():
    items = Items()
    loader = torch.utils.data.DataLoader(items, batch_size=2, num_workers=2)
    assert sum(len(batch) for batch in loader) == 6
    model = torch.nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32).eval()
    x = torch.randn(4, 2, 16)
    infer(model, x, 1)
    threads = [threading.Thread(target=infer, args=(model, x, 4)) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    seen = {"item": see(lambda: items[3]), "inference": see(lambda: infer(model, x, 1))}
    with open(sys.argv[1], "w") as file:
        json.dump(seen, file)


main()
