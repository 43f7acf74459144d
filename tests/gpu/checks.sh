# shellcheck shell=bash disable=SC2034,SC2054,SC2154,SC2317
# SPDX-License-Identifier: MIT
#
# The checks of scripts/test-gpu.sh, which sources this file and calls check_NAME in a subshell: exit status 0 passed, 77 skipped
# with the reason as last line. What they run stands there: program, train, work, traced, compare.

check_counted() { # NAME: outputs agree, reports say what the program counted
	need_programs
	program "$1" >"$work/$1.bare.json" || return
	traced "$work/$1.evt" program "$1" >"$work/$1.json" || return
	compare outputs "$work/$1.bare.json" "$work/$1.json" &&
		compare counts "$O/prof-report" "$work/$1.json" "$work/$1.evt" || return
	show_tables "$1" "$work/$1.evt"
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
	program counts_static >"$work/static.bare.json" &&
		traced "$work/static.evt" program counts_static >"$work/static.json" &&
		compare outputs "$work/static.bare.json" "$work/static.json" &&
		compare nothing "$O/prof-report" "$work/static.evt" || return
	[[ $fake ]] && return # NVIDIA's runtime finds no device in it
	compare worked "$work/static.json" && compare static "$O/prof-report" "$work/static.evt" "$work/static.json"
}

check_launch_cost() {
	local i bare=() with=()
	need_programs
	for ((i = 0; i < runs; i++)); do
		program launch_cost 200 >"$work/cost.bare.$i.json" &&
			traced "$work/cost.evt" program launch_cost 200 >"$work/cost.$i.json" || return
		bare+=("$work/cost.bare.$i.json")
		with+=("$work/cost.$i.json")
	done
	compare ratio "a launch" "${bare[@]}" -- "${with[@]}" || return
	traced "$work/cost.empty.evt" program launch_cost 0 >"$work/cost.empty.json" &&
		compare bytes "$work/cost.evt" "$work/cost.empty.evt" "$((200 * 500))"
}

train_variants() { # RESULT WORK: bare and with two sets of families in turn
	local i
	for ((i = 0; i < runs; i++)); do
		train "$1.bare.$i.json" "$2" &&
			traced "$1.evt" train "$1.alloc,nvtx,cuda.$i.json" "$2" &&
			INTERCEPT_TRACE=nvtx,cuda traced "$1.cuda.evt" train "$1.nvtx,cuda.$i.json" "$2" || return
	done
}

same_results() { # WHAT RESULT...: losses and weights of each are those of the first
	local what=$1 first=$2 other
	shift 2
	for other; do
		compare outputs "$first" "$other" ns >"$work/same" && continue
		echo "$what differ:"
		cat "$work/same"
		return 1
	done
	echo "$what: losses and weights are equal bit by bit"
}

check_train() { # WORK [OPTION of compare kernels]
	local name=$1 result=$work/train_$1 kind
	shift
	train_variants "$result" "$name" || return
	same_results "bare runs" "$result".bare.*.json || return
	for kind in alloc,nvtx,cuda nvtx,cuda; do
		same_results "bare and under intercept, trace '$kind'" "$result.bare.0.json" \
			"$result.$kind".*.json || return
		compare ratio "a step of $name, trace '$kind'" "$result".bare.*.json -- "$result.$kind".*.json
	done
	show_tables "train $name" "$result.cuda.evt"
	train "$result.profiled.json" "$name" --trace "$result.trace.json" &&
		same_results "bare and under torch.profiler" "$result.bare.0.json" "$result.profiled.json" &&
		compare kernels "$O/prof-report" "$result.evt" measured "$result.trace.json" "$@"
}

check_train_plain() {
	need_values
	need_torch
	check_train plain --whole
}

check_train_demo() {
	need_values
	need_torch sklearn
	check_train demo
}

