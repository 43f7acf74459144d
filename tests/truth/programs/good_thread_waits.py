# SPDX-License-Identifier: MIT
# Another thread wakes up now and then, and does little.
# first: none
import threading

from training import train

done = threading.Event()


def watch():
    while not done.wait(0.05):
        sum(range(1000))


watcher = threading.Thread(target=watch)
watcher.start()
train(steps=40)
done.set()
watcher.join()
