# SPDX-License-Identifier: MIT
# The input of each step is kept as bytes.
# first: heap_growth
# trace: alloc,nvtx,torch
# step: step
# line: heap_growth.py:12
from stepping import steps

kept = []

for number in steps():
    kept.append(bytes(300000))
