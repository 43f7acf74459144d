# SPDX-License-Identifier: MIT
# A thread that produces batches cannot keep up.
# first: between_operators
# line: queue_empty.py:19
# text: The thread was waiting there
# text: it waits for a queue
import queue
import threading
import time

from training import batch, model, optimizer, step

batches = queue.Queue(2)


def produce():
    data = batch()
    for _ in range(16):
        time.sleep(0.15)
        batches.put(data)


thread = threading.Thread(target=produce)
thread.start()
net = model()
optim = optimizer(net)
time.sleep(0.2)
for _ in range(16):
    step(net, optim, batches.get())
thread.join()
