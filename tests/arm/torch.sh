#!/bin/bash
# SPDX-License-Identifier: MIT
# asked only: downloads 3 GB, and an import of PyTorch takes minutes under the emulator
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: PyPI's PyTorch for aarch64 under the emulator. Operators, tensors, steps and lines of
# a small training are those that the same version has on x86-64.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

site=${ARM_TORCH:-$("$ROOT/scripts/arm-torch-env.sh")} || fail "no PyTorch for aarch64"
python=$("$ROOT/scripts/find-python.sh") || fail "no PyTorch to compare with"
train=$ROOT/tests/arm/train.py
# for both; the emulator hands its environment on, and its option -E takes no commas
export INTERCEPT_STACKS=python INTERCEPT_TRACE=+modules,+shapes

env "INTERCEPT_OUTPUT=$PWD/ours.evt" "LD_PRELOAD=$ROOT/build/libintercept.so" "$python" "$train" >ours.out || fail "x86-64: status $?"
qemu=(qemu-aarch64 -L "$ARM_ROOT" -E "PYTHONHOME=$ARM_ROOT/usr" -E "PYTHONPATH=$site" -E OMP_NUM_THREADS=1)
# qemu-user 7.2 cannot run an operator of PyTorch 2.15
"${qemu[@]}" "$ARM_ROOT/usr/bin/python3.11" -c 'import torch; torch.ones(()).add(1)' 2>bare.err ||
	fail "PyTorch crashes under this emulator without intercept, so nothing can be compared: $(tail -n 1 bare.err)"
qemu+=(-E "INTERCEPT_OUTPUT=$PWD/theirs.evt" -E "LD_PRELOAD=$BUILD/arm/libintercept.so:${BUILD%/run}/programs/libemulated.so")
"${qemu[@]}" "$ARM_ROOT/usr/bin/python3.11" "$train" >theirs.out || fail "aarch64: status $?"
expect_eq "the loss" "$(cat theirs.out)" "$(cat ours.out)"

# counts only, in one order
counts() { # FILE REPORT COLUMNS [OPTION...]
	local file=$1 report=$2 columns=$3
	shift 3
	"$ROOT/build/prof-report" "$report" "$@" --columns "$columns" --limit 0 --format csv "$file" | LC_ALL=C sort
}
same() { # REPORT COLUMNS [OPTION...]
	counts ours.evt "$@" >ours.csv || fail "prof-report $1 ours.evt"
	counts theirs.evt "$@" >theirs.csv || fail "prof-report $1 theirs.evt"
	[[ $(wc -l <ours.csv) -gt 3 ]] || fail "$1: $(cat ours.csv)"
	diff ours.csv theirs.csv || fail "$*: x86-64 (<) and aarch64 (>) differ"
	echo "$*: $(($(wc -l <ours.csv) - 1)) rows are equal"
}
same ops name,calls,cpu_mem_bytes,self_cpu_mem_bytes,scope
same ops name,calls,input_shapes --by shape
same tensors op,device,allocations,bytes_allocated,frees,live_bytes
same tensors line,allocations,bytes_allocated --by line
same modules name,module,class,calls,backward_functions,operators,allocations,bytes_allocated,parameter_bytes
same steps step,ended_by