# One kind of work: as many kernels as it asked for, those of torch.profiler beside us, and the same ones without it.
check_work() { # WORK COUNT
	local result=$work/work_$1
	need_torch numpy
	traced "$result.alone.evt" work "$result.alone.json" "$1" --count "$2" || return
	traced "$result.evt" work "$result.json" "$1" --count "$2" --trace "$result.trace.json" || return
	[[ $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["kernels"])' "$result.json") == None ]] ||
		compare number "$O/prof-report" "$result.alone.evt" measured "$result.alone.json" || return
	compare device "$O/prof-report" "$result.evt" measured "$result.trace.json" &&
		compare again "$O/prof-report" "$result.alone.evt" measured "$result.evt.kernels" || return
	show_tables "work $1" "$result.evt"
}

check_work_elementwise() {
	check_work elementwise 2000
}

check_work_cublas() {
	check_work cublas 500
}

check_work_triton() {
	check_work triton 500
}

check_work_graph() {
	check_work graph 500
}

check_work_workers() {
	check_work workers 300
}

# What calls, CUPTI and PyTorch's allocator say of the same memory.
check_work_memory() {
	local result=$work/work_memory
	need_torch numpy
	traced "$result.evt" work "$result.json" memory --count 20 &&
		compare memory "$O/prof-report" "$result.evt" "$result.json" || return
	cp "$result.json" "$OUT/" && show_tables "work memory" "$result.evt"
}

# A training with torch.profiler in it, and without: kernels as often and as long as it has them.
check_beside() { # WORK
	local result=$work/beside_$1
	traced "$result.evt" train "$result.json" "$1" "${without[@]}" --trace "$result.trace.json" &&
		compare device "$O/prof-report" "$result.evt" measured "$result.trace.json" &&
		traced "$result.alone.evt" train "$result.alone.json" "$1" "${without[@]}" &&
		compare again "$O/prof-report" "$result.alone.evt" measured "$result.evt.kernels"
}

check_beside_plain() {
	need_torch numpy
	check_beside plain
}

check_beside_demo() {
	need_torch numpy sklearn
	check_beside demo
}

# kill -9, two seconds after the last launch: CUPTI is emptied each second
check_killed() {
	need_torch numpy
	traced "$work/killed.evt" work "$work/killed.json" killed --count 2000
	local status=$?
	((status == 137)) || { echo "exit status $status, wanted 137"; return 1; }
	compare number "$O/prof-report" "$work/killed.evt" measured "$work/killed.json"
}

# Exact, in bounded memory.
check_million() {
	local count=1000000
	need_torch numpy
	[[ $fake ]] && count=20000
	work "$work/million.bare.json" launches --count "$count" &&
		traced "$work/million.few.evt" work "$work/million.few.json" launches --count "$((count / 10))" &&
		traced "$work/million.evt" work "$work/million.json" launches --count "$count" &&
		compare number "$O/prof-report" "$work/million.evt" measured "$work/million.json" &&
		compare ratio "a launch by PyTorch, $count of them" "$work/million.bare.json" -- "$work/million.json" &&
		compare bytes "$work/million.evt" "$work/million.few.evt" "$((count - count / 10))" || return
	python3 - "$work"/million{.few,}.json <<-'PYTHON'
	import json
	import sys

	few, all = (json.load(open(path))["peak_bytes"] for path in sys.argv[1:])
	print("resident memory of the program at its peak: %.1f MiB, with a tenth of the launches %.1f MiB"
	      % (all / 2**20, few / 2**20))
	sys.exit(all > few + (64 << 20))
	PYTHON
}

# A launch by PyTorch with more and more of it recorded, beside torch.profiler; the bare runs alternate with the others.
check_cost() {
	local i trace count=20000 bare=() with
	local traces=(nvtx nvtx,cuda nvtx,gpu nvtx,cuda,gpu nvtx,cuda,gpu,torch alloc,nvtx,cuda,gpu,torch,tensors,imports)
	need_torch numpy
	[[ $fake ]] && count=2000 traces=(nvtx alloc,nvtx,cuda,gpu,torch,tensors,imports)
	for ((i = 0; i < runs; i++)); do
		work "$work/launch.bare.$i.json" launches --count "$count" &&
			work "$work/launch.profiled.$i.json" launches --count "$count" --trace "$work/launch.trace.json" || return
		bare+=("$work/launch.bare.$i.json")
		for trace in "${traces[@]}"; do
			INTERCEPT_TRACE=$trace traced "$work/launch.$trace.evt" work "$work/launch.$trace.$i.json" launches --count "$count" || return
		done
	done
	compare ratio "a launch, torch.profiler" "${bare[@]}" -- "$work"/launch.profiled.*.json
	for trace in "${traces[@]}"; do
		with=("$work/launch.$trace".[0-9]*.json)
		compare ratio "a launch, trace '$trace'" "${bare[@]}" -- "${with[@]}" || return
	done
}
