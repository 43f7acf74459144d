#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A process 1 that counts its children finds no stranger.
# needs: unshare /usr/bin/python3

cat >pid1.py <<'END'
import os, subprocess, sys
for _ in range(3):
    subprocess.run([sys.executable, "-c", "print('worker')"], check=True)
os.system("true")
try:
    print("stray", os.wait() != (0, 0))
except ChildProcessError:
    print("no child", os.getpid())
END
unshare -Urpf --mount-proc /usr/bin/python3 pid1.py; echo "status $?"
