# SPDX-License-Identifier: MIT
# Rank 0 reads something slowly in each step, 60 ms: rank 1 waits for it.
# first: ranks_wait
# also: between_operators communication
# line: straggler.py:19
# names: ranks_wait rank 1 .* rank 0 .* the first waits for the second
import time

import ranks


def main(rank):
    import torch
    import training

    net = torch.nn.parallel.DistributedDataParallel(training.model())

    def before(number):
        time.sleep(0 if rank else 0.06)

    training.train(net=net, data=training.batch(128), before=before)


ranks.run(main)
