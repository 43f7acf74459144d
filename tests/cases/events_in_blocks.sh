#!/bin/bash
# Events whose ids in the file are above 127 and that this version does not know: shown by dump, counted, exported around, and refused where they may hold a secret.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program events_in_blocks
need_program every_event
python3 -c 'import zstandard' 2>/dev/null || need_tool zstd
"$PROGRAMS/events_in_blocks" new.evt || fail "no file: status $?"
"$PROGRAMS/every_event" known.evt || fail "no file: status $?"

"$REPORT" dump new.evt >dumped || fail "dump: status $?"
expect_eq "an event in the block of io" "$(grep -c ' probe_call count=[0-9]* change=[0-9]* what="[^"]*" duration_ns=[0-9]* at=0x' dumped)" 1
expect_eq "an event in the block of pymem" "$(grep -c ' probe_block ptr=0x[0-9a-f]* bytes=[0-9]* caller=0x' dumped)" 1
python3 "$ROOT/scripts/evtdump.py" new.evt >second || fail "evtdump.py: status $?"
cmp dumped second || fail "$(diff dumped second | head -n 4)"
expect_match "check" "$("$REPORT" check new.evt)" 'ok: 1 frame'
expect_match "the summary" "$("$REPORT" summary new.evt | tr '\n' ' ')" 'of newer kinds 2'

# what is known is the same with and without them
"$REPORT" export json new.evt -o new.json 2>said || fail "export json: $(cat said)"
for format in chrome perfetto sqlite parquet csv; do
	"$REPORT" export $format new.evt -o out.$format 2>said || fail "export $format: $(cat said)"
done
for report in api nvtx io alloc; do
	for file in new.evt known.evt; do
		"$REPORT" $report --format json "$file" | python3 -S -c 'import json, sys; print(json.load(sys.stdin)["rows"])' >>rows.$report
	done
	expect_eq "different answers of $report" "$(sort -u rows.$report | wc -l)" 1
done
"$REPORT" redact new.evt -o redacted.evt 2>said && fail "a name that nobody knows was taken over"
expect_match "the refusal" "$(cat said)" 'names that this version does not know'
