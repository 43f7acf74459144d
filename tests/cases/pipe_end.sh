#!/bin/bash
# prog | cat ends when prog ends: nothing of ours keeps the pipe open.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
run_traced python3 -c 'print("x")' 2>&1 | cat >out
INTERCEPT_CHILDREN=all run_traced sh -c 'sleep 0.1; echo y' 2>&1 | cat >>out
expect_eq output "$(tr -d '\n' <out)" xy
# shellcheck disable=SC2034
value=$(run_traced python3 -c 'print("z")' 2>&1)
expect_eq "command substitution" "$value" z
# nor does the collector, for as long as it works: a child that goes on has another output
run_traced python3 -c '
import os, subprocess, sys
inner = "open(\"pid\", \"w\").write(str(__import__(\"os\").getpid())); import time; time.sleep(1000)"
null = subprocess.DEVNULL
subprocess.Popen([sys.executable, "-c", inner], stdin=null, stdout=null, stderr=null)
if not os.fork():
    for stream in range(3):
        os.close(stream)
    open("forked", "w").write(str(os.getpid()))
    import time
    time.sleep(1000)
print("w")' 2>&1 | cat >out # without an end, if it did
trap 'kill "$(cat pid)" "$(cat forked)"' EXIT
expect_eq "output beside one that goes on" "$(cat out)" w
eventually "the child" test -s pid
eventually "the forked child" test -s forked
