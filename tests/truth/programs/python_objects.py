# SPDX-License-Identifier: MIT
# Small objects are kept of each step, and each object of Python is recorded: the line that makes them is known.
# first: python_memory_growth
# also: heap_growth
# trace: alloc,nvtx,torch,pymem
# stacks: python
# step: step
# line: python_objects.py:16
# text: leaks --allocator python --by line
from stepping import steps

kept = []


def note(number):
    kept.append([(number, str(part)) for part in range(2400)])


for step in steps():
    note(step)
    sum(len(text) for text in ["%d" % part for part in range(500)])
