#!/bin/bash
# No line of a table or of the summary is wider than the screen.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

TABLES=$(tables keys) python3 - "$REPORT" "$ROOT"/tests/golden/*.evt <<'END' || fail "lines are wider than the screen"
import os
import subprocess
import sys

REPORTS = [[], ["alloc", "--range", "none"], ["nvtx", "--tree"], ["modules", "--tree"]]
REPORTS += [line.split() for line in os.environ["TABLES"].splitlines()]
wide = 0
for path in sys.argv[2:]:
    for report in REPORTS:
        for width in (80, 200):
            environment = dict(os.environ, COLUMNS=str(width), LC_ALL="C.UTF-8")
            command = [sys.argv[1], *report, os.path.basename(path)]
            text = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=os.path.dirname(path))
            for line in text.stdout.splitlines():
                if len(line) > width:
                    wide += 1
                    print("%d of %d columns: %s: %s" % (len(line), width, " ".join(command[1:]), line), file=sys.stderr)
sys.exit(wide != 0)
END
