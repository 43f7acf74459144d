# shellcheck shell=bash disable=SC2034,SC2054,SC2154,SC2317
# SPDX-License-Identifier: MIT
#
# The checks of scripts/test-gpu.sh, which sources this file and calls check_NAME in a subshell: exit status 0 passed, 77 skipped
# with the reason as last line. Checks of CHECKS run side by side, those of COSTS after them and alone. What they run stands
# there: program, train, work, traced, once, both, compare. A check's files are in $here; what several share is in $shared.

CHECKS=(works_elementwise works_cublas works_graph works_triton works_workers works_memory works_ops beside_plain beside_demo
	ops_plain ops_demo detached windows killed million train_plain train_demo counts counts_static driver)
COSTS=(launch_cost cost)

# --- programs in CUDA C++ ---

check_counted() { # NAME: outputs agree, reports say what the program counted
	need_programs
	program "$1" >"$here/bare.json" || return
	traced "$here/$1.evt" program "$1" >"$here/$1.json" || return
	compare outputs "$here/bare.json" "$here/$1.json" &&
		compare counts "$O/prof-report" "$here/$1.json" "$here/$1.evt" && reports_run "$here/$1.evt"
}

check_counts() {
	check_counted counts
}

check_driver() {
	check_counted driver
}

check_counts_static() {
	local runtime=''
	need_programs
	program counts_static >"$here/bare.json" &&
		traced "$here/static.evt" program counts_static >"$here/static.json" &&
		compare outputs "$here/bare.json" "$here/static.json" &&
		compare nothing "$O/prof-report" "$here/static.evt" || return
	[[ $fake ]] && return # NVIDIA's runtime finds no device in it
	compare worked "$here/static.json" && compare static "$O/prof-report" "$here/static.evt" "$here/static.json"
}

# --- work of PyTorch: two processes do all of it, one of them with torch.profiler ---

works() { # RESULT [OPTION]...
	local result=$1 works=(elementwise:2000 cublas:500 graph:500 triton:500 workers:300 memory:20)
	shift
	[[ $fake ]] && works=(elementwise:500 cublas:200 graph:200 workers:50 memory:20)
	traced "$result.evt" work "$result" "${works[@]}" "$@"
}

need_works() {
	need_torch numpy
	both "once works_alone works $shared/works_alone" "once works_beside works $shared/works_beside --profiled"
}

