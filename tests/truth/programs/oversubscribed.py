# SPDX-License-Identifier: MIT
# Threads that prepare data keep all CPUs busy, four for each of them; the loop is one more.
# first: oversubscribed_threads
# also: between_operators slow_steps small_operators optimizer zero_grad
# text: ready to run and had no CPU
import os
import threading

from training import batch, torch, train

over = threading.Event()


def prepare():
    values = torch.rand(200_000)
    while not over.is_set():
        torch.sort(values)  # runs without the GIL


threads = [threading.Thread(target=prepare) for _ in range(4 * os.cpu_count())]
for thread in threads:
    thread.start()
train(steps=40, data=batch(rows=1024))
over.set()
for thread in threads:
    thread.join()
