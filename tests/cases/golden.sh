#!/bin/bash
# Recorded files of earlier versions are still read, and the reports say of them what they said then.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=off # what an earlier run has found out on this machine is not in the files
found=0
for file in "$ROOT"/tests/golden/*.evt; do
	[[ -e $file ]] || continue
	found=$((found + 1))
	python3 -S "$ROOT/tests/golden.py" "$REPORT" "$file" "${file%.evt}.json" ${UPDATE:+--update} ||
		fail "${file##*/} is not read as it was"
done
((found > 0)) || fail "no file in tests/golden"

line=$("$REPORT" dump "$ROOT/tests/golden/newer_event.evt" | grep -c 'heap_trim pad=5 released=1')
expect_eq "events of a later version that dump names" "$line" 1

# Every event there is stands in one of them, and its fields have the values that they had then; a later field may be beside them.
for file in "$ROOT"/tests/golden/{,events/}*.evt; do
	"$REPORT" dump "$file" 2>/dev/null
done | grep -oE '^[0-9]+ [0-9]+(:[0-9]+)? [a-z_]+' | cut -d' ' -f3 | sort -u >have
grep -ohE '^EVENT(_IN_BLOCK)?\([0-9]+, [a-z_]+' "$ROOT"/collector/format/events/*.def | cut -d' ' -f2 | sort >want
(($(wc -l <want) > 80)) || fail "only $(wc -l <want) events are listed"
expect_eq "events that no recorded file has (every_event writes one with all)" "$(comm -13 have want)" ''
cat >compare.py <<'END'
import shlex, sys
wanted, got = (open(path).read().splitlines() for path in sys.argv[1:])
assert len(wanted) == len(got), (len(wanted), len(got))
for before, now in zip(wanted, got):
    missing = set(shlex.split(before)) - set(shlex.split(now))
    assert not missing, (before, now)
END
for file in "$ROOT"/tests/golden/events/*.evt; do
	"$REPORT" dump "$file" >dumped || fail "dump of $file"
	python3 -S compare.py "${file%.evt}.txt" dumped || fail "an event of $file is not read as it was"
	"$REPORT" export json "$file" -o tables 2>err || fail "reports of $file: status $?: $(cat err)"
done

# UPDATE adds what is missing, and leaves what is there as it is: a value that has changed is still a difference
cp "$ROOT/tests/golden/counts.evt" .
python3 -S - "$ROOT/tests/golden/counts.json" old.json <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
table = document["alloc --by size"]["document"]
del table["totals"]["frees"], table["rows"][0]["allocations"], document["processes"]
table["totals"]["allocations"] += 1
document["summary"]["document"]["rows"].pop(2)
json.dump(document, open(sys.argv[2], "w"))
END
python3 -S "$ROOT/tests/golden.py" "$REPORT" counts.evt old.json --update >said && fail "a value that has changed was accepted"
expect_eq "differences" "$(wc -l <said)" 1
expect_match "the difference" "$(cat said)" 'alloc --by size\.document\.totals\.allocations: got'
python3 -S - "$ROOT/tests/golden/counts.json" old.json <<'END' || fail "what was missing is not there, or what was there is not"
import json, sys
before, after = (json.load(open(path)) for path in sys.argv[1:])
table, added = (each["alloc --by size"]["document"] for each in (before, after))
assert added["totals"] == {**added["totals"], **table["totals"], "allocations": table["totals"]["allocations"] + 1}
assert added["rows"][0] == {**added["rows"][0], **table["rows"][0]}
assert after["processes"]["document"]["rows"][0].items() >= before["processes"]["document"]["rows"][0].items()
names = [[row["name"] for row in each["summary"]["document"]["rows"]] for each in (before, after)]
assert set(names[0]) <= set(names[1]) and len(set(names[1])) == len(names[1])
END
cp old.json again.json
python3 -S "$ROOT/tests/golden.py" "$REPORT" counts.evt again.json --update >/dev/null
cmp old.json again.json || fail "a second update has changed the file"
python3 -S "$ROOT/tests/golden.py" "$REPORT" counts.evt new.json --update >said || fail "a new file: $(cat said)"
