#!/bin/bash
# Columns are known by their names and, as people type them, by their headings.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

file=$ROOT/tests/golden/counts.evt
wanted=$("$REPORT" alloc --columns caller,peak_bytes,allocations,live_bytes --sort peak_bytes "$file")
for typed in 'caller,at_peak,allocs,live_bytes' 'Caller,atpeak,Allocs,livebytes' 'caller,at peak,ALLOCS,live bytes'; do
	got=$("$REPORT" alloc --columns "$typed" --sort 'at peak' "$file") || fail "--columns '$typed'"
	expect_eq "table with --columns '$typed'" "$got" "$wanted"
done
expect "$file" 'alloc("--sort", "allocs:asc").rows == alloc("--sort", "allocations:asc").rows' \
	'alloc("--filter", "bytes>1KiB").rows == alloc("--filter", "bytes_allocated>1KiB").rows' \
	'alloc("--filter", "live bytes > 1KiB").rows == alloc("--filter", "live_bytes>1KiB").rows' \
	'alloc("--by", "thread", "--columns", "live").columns[0].name == "live_allocations"'
keys=$(tables keys)
# those of summary and bottleneck are of csv and json only
for report in $(tables reports | grep -vxE 'summary|bottleneck'); do
	columns=$(help_columns "$report")
	(($(wc -l <<<"$columns") >= 3)) || fail "--help of $report lists no columns"
	while IFS=: read -r name heading; do
		seen=
		while read -r line; do
			# a column may be one of another key of --by: of one of them it is
			# shellcheck disable=SC2086 # words
			got=$("$REPORT" $line --columns "$heading" -f csv "$file" 2>err | head -n 1)
			[[ $got == "$name" ]] && seen=1 && break
			expect_match "$line --columns $heading" "$(cat err)" 'is a column of --by|is not recorded|one of several'
		done < <(grep -E "^$report( |\$)" <<<"$keys" | sort -r)
		[[ $seen ]] || fail "$report: no column '$name' by its heading '$heading': $(cat err)"
	done <<<"$columns"
done

# the column that the rows are sorted by is there, whatever the width
for column in 'p90_ns p90' 'stddev_ns stddev'; do
	head=$(COLUMNS=60 "$REPORT" nvtx --sort "${column% *}" "$ROOT/tests/golden/ranges.evt" | grep -m 1 ' count')
	expect_match "headings with --sort ${column% *}" "$head" " ${column#* }( |\$)"
done

# what had no room is named so that it can be typed
line=$(COLUMNS=60 "$REPORT" nvtx "$ROOT/tests/golden/ranges.evt" | sed -n 's/^not shown: //p')
expect_match "columns without room" "$line" '^--columns [a-z0-9_]+(,[a-z0-9_]+)*$'
# shellcheck disable=SC2086 # two words
"$REPORT" nvtx $line "$ROOT/tests/golden/ranges.evt" >/dev/null || fail "'$line' is not understood"

# a column of another --by is not one that does not exist
for wrong in 'launches --columns stream' 'device-memory --by range --sort domain --columns kind,nosuch' \
	'memcpy --by function --filter kind=HtoD' 'api --columns range'; do
	# shellcheck disable=SC2086 # words
	talk=$("$REPORT" $wrong "$file" 2>&1 >/dev/null)
	expect_match "$wrong" "$talk" "(is a column of --by (stream|kind|range)|no column 'nosuch')"
done
