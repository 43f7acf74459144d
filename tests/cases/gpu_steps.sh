#!/bin/bash
# INTERCEPT_GPU_STEPS: CUPTI is off between drawn blocks of steps; kernels are those of these steps, each of them, and no report takes the others for idle time.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_steps
export FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_STEP=step INTERCEPT_PRESET=light FAKE_CUDA_KERNELS='*=20000'
cat >judge.py <<'END_OF_JUDGE'
import json, re, subprocess, sys

report, recording, steps, launches, first, block = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])
def table(*words):
    return json.loads(subprocess.run([report, *words, "--format", "json", recording], check=True, capture_output=True).stdout)
windows, on, begin, on_ns, open_ns = [], True, 0, 0, 0
for line in subprocess.run([report, "dump", recording], check=True, capture_output=True, text=True).stdout.splitlines():
    found = re.search(r" gpu_window on=([01]) step=([0-9]+)", line)
    if not found:
        continue
    assert int(found[1]) == (not on), line  # in turn
    now = int(line.split()[0])
    if on:
        windows.append((begin, int(found[2])))
        on_ns += now - open_ns
    on, begin, open_ns = not on, int(found[2]), now
if on:
    windows.append((begin, steps))
    on_ns += table("summary")["totals"]["wall_ns"] - open_ns
assert windows[0][0] == 0 and windows[0][1] == (first if block else windows[0][1]) >= first, windows
assert all(to - begin == block if block else (to - begin) % 16 == 0 for begin, to in windows[1:-1]), windows
drawn = sum(to - begin for begin, to in windows[1:])
kernels = table("kernels")
totals = kernels["totals"]
assert totals["calls"] == launches * (first + drawn), (totals, windows)
assert totals["total_ns"] == 20000 * totals["calls"], totals
assert all(row["min_ns"] == row["max_ns"] == 20000 for row in kernels["rows"])
assert totals["lost"] == 0, totals
if drawn:
    assert totals["drawn_calls"] == launches * totals["drawn_steps"], totals
    assert abs(totals["estimated_calls"] - launches * steps) <= 1, totals
    assert abs(totals["estimated_ns"] - 20000 * launches * steps) <= 20000, totals
told = table("steps")
inside = {step for begin, to in windows for step in range(begin, to)}
for row in told["rows"]:
    known = row["gpu_ns"] is not None
    assert known == (row["step"] in inside), row
    assert not known or row["gpu_ns"] <= row["total_ns"], row
    assert known or row["kernel_ns"] is None and row["gpu_forward_ns"] is None, row
    assert row["other_phase_ns"] in ([row["total_ns"]] if block else [row["total_ns"], None]), row  # phases are the host's
