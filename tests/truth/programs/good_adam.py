# SPDX-License-Identifier: MIT
# first: none
import torch
from training import batch, model, train

net = model()
train(net=net, optim=torch.optim.Adam(net.parameters()), data=batch(4096), steps=12)
