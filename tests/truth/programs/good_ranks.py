# SPDX-License-Identifier: MIT
# Two ranks that do the same, and add up their gradients once in 12 batches: what they send is next to nothing.
# first: none
import ranks


def main(rank):
    import torch
    import training

    net = torch.nn.parallel.DistributedDataParallel(training.model())
    optim = training.optimizer(net)
    data = training.batch(1024)
    for _ in range(8):
        optim.zero_grad()
        with net.no_sync():
            for _ in range(11):
                torch.nn.functional.cross_entropy(net(data[0]), data[1]).backward()
        torch.nn.functional.cross_entropy(net(data[0]), data[1]).backward()
        optim.step()


ranks.run(main)
