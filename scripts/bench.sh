#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: bench.sh            what `make bench` calls; all groups, about six minutes on two cores
#        make bench B=heap   one group, or several: heap nvtx start size report train import
#        make bench ROUNDS=9 more rounds, for a noisy machine
# Compiles the subjects (tests/bench) and measures them bare, under intercept and under the peers that are
# installed, in turn. Prints a table; writes O/bench/results.md and every single run to O/bench/results.json.
# Nothing here fails because something is slow.

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
nvtx=$(sed -n 's/^NVTX_CFLAGS := //p' "$O/config.mk" 2>/dev/null)
mkdir -p "$O/bench" || exit 1
for program in heap nvtx clock; do
	# shellcheck disable=SC2086 # a list of words
	"${CC:-cc}" -O2 -D_GNU_SOURCE= $nvtx "tests/bench/$program.c" -o "$O/bench/$program" -lpthread -ldl || exit 1
done
PYTHON=$(scripts/find-python.sh) || PYTHON=
export PYTHON
unset LD_PRELOAD
# shellcheck disable=SC2086 # a list of words
exec python3 scripts/bench/main.py --build "$O" --rounds "${ROUNDS:-5}" ${B:-}
