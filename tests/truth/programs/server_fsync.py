# SPDX-License-Identifier: MIT
# A server that makes sure in the event loop that each line of its log is on the disk.
# first: sync_logging
# line: server_fsync.py:16
import os
import tempfile

from serving import serve

log = tempfile.TemporaryFile(dir=".")


def note(path):
    log.write(b"%s\n" % path.encode())
    log.flush()
    os.fsync(log.fileno())


async def handle(path):
    note(path)
    return b"done"


serve(handle, 2000)
