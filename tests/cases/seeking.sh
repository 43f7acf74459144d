#!/bin/bash
# With --time and --step reports say the same, byte by byte, whether segments are passed over or the whole file is read; and the same rows of a file that was cut or damaged.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program long_run
export INTERCEPT_STEP=step

# Several segments, all of which are kept.
INTERCEPT_KEEP_LAST=4M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/long_run" 40 20000 progress || fail "status $?"
written
segments=$(grep -aoF SEGM "$OUTPUT" | wc -l)
[[ $segments -gt 1 ]] || fail "only $segments segments"
expect_eq "indexes" "$(grep -aoF INDX "$OUTPUT" | wc -l)" 1
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
python3 -S "$ROOT/tests/seeking.py" "$REPORT" 3 "$OUTPUT" ops api io gc native threads processes alloc leaks peak nvtx steps lines waits >compared.txt || fail "$(cat compared.txt)"

# Long steps, which segments end within: a step that is under way when the time begins is what it is in the whole file.
INTERCEPT_KEEP_LAST=2M INTERCEPT_OUTPUT=$PWD/long.evt LD_PRELOAD=$LIB "$PROGRAMS/long_run" 2 250000 || fail "status $?"
written long.evt
for percent in 70 90 97; do
	late=$(json steps long.evt "row(step=1)['start_ns'] + row(step=1)['total_ns'] * $percent // 100")
	for report in steps summary; do
		"$REPORT" $report long.evt --time "${late}ns.." --format json >seeking.txt 2>&1 || fail "$report: status $?"
		PROF_REPORT_SEEK=off "$REPORT" $report long.evt --time "${late}ns.." --format json >whole.txt 2>&1
		cmp -s seeking.txt whole.txt || fail "$report from $percent % of a long step: $(diff seeking.txt whole.txt | head -n 5)"
	done
done

# A file that was cut or damaged has the same rows, too: whatever is wrong with the index, a head or a digest, segments are found another way, or read.
wall=$(json summary "$OUTPUT" 'totals["wall_ns"]')
python3 -I -S - "$REPORT" "$OUTPUT" $((wall * 45 / 100))ns..$((wall * 55 / 100))ns <<'END' || fail "a damaged file: $(cat damaged.txt)"
import json
import os
import random
import re
import subprocess
import sys

program, path, part = sys.argv[1:]
data = open(path, "rb").read()
random.seed(32)
index = data.index(b"INDX")
heads, digests = ([match.start() for match in re.finditer(tag, data)] for tag in (b"SEGM", b"DGST"))


def changed(at, bits=0x41):
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1:]


def rows_of(seek):
    done = subprocess.run((program, "steps", "damaged.evt", "--time", part, "--format", "json", "--limit", "0"), timeout=60,
                          stdout=subprocess.PIPE, stderr=open("damaged.txt", "a"), env=dict(os.environ, PROF_REPORT_SEEK=seek))
    assert done.returncode < 2, (name, done.returncode)
    return json.loads(done.stdout)["rows"]


files = {"cut within index": data[:index + 60], "cut before index": data[:index - 8], "cut within segment": data[:heads[-1] + 5000],
         "cut within head": data[:heads[-1] + 20], "index out of order": data[:index + 100] + data[index + 228:index + 356] + data[index + 228:],
         "tag of index": changed(index), "length of index": changed(index - 2, 0x7f), "head": changed(heads[1] + 40), "digest": changed(digests[1] + 60)}
files.update(("index, byte %d" % at, changed(index + at)) for at in random.sample(range(8, len(data) - index), 4))
for name, content in files.items():
    open("damaged.evt", "wb").write(content)
    rows = rows_of("on")
    assert rows, name
    assert rows == rows_of("off"), name
END

# A server's, too: a request that is under way over several segments, and those of segments that are not read.
rm -f go held port
INTERCEPT_KEEP_LAST=2M INTERCEPT_TRACE=+pymem INTERCEPT_OUTPUT=$PWD/server.evt LD_PRELOAD=$LIB python3 "$ROOT/tests/requests/plain_server.py" port &
server=$!
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT
eventually "the server listens" test -s port
python3 -S "$ROOT/tests/requests/client.py" "$(<port)" GET:/held >held.json &
client=$!
eventually "the long request has come" test -e held
for _ in 1 2 3; do
	# shellcheck disable=SC2046 # words of a plan
	python3 -S "$ROOT/tests/requests/client.py" "$(<port)" $(printf 'GET:/a GET:/missing %.0s' {1..70}) new GET:/slow >asked.json
done
touch go
wait "$client"
for _ in 1 2; do
	# shellcheck disable=SC2046
	python3 -S "$ROOT/tests/requests/client.py" "$(<port)" $(printf 'GET:/a GET:/error %.0s' {1..70}) GET:/slow GET:/slow GET:/slow >asked.json
done
kill -TERM "$server"
wait "$server"
server=''
written server.evt
python3 -S "$ROOT/scripts/evtdump.py" server.evt >dumped.txt 2>&1 || fail "the second decoder: $(tail -n 3 dumped.txt)"
segments=$(grep -aoF SEGM server.evt | wc -l)
[[ $segments -gt 2 ]] || fail "only $segments segments of the server"
python3 -S "$ROOT/tests/seeking.py" "$REPORT" 2 server.evt "requests --by request" requests bottleneck lines >compared.txt || fail "$(cat compared.txt)"
# What lies before and behind is not read: damage there is not met.
python3 -I -S - "$REPORT" "$(json summary server.evt 'totals["wall_ns"]')" <<'END' || fail "a segment outside of the time is read"
import json
import os
import re
import subprocess
import sys

program, wall = sys.argv[1], int(sys.argv[2])
data = open("server.evt", "rb").read()
heads = [match.start() for match in re.finditer(b"SEGM", data)]
at = (heads[0] + heads[1]) // 2  # within the first segment
open("damaged.evt", "wb").write(data[:at] + bytes(byte ^ 0x41 for byte in data[at:at + 9000]) + data[at + 9000:])


def ask(path, seek):
    return subprocess.run((program, "requests", path, "--time", "%dns.." % (wall - 50_000_000), "--format", "json"), timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, PROF_REPORT_SEEK=seek))


whole, other = ask("server.evt", "on"), ask("damaged.evt", "on")
assert whole.returncode == other.returncode == 0, (whole, other)
one, two = json.loads(whole.stdout), json.loads(other.stdout)
assert (one["rows"], one["totals"]) == (two["rows"], two["totals"]), (whole, other)
assert ask("damaged.evt", "off").returncode == 1
END
