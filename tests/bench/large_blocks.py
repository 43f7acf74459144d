# SPDX-License-Identifier: MIT
"""usage: large_blocks.py step|dense|numpy|loop|deep TURNS
What Python stacks of large blocks cost, in instructions: under valgrind --tool=callgrind --instr-atstart=no only TURNS turns are
counted, after some that warm up. $LARGE_BLOCKS is large_blocks.c as a library.

step    the training step of steps.py: 9 blocks of 64 KiB
dense   a training step whose activations are large
numpy   arrays of 64 KiB that are added and thrown away, from several lines
loop    C code called from Python takes and frees blocks of 64 KiB, a thousand a turn; deep: below 50 functions of Python
"""
import ctypes
import os
import sys


def training(rows, width, layers):
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    parts = [layer for _ in range(layers) for layer in (torch.nn.Linear(width, width), torch.nn.ReLU())]
    model = torch.nn.Sequential(*parts, torch.nn.Linear(width, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0., momentum=.9)
    x, y = torch.randn(rows, width), torch.randint(0, 10, (rows,))

    def step():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step


def arrays():
    import numpy
    ones = numpy.ones(8192)

    def turn():
        for _ in range(100):
            a = ones + 1
            b = a * 2
            b = b - a
    return turn


def loop(library, depth):
    def turn():
        library.large_loop(1000, 65536)

    def deeper(levels):
        return deeper(levels - 1) if levels else turn()
    return (lambda: deeper(depth)) if depth else turn


def main():
    library = ctypes.CDLL(os.environ["LARGE_BLOCKS"])
    library.large_loop.argtypes = (ctypes.c_long, ctypes.c_long)
    subjects = {"step": lambda: training(64, 128, 8), "dense": lambda: training(256, 128, 8), "numpy": arrays,
                "loop": lambda: loop(library, 0), "deep": lambda: loop(library, 50)}
    turn = subjects[sys.argv[1]]()
    for _ in range(5):
        turn()
    library.large_begin_count()
    for _ in range(int(sys.argv[2])):
        turn()
    library.large_end_count()


main()
