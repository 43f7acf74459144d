#!/bin/bash
# INTERCEPT_CAPTURE=nvtx:NAME records only while a range of that name is open.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program captured
INTERCEPT_CAPTURE=nvtx:wanted run_traced "$PROGRAMS/captured" || fail "status $?"
expect "$OUTPUT" 'alloc("--by", "size").row(size=1024).allocations == 30' \
	'not alloc("--by", "size").select(size=2048)' 'nvtx.row(name="wanted").count == 3' \
	'nvtx.row(name="inner").count == 3' 'not nvtx.select(name="outside")'
for report in summary alloc nvtx threads; do
	"$REPORT" "$report" "$OUTPUT" | tr '\n' ' ' | grep -Eq '(^| )[Rr]ecorded: [^,]* of [^,]*, INTERCEPT_CAPTURE=nvtx:wanted[. ]' ||
		fail "$report does not say what was recorded"
done
"$REPORT" alloc "$OUTPUT" | grep -q '^not freed while recording' || fail "alloc speaks of leaks"
rm -f run.evt
INTERCEPT_CAPTURE=all run_traced "$PROGRAMS/captured" || fail "status $?"
expect "$OUTPUT" 'alloc("--by", "size").row(size=1024).allocations == 30' \
	'alloc("--by", "size").row(size=2048).allocations == 30' 'nvtx.row(name="outside").count == 3'
rm -f run.evt
INTERCEPT_CAPTURE=nvtx:nosuch run_traced "$PROGRAMS/captured" >/dev/null
"$REPORT" "$OUTPUT" | tr '\n' ' ' | grep -q '[Rr]ecording was limited to nvtx:nosuch, which never opened' || fail "why nothing is there is not said"
