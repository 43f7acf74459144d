# SPDX-License-Identifier: MIT
# Each step starts a program for each of four items, and waits for it.
# first: child_process
# also: between_operators
# line: child_process.py:15
# text: The process started 'sleep'
import subprocess

from training import train


def before(number):
    for _ in range(4):
        # a decoder, a compressor
        subprocess.run(["sleep", "0.03"], check=True)


train(before=before)
