# SPDX-License-Identifier: MIT
# Each step reads a pipe that is slow to fill.
# first: between_operators
import subprocess

from training import train

source = subprocess.Popen(
    ["sh", "-c", "while read line; do sleep 0.05; echo line; done"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)


def before(number):
    source.stdin.write(b"next\n")
    source.stdin.flush()
    source.stdout.readline()


train(before=before)
source.kill()
source.wait()
