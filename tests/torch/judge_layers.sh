# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For cases that judge many models, of which each has a process of its own in one program (each_model.py):
#   run_models TRACE WHAT MODELS RUN...    arguments of each_model.py; recorded with this INTERCEPT_TRACE, or not with ''
#   pid_of MODEL RUN                       prints its process
#   report_of FILE MODEL RUN REPORT...     what a report says of that process
#   judge_layers MODEL RUN [OPTION...]     compares what reports say of that process with judge.json (compare_layers.py)

declare -A process=()
run_models() {
	local model run pid start=()
	[[ ! $1 ]] || start=(run_traced)
	rm -f ./*.evt
	INTERCEPT_TRACE=$1,-alloc "${start[@]}" "$PYTHON" "$ROOT/tests/torch/each_model.py" "${@:2}" >out 2>err || fail "$*: $(tail -5 err)"
	while read -r model run pid; do
		process[$model $run]=$pid
	done <out
}

pid_of() {
	echo "${process[$1 $2]}"
}

report_of() {
	"$REPORT" "${@:4}" -p "$(pid_of "$2" "$3")" --format json --limit 0 "$OUTPUT" >"$1" || fail "$*"
}

judge_layers() {
	report_of rows.json "$1" "$2" modules
	report_of tree.json "$1" "$2" modules --tree
	report_of ops.json "$1" "$2" ops
	report_of split.json "$1" "$2" ops --by module
	report_of tensors.json "$1" "$2" tensors --by module
	report_of devices.json "$1" "$2" tensors --by device
	python3 -S "$ROOT/tests/torch/compare_layers.py" "$1" "${@:3}" 2>why || fail "$1 ${*:3}: $(tail -3 why)"
}
