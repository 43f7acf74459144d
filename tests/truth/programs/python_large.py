# SPDX-License-Identifier: MIT
# Nothing is wrong: what the loop works on is large, and was made before it.
# first: none
# trace: alloc,nvtx,torch
# step: step
import random

from stepping import steps

random.seed(1)
words = {str(number): [number, str(number * 7)] for number in range(200000)}
table = bytes(20 << 20)
total = 0

for number in steps():
    for _ in range(500):
        total += words[str(random.randrange(200000))][0] + table[number]
