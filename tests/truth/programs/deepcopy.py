# SPDX-License-Identifier: MIT
# Each step copies the whole configuration.
# first: between_operators
# line: deepcopy.py:14
# text: passes in copy.deepcopy()
import copy

from training import train

config = {"layers": [{"number": i, "options": {str(k): [k, k + 1] for k in range(40)}} for i in range(200)]}


def before(number):
    mine = copy.deepcopy(config)
    mine["step"] = number


train(before=before)
