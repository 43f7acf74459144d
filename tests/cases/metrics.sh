#!/bin/bash
# INTERCEPT_METRICS: a file in Prometheus' text format, strictly, whose figures are those of the reports; replaced as a whole, and only if it is ours.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_gpu progress
export FAKE_CUDA_COUNTS=$PWD/counts.json
metrics() { # FILE EXPRESSION...
	python3 -S "$ROOT/tests/exposition.py" "$@" || fail "line ${BASH_LINENO[0]}: $1"
}

# at the end: the GPU as the reports have it, and the labels
umask 077
export INTERCEPT_METRICS=train.prom
RANK=3 WORLD_SIZE=8 run_traced "$PROGRAMS/cuda_gpu" work 2>err || fail "status $?"
expect_eq "what is said" "$(cat err)" ""
expect_eq "its rights" "$(stat -c %a train.prom)" 644
metrics train.prom 'value("up", rank="3") == 0' 'len({labels["pid"] for _, labels, _ in samples}) == 1' \
	'all(labels.keys() - {"device"} == {"host", "pid", "rank"} for _, labels, _ in samples)' \
	"value('gpu_kernels_total', device='0') == $(json kernels "$OUTPUT" 'totals["calls"]')" \
	"round(value('gpu_kernel_seconds_total') * 1e9) == $(json kernels "$OUTPUT" 'totals["total_ns"]')" \
	"round(value('gpu_busy_seconds_total') * 1e9) == $(json summary "$OUTPUT" 'totals["gpu_busy_ns"]')" \
	"value('gpu_copied_bytes_total') == $(json gpu-copies "$OUTPUT" 'sum(r["bytes"] for r in rows if r["kind"] != "memset")')" \
	"value('recorder_events_total') > 0 and value('lost_events_total') == 0" 'value("write_errors_total") == 0'

# while it runs, at once; the next file replaces the one before
rm -f ./*.evt* train.prom
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 1 2>err &
pid=$!
eventually "the first file" test -s train.prom
metrics train.prom 'value("up") == 1' 'value("processes") == 1' "value('resident_bytes', pid='$pid') > 100000"
kill -9 $pid
wait $pid 2>/dev/null
written
metrics train.prom 'value("up") == 0' 'value("processes") == 0' "value('up', pid='$pid') == 0" 'values("resident_bytes") == []'
expect_eq "what is left in the folder" "$(find . -name '*.tmp')" ""

# a program beside has a name of its own; %p is one, too
rm -f ./*.evt* train.prom
run_traced bash -c "$PROGRAMS/cuda_gpu work; $PROGRAMS/cuda_gpu work; :" || fail "status $?"
written
files=(train*.prom)
expect_eq "files" "${#files[@]}" 2
for file in "${files[@]}"; do
	metrics "$file" 'value("up") == 0'
done
INTERCEPT_METRICS=own.%p.prom run_traced "$PROGRAMS/cuda_gpu" work || fail "status $?"
metrics own.*.prom 'value("gpu_kernels_total") > 0'

# what is not ours stays, and one line says so; the recording is complete
for bad in "file it exists and has no metrics of intercept in it" "link it exists and is no regular file" \
	"none/x.prom No such file or directory"; do
	rm -f ./*.evt* file link
	echo "import torch" >file
	ln -s /dev/null link
	INTERCEPT_METRICS=${bad%% *} run_traced "$PROGRAMS/cuda_gpu" work 2>err || fail "$bad: status $?"
	expect_eq "$bad: lines" "$(wc -l <err)" 1
	expect_match "$bad" "$(cat err)" "^intercept: cannot write metrics to '.*${bad%% *}': ${bad#* }; "
	expect_eq "$bad: the file" "$(cat file)" "import torch"
	expect "$OUTPUT" 'kernels.totals.calls > 0' 'summary.totals.events_lost == 0'
done
INTERCEPT_REDACT=host run_traced "$PROGRAMS/cuda_gpu" work || fail "status $?"
metrics train.prom 'all(labels["host"].startswith("redacted-") for _, labels, _ in samples)'
