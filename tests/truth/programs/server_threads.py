# SPDX-License-Identifier: MIT
# A server whose requests each leave a thread behind, which waits to tell somebody: nothing bounds how many there are.
# first: threads_without_bound
# line: server_threads.py:14
import threading
import time

from serving import serve_threads

told = threading.Event()


def tell(path):
    told.wait()  # for a log's server, say


def handle(path):
    threading.Thread(target=tell, args=(path,), daemon=True).start()
    time.sleep(0.005)
    return path.encode()


serve_threads(handle, 200, 4)
told.set()
