# SPDX-License-Identifier: MIT
# Reading a loss on a CPU costs nothing.
# first: none
from training import train

losses = []
train(after=lambda number, loss: losses.append(loss.item()))
