# SPDX-License-Identifier: MIT
# Each step keeps a copy of the model: of many small gaps between operators, none stands out.
# first: step_function
# also: optimizer gc_pauses slow_steps small_operators
# text: Most of it is copy.deepcopy()
# line: deepcopy_model.py:13
import copy

from training import batch, model, train


def keep(number, loss):
    kept[0] = copy.deepcopy(net)


kept = [None]
net = model(48, 12)
train(after=keep, steps=48, net=net, data=batch(64, 48))
