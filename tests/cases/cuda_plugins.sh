#!/bin/bash
# libcudart loaded RTLD_LOCAL, unloaded and loaded again, two major versions at once, and none at all.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_plugins
old=$PROGRAMS/libcuda_user12.so
new=$PROGRAMS/libcuda_user13.so
need_program libcuda_user12.so
need_program libcuda_user13.so
export FAKE_CUDA_COUNTS=$PWD/counts.json

goes_to() { # CALLS-OF-12 CALLS-OF-13
	python3 -S - "$@" <<'END_PYTHON'
import json, sys
libraries = json.load(open("counts.json"))["libraries"]
got = [libraries.get("libcudart.so.%d" % major, {}).get("cudaLaunchKernel", 0) for major in (12, 13)]
assert got == list(map(int, sys.argv[1:])), got
END_PYTHON
}

plugins() { # CALLS-OF-12 CALLS-OF-13 WORD...: of cudaLaunchKernel, each to its own library
	local twelve=$1 thirteen=$2
	shift 2
	rm -f run.evt* counts.json
	run_traced "$PROGRAMS/cuda_plugins" "$@" 2>plugins.err || fail "$*: status $?: $(cat plugins.err)"
	[[ -s plugins.err ]] && fail "$*: $(cat plugins.err)"
	goes_to "$twelve" "$thirteen" || fail "$*: calls went to the wrong library"
	same_as_fake "$OUTPUT" counts.json
	expect "$OUTPUT" "sum(row.calls for row in launches.select(kernel='of_12')) == $twelve" \
		"sum(row.calls for row in launches.select(kernel='of_13')) == $thirteen" 'summary.totals.events_lost == 0'
}

plugins 0 10 "$new"
plugins 0 20 "$new" close "$new"
plugins 10 10 "$old" "$new"
plugins 10 10 "$new" "$old"
plugins 10 20 "$old" "$new" "$new"
plugins 20 20 "$old" close "$new" close "$old" close "$new"
plugins 20 20 "$old" "$new" close close "$new" "$old"

# Nothing is recorded: a call jumps to the original that is kept by the call's address.
INTERCEPT_CAPTURE=nvtx:never run_traced "$PROGRAMS/cuda_plugins" "$old" "$new" close close "$new" "$old" || fail "capture off: status $?"
goes_to 20 20 || fail "capture off: calls went to the wrong library"

# Nobody has the function: an error, as without intercept it would not be there.
same_as_bare "$PROGRAMS/cuda_plugins" none
expect_eq "exit status" "$status" 0
rm -f run.evt*
run_traced "$PROGRAMS/cuda_plugins" none "$new" close none || fail "none: status $?"
same_as_fake "$OUTPUT" counts.json
