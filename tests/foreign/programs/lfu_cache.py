# SPDX-License-Identifier: MIT
"""Prices of a shop, the least often asked for thrown out first."""
import random

from cachetools import LFUCache, cached


@cached(LFUCache(maxsize=8000))
def price(item):
    return round(item * 1.07, 2)


random.seed(1)
total = 0
for request in range(14000):
    total += price(random.randrange(10**6))
print(round(total))
