# SPDX-License-Identifier: MIT
# numpy sorts between operators.
# first: between_operators
# text: The thread was running there
import numpy
from training import train

values = numpy.random.default_rng(1).random(1_000_000)
train(before=lambda number: numpy.sort(values))
