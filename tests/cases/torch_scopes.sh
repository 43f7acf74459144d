#!/bin/bash
# User scopes that do not nest: each has its own time, whatever others begin and end meanwhile, on whatever thread.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 120
need_torch
cat >scopes.py <<'END'
import asyncio, threading, time, torch
from torch.profiler import record_function
torch.set_num_threads(1)
async def request(name, seconds):
    with record_function(name):
        await asyncio.sleep(seconds)
        torch.ones(3).erfinv()
async def serve():
    await asyncio.gather(request("short", 0.1), request("long", 0.6))
asyncio.run(serve())
step = record_function("step 0")
step.__enter__()
with record_function("epoch"):
    for i in range(1, 4):
        time.sleep(0.1)
        step.__exit__(None, None, None)
        step = record_function("step %d" % i)
        step.__enter__()
step.__exit__(None, None, None)
for _ in range(3):
    future = torch.futures.Future()
    with record_function("elsewhere") as scope:
        done = scope._call_end_callbacks_on_future(future)
    thread = threading.Thread(target=lambda: (time.sleep(0.05), future.set_result(1)))
    thread.start()
    thread.join()
    done.wait()
time.sleep(0.3)
END
run_traced "$PYTHON" scopes.py >out 2>err || fail "$(cat err)"
ms() {
	json ops "$OUTPUT" "row(name='$1')['total_cpu_ns'] // 1000000"
}
short=$(ms short)
expect_between "the longer of two at once" "$(ms long)" $((short + 300)) 30000
epoch=$(ms epoch)
expect_between "a loop of three steps" "$epoch" 300 30000
expect_between "the first step, which began before the loop" "$(ms 'step 0')" 100 $((epoch - 150))
expect_eq "scopes that end on another thread" "$(json ops "$OUTPUT" 'row(name="elsewhere")["calls"]')" 3
expect_between "their time" "$(ms elsewhere)" 150 $((150 + epoch))
expect_eq "none is left open" "$(json ops "$OUTPUT" 'sum(r["open"] for r in rows)')" 0
expect_eq "operators in them" "$(json ops "$OUTPUT" 'row(name="aten::erfinv")["calls"]')" 2
steps=$("$REPORT" steps --step epoch --format json "$OUTPUT" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["rows"]))')
expect_eq "steps that the loop ends" "$steps" 1
