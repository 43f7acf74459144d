# SPDX-License-Identifier: MIT
# Nothing is wrong: a cache of small Python objects and of blocks fills in a few steps and keeps its size.
# first: none
# trace: alloc,nvtx,torch
# step: step
from stepping import steps

cache = {}

for number in steps():
    cache[number % 6] = [str(part) for part in range(4000)], bytes(300000)
