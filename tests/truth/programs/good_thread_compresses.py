# SPDX-License-Identifier: MIT
# Another thread computes all the time, in C code that lets the GIL go.
# first: none
import os
import threading
import zlib

from training import train

done = threading.Event()
data = os.urandom(8 << 20)


def compress():
    while not done.is_set():
        zlib.compress(data)


worker = threading.Thread(target=compress)
worker.start()
train(steps=40)
done.set()
worker.join()
