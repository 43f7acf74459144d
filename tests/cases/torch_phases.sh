#!/bin/bash
# Phases of steps of real trainings: accumulated gradients, closures, two optimizers, checkpointing, stages, inference.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch eager
INTERCEPT_TRACE=torch,python run_traced "$PYTHON" "$ROOT/tests/torch/phases.py" >kinds 2>err || fail "$(cat err)"
declare -A process
while read -r kind number; do
	process[$kind]=$number
done <kinds
expect_eq "kinds that ran" ${#process[@]} 7
parts() { # KIND [OPTION...]: the phases that it has, of all its steps together; they add up
	json steps "$OUTPUT" "[name for name in ('data', 'forward', 'backward', 'optimizer', 'communication', 'evaluation') if totals[name + '_ns']] \
		if sum(ns for name, ns in totals.items() if name in ('data_ns', 'forward_ns', 'backward_ns', 'optimizer_ns', 'communication_ns', 'evaluation_ns', 'other_phase_ns')) == totals['total_ns'] > 0 else 'not the whole'" \
		-p "${process[$1]}" "${@:2}"
}
for kind in accumulation closure adversaries checkpointing stages; do
	expect_eq "phases of $kind" "$(parts $kind)" '["forward", "backward", "optimizer"]'
done
expect_eq "phases of validation" "$(parts validation)" '["forward", "backward", "optimizer", "evaluation"]'
expect_eq "phases of inference" "$(parts inference --step request)" '["evaluation"]'
rm "$OUTPUT" # a child may wait for a CPU for longer than it then lives
