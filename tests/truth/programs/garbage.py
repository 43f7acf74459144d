# SPDX-License-Identifier: MIT
# A collection of garbage in each step goes through a million objects.
# first: between_operators
import gc

from training import train

held = [[i] for i in range(400_000)]
train(before=lambda number: gc.collect())
