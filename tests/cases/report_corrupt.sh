#!/bin/bash
# Flipped bits and bytes: check says so and where, reports go on, never a crash or a hang.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program counts
run_traced "$PROGRAMS/counts" expected.json 20 2 1 || fail "status $?"
"$REPORT" check "$OUTPUT" >/dev/null || fail "the whole file is not in order"
python3 -S - "$REPORT" "$OUTPUT" <<'END' || exit 1
import random, subprocess, sys
report, path = sys.argv[1:]
whole = open(path, "rb").read()
def dump(name):
    return subprocess.run([report, "dump", name], capture_output=True, timeout=600).stdout
good = dump(path)
harmless = 0
random.seed(20261121)
places = sorted(random.sample(range(len(whole)), min(300, len(whole))))
for place in places:
    bad = bytearray(whole)
    bad[place] ^= 1 << random.randrange(8)
    with open("bad.evt", "wb") as file:
        file.write(bad)
    done = subprocess.run([report, "check", "bad.evt"], capture_output=True, text=True, timeout=600)
    if done.returncode == 0:
        # A bit that means nothing to the decompressor: what is read must be the very same.
        assert dump("bad.evt") == good, "byte %d of %d flipped, and check is content" % (place, len(whole))
        harmless += 1
        continue
    assert done.returncode == 1, "check with byte %d of %d flipped: status %d" % (place, len(whole), done.returncode)
    assert "bad.evt" in done.stdout + done.stderr, (place, done.stdout, done.stderr)
    if place % 5 == 0:
        done = subprocess.run([report, "alloc", "bad.evt"], capture_output=True, text=True, timeout=600)
        assert done.returncode == 1, "alloc with byte %d flipped: status %d %s" % (place, done.returncode, done.stderr)
assert harmless * 20 <= len(places), "%d of %d flips were not noticed" % (harmless, len(places))
print(len(places), "flips,", harmless, "harmless")
END
