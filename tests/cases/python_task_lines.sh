#!/bin/bash
# Time of tasks of asyncio: lines --by task names the outermost coroutine; a loop in select() is idle, and does not wait.
# SPDX-License-Identifier: MIT
# timeout: 120
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >tasks.py <<'END'
import asyncio, threading, time
def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
async def inner():
    compute(0.02)
async def outer():
    for _ in range(10):
        await inner()
        await asyncio.sleep(0.01)
async def other():
    for _ in range(10):
        compute(0.02)
        await asyncio.sleep(0.01)
async def main():
    await asyncio.sleep(1)
    await asyncio.gather(outer(), other())
asyncio.run(main())
END
tried=0
for python in "${PYTHONS[@]}"; do
	tried=$((tried + 1))
	rm -f ./*.evt*
	INTERCEPT_SAMPLE=200 INTERCEPT_TRACE=-alloc run_traced "$python" tasks.py >out 2>err || fail "$python: status $?: $(tail -3 err)"
	"$REPORT" lines --by task --format json "$OUTPUT" >by.json || fail "$python: lines --by task"
	python3 -S - <<'END' || fail "$python: $("$REPORT" lines --by task "$OUTPUT")"
import json
rows = {row["task"]: row for row in json.load(open("by.json"))["rows"]}
outer, other, loop = rows["outer"], rows["other"], rows["(the event loop)"]
cpu = sum(row["cpu_ns"] for row in rows.values())
# 0.2 s of CPU time each, on a clock of the kernel's; a sample stands for 5 ms or more
assert outer["cpu_ns"] > 0 and other["cpu_ns"] > 0, rows
assert "inner" not in rows, rows
assert outer["file"].endswith("tasks.py"), outer
# the sleeps of the tasks are no waits of theirs: the thread was in the loop's select()
assert loop["idle_ns"] > 500e6, loop
assert loop["io_ns"] == 0 and outer["idle_ns"] == 0 and other["idle_ns"] == 0, rows
END
	expect "$OUTPUT" 'lines.totals.idle_ns > 500_000_000'
done
((tried > 0)) || skip "no CPython 3.8 to 3.14"
