# SPDX-License-Identifier: MIT
# Nothing is wrong: each step makes small Python objects and blocks, and gives them all back.
# first: none
# trace: alloc,nvtx,torch
# step: step
from stepping import steps

for number in steps():
    text = ["%d" % part for part in range(20000)]
    size = len(b"".join(part.encode() for part in text)) + len(bytes(300000))
