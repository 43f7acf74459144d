#!/bin/bash
# Windows of the GPU while the program forks, execs, is killed, resets its device, replays graphs, launches from other threads: kernels are those of the windows, each of them; what it prints is the same.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_windows
need_program cuda_plugins
need_program libcuda_user13.so
export INTERCEPT_STEP=step FAKE_CUDA_KERNELS='*=20000'
steps=160 launches=3 at=50
cat >judge.py <<'END_OF_JUDGE'
import json, re, subprocess, sys

report, recording, what = sys.argv[1:4]
steps, launches, at = map(int, sys.argv[4:])
def table(*words):
    return json.loads(subprocess.run([report, *words, "--format", "json", recording], check=True, capture_output=True).stdout)
images, started, drawn_at = [[]], 0, 0  # the windows' edges of each program that used the GPU, the first one first
for line in subprocess.run([report, "dump", recording], check=True, capture_output=True, text=True).stdout.splitlines():
    if re.search(r" gpu_cupti state=1 ", line):
        started += 1
        images += [[]] * (started > 1)
    found = re.search(r" gpu_window on=([01]) step=([0-9]+)", line)
    if found:
        images[-1].append((int(found[2]), int(found[1])))
assert started == len(images) == (2 if what == "exec" else 1), images
seen = 0
for number, told in enumerate(images):
    last = at + 1 if what == "kill" or (what == "exec" and number == 0) else steps
    assert [on for _, on in told] == [i % 2 for i in range(len(told))], told  # in turn; the first ends what was on from the start
    bounds = [0, *(step for step, _ in told), last]
    windows = list(zip(bounds[::2], bounds[1::2]))
    seen += sum(to - begin for begin, to in windows)
    drawn_at += number == 0 and any(begin <= at < to for begin, to in windows)
assert drawn_at or what not in ("kill", "exec"), "nothing was recorded at that moment: the test tests nothing"
kernels = table("kernels")
totals = kernels["totals"]
calls = {row["name"]: row["calls"] for row in kernels["rows"]}
wanted = {"a_step(float*)": launches * seen}
if what == "graph":
    wanted["a_graph(float*)"] = 3 * seen
elif what == "threads":
    wanted["a_thread(float*)"] = 3 * launches * seen
elif what == "loose" and "a_thread(float*)" in calls:
    wanted["a_thread(float*)"] = calls["a_thread(float*)"]
if what in ("kill", "exec"):  # what CUPTI had not handed out is counted
    assert 0 < totals["lost"] == totals["untold"] and sum(calls.values()) + totals["lost"] == sum(wanted.values()), (totals, wanted)
else:
    assert calls == wanted and totals["lost"] == 0, (calls, wanted, totals)
    if what != "loose":
        assert abs(totals["estimated_calls"] - sum(wanted.values()) * steps / seen) <= 1, (totals, wanted, seen)
assert all(row["min_ns"] == row["max_ns"] == 20000 for row in kernels["rows"]), kernels["rows"]
assert table("summary")["totals"]["events_lost"] == 0
END_OF_JUDGE
judge() { # WHAT
	"$REPORT" check --wait 60 "$OUTPUT" >out 2>&1 || fail "$1: check: $(cat out)"
	python3 -S judge.py "$REPORT" "$OUTPUT" "$1" $steps $launches $at >judged 2>&1 || fail "$1: $(cat judged)"
}

for what in fork exec kill reset graph threads loose; do
	# launches of these threads take longer than a window, and than the time between two; CUPTI stays, since which
	# numbers work has whose call is under way while it leaves is the fake's own
	delay='' rest=detached
	[[ $what == loose ]] && delay=cuLaunchKernel=3000000 rest=attached
	FAKE_CUDA_DELAY=$delay "$PROGRAMS/cuda_windows" $steps $launches $what $at >bare.out 2>bare.err
	bare=$? # of "kill" the shell says so
	for how in INTERCEPT_PRESET=light\ INTERCEPT_GPU=each\ INTERCEPT_GPU_STEPS=8/20,first=5 INTERCEPT_BUDGET=1/8,first=60; do
		rm -f ./*.evt*
		# shellcheck disable=SC2086 # several variables
		FAKE_CUDA_DELAY=$delay INTERCEPT_GPU_REST=$rest run_traced env $how "$PROGRAMS/cuda_windows" $steps $launches $what $at >traced.out 2>traced.err
		expect_eq "$what, $how: status" $? $bare
		expect_eq "$what, $how: what is said" "$(grep -v " Killed " traced.err)" ""
		cmp bare.out traced.out || fail "$what, $how: $(cat traced.out)"
		judge $what
	done
done

# the CUDA runtime is unloaded, and another one comes, within windows and between them; each round of the library is a step
words=()
for _ in {1..12}; do
	words+=("$PROGRAMS/libcuda_user13.so" close)
done
rm -f ./*.evt*
INTERCEPT_PRESET=light INTERCEPT_GPU=each INTERCEPT_GPU_STEPS=4/9,first=3 run_traced "$PROGRAMS/cuda_plugins" "${words[@]}" 2>traced.err ||
	fail "plugins: status $?: $(cat traced.err)"
expect_eq "plugins: what is said" "$(grep -v " Killed " traced.err)" ""
"$REPORT" dump --wait 60 "$OUTPUT" | grep -o ' gpu_window on=[01] step=[0-9]*' >edges
inside=$(python3 -S -c '
edges = [tuple(int(word.split("=")[1]) for word in line.split()[1:]) for line in open("edges")]
assert len(edges) > 6 and [on for on, _ in edges] == [i % 2 for i in range(len(edges))], edges
bounds = [0, *(step for _, step in edges), 120]
print(sum(to - begin for begin, to in zip(bounds[::2], bounds[1::2])))') || fail "plugins: $(cat edges)"
expect "$OUTPUT" "kernels.row(name='of_13').calls == $inside" 'kernels.totals.lost == 0' 'summary.totals.events_lost == 0'
