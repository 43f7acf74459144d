# SPDX-License-Identifier: MIT
# Nothing is wrong: the last ten steps are remembered, and no more.
# first: none
# trace: alloc,nvtx,torch
# step: step
import collections

from stepping import steps

last = collections.deque(maxlen=10)

for number in steps(96):
    last.append((bytes(200000), [str(part) for part in range(5000)]))
