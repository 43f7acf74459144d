# SPDX-License-Identifier: MIT
# A mutex of the C library: another thread has it for most of the time, the loop waits for it in each step.
# first: lock_wait
# line: mutex.py:23
# text: had the mutex
import ctypes
import threading
import time

from training import train

libc = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)
lock, unlock = libc.pthread_mutex_lock, libc.pthread_mutex_unlock
over = threading.Event()


def compress():
    while not over.is_set():
        lock(mutex)
        # here stands what the lock is not needed for
        for _ in range(2):
            time.sleep(0.03)
        unlock(mutex)
        time.sleep(0.002)


thread = threading.Thread(target=compress, name="compressor")
thread.start()


def before(number):
    lock(mutex)
    unlock(mutex)


train(before=before)
over.set()
thread.join()
