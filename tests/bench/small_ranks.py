#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""small_ranks.py RANKS STEPS PORT: ranks of a small training with DistributedDataParallel over gloo, a process each.

The first process starts the others. Record it with INTERCEPT_TRACE=-alloc,-tensors; tests/scale_job.py makes a job of any size from its tables.
"""
import os
import subprocess
import sys

BATCH, BATCHES = 32, 100


def train(rank, ranks, steps, port):
    import torch

    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(0)
    net = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)))
    optim = torch.optim.SGD(net.parameters(), lr=.01)
    data = torch.utils.data.TensorDataset(torch.randn(BATCH * BATCHES, 64), torch.randint(0, 10, (BATCH * BATCHES,)))
    for step in range(steps):
        if step % BATCHES == 0:
            batches = iter(torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True))
        values, labels = next(batches)
        optim.zero_grad()
        torch.nn.functional.cross_entropy(net(values), labels).backward()
        optim.step()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def main(ranks, steps, port, *rank):
    if rank:
        train(int(rank[0]), int(ranks), int(steps), port)
        return 0
    started = [subprocess.Popen([sys.executable, *sys.argv, str(number)], env={**os.environ, "RANK": str(number)})
               for number in range(int(ranks))]
    return max(child.wait() for child in started)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
