# SPDX-License-Identifier: MIT
# Rank 1 has four times as many samples in each batch: rank 0 waits for it.
# first: ranks_wait
# also: communication
# names: ranks_wait rank 0 .* rank 1 .* the first waits for the second
import ranks


def main(rank):
    import torch
    import training

    net = torch.nn.parallel.DistributedDataParallel(training.model())
    training.train(net=net, data=training.batch(1024 if rank == 1 else 256))


ranks.run(main)
