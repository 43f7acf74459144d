#!/bin/bash
# A file cut at any byte: check names it, reports show what is left, never a crash.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program exits
run_traced "$PROGRAMS/exits" return 300 || fail "status $?"
"$REPORT" check "$OUTPUT" >/dev/null || fail "the whole file is not in order"
python3 -S - "$REPORT" "$OUTPUT" <<'END' || exit 1
import subprocess, sys
report, path = sys.argv[1:]
whole = open(path, "rb").read()
step = max(1, len(whole) // 400)
cuts = sorted(set(range(0, len(whole), step)) | set(range(len(whole) - 40, len(whole))) | set(range(0, 80)))
best = 0
for cut in cuts:
    with open("cut.evt", "wb") as file:
        file.write(whole[:cut])
    done = subprocess.run([report, "check", "cut.evt"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1, "check of %d of %d bytes: status %d %s" % (cut, len(whole), done.returncode, done.stderr)
    assert "cut.evt" in done.stdout + done.stderr, (cut, done.stdout, done.stderr)
    if cut % (8 * step) == 0:
        done = subprocess.run([report, "alloc", "--format", "json", "cut.evt"], capture_output=True, text=True, timeout=600)
        assert done.returncode == 1, "alloc of %d bytes: status %d %s" % (cut, done.returncode, done.stderr)
        assert done.stderr.count("\n") <= 1, (cut, done.stderr)
        best = max(best, '"allocations"' in done.stdout)
assert best, "nothing was ever shown of a cut file"
print(len(cuts), "cuts")
END
