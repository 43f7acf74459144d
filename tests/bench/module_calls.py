# SPDX-License-Identifier: MIT
"""module_calls.py: what a call of a small module costs, in CPU time: of a block of calls, the smallest of 15.

Run it bare, under the preload, and with INTERCEPT_TRACE=+modules; the difference is what the family costs.
"""

import time

import torch


def cheapest(call, value, count):
    best = float("inf")
    for _ in range(15):
        start = time.thread_time_ns()
        for _ in range(count):
            call(value)
        best = min(best, (time.thread_time_ns() - start) / count)
    return best


x = torch.zeros(1)
one = cheapest(torch.nn.Identity(), x, 20000)
ten = cheapest(torch.nn.Sequential(*[torch.nn.Identity() for _ in range(10)]), x, 2000)
print(f"an Identity: {one:.0f} ns a call; a Sequential of ten: {ten:.0f} ns, 11 calls")
