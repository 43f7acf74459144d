#!/bin/bash
# With --time and --step only the segments of a file that are needed are read, and reports say the same, byte by byte.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program long_run
export INTERCEPT_STEP=step

# Five segments or more, all of which are kept.
INTERCEPT_KEEP_LAST=4M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/long_run" 40 20000 progress || fail "status $?"
written
segments=$(grep -aoF SEGM "$OUTPUT" | wc -l)
[[ $segments -gt 3 ]] || skip "no holes in files here"
expect_eq "indexes" "$(grep -aoF INDX "$OUTPUT" | wc -l)" 1
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
python3 "$ROOT/tests/seeking.py" "$REPORT" 3 "$OUTPUT" ops api io gc native threads processes alloc >compared.txt || fail "$(cat compared.txt)"

# What is not needed is not read: the frames of the first segment are overwritten.
python3 - "$OUTPUT" <<'PYTHON' || fail "no first segment"
import sys
data = bytearray(open(sys.argv[1], "rb").read())
heads = [at for at in range(0, len(data) - 12, 4096) if data[at + 8:at + 12] == b"SEGM"]
first, second = heads[0], heads[1]
start = data.find(b"\x28\xb5\x2f\xfd", first) + 64
data[start:second - 8192] = b"\x55" * (second - 8192 - start)
open("overwritten.evt", "wb").write(data)
PYTHON
"$REPORT" check overwritten.evt >check.out && fail "check does not notice that frames are gone"
last=$(json steps "$OUTPUT" 'rows[-2]["step"]')
for report in ops threads io; do
	for file in "$OUTPUT" overwritten.evt; do
		"$REPORT" $report "$file" --step "$last" --format csv >"$(basename "$file").csv" 2>"$(basename "$file").txt" || fail "$report: $(cat "$(basename "$file").txt")"
	done
	cmp "$(basename "$OUTPUT").csv" overwritten.evt.csv || fail "$report reads the first segment"
done
