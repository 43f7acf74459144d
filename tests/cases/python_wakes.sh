#!/bin/bash
# Threads that wake each other after 60 us of work: shares of work, wake-ups and waits are those of the thread's clock, within what `lines` says.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 14))' || skip "no Python 3.8 to 3.14"

cat >judge.py <<'END'
import json, re
clock = json.load(open("clock.json"))
rows = json.load(open("lines.json"))["rows"]
said = re.search(r"may be off by (\d+) points by chance(?: alone)?\.(?: Beside [^:]*: at worst (\d+) points more)?", " ".join(open("lines.txt").read().split()))
chance, bias = (int(said[1]), int(said[2] or 0)) if said else (2, 2)
got = dict.fromkeys(clock, 0)
for row in rows:
    if row["file"].endswith("wakes.py"):
        got[row["function"] if row["function"] in got else "work"] += row["cpu_ns"]
assert sum(got.values()) > 0, clock
share = lambda part, of: 100 * part / sum(of.values())
for name in clock:  # chance is 1.96 standard deviations; here it may be four
    off = abs(share(got[name], got) - share(clock[name], clock))
    assert off <= 2.1 * max(chance, 2) + bias, (name, off, chance, bias, got, clock)
END
for how in pipe lock; do
	rm -f run.evt
	INTERCEPT_SAMPLE=200 run_traced "$python" "$ROOT/tests/programs/wakes.py" $how 60 20000 clock.json || fail "$how ended with $?"
	"$REPORT" lines --format json --limit 0 --wait 60 "$OUTPUT" >lines.json || fail "$how: no lines"
	"$REPORT" lines "$OUTPUT" >lines.txt || fail "$how: no table"
	python3 -S judge.py || fail "$how: shares are off by more than the report says"
done
