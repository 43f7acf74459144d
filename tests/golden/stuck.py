# SPDX-License-Identifier: MIT
"""Python that waits for a lock which another thread does not give back, and is killed in it. record.sh records this."""
import os
import signal
import threading
import time

lock = threading.Lock()
held = threading.Event()


def hold():
    with lock:
        held.set()
        time.sleep(100)


def kill():
    time.sleep(7)
    os.kill(os.getpid(), signal.SIGKILL)


def work():
    held.wait()
    with lock:
        print("never")


for function in (hold, kill):
    threading.Thread(target=function, name=function.__name__, daemon=True).start()
work()
