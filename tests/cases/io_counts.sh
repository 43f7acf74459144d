#!/bin/bash
# Calls, bytes and errors by file are those that the program counted, and those that strace sees.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program io_calls
INTERCEPT_TRACE=io run_traced "$PROGRAMS/io_calls" all >counted || fail "io_calls failed"
"$REPORT" io --format json --limit 0 run.evt >io.json
"$REPORT" io --by kind --format json --limit 0 run.evt >kind.json

cat >compare.py <<'END'
import collections, json, os, sys

FIELDS = ("calls", "bytes_read", "bytes_written", "errors", "opens")
rows = {os.path.basename(row["file"]): row for row in json.load(open("io.json"))["rows"] if row["kind"] == "file"}
kinds = {row["kind"]: row for row in json.load(open("kind.json"))["rows"]}
lines = [line.split() for line in open("counted")]
assert len(lines) > 15, lines
for name, *numbers in lines:
    row = kinds[name] if name in ("socket", "pipe") else None
    if row is None:
        found = [r for r in json.load(open("io.json"))["rows"] if os.path.basename(r["file"]) == name]
        assert len(found) == 1, (name, found)
        row = found[0]
    got = [row[field] for field in FIELDS]
    assert got == [int(n) for n in numbers], "%s: got %s, counted %s" % (name, got, numbers)
document = json.load(open("io.json"))
for field in FIELDS:
    if field in document["totals"]:
        assert document["totals"][field] == sum(row[field] for row in document["rows"]), field
END
python3 -S compare.py || fail "the report differs from what the program counted"

# every key has the same sums
for by in kind function process thread; do
	expect run.evt "io('--by', '$by').sum('calls') == io.totals.calls" \
		"io('--by', '$by').sum('bytes_read') == io.totals.bytes_read" \
		"io('--by', '$by').sum('total_ns') == io.totals.total_ns"
done

# what the kernel was asked, as strace has it
command -v strace >/dev/null || exit 0
strace -ff -y -o strace.out -e trace=desc,network "$PROGRAMS/io_calls" plain >/dev/null 2>&1 || exit 0
INTERCEPT_TRACE=io INTERCEPT_OUTPUT=$PWD/plain.evt LD_PRELOAD=$LIB "$PROGRAMS/io_calls" plain >/dev/null
"$REPORT" io --format json --limit 0 plain.evt >plain.json
cat >strace.py <<'END'
import collections, glob, json, os, re

READS = "read pread64 readv preadv preadv2".split()
WRITES = "write pwrite64 writev pwritev pwritev2".split()
OTHERS = "close lseek fsync fdatasync ftruncate".split()
seen = collections.defaultdict(lambda: [0, 0, 0])
for line in (line for path in glob.glob("strace.out.*") for line in open(path)):
    call = re.match(r"(\w+)\((\d+)<([^>]*)>.* = (-?\d+)", line)
    opened = re.match(r'(?:openat\(AT_FDCWD[^,]*, |creat\()"([^"]*)".* = (-?\d+)', line)
    if opened and opened[1].endswith(".dat"):
        seen[os.path.basename(opened[1])][0] += 1
    if not call or not call[3].endswith(".dat"):
        continue
    name, file, result = call[1], os.path.basename(call[3]), int(call[4])
    if name in READS + WRITES + OTHERS:
        seen[file][0] += 1
    if name in READS and result > 0:
        seen[file][1] += result
    if name in WRITES and result > 0:
        seen[file][2] += result
rows = {os.path.basename(row["file"]): row for row in json.load(open("plain.json"))["rows"]}
compared = 0
for file, wanted in seen.items():
    if file in ("from.dat", "to.dat", "map.dat"):  # copies and mappings are other calls
        continue
    row = rows[file]
    got = [row["calls"], row["bytes_read"], row["bytes_written"]]
    assert got == wanted, "%s: got %s, strace %s" % (file, got, wanted)
    compared += 1
assert compared >= 9, seen
END
python3 strace.py || fail "the report differs from strace"
