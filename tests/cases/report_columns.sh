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
# Each column is known by its heading: of the report itself, or with one of its keys. As many are asked for at a time as one has.
cat >headings.py <<'END'
import collections, re, subprocess, sys
program, file, keys = sys.argv[1:]
waiting, asks = collections.defaultdict(dict), collections.defaultdict(list)  # by report
for line in sys.stdin:
    report, name, heading = line.rstrip("\n").split(":", 2)
    waiting[report][heading] = name
for line in keys.splitlines():
    asks[line.split()[0]].insert(0, line.split())
for report in asks.keys() - {"summary", "bottleneck"}:  # theirs are of csv and json only
    assert len(waiting[report]) >= 3, "--help of %s lists no columns" % report
    for ask in asks[report]:
        names = dict(waiting[report])
        while names:
            done = subprocess.run((program, *ask, "--columns", ",".join(names), "-f", "csv", file), capture_output=True, text=True)
            if not done.returncode:
                got = done.stdout.split("\n")[0].split(",")
                names = {heading: name for (heading, name), known in zip(names.items(), got) if known == name}
                break
            other = re.search(r"'([^']*)' (is a column of --by|.*is not recorded|is one of several)", done.stderr)
            assert other, (ask, names, done.stderr)
            del names[min(names, key=lambda heading: (names[heading] != other[1], heading != other[1]))]
        for heading in names:
            del waiting[report][heading]
    assert not waiting[report], "%s: no columns by these headings: %s" % (report, waiting[report])
END
for report in $(tables reports); do
	help_columns "$report" | sed "s/^/$report:/"
done | python3 -S headings.py "$REPORT" "$file" "$(tables keys)" || fail "headings"

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
