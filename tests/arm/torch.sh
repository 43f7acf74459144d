#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: PyPI's PyTorch for aarch64 under the emulator. Operators, tensors, steps and lines of
# a small training are those that the same version has on x86-64.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

theirs=$("$ROOT/scripts/arm-torch-env.sh" aarch64) || fail "no PyTorch for aarch64"
ours=$("$ROOT/scripts/arm-torch-env.sh" x86_64) || fail "no PyTorch for x86-64 to compare with"
train=$ROOT/tests/arm/train.py
# for both; the emulator hands its environment on, and its option -E takes no commas
export INTERCEPT_STACKS=python INTERCEPT_TRACE=+modules,+shapes OMP_NUM_THREADS=1

env "PYTHONPATH=$ours" "INTERCEPT_OUTPUT=$PWD/ours.evt" "LD_PRELOAD=$ROOT/build/libintercept.so" /usr/bin/python3.11 "$train" >ours.out ||
	fail "x86-64: status $?"
qemu-aarch64 -L "$ARM_ROOT" -E "PYTHONHOME=$ARM_ROOT/usr" -E "PYTHONPATH=$theirs" -E "INTERCEPT_OUTPUT=$PWD/theirs.evt" \
	-E "LD_PRELOAD=$BUILD/arm/libintercept.so:${BUILD%/run}/programs/libemulated.so" \
	"$ARM_ROOT/usr/bin/python3.11" "$train" >theirs.out 2>theirs.err || fail "aarch64: status $?: $(tail -n 1 theirs.err)"
expect_eq "the loss" "$(cat theirs.out)" "$(cat ours.out)"

# counts only, in one order; PyTorch is in a folder for each architecture
counts() { # FILE REPORT COLUMNS [OPTION...]
	local file=$1 report=$2 columns=$3
	shift 3
	"$ROOT/build/prof-report" "$report" "$@" --columns "$columns" --limit 0 --format csv "$file" | sed "s,$theirs/,,; s,$ours/,," | LC_ALL=C sort
}
same() { # LEAST REPORT COLUMNS [OPTION...]
	local least=$1
	shift
	counts ours.evt "$@" >ours.csv || fail "prof-report $1 ours.evt"
	counts theirs.evt "$@" >theirs.csv || fail "prof-report $1 theirs.evt"
	(($(wc -l <ours.csv) > least)) || fail "$1: $(cat ours.csv)"
	diff ours.csv theirs.csv || fail "$*: x86-64 (<) and aarch64 (>) differ"
	echo "$*: $(($(wc -l <ours.csv) - 1)) rows are equal"
}
same 100 ops name,calls,cpu_mem_bytes,self_cpu_mem_bytes,scope
same 200 ops name,calls,input_shapes --by shape
same 50 tensors op,device,allocations,bytes_allocated,frees,live_bytes
# all frames: which files were installed is only known where the collector can read the program's memory
same 30 tensors line,allocations,bytes_allocated --by line --frames all
same 5 modules module,class,calls,backward_functions,operators,parameter_bytes
same 10 steps step,ended_by
