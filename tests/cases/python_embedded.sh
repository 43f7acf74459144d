#!/bin/bash
# A program with an interpreter in it: its Python is sampled, has frames on its blocks and calls of its functions, in every shared CPython there is.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program embeds_python
code='
import time
def busy():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
busy()
kept = bytearray(3000000)
print("done")'
tried=0
for python in "${PYTHONS[@]}"; do
	library=$("$python" -c 'import os, sys, sysconfig
name = os.path.join(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
print(name if ".so" in name and os.path.exists(name) and sys.version_info >= (3, 8) else "")')
	[[ -n $library ]] || continue
	tried=$((tried + 1))
	for way in "" -s; do
		file=embedded
		[[ -z $way ]] || file="<string>"
		# shellcheck disable=SC2086 # no word without -s
		rm -f "$OUTPUT"
		PYTHONHOME=$("$python" -c 'import sys; print(sys.base_prefix)') INTERCEPT_CHILDREN=all INTERCEPT_OUTPUT=$OUTPUT INTERCEPT_STACKS=python \
			INTERCEPT_TRACE=+functions LD_PRELOAD="$LIB $library" "$PROGRAMS/embeds_python" $way "$code" >out 2>err || fail "$python $way: $(cat err)"
		expect_eq "$python $way: its output" "$(cat out)" "done"
		expect_eq "$python $way: what it says" "$(cat err)" ""
		# (of a start that takes longer than the function there may be more)
		expect_eq "$python $way: samples of its function" "$(json lines "$OUTPUT" \
			"sum(r['samples'] for r in rows if r['function'] == 'busy' and r['file'] == '$file') > 0" --by function)" true
		expect_eq "$python $way: blocks by line" "$(json alloc "$OUTPUT" "[r['bytes_allocated'] for r in rows if r['line'] == '$file:8']" --by line)" '[3000001]'
		expect_eq "$python $way: calls" "$(json functions "$OUTPUT" "[r['ncalls'] for r in rows if r['function'] == 'busy']")" '[1]'
	done
done
((tried)) || skip "no shared libpython of 3.8 or newer"
