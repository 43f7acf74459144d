# SPDX-License-Identifier: MIT
"""together.py PROGRAM...: runs programs of tests/truth/programs one after the other, each in a fork of a process that has
imported PyTorch once. Prints their process numbers, and stops at the first that fails. Settings of the fake CUDA (`# gpu:`) that
are read when its libraries are loaded are the same for all: only FAKE_CUDA_KERNELS and FAKE_CUDA_GEMM are a program's own."""

import os
import re
import runpy
import sys

import torch  # noqa: F401: for all of them


def settings(path):
    with open(path, encoding="utf-8") as file:
        words = re.search(r"^# gpu: (.*)$", file.read(), re.M).group(1).split()
    return dict(word.split("=", 1) for word in words[1:]) | {"FAKE_CUDA_KERNELS": words[0]}


for path in sys.argv[1:]:
    process = os.fork()
    if not process:
        os.environ.update(settings(path))
        runpy.run_path(path, run_name="__main__")
        os._exit(0)
    status = os.waitpid(process, 0)[1]
    print(process, flush=True)
    if status:
        sys.exit("%s: status %d" % (path, status))
