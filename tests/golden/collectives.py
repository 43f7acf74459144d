# SPDX-License-Identifier: MIT
"""Collectives of a group of one process, as gloo does them. record.sh records this."""
import torch
import torch.distributed as distributed

distributed.init_process_group("gloo", init_method="file:///mnt/home/store", rank=0, world_size=1)
tensor = torch.ones(1000)
for _ in range(3):
    distributed.all_reduce(tensor)
distributed.broadcast(tensor, 0)
distributed.barrier()
distributed.destroy_process_group()
