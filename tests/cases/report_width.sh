#!/bin/bash
# No line of a table or of the summary is wider than the screen. Where there is none, no name is cut and no column left out.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

TABLES=$(tables keys) python3 - "$REPORT" "$ROOT"/tests/golden/*.evt <<'END' || fail "lines are wider than the screen"
import os
import subprocess
import sys

REPORTS = [[], ["alloc", "--range", "none"], ["nvtx", "--tree"], ["modules", "--tree"]]
REPORTS += [line.split() for line in os.environ["TABLES"].splitlines()]
wide = tables = 0
empty, judged = set(), set()


def run(path, report, width, *options):
    environment = dict(os.environ, COLUMNS=str(width), LC_ALL="C.UTF-8")
    command = [sys.argv[1], *report, *options, os.path.basename(path)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=os.path.dirname(path)).stdout


for path in sys.argv[2:]:
    for report in REPORTS:
        name = report[0] if report else None
        if report == [name]:  # before its keys: without rows by one, there are none by the others
            rows = name == "summary" or len(run(path, report, 80, "--format", "csv").splitlines()) > 1
            (empty.discard if rows else empty.add)((path, name))
        if (path, name) in empty and report != [name] and tuple(report) in judged:
            continue  # by one key or another, a table without rows is the same; why it has none hangs on the file
        if (path, name) in empty:
            judged.add(tuple(report))
        tables += 1
        for width in (80, 200):
            for line in run(path, report, width).splitlines():
                if len(line) > width:
                    wide += 1
                    print("%d of %d columns: %s of %s: %s" % (len(line), width, report, path, line), file=sys.stderr)
print(tables, "tables", len(judged), "empty ones")
sys.exit(wide != 0 or tables < 500)
END

# neither a terminal nor COLUMNS: names in full; a file is no terminal either, and `-o -` is stdout
unset COLUMNS
"$REPORT" io "$ROOT/tests/golden/io.evt" >wide.out || fail "io: status $?"
! grep -qF '…' wide.out || fail "cut: $(grep -F '…' wide.out)"
! grep -q 'not shown' wide.out || fail "columns are left out: $(grep 'not shown' wide.out)"
"$REPORT" io -o file.out "$ROOT/tests/golden/io.evt" || fail "--output: status $?"
cmp wide.out file.out || fail "--output is not what stdout is"
"$REPORT" io -o - "$ROOT/tests/golden/io.evt" | cmp - wide.out || fail "'-o -' is not stdout"
[[ ! -e - ]] || fail "'-o -' made a file"
COLUMNS=80 "$REPORT" io "$ROOT/tests/golden/io.evt" | grep -q 'not shown' || fail "COLUMNS does not count"

# the rows come before the histogram
"$REPORT" alloc "$ROOT/tests/golden/counts.evt" >alloc.out || fail "alloc: status $?"
expect_match "alloc" "$(grep -nE '^(caller|blocks by size)' alloc.out | cut -d: -f2 | cut -c1-6 | paste -sd' ')" '^caller blocks$'

# what is unmatched is explained, and only where there is some
grep -q '^unmatched: 2 frees of blocks' alloc.out || fail "two unmatched frees are not explained: $(cat alloc.out)"
"$REPORT" alloc "$ROOT/tests/golden/killed.evt" >alloc.out || fail "alloc: status $?"
grep -q '^caller' alloc.out || fail "no rows: $(cat alloc.out)"
! grep -q unmatched alloc.out || fail "nothing is unmatched, but it is explained"

# a command that is cut in a sentence says so, and keeps its program
expect_match "a command in a sentence" "$(COLUMNS=80 "$REPORT" memory "$ROOT/tests/golden/pymem.evt" | tr '\n' ' ')" \
	'in process [0-9]+ \(python -I -S objects\.py[^)]*\)'
