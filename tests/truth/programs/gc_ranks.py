# SPDX-License-Identifier: MIT
# Each rank collects garbage at steps of its own, and the other one waits for it.
# first: gc_pauses
# also: ranks_wait communication
# text: another rank waited in communication
# line: gc_ranks.py:18
import gc

import ranks


def main(rank):
    import torch
    import training

    def collect(number):
        if number % 6 == 2 + 3 * rank:
            gc.collect()

    kept = [[number] for number in range(600_000)]
    gc.disable()
    net = torch.nn.parallel.DistributedDataParallel(training.model(96, 1))
    training.train(net=net, data=training.batch(32, 96), before=collect, steps=36)
    del kept


ranks.run(main)
