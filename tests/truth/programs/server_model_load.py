# SPDX-License-Identifier: MIT
# A server by threads that loads its model for each request: reading it takes the GIL from the others.
# first: gil_starvation
# line: server_model_load.py:18
import os
import pickle
import tempfile

from serving import serve_threads

path_of_model = os.path.join(tempfile.mkdtemp(), "model")
with open(path_of_model, "wb") as file:
    pickle.dump({"weights": [number / 7 for number in range(100000)], "words": {str(number): number for number in range(20000)}}, file)


def load_model():
    with open(path_of_model, "rb") as file:
        return pickle.load(file)


def handle(path):
    model = load_model()
    return b"%f" % model["weights"][int(path[1:])]


serve_threads(handle, 120)
os.remove(path_of_model)
os.rmdir(os.path.dirname(path_of_model))
