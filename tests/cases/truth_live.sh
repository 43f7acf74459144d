#!/bin/bash
# Programs with one planted cause each, run: the cause is among the advice, however busy the machine is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
# suite: test-all, records trainings anew; truth_recorded judges kept ones
need_torch
# waits that take no smaller part of the time on a busy machine (pause() of training.py), and what is counted
for name in sleep_labelled decode collate recompilation closure growing_tensors; do
	program=$ROOT/tests/truth/programs/$name.py
	export PYTHONPATH=$ROOT/tests/truth:$ROOT/tests/torch/eager
	[[ $name != recompilation ]] || PYTHONPATH=$ROOT/tests/truth # torch.compile itself
	# half a second of sleeps: at 50 Hz it depends on the machine whether that is enough looks for a line
	INTERCEPT_SAMPLE=400 INTERCEPT_TRACE=$(sed -n 's/^# trace: //p' "$program") run_traced "$PYTHON" "$program" >out 2>err || fail "$name: $(cat err)"
	python3 -S "$ROOT/tests/truth/judge.py" --live "$REPORT" "$OUTPUT" "$program" || fail "$name"
	# advice names the line of the program's own, by samples
	case $name in
	collate) line='collate.py:13 \(collate\)' ;;
	decode) line='decode.py:[0-9]+ \(__getitem__\)' ;;
	sleep_labelled) line='sleep_labelled.py:15 \(before\)' ;;
	*) line= ;;
	esac
	# (of few samples none is named; truth_recorded wants it)
	said=$("$REPORT" bottleneck --format json "$OUTPUT" | grep -o 'By samples, [0-9]* % of the time [A-Za-z ]* was in .*')
	[[ ! $line || ! $said ]] || expect_match "the line of $name" "$said" "By samples, [0-9]+ % of the time [A-Za-z ]+ was in $line"
	rm "$OUTPUT"
done
