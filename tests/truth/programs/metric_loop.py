# SPDX-License-Identifier: MIT
# The accuracy of each batch is counted by a loop over the elements of tensors.
# first: item
# also: small_operators
# trace: -alloc,-tensors,-gc
# names: step_function 'accuracy', a function beside the model
from training import STEPS, batch, model, optimizer, step


def accuracy(predicted, labels):
    correct = 0
    for one, label in zip(predicted, labels):
        if one == label:
            correct += 1
    return correct / len(labels)


net = model()
optim = optimizer(net)
for number in range(STEPS * 2):
    data = batch()
    step(net, optim, data)
    for _ in range(12):
        accuracy(data[1], data[1].flip(0))
