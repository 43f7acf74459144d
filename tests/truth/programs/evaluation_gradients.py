# SPDX-License-Identifier: MIT
# Each step ends with an evaluation, which forgets no_grad().
# first: evaluation_gradients
import training
import torch

net = training.model()
optim = training.optimizer(net)
data, rest = training.batch(128), training.batch(512)


def validate():
    inputs, labels = rest
    return torch.nn.functional.cross_entropy(net(inputs), labels).detach()


best = torch.tensor(1e9)
for number in range(training.STEPS * 2):
    training.step(net, optim, data)
    best = torch.minimum(best, validate())
