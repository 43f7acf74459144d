#!/bin/bash
# What the launching thread did in the gaps of a GPU's streams, to the nanosecond, as the dump has its calls; lines of Python by samples.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_idle
head -c 50000 /dev/urandom >data

INTERCEPT_TRACE=+io run_traced "$PROGRAMS/cuda_idle" data || fail "status $?"
expect "$OUTPUT" 'gpu_idle.totals.count > 0' 'gpu_idle.totals.late == 0' 'summary.totals.events_lost == 0'
for key in kind activity op range line function; do
	expect "$OUTPUT" "gpu_idle('--by', '$key').sum('total_ns') == gpu_idle.totals.total_ns" \
		"gpu_idle('--by', '$key').totals.total_ns == gpu_idle.totals.total_ns" \
		"all(sum(row.total_ns for row in gpu_idle('--by', '$key').rows if row.kind == kind) == sum(row.total_ns for row in gpu_idle.rows if row.kind == kind) for kind in ('host wait', 'kernel wait', 'other'))"
done
expect "$OUTPUT" 'gpu_idle("--by", "op").totals.unknown_ns == gpu_idle.totals.total_ns' \
	'gpu_idle("--by", "line").totals.unknown_ns == gpu_idle.totals.total_ns'

# the same from the dump, by another way: each nanosecond of a gap is of the call that began last
"$REPORT" dump "$OUTPUT" >dump.out
"$REPORT" gpu-idle --by activity --limit 0 --format json "$OUTPUT" >activity.json
python3 -S - >judge.out <<'PYTHON' || fail "$(cat judge.out)"
import json, re, sys
NESTED = 1 # a call that CUDA made itself inside of another
calls, pieces, launched = {}, {}, {}
for line in open("dump.out"):
    words = line.split()
    fields = dict(re.findall(r'(\w+)="?([^" ]*)', line))
    time, thread, event = int(words[0]), words[1], words[2]
    took = fields.get("duration_ns", fields.get("duration"))
    if event.startswith(("cuda_", "io_")) or event == "gpu_call":
        if took is not None and not (event.startswith("cuda_") and int(fields["flags"], 0) & NESTED):
            calls.setdefault(thread, []).append((time - int(took), time, fields["function"]))
            if int(fields.get("correlation", "0x0"), 16):
                launched[int(fields["correlation"], 16)] = (thread, time - int(took))
    elif event in ("gpu_kernel", "gpu_copy", "gpu_set"):
        start = time - int(fields["ago_ns"])
        pieces.setdefault(fields["stream"], []).append([start, int(took), int(fields["correlation"], 16)])
want, total = {}, 0
for stream in pieces.values():
    last = None
    for piece in stream: # none begins before its call
        thread, begin = launched[piece[2]]
        piece[0] = max(piece[0], begin)
    for start, took, correlation in sorted(stream):
        if last is not None and start > last:
            total += start - last
            inside = [call for call in calls[launched[correlation][0]] if call[1] > last and call[0] < start]
            edges = sorted({last, start} | {edge for call in inside for edge in call[:2] if last < edge < start})
            for low, high in zip(edges, edges[1:]):
                name = max(((call[0], -call[1], call[2]) for call in inside if call[0] <= low and call[1] >= high), default=(0, 0, None))[2]
                want[name] = want.get(name, 0) + high - low
        last = start + took if last is None else max(last, start + took)
got, document = {}, json.load(open("activity.json"))
for row in document["rows"]:
    got[row["name"]] = got.get(row["name"], 0) + row["total_ns"]
if got != want or total != document["totals"]["total_ns"] or want.get(None) != document["totals"]["unknown_ns"]:
    sys.exit(print("gaps of %d ns\nwanted %s\ngot    %s" % (total, want, got)) or 1)
if not {"read", "open", "cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "cudaLaunchKernel", None} <= want.keys():
    sys.exit(print("nothing of some: %s" % want) or 1)
PYTHON
expect "$OUTPUT" 'sum(row.total_ns for row in gpu_idle("--by", "activity").rows if row.activity == "I/O") > 0' \
	'{row.activity for row in gpu_idle("--by", "activity").rows} >= {"I/O", "CUDA wait", "CUDA memory", "CUDA launch", "unknown"}'

# without calls of I/O their time is unknown, not another's
INTERCEPT_TRACE=-io run_traced "$PROGRAMS/cuda_idle" data || fail "status $?"
expect "$OUTPUT" 'all(row.activity != "I/O" for row in gpu_idle("--by", "activity").rows)' \
	'gpu_idle("--by", "activity").sum("total_ns") == gpu_idle.totals.total_ns'

# a file that ends in the middle
bytes=$(stat -c %s "$OUTPUT")
for part in 3 2; do
	head -c $((bytes / part)) "$OUTPUT" >cut.evt
	for key in activity op line; do
		"$REPORT" gpu-idle --by $key cut.evt >cut.out 2>&1
		expect_between "$key of 1/$part" $? 0 1
	done
done
"$REPORT" gpu-idle --by nothing "$OUTPUT" >wrong.out 2>&1
expect_eq "a key that there is not" $? 2
expect_match "a key that there is not" "$(cat wrong.out)" "kind.*activity.*op.*range.*line.*function"
exit 0
