#!/bin/bash
# kill -9 of the collector: the program goes on as if nothing had been, with one line at its end.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
cat >program.sh <<'END'
exec python3 -c '
import os, sys, time
def collector():
    for link in os.listdir("/proc"):
        if link.isdigit():
            try:
                if os.readlink("/proc/%s/exe" % link) == sys.argv[1] and any(
                    os.readlink("/proc/%s/fd/%s" % (link, fd)) == sys.argv[2] for fd in os.listdir("/proc/%s/fd" % link)):
                    return int(link)
            except OSError:
                pass
def blocked():  # not on a CPU, and not waiting for one: what a busy machine does not change
    with open("/proc/self/schedstat") as file:
        cpu, queued = file.read().split()[:2]
    return (time.monotonic_ns() - int(cpu) - int(queued)) / 1e9
while not (found := collector()):  # on a busy machine it comes after the program
    pass
os.kill(found, 9)
print("killed")
start = blocked()
for i in range(300000):
    bytearray(2000 + i % 7)
print("done", blocked() - start < 4)
sys.exit(5)' "$1" "$2"
END
run_traced bash program.sh "$COLLECTOR" "$OUTPUT" >out 2>err
expect_eq "exit status" $? 5
expect_eq output "$(tr '\n' ' ' <out)" 'killed done True '
expect_eq "lines on standard error" "$(wc -l <err)" 1
expect_match "the line" "$(cat err)" '^intercept: '