# One kind: as many kernels as it asked for, those of torch.profiler beside us, and the same ones without it.
check_works() { # WORK
	local alone=$shared/works_alone beside=$shared/works_beside
	need_works || return
	[[ -e $alone.$1.missing ]] && cat "$alone.$1.missing" && return 77
	[[ -e $alone.$1.json ]] || { echo "not among what is done over a fake CUDA"; return 77; }
	[[ $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["kernels"])' "$alone.$1.json") == None ]] ||
		compare number "$O/prof-report" "$alone.evt" "measured $1" "$alone.$1.json" || return
	compare device "$O/prof-report" "$beside.evt" "measured $1" "$beside.$1.trace.json" "$here/kernels" &&
		compare again "$O/prof-report" "$alone.evt" "measured $1" "$here/kernels"
}

check_works_elementwise() {
	check_works elementwise && reports_run "$shared/works_beside.evt"
}

check_works_cublas() {
	check_works cublas
}

check_works_triton() {
	check_works triton
}

check_works_graph() {
	check_works graph
}

check_works_workers() {
	check_works workers
}

# What calls, CUPTI and PyTorch's allocator say of the same memory.
check_works_memory() {
	need_works || return
	compare memory "$O/prof-report" "$shared/works_alone.evt" "$shared/works_alone.memory.json"
}

# GPU time by operator.
check_works_ops() {
	local name
	need_works || return
	for name in elementwise cublas; do
		compare ops "$O/prof-report" "$shared/works_beside.evt" "measured $name" "$shared/works_beside.$name.ops.json" || return
	done
}

# --- a training ---

beside() { # WORK: with torch.profiler in it
	traced "$shared/beside_$1.evt" train "$shared/beside_$1.json" "$1" "${without[@]}" --profiled "$shared/beside_$1"
}

alone() { # WORK
	traced "$shared/alone_$1.evt" train "$shared/alone_$1.json" "$1" "${without[@]}"
}

# Kernels as often and as long as torch.profiler has them, and the same without it.
check_beside() { # WORK
	both "once beside_$1 beside $1" "once alone_$1 alone $1" || return
	compare device "$O/prof-report" "$shared/beside_$1.evt" measured "$shared/beside_$1.trace.json" "$here/kernels" &&
		compare again "$O/prof-report" "$shared/alone_$1.evt" measured "$here/kernels"
}

check_beside_plain() {
	need_torch numpy
	check_beside plain
}

check_beside_demo() {
	need_torch numpy sklearn
	check_beside demo
}

check_ops() { # WORK
	once "beside_$1" beside "$1" &&
		compare ops "$O/prof-report" "$shared/beside_$1.evt" measured "$shared/beside_$1.ops.json"
}

check_ops_plain() {
	need_torch numpy
	check_ops plain
}

check_ops_demo() {
	need_torch numpy sklearn
	check_ops demo
}

same_results() { # WHAT RESULT...: losses and weights of each are those of the first
	local what=$1 first=$2 other
	shift 2
	for other; do
		compare outputs "$first" "$other" ns >"$here/same" && continue
		echo "$what differ:"
		cat "$here/same"
		return 1
	done
	echo "$what: losses and weights are equal bit by bit"
}

train_traced() { # RESULT WORK TRACE
	INTERCEPT_TRACE=$3 traced "$1.evt" train "$1.json" "$2"
}

# The same training bare, with two sets of families, and under torch.profiler.
check_train() { # WORK [OPTION of compare kernels]
	local name=$1
	shift
	both "train $here/bare.json $name" "train $here/again.json $name" \
		"train_traced $here/heap $name alloc,nvtx,cuda" "train_traced $here/cuda $name nvtx,cuda" \
		"train $here/profiled.json $name --profiled $here/profiled" || return
	same_results "bare runs" "$here/bare.json" "$here/again.json" &&
		same_results "bare and under intercept" "$here/bare.json" "$here/heap.json" "$here/cuda.json" &&
		same_results "bare and under torch.profiler" "$here/bare.json" "$here/profiled.json" &&
		compare kernels "$O/prof-report" "$here/heap.evt" measured "$here/profiled.trace.json" "$@"
}

check_train_plain() {
	need_values
	need_torch numpy
	check_train plain --whole
}

check_train_demo() {
	need_values
	need_torch numpy sklearn
	check_train demo
}

# --- ends and sizes ---

# kill -9, two seconds after the last launch: CUPTI hands out what is full each second, the rest is counted
check_killed() {
	need_torch numpy
	traced "$here/killed.evt" work "$here/result" killed:20000
	local status=$?
	((status == 137)) || { echo "exit status $status, wanted 137"; return 1; }
	compare number "$O/prof-report" "$here/killed.evt" "measured killed" "$here/result.killed.json" 1000
}

# CUPTI leaves the process between captures, and each capture has all of its work: kernels, and a graph that was captured before.
check_detached() {
	local name
	need_torch numpy
	INTERCEPT_CAPTURE=cuda-profiler-api traced "$here/detached.evt" work "$here/result" elementwise:500 graph:300 launches:500 more:500 --apart || return
	for name in elementwise graph launches more; do
		compare number "$O/prof-report" "$here/detached.evt" "measured $name" "$here/result.$name.json" 0 --captures || return
	done
	(($(limited 60 "$O/prof-report" dump "$here/detached.evt" | grep -c 'gpu_cupti state=11 ') == 4)) && return
	echo "CUPTI was not detached after each of the four captures:"
	limited 60 "$O/prof-report" dump "$here/detached.evt" | grep gpu_cupti
	return 1
}

# INTERCEPT_PRESET=light: the GPU in drawn steps, with all of their kernels, and CUPTI leaves the process in between.
check_windows() {
	need_torch numpy
	INTERCEPT_PRESET=light INTERCEPT_STEP=step INTERCEPT_GPU_STEPS=8/200,first=20 traced "$here/windows.evt" work "$here/result" steps:2000 || return
	compare windows "$O/prof-report" "$here/windows.evt" 5
}

# Exact, in bounded memory: nine tenths of the launches take no more than the first.
check_million() {
	local count=100000
	need_torch numpy
	[[ $fake ]] && count=2000
	traced "$here/million.evt" work "$here/result" "launches:$count" "more:$((9 * count))" &&
		compare number "$O/prof-report" "$here/million.evt" "measured launches" "$here/result.launches.json" &&
		compare number "$O/prof-report" "$here/million.evt" "measured more" "$here/result.more.json" &&
		compare bytes "$here/million.evt" "$((10 * count))" || return
	python3 - "$here"/result.{launches,more}.json <<-'PYTHON'
	import json
	import sys

	few, all = (json.load(open(path))["peak_bytes"] for path in sys.argv[1:])
	print("resident memory of the program at its peak: %.1f MiB, after a tenth of the launches %.1f MiB"
	      % (all / 2**20, few / 2**20))
	sys.exit(all > few + (64 << 20))
	PYTHON
}

# --- costs: printed, nothing fails because it is slow ---

check_launch_cost() {
	local i bare=() with=()
	need_programs
	for ((i = 0; i < runs; i++)); do
		program launch_cost 200 >"$here/bare.$i.json" &&
			traced "$here/cost.evt" program launch_cost 200 >"$here/cost.$i.json" || return
		bare+=("$here/bare.$i.json")
		with+=("$here/cost.$i.json")
	done
	compare ratio "a launch" "${bare[@]}" -- "${with[@]}" || return
	traced "$here/empty.evt" program launch_cost 0 >"$here/empty.json" &&
		compare bytes "$here/cost.evt" "$((200 * 500))" "$here/empty.evt"
}

# A step and an operator of PyTorch, with more and less recorded, beside what is not ours and torch.profiler: make bench B=steps
check_cost() {
	local status
	need_torch numpy
	if [[ ! -e $O/bench/libempty_cupti.so ]]; then
		O=$O scripts/bench.sh --build || return
	fi
	# over the fake the figures say nothing, and a full ring says only that the machine is busy
	PYTHON=$PYTHON BENEATH=${beneath#:} limited 900 env ${fake:+INTERCEPT_FULL=wait} python3 scripts/bench/main.py --build "$O" \
		--rounds "$((runs > 1 ? 2 : 1))" --size "$([[ $fake ]] && echo quick || echo short)" steps >"$here/out" 2>"$here/err"
	status=$?
	cat "$here/out"
	cp "$O/bench/steps-runs.json" "$OUT/runs.json"
	[[ -s $O/bench/steps.json ]] && cp "$O/bench/steps.json" "$OUT/" && compare steps "$OUT/steps.json" && ((status == 0)) && return
	tail -n 20 "$here/err"
	return 1
}
