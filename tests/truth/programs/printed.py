# SPDX-License-Identifier: MIT
# The loop prints tensors.
# first: item
# also: small_operators between_operators
import sys

import torch
from training import train

weights = torch.randn(24, 24)
torch.set_printoptions(profile="full")


def after(number, loss):
    print(weights, file=sys.stderr)


train(after=after, steps=10)
