#!/bin/bash
# INTERCEPT_REQUEST=label: each NVTX range and record_function() of the name is a request, on threads and across awaits; with the time of its operators.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"
need_torch eager
cat >work.py <<'END'
import asyncio
import concurrent.futures
import torch
from torch.profiler import record_function


def handle(number):
    with record_function("predict:small"), record_function("other"):
        return torch.ones(4).add(number).sum().item()


async def answer(number):
    with record_function("predict:async"):
        await asyncio.sleep(0)
        value = torch.ones(4).add(number)
        await asyncio.sleep(0)
        return value.sum().item()


async def batched(pool):
    with record_function("batch"):
        return await asyncio.get_running_loop().run_in_executor(pool, lambda: torch.ones(64, 64).mm(torch.ones(64, 64)))


async def all_of_them(pool):
    print(sum(await asyncio.gather(*map(answer, range(8)))))
    await asyncio.gather(batched(pool), batched(pool), batched(pool))


for number in range(5):
    torch.cuda.nvtx.range_push("ranged")
    torch.cuda.nvtx.range_pop()
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    print(sum(pool.map(handle, range(20))))
    asyncio.run(all_of_them(pool))
torch.ones(4).add(1)  # of no request
END
INTERCEPT_REQUEST='label:predict:*,label:ranged,label:batch' INTERCEPT_TRACE=-alloc run_traced "$PYTHON" work.py >out || fail "status $?"
expect_eq "output" "$(tr '\n' ' ' <out)" "840.0 144.0 "
expect "$OUTPUT" 'requests.row(endpoint="predict:small").requests == 20' 'requests.row(endpoint="predict:async").requests == 8' \
	'requests.row(endpoint="ranged").requests == 5' 'requests.row(endpoint="batch").requests == 3' 'len(requests.rows) == 4' \
	'requests.totals.open == 0' 'all(row.method == "label" for row in requests.rows)' \
	'requests.row(endpoint="predict:small").model_ns > 0' 'requests.row(endpoint="predict:async").model_ns > 0' \
	'requests.row(endpoint="ranged").model_ns == 0' 'all(row.model_ns <= row.total_ns for row in requests.rows)' \
	'requests.row(endpoint="batch").shared_ns > 0' 'requests.row(endpoint="batch").shared_ns <= requests.row(endpoint="batch").model_ns'
