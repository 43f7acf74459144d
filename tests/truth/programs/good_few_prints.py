# SPDX-License-Identifier: MIT
# first: none
import sys

from training import train

train(after=lambda number, loss: print(number, float(loss), file=sys.stderr) if number % 8 == 0 else None)
