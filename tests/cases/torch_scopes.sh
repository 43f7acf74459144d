#!/bin/bash
# User scopes that do not nest: each has its own time, whatever others begin and end meanwhile, on whatever thread.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 120
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >scopes.py <<'END'
import asyncio, math, threading, time, torch
from torch.profiler import record_function
torch.ones(3).erfinv()
times = []  # no scope begins or ends at once: what may lie between, however busy the machine is
def mark():
    times.append(time.monotonic())
async def request(name, before, after):
    mark()
    with record_function(name):
        mark()
        await before.wait()
        if name == "long":
            await asyncio.sleep(0.5)
        torch.ones(3).erfinv()
    after.set()
async def serve():
    begun, ended, end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().call_later(0.1, begun.set)
    await asyncio.gather(request("short", begun, ended), request("long", ended, end))
asyncio.run(serve())
mark()
step = record_function("step 0")
step.__enter__()
with record_function("epoch"):
    mark()
    for i in range(1, 4):
        time.sleep(0.1)
        step.__exit__(None, None, None)
        step = record_function("step %d" % i)
        step.__enter__()
step.__exit__(None, None, None)
mark()
for _ in range(3):
    future = torch.futures.Future()
    with record_function("elsewhere") as scope:
        done = scope._call_end_callbacks_on_future(future)
    thread = threading.Thread(target=lambda: (time.sleep(0.05), future.set_result(1)))
    thread.start()
    thread.join()
    done.wait()
mark()
time.sleep(0.3)
with open("measured", "w") as file:  # between the begins of short and long, of step and epoch; the loop of scopes that end elsewhere
    for a, b in (0, 3), (4, 5), (6, 7):
        print(math.ceil((times[b] - times[a]) * 1000), file=file)
END
run_traced "$PYTHON" scopes.py >out 2>err || fail "$(cat err)"
ms() {
	json ops "$OUTPUT" "row(name='$1')['total_cpu_ns'] // 1000000"
}
{ read -r later && read -r inside && read -r loop; } <measured || fail "no times: $(cat measured)"
short=$(ms short)
expect_between "the longer of two at once" "$(ms long)" $((short + 490 - later)) 60000
epoch=$(ms epoch)
expect_between "a loop of three steps" "$epoch" 300 60000
expect_between "the first step, which began before the loop" "$(ms 'step 0')" 100 $((epoch - 190 + inside))
expect_eq "scopes that end on another thread" "$(json ops "$OUTPUT" 'row(name="elsewhere")["calls"]')" 3
expect_between "their time" "$(ms elsewhere)" 150 "$loop"
expect_eq "none is left open" "$(json ops "$OUTPUT" 'sum(r["open"] for r in rows)')" 0
expect_eq "operators in them" "$(json ops "$OUTPUT" 'row(name="aten::erfinv")["calls"]')" 3
steps=$("$REPORT" steps --step epoch --format json "$OUTPUT" | python3 -S -c 'import json, sys; print(len(json.load(sys.stdin)["rows"]))')
expect_eq "steps that the loop ends" "$steps" 1
