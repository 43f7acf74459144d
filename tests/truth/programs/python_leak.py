# SPDX-License-Identifier: MIT
# A list of small Python objects is kept of each step, and nobody takes any of them away.
# first: python_memory_growth
# also: heap_growth
# trace: alloc,nvtx,torch
# step: step
from stepping import steps

history = []

for number in steps():
    history.append([{"step": number, "part": "%d.%d" % (number, part)} for part in range(4000)])
