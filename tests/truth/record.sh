#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: tests/truth/record.sh [NAME...]
# Records the programs of tests/truth/programs again, or those named, into tests/truth/recordings. Needs PyTorch;
# on a machine that does nothing else, or the causes are not the only ones. Look at `git diff --stat` and at what
# prof-report bottleneck makes of each.

cd "$(dirname "$0")/../.." || exit 1
. tests/truth/fake_gpu.sh
TRACE=-alloc,-tensors
PYTHON=${PYTHON:-$HOME/.cache/intercept/venv/bin/python}
names=("$@")
if [[ $# == 0 ]]; then
	mapfile -t names < <(cd tests/truth/programs && printf '%s\n' *.py)
fi
mkdir -p tests/truth/recordings
for name in "${names[@]}"; do
	name=${name%.py}
	program=tests/truth/programs/$name.py
	trace=$(sed -n 's/^# trace: //p' "$program")
	step=$(sed -n 's/^# step: //p' "$program")
	stacks=$(sed -n 's/^# stacks: //p' "$program")
	rm -f "tests/truth/recordings/$name.evt" "tests/truth/recordings/$name".*.evt # those of ranks
	build=$(fake_nvml "$program" build)
	mapfile -t gpu < <(fake_gpu "$program" "$build")
	library=build/libintercept.so${gpu[0]:+:${gpu[0]#*=}}
	[[ ! ${gpu[*]} ]] || trace=${trace:-$TRACE,-imports}
	env "${gpu[@]:1}" PYTHONPATH=tests/truth INTERCEPT_KEEP=0 INTERCEPT_TRACE="${trace:-$TRACE}" INTERCEPT_STEP="$step" INTERCEPT_STACKS="${stacks:-large}" INTERCEPT_REDACT=args,paths,host \
		INTERCEPT_OUTPUT="tests/truth/recordings/$name.evt" LD_PRELOAD="$library" \
		timeout 120 "$PYTHON" "$program" >/dev/null 2>&1 || echo "$name: exit status $?" >&2
	[[ $build == build ]] || rm -r "$build"
done
