# SPDX-License-Identifier: MIT
# A scope of the user's holds a sleep.
# first: between_operators
# line: sleep_labelled.py:15
# text: The thread was waiting there
# text: fetch_batch
import time

import torch
from training import pause, train


def before(number):
    with torch.profiler.record_function("fetch_batch"):
        time.sleep(pause(0.02))


train(before=before)
