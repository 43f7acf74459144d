#!/bin/bash
# INTERCEPT_KEEP_LAST with a GPU: launches that are kept have their kernels, those before do not count, and that is said; device memory as well.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_steps
need_program confine
"$PROGRAMS/confine" eperm fallocate true || skip "no seccomp here"
export INTERCEPT_STEP=step INTERCEPT_KEEP_LAST=5steps
STEPS=60 LAUNCHES=50 # and 20,000 heap blocks a step, so that the file has segments

run_traced "$PROGRAMS/cuda_steps" $STEPS 20000 $LAUNCHES >out 2>&1 || fail "status $?: $(cat out)"
written
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
"$REPORT" dump "$OUTPUT" >dump.out
# digests, too: a run of more than a second has states of the card in its segments
python3 "$ROOT/scripts/evtdump.py" "$OUTPUT" >second.out 2>second.err || fail "evtdump.py: $(cat second.err)"
cmp dump.out second.out || fail "evtdump.py reads something else"
count() { # EVENT
	awk -v event="$1" '$3 == event { n++ } END { print n + 0 }' dump.out
}
punched=$(json summary "$OUTPUT" 'totals["kept_from_ns"]')
[[ $punched -gt 0 ]] || skip "no holes in files here"
launches=$(count cuda_launch) kernels=$(count gpu_kernel)
((launches > 0 && launches < STEPS * LAUNCHES)) || fail "$launches launches were kept"
expect_eq "launches" "$(json launches "$OUTPUT" 'totals["calls"]')" "$launches"
expect_eq "each launch has its kernel" "$(json kernels "$OUTPUT" 'totals["calls"]')" "$launches"
expect_eq "kernels of calls before" "$(json kernels "$OUTPUT" 'totals["without_call"]')" $((kernels - launches))
expect_eq "nothing was lost" "$(json summary "$OUTPUT" 'totals["events_lost"]')" 0
if ((kernels > launches)); then
	expect_match "what is said of them" "$("$REPORT" kernels "$OUTPUT" | tr '\n' ' ')" \
		"whose calls are not in the part that was kept: $(python3 -c 'import sys; print(f"{int(sys.argv[1]):,}")' $((kernels - launches)))"
fi
# whole steps have all their kernels
expect_eq "kernels of the last step but one" "$(json kernels "$OUTPUT" 'totals["calls"]' --step $((STEPS - 2)))" $LAUNCHES
# memory of before: three blocks live at each moment, two within a step; their frees are no errors
allocations=$(count cuda_alloc) frees=$(count cuda_free)
expect_eq "allocations" "$(json device_memory "$OUTPUT" 'sum(r["allocations"] for r in rows)')" "$allocations"
older=$((frees - $(json device_memory "$OUTPUT" 'sum(r["frees"] for r in rows)')))
expect_between "frees of older blocks" $older 2 3
expect_match "older blocks" "$("$REPORT" device_memory "$OUTPUT" | tr '\n' ' ')" "older: $older frees of blocks that were allocated before the part"