assert told["totals"]["detailed"] == len([row for row in told["rows"] if row["step"] in inside]), told["totals"]
assert told["totals"]["with_phases"] == sum(row["other_phase_ns"] is not None for row in told["rows"]), told["totals"]
used = table("utilization")["rows"][0]
assert used["busy_ns"] <= used["span_ns"] <= on_ns, (used, on_ns)
ids = {row["id"] for row in table("bottleneck")["rows"]}
print(len(windows), drawn, round(100 * used["busy_ns"] / used["span_ns"]), *sorted(ids))
END_OF_JUDGE
record() { # SETTING STEPS LAUNCHES
	rm -f ./*.evt* counts.json
	INTERCEPT_GPU_STEPS=$1 run_traced "$PROGRAMS/cuda_steps" "$2" 0 "$3" 2>err || fail "$*: status $?: $(cat err)"
	expect_eq "$*: what is said" "$(cat err)" ""
	"$REPORT" check --wait 60 "$OUTPUT" >out 2>&1 || fail "$*: check: $(cat out)"
}
judge() { # STEPS LAUNCHES FIRST BLOCK
	python3 -S judge.py "$REPORT" "$OUTPUT" "$@" >judged 2>&1 || fail "line ${BASH_LINENO[0]}: $(cat judged)"
}
calls() { # FUNCTION: how often it was called
	python3 -S -c "import json; print(json.load(open('counts.json'))['others'].get('$1', 0))"
}

for how in sums each; do
	export INTERCEPT_GPU=$how
	record 8/100,first=20 2000 5
	judge 2000 5 20 8
	(($(calls cuptiFinalize) >= 10)) || fail "$how: CUPTI left $(calls cuptiFinalize) times"
	for report in kernels steps summary utilization bottleneck; do
		"$REPORT" "$report" "$OUTPUT" >out 2>&1 || fail "$report: $(cat out)"
		tr '\n' ' ' <out | tr -s ' ' | grep -qE 'GPU (was recorded )?in [0-9]+ of 2,000 steps \(INTERCEPT_GPU_STEPS\)' ||
			fail "$report does not say of which steps it is: $(cat out)"
	done
	# a trace says where its lanes of the GPU are empty because nothing was recorded
	"$REPORT" export chrome --output trace.json "$OUTPUT" 2>err || fail "export: $(cat err)"
	expect_eq "$how: windows in the trace" "$(grep -oE 'work of the GPU is (not )?recorded from here' trace.json | wc -l)" \
		"$("$REPORT" dump "$OUTPUT" | grep -c ' gpu_window ')"
	# sums have no lanes at all, and no table of single pieces
	sums=$([[ $how != sums ]] || echo 1)
	expect_eq "$how: sums in the trace" "$(grep -o 'work of the GPU is recorded as sums' trace.json | wc -l)" "${sums:-0}"
	[[ ! $sums ]] || expect_match "gpu-idle of sums" "$("$REPORT" gpu-idle "$OUTPUT" 2>&1 | tr '\n' ' ')" 'recorded as sums \(INTERCEPT_GPU=sums\), and this table'
	"$REPORT" export sqlite --output trace.sqlite "$OUTPUT" 2>err || fail "export sqlite: $(cat err)"
	expect_eq "$how: windows in SQLite" "$(python3 -S -c 'import sqlite3
print(sqlite3.connect("trace.sqlite").execute("SELECT count(*) FROM NVTX_EVENTS JOIN StringIds ON id = textId WHERE value LIKE ?", ["work of the GPU is%recorded from here"]).fetchone()[0])')" \
		"$("$REPORT" dump "$OUTPUT" | grep -c ' gpu_window ')"
	rm -f trace.sqlite
	# CUPTI that stays, and a queue that is long
	INTERCEPT_GPU_REST=attached FAKE_CUDA_KERNELS='*=200000' record 4/40,first=10 200 4
	expect_eq "$how: attached" "$(calls cuptiFinalize)" 0
	# the program ends in a window
	record 60/100,first=10 70 5
	judge 70 5 10 60
done
# a capture over light is a window as soon as the GPU's queue has passed; the collector may be late to ask for it
INTERCEPT_TRIGGER='steps 500..8000' INTERCEPT_CAPTURE=trigger,light INTERCEPT_GPU=each record 8/40000,first=20 9000 2
"$REPORT" dump "$OUTPUT" | grep -o ' gpu_window on=[01] step=[0-9]*' >edges
python3 -S - <<'END_OF_EDGES' || fail "capture: $(cat edges)"
edges = [tuple(int(word.split("=")[1]) for word in line.split()[1:]) for line in open("edges")]
assert any(on and 500 < step < 8000 for on, step in edges), edges
assert [on for on, _ in edges] == [i % 2 for i in range(len(edges))], edges
assert not any(on for on, step in edges if 8000 < step), edges
END_OF_EDGES
# INTERCEPT_BUDGET alone draws blocks, which have detail, too; each kernel in them is there, and no other
INTERCEPT_PRESET=default INTERCEPT_BUDGET=1/8,first=20 record auto 3000 5
judge 3000 5 20 0
(($(calls cuptiFinalize) >= 10)) || fail "INTERCEPT_BUDGET: CUPTI left $(calls cuptiFinalize) times"
"$REPORT" dump "$OUTPUT" | grep -E ' (gpu_window|detail_st)' >edges
python3 - <<'END_OF_DETAIL' || fail "a window of the GPU without detail: $(cat edges)"
import re
detail = True
for line in open("edges"):
    edge = re.search(r" detail_(start|stop) ", line)
    detail = edge[1] == "start" if edge else detail
    assert detail or " gpu_window " not in line, line
END_OF_DETAIL
"$REPORT" kernels "$OUTPUT" 2>&1 | tr -s ' \n' ' ' | grep -qE 'with detail: [0-9,]+ of 3,000 steps \(INTERCEPT_BUDGET\).* The GPU was recorded in [0-9]+ of 3,000 steps\. ' ||
	fail "INTERCEPT_BUDGET: $("$REPORT" kernels "$OUTPUT" 2>&1)"
# all of it, as ever
record all 100 5
expect "$OUTPUT" 'kernels.totals.calls == 500' '"drawn_steps" not in kernels.totals' '"detailed" not in steps.totals'
INTERCEPT_GPU_STEPS=9/9 run_traced "$PROGRAMS/cuda_steps" 1 0 1 2>err
expect_match "a wrong value" "$(cat err)" "INTERCEPT_GPU_STEPS='9/9' is not allowed"
