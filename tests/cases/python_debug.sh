#!/bin/bash
# Every Python ends as it does without us, also where it checks its memory (PYTHONMALLOC=debug, -X dev) or finds its allocator replaced.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

found=0
for python in "${ALL_PYTHONS[@]}"; do
	[[ -x $python ]] || continue
	found=$((found + 1))
	for setting in PYTHONMALLOC=debug PYTHONMALLOC=malloc_debug PYTHONDEVMODE=1 PYTHONTRACEMALLOC=1; do
		same_as_bare env "$setting" "$python" -c 'print(1)'
	done
done
((found)) || skip "no Python here"
