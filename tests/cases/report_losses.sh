#!/bin/bash
# Losses are the first line of every report, and in the totals.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

run_lossy
# on a busy machine the collector may be late, too: a line for each reason
wanted=$(json summary "$OUTPUT" '"\n".join("LOST %d events%s: %s" % (
	loss["count"], " in process %d" % loss["process"] if loss["process"] else "", loss["reason"]) for loss in losses)')
expect_match "losses" "$wanted" 'LOST [0-9]+ events: file limit$'
lines=$(wc -l <<<"$wanted")
lost=$(json summary "$OUTPUT" 'totals["events_lost"]')
((lost > 1000)) || fail "only $lost events were lost"
expect "$OUTPUT" "processes.totals.events_lost == $lost" "sum(loss.count for loss in summary.losses) == $lost"
while read -r report; do
	# shellcheck disable=SC2086 # words
	shown=$("$REPORT" $report "$OUTPUT" | sed "s/,//g;${lines}q")
	expect_eq "first lines of $report" "$shown" "$wanted"
done < <(tables keys; echo 'threads -f markdown')
"$REPORT" leaks "$OUTPUT" >out || fail "leaks: status $?"
tr '\n' ' ' <out | grep -qF 'a block whose free is among them counts as never freed' || fail "leaks does not say what is none: $(cat out)"
expect_match "line of check" "$("$REPORT" check "$OUTPUT")" "ok: .* bytes, $lost events lost\$"
