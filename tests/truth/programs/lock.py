# SPDX-License-Identifier: MIT
# Another thread holds a lock that each step takes.
# first: lock_wait
# line: lock.py:17
# text: that it waited for that is likely
import threading
import time

from training import train

lock, over = threading.Lock(), threading.Event()


def hold():
    while not over.is_set():
        with lock:
            time.sleep(0.08)
        time.sleep(0.0005)


thread = threading.Thread(target=hold)
thread.start()


def before(number):
    with lock:
        pass
    time.sleep(0.001)  # the other one takes it again


train(before=before)
over.set()
thread.join()
