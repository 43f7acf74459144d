# SPDX-License-Identifier: MIT
# The answers of each step are kept by their number: a dict without a limit.
# first: python_memory_growth
# also: heap_growth
# trace: alloc,nvtx,torch
# step: step
# line: python_dict_grows.py:15
# text: arenas were needed in
from stepping import steps

answers = {}

for number in steps():
    for part in range(8000):
        answers[number, part] = str(part)
