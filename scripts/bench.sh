#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: bench.sh [--build]  what `make bench` calls; all groups, about 20 minutes on two cores; --build: only compile
#        make bench B=heap   one group, or several: heap nvtx cuda gpu start size report read train import
#                            instructions stacks steps torch torch-train torch-table, and, only when named, torch-100k
#        make bench ROUNDS=9 more rounds, for a noisy machine
#        make bench B=steps  what is paid over bare in a PyTorch step, on a GPU where PyTorch sees one; SIZE=short or quick: less
# Compiles the subjects (tests/bench) and measures them bare, under intercept and under the peers that are
# installed, in turn. Prints a table; writes O/bench/results.md and every single run to O/bench/results.json.
# Nothing here fails because something is slow.

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
nvtx=$(sed -n 's/^NVTX_CFLAGS := //p' "$O/config.mk" 2>/dev/null)
mkdir -p "$O/bench" || exit 1
for program in heap nvtx io clock stacks; do
	# shellcheck disable=SC2086 # a list of words
	"${CC:-cc}" -O2 -D_GNU_SOURCE= $nvtx "tests/bench/$program.c" -o "$O/bench/$program" -lpthread -ldl || exit 1
done
# the CUDA that cuda.c calls, under the name and version of the real one
echo 'libcudart.so.13 { global: cu*; __cuda*; local: *; };' >"$O/bench/cudart.map"
"${CC:-cc}" -O2 -D_GNU_SOURCE= -I. -fPIC -shared tests/bench/cudart_stub.c -o "$O/bench/libcudart.so.13" \
	-Wl,-soname,libcudart.so.13,--version-script,"$O/bench/cudart.map" || exit 1
# shellcheck disable=SC2016 # the linker's $ORIGIN
"${CC:-cc}" -O2 -D_GNU_SOURCE= -I. tests/bench/cuda.c -o "$O/bench/cuda" -L"$O/bench" -l:libcudart.so.13 \
	-Wl,-rpath,'$ORIGIN' -lpthread || exit 1
# an operator callback that does nothing
"${CC:-cc}" -O2 -D_GNU_SOURCE= -fPIC -shared tests/bench/empty_callback.c -o "$O/bench/libempty_callback.so" || exit 1
# a tool that does nothing with what CUPTI tells; the fake CUDA is of `make tests`
"${CC:-cc}" -O2 -D_GNU_SOURCE= -I. -fPIC -shared tests/bench/empty_cupti.c -o "$O/bench/libempty_cupti.so" -ldl || exit 1
[ "${1:-}" != --build ] || exit 0
PYTHON=$(scripts/find-python.sh) || PYTHON=
export PYTHON
unset LD_PRELOAD
# shellcheck disable=SC2086 # a list of words
exec python3 scripts/bench/main.py --build "$O" --rounds "${ROUNDS:-5}" --size "${SIZE:-full}" ${B:-}
