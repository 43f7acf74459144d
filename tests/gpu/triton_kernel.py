# SPDX-License-Identifier: MIT
"""A kernel of Triton, in a file of its own: Triton reads its source."""
import triton
import triton.language as tl


@triton.jit
def add_one(x):
    tl.store(x, tl.load(x) + 1)
