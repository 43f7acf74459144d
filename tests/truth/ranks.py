# SPDX-License-Identifier: MIT
"""Two ranks of a program, with gloo on this machine: run(main) starts them, each with main(rank).

The process that starts them has no rank itself and does not import torch, as torchrun's parent of a job.
"""

import os
import subprocess
import sys
import tempfile

RANKS = 2


def start():
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            subprocess.Popen(
                [sys.executable, *sys.argv],
                env=dict(os.environ, RANK=str(rank), WORLD_SIZE=str(RANKS), GLOO_SOCKET_IFNAME="lo", STORE=folder + "/store"),
            )
            for rank in range(RANKS)
        ]
        return max(rank.wait() for rank in ranks)


def run(main):
    if "RANK" not in os.environ:
        sys.exit(start())
    import torch.distributed

    torch.distributed.init_process_group(
        "gloo", init_method="file://" + os.environ["STORE"], rank=int(os.environ["RANK"]), world_size=RANKS
    )
    main(torch.distributed.get_rank())
    torch.distributed.destroy_process_group()
