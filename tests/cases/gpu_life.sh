#!/bin/bash
# Several devices, resets, capture ranges, graphs with the place of their capture, memory, exec, fork, a CUDA that was there first.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 200
need_program cuda_life
export INTERCEPT_GPU_WAITS=records FAKE_CUDA_COUNTS=$PWD/counts.%p.json

life() { # WHAT...: a new recording; dump.out has its events
	rm -f ./*.evt* counts.*.json
	run_traced "$PROGRAMS/cuda_life" "$@" 2>gpu.err || fail "$*: status $?: $(cat gpu.err)"
	"$REPORT" dump --wait 60 "$OUTPUT" >dump.out || fail "$*: dump: status $?"
}
quiet() {
	expect_eq "line ${BASH_LINENO[0]}: what is said" "$(cat gpu.err)" ""
}
same() { # the tables are the fake's own
	quiet
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.*.json >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
	expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'kernels.totals.clamped == 0' \
		'summary.totals.events_lost == 0'
}
count() { # PATTERN: events
	grep -cE "$1" dump.out
}

# each device has its work, its UUID and its limits
FAKE_CUDA_DEVICES=3 life devices 3
same
expect "$OUTPUT" 'len(kernels("--by", "device").rows) == 3' 'all(row.calls == 20 for row in kernels("--by", "device").rows)'
expect_eq "devices" "$(count ' gpu_device .*mig_uuid="" memory_bytes=85899345920 bandwidth_kbs=3352320000 visible=1 gpu_instance=0')" 3
expect_eq "limits" "$(count ' gpu_limits device=[012] major=9 minor=0 multiprocessors=132 warp_threads=32 sm_warps=64 sm_blocks=32 sm_registers=65536 sm_shared_bytes=233472 ')" 3
for i in 0 1 2; do
	expect_eq "UUID of $i" "$(count " gpu_device device=$i .* uuid=\"GPU-a${i}a${i}a${i}a${i}-a${i}a${i}-a${i}a${i}-a${i}a${i}-a${i}a${i}a${i}a${i}a${i}a${i}\"")" 1
done
# a rank has a device of its own, and its number 0 is not the other's; parts of a GPU
for rank in 1 2; do
	FAKE_CUDA_DEVICES=3 CUDA_VISIBLE_DEVICES=$rank FAKE_CUPTI_MIG=1 life devices 1
	same
	expect_eq "devices of rank $rank" "$(count ' gpu_device ')" 1
	expect_eq "rank $rank" "$(count " gpu_device device=0 .* uuid=\"GPU-a${rank}a.* mig_uuid=\"MIG-b${rank}b${rank}b.* gpu_instance=3 compute_instance=5")" 1
done

life reset
same
expect "$OUTPUT" 'kernels.totals.calls == 21'

# only what was asked for while the range was open
INTERCEPT_CAPTURE=cuda-profiler-api life profiler
quiet
expect "$OUTPUT" 'kernels.totals.calls == 10' 'launches.totals.calls == 10'

# nodes: captured on the thread that captures, copied as the graph is made executable; work names the copy
life capture
same
expect_eq "captured" "$(count ' gpu_captured .*of=0x0 ')" 4
python3 -S - <<'END' || fail "graphs: $(cat dump.out)"
import re
field = re.compile(r"(\w+)=(\S+)")
launches, origin, captured, work, replays = {}, {}, {}, [], 0
for line in open("dump.out"):
    match = re.match(r"(\d+) (\S+) (\w+) ?(.*)", line)
    if not match:
        continue
    time, thread, kind, rest = int(match[1]), match[2], match[3], dict(field.findall(match[4]))
    if kind == "cuda_launch":
        launches.setdefault(thread, []).append((time - int(rest["duration_ns"]), time, rest["kernel"]))
    if kind == "gpu_captured" and rest["of"] == "0x0":
        captured[rest["node"]] = time, thread
    elif kind == "gpu_captured":
        origin[rest["node"]] = rest["of"]
    if kind == "gpu_kernel":
        last = rest["kernel"]
    if kind == "gpu_node":
        work.append((rest["node"], last))
assert len(work) == 12 and len(origin) == 4, (work, origin)
for node, kernel in work:
    time, thread = captured[origin[node]]
    inside = [name for begin, end, name in launches[thread] if begin <= time <= end]
    assert inside == [kernel], (node, kernel, inside)
END
# as one piece each
INTERCEPT_GRAPHS=whole life capture
quiet
expect_eq "whole graphs" "$(count ' gpu_graph ')" 3
expect_eq "nodes" "$(count ' gpu_(kernel|node|captured) ')" 0
total=$(awk '/ gpu_graph / { for (i = 1; i <= NF; i++) if (sub("duration_ns=", "", $i)) ns += $i } END { print ns }' dump.out)
expect_eq "time of whole graphs" "$total" "$(python3 -c 'import glob, json; print(json.load(open(glob.glob("counts.*.json")[0]))["device"]["graphs"]["total_ns"])')"

# memory of each kind, given out and given back
life memory
quiet
for kind in 3:1000:0 2:2000:0 5:3000:0 3:4000:1; do
	IFS=: read -r memory bytes pool <<<"$kind"
	for operation in 1 2; do
		expect_eq "memory $kind $operation" "$(count " gpu_memory .* operation=$operation .* memory=$memory address=0x[0-9a-f]+ bytes=$bytes asynchronous=$pool pool=$pool")" 1
	done
done

# what a pool holds is more than what is given out of it, until it is trimmed
for how in FAKE_CUPTI_VERSION={11.8,13.2} FAKE_CUPTI_ORDER=reverse; do
	export "${how?}"
	life pool
	unset "${how%%=*}"
	quiet
	expect_eq "$how: blocks say how large their pool is" "$(grep -oE ' pool_bytes=[0-9]+' dump.out | sort | uniq -c | tr -s ' \n' ' ')" \
		' 2 pool_bytes=2097152 1 pool_bytes=4194304 2 pool_bytes=6291456 '
	expect_eq "$how: trimmed" "$(count ' gpu_pool .* operation=3 .* address=0x7e0000000000 bytes=2097152 used_bytes=2097152')" 1
	expect "$OUTPUT" 'device_memory.totals.cupti_pool_bytes == 6 << 20' 'device_memory.totals.cupti_peak_bytes == 5 << 20' \
		'device_memory("--by", "device").row(device=0).cupti_pool_bytes == 6 << 20' 'device_memory.totals.graph_nodes == 0'
done
"$REPORT" device-memory "$OUTPUT" >table.out
expect_match "what people read" "$(tr -s '\n ' ' ' <table.out)" 'pools of stream-ordered memory held up to 6.00 MiB at one time, given out or not '

# the same in device-memory: what calls say and what CUPTI says, whatever the order in which it is told
for how in FAKE_CUPTI_VERSION={11.8,13.2} FAKE_CUPTI_ORDER={reverse,late}; do
	export "${how?}"
	INTERCEPT_STACKS=native FAKE_CUDA_DEVICES=2 life held
	unset "${how%%=*}"
	quiet
	expect "$OUTPUT" 'device_memory.totals.allocations == 305' 'device_memory.totals.cupti_allocations == 306' \
		'device_memory.totals.cupti_without_call == 1' 'device_memory.totals.cupti_late == 0' 'device_memory.totals.lost == 0' \
		'device_memory.totals.cupti_frees == 300' 'device_memory.totals.cupti_frees_unmatched == 0' 'device_memory.totals.cupti_address_reused == 0' \
		'device_memory.totals.peak_bytes == 52000' 'device_memory.totals.cupti_peak_bytes == 52000' \
		'device_memory.totals.live_bytes == 2900' 'device_memory.totals.cupti_live_bytes == 9900' \
		'device_memory.row(device=0, kind="device").cupti_live_bytes == 9000' 'device_memory.row(device=0, kind="device").live_bytes == 2000' \
		'device_memory.row(device=1, kind="device").cupti_peak_bytes == 920' 'device_memory.row(device=0, kind="pool").cupti_allocations == 100' \
		'device_memory("--by", "device").row(device=0).cupti_peak_bytes == 52000' 'device_memory("--by", "device").row(device=1).cupti_live_bytes == 900' \
		'device_memory("--by", "device").row(device=0).cupti_frees == 200' \
		'device_memory("--by", "function").row(function="hold", device=0).cupti_live_bytes == 2000' \
		'device_memory("--by", "function").row(function="hold", device=1).cupti_live_bytes == 900' \
		'device_memory("--by", "function").row(function="pass", device=1, kind="pool").cupti_allocations == 50' \
		'device_memory("--by", "function").sum("cupti_live_bytes") == 9900' 'device_memory("--by", "process").sum("cupti_live_bytes") == 9900' \
		'device_memory("--time", "0..1ns").totals.cupti_allocations == 0'
done
"$REPORT" device-memory "$OUTPUT" >table.out
expect_match "what people read" "$(tr -s '\n ' ' ' <table.out)" 'as CUPTI tells: device memory peak 50.8 KiB, still live 9.67 KiB pools of stream-ordered memory held up to 4.00 MiB at one time, given out or not blocks that no recorded call asked for, so that only CUPTI has them: 1 '
# what CUPTI drops is said: a block of an address that comes again is over at the latest then
FAKE_CUPTI_DROP=3 FAKE_CUDA_DEVICES=2 life held
quiet
expect "$OUTPUT" 'device_memory.totals.allocations == 305' 'device_memory.totals.lost > 190' 'device_memory.totals.cupti_allocations < 306' \
	'device_memory.totals.cupti_live_bytes == device_memory.sum("cupti_live_bytes")'
"$REPORT" device-memory "$OUTPUT" >table.out
expect_match "what people read" "$(tr -s '\n ' ' ' <table.out)" 'LOST: [0-9]+ records of the GPU'
# without CUPTI its columns are empty
INTERCEPT_TRACE=-gpu FAKE_CUDA_DEVICES=2 life held
expect "$OUTPUT" 'device_memory.totals.allocations == 305' 'all(row.cupti_allocations is None for row in device_memory.rows)'

# the program that comes next has all of its own; a child of one that has not used CUDA has, too
life exec
expect "$OUTPUT" 'launches.totals.calls == 30' 'kernels.totals.without_call == 0' 'kernels.totals.calls >= 20'
life fork
same
expect "$OUTPUT" 'kernels.totals.calls == 20' 'len(kernels("--by", "thread").rows) == 2'

# the driver was there first and calls nobody: the first call that succeeds starts CUPTI, once, whoever comes at the same time
for threads in 1 8; do
	life late $threads
	quiet
	expect_eq "$threads: starts" "$(count ' gpu_cupti state=1 ')" 1
	expect_eq "$threads: late" "$(count ' gpu_cupti state=8 ')" 1
	expect "$OUTPUT" "launches.totals.calls == 10 * $threads + 10" 'kernels.row(name="second(float*)").calls == 10' 'kernels.totals.lost == 0'
	"$REPORT" kernels "$OUTPUT" >table.out 2>&1
	expect_match "late" "$(tr -s '\n ' ' ' <table.out)" 'CUDA had started before CUPTI'
done
# another tool is to be told of the driver's start: CUPTI is its, and is not loaded
for other in /opt/nsys/libToolsInjection64.so none; do
	CUDA_INJECTION64_PATH=$other life other
	expect_match "another tool" "$(cat gpu.err)" "CUDA_INJECTION64_PATH is '$other': CUPTI is left to it, work of the GPU is not recorded"
	expect_eq "another tool" "$(count " gpu_cupti state=7 .*what=\"$other\"")" 1
	expect "$OUTPUT" 'launches.totals.calls == 10' 'kernels.totals.calls == 0'
	grep -q '"libcupti' counts.*.json && fail "libcupti was loaded beside another tool"
	"$REPORT" kernels "$OUTPUT" >table.out 2>&1
	expect_match "another tool" "$(tr -s '\n ' ' ' <table.out)" "CUPTI was left to another tool \\($other\\)"
done
# its library is there without the variable, preloaded or opened by the program: the same
for other in libToolsInjectionProxy64.so:Systems libToolsInjection64.so:Systems libcuda-injection.so:Compute; do
	cp "$PROGRAMS/libplain_hash.so" "./${other%:*}"
	rm -f ./*.evt* counts.*.json
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $PWD/${other%:*}" "$PROGRAMS/cuda_life" other 2>gpu.err || fail "$other: status $?"
	expect_eq "$other: what is said" "$(cat gpu.err)" \
		"intercept: Nsight ${other#*:} is here with '$PWD/${other%:*}': CUPTI is left to it, work of the GPU is not recorded"
	"$REPORT" dump --wait 60 "$OUTPUT" >dump.out
	expect_eq "$other" "$(count " gpu_cupti state=7 .*what=\"$PWD/${other%:*}\"")" 1
	expect "$OUTPUT" 'launches.totals.calls == 10' 'kernels.totals.calls == 0'
	grep -q '"libcupti' counts.*.json && fail "libcupti was loaded beside $other"
done
# it is opened after CUPTI was started here: what was recorded until then stays, from then on CUPTI is the other's
for other in libToolsInjection64.so libcuda-injection.so; do
	life opened "$PWD/$other"
	expect_eq "$other, opened: what is said" "$(cat gpu.err)" \
		"intercept: another profiler uses CUPTI now ($PWD/$other): work of the GPU is not recorded from here on"
	expect_eq "$other, opened" "$(count " gpu_cupti state=5 .*what=\"$PWD/$other\"")" 1
	"$REPORT" kernels "$OUTPUT" >table.out 2>&1
	expect_match "opened" "$(tr -s '\n ' ' ' <table.out)" "another profiler came \\($PWD/$other\\): the GPU's work from then on is not here"
	expect "$OUTPUT" 'kernels.row(name="first(float*)").calls == 10' 'launches.row(kernel="first(float*)").calls == 20' \
		'kernels.row(name="second(float*)").calls <= launches.row(kernel="second(float*)").calls' \
		'kernels.totals.calls + kernels.totals.untold + 10 == launches.totals.calls' 'kernels.totals.lost == 0'
done
# another name is nobody's
cp "$PROGRAMS/libplain_hash.so" ./libNoToolsInjection.so
rm -f ./*.evt*
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $PWD/libNoToolsInjection.so" "$PROGRAMS/cuda_life" other 2>gpu.err || fail "no tool: status $?"
quiet
expect "$OUTPUT" 'kernels.totals.calls == 10'
# the variable was ours, and another tool has taken it since: the driver calls that one
life taken
expect_match "taken" "$(cat gpu.err)" "intercept: CUDA_INJECTION64_PATH is '/opt/tool/libtool.so': CUPTI is left to it, work of the GPU is not recorded$"
expect "$OUTPUT" 'launches.totals.calls == 10' 'kernels.totals.calls == 0'
exit 0
