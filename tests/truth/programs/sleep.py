# SPDX-License-Identifier: MIT
# The loop sleeps for 20 ms in each step.
# first: between_operators
# text: The thread was waiting there
import time

from training import train

train(before=lambda number: time.sleep(0.02))
