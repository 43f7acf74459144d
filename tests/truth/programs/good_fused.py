# SPDX-License-Identifier: MIT
# first: none
from training import model, optimizer, train

net = model()
train(net=net, optim=optimizer(net, foreach=False, fused=True))
