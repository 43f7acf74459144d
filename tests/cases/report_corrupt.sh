#!/bin/bash
# Flipped bits and bytes: check says so and where, reports go on, never a crash or a hang.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program counts
run_traced "$PROGRAMS/counts" expected.json 20 2 1 || fail "status $?"
"$REPORT" check "$OUTPUT" >/dev/null || fail "the whole file is not in order"
python3 - "$REPORT" "$OUTPUT" <<'END' || exit 1
import random, subprocess, sys
report, path = sys.argv[1:]
whole = open(path, "rb").read()
random.seed(20261121)
places = sorted(random.sample(range(len(whole)), min(300, len(whole))))
for place in places:
    bad = bytearray(whole)
    bad[place] ^= 1 << random.randrange(8)
    with open("bad.evt", "wb") as file:
        file.write(bad)
    done = subprocess.run([report, "check", "bad.evt"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1, "check with byte %d of %d flipped: status %d" % (place, len(whole), done.returncode)
    assert "bad.evt" in done.stdout + done.stderr, (place, done.stdout, done.stderr)
    if place % 5 == 0:
        done = subprocess.run([report, "alloc", "bad.evt"], capture_output=True, text=True, timeout=20)
        assert done.returncode == 1, "alloc with byte %d flipped: status %d %s" % (place, done.returncode, done.stderr)
print(len(places), "flips")
END
