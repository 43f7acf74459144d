# SPDX-License-Identifier: MIT
# Each step reads a mapped file, page by page, that is not in memory.
# first: between_operators
# text: page faults had to read a disk
import mmap
import os
import tempfile

from training import train

PAGES = 4000
file = tempfile.TemporaryFile(dir=".")
file.write(os.urandom(PAGES * 4096))
file.flush()
os.fsync(file.fileno())


def before(number):
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        mapped.madvise(mmap.MADV_RANDOM)
        for page in range(PAGES):
            mapped[page * 4096]


train(before=before)
