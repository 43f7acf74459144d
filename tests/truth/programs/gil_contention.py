# SPDX-License-Identifier: MIT
# Another thread computes in Python all the time: the loop waits for the GIL.
# first: gil_contention
# also: small_operators between_operators optimizer zero_grad oversubscribed_threads slow_steps
# text: watch
# names: gil_contention gil_contention.py:[0-9]+ \(watch\)
import threading

from training import batch, model, train

done = threading.Event()


def watch():
    while not done.is_set():
        for number in range(10000):
            number * number


watcher = threading.Thread(target=watch)
watcher.start()
train(steps=200, net=model(width=128), data=batch(64, 128))
done.set()
watcher.join()
