# SPDX-License-Identifier: MIT
# The workers of a pool keep what each task made: each process grows, and the first one does not.
# first: none
# names: memory_growth grow throughout the run, .* in process \d+\. 1 other process grows as well
# trace: alloc
import multiprocessing
import time

kept = []


def split(text):
    kept.append([word.lower() for word in text.split()])
    return len(kept[-1])


def main():
    text = " ".join("Word%d" % number for number in range(300))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for number in range(60):
            pool.map(split, [text + str(number)] * 200)
            time.sleep(0.03)


main()
