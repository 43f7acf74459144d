#!/bin/bash
# SPDX-License-Identifier: MIT
#
# python: subprocess, multiprocessing by fork and by spawn, asyncio, threads.
# needs: /usr/bin/python3
# limit: 90

cat >a.py <<'END'
import asyncio, concurrent.futures as cf, multiprocessing as mp, subprocess, sys, threading

def square(x):
    return x * x

async def main():
    p = await asyncio.create_subprocess_exec("seq", "3", stdout=subprocess.PIPE)
    return (await p.communicate())[0]

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with mp.get_context(method).Pool(2) as pool:
            print(method, sum(pool.map(square, range(100))))
    print(subprocess.run([sys.executable, "-c", "import sys; sys.exit(7)"]).returncode)
    print(asyncio.run(main()))
    with cf.ThreadPoolExecutor(8) as pool:
        print(sum(pool.map(square, range(1000))))
    sys.exit(3)
END
/usr/bin/python3 a.py; echo "status $?"
