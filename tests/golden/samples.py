# SPDX-License-Identifier: MIT
"""Python that computes, waits and has a second thread, for samples of stacks. record.sh records this."""
import threading
import time


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(200))


def work():
    burn(0.4)
    time.sleep(0.2)


thread = threading.Thread(target=burn, args=(0.2,), name="burning")
thread.start()
work()
thread.join()
