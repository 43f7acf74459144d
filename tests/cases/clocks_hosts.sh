#!/bin/bash
# Ranks whose clocks were put apart and let drift on purpose: times of all reports and exports are within the stated uncertainty.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program warp_recording
recordings=$ROOT/tests/truth/recordings

cat >compare.py <<'END'
# Times of rank 1 against those of rank 0, as they were recorded by one clock and as they are now.
import json, subprocess, sys
report, drift, offset = sys.argv[1], float(sys.argv[2]) / 1e9, int(sys.argv[3])
def of(kind, files):
    return json.loads(subprocess.run([report, kind, "--format", "json", *files], check=True, capture_output=True).stdout)
def starts(files):
    rows = {(row["rank"], row["step"]): row["start_ns"] for row in of("steps", files)["rows"]}
    first = min(step for rank, step in rows if rank == 0)
    return {key: start - rows[0, first] for key, start in rows.items()}, rows[0, first]
def trace(files):
    subprocess.run([report, "export", "chrome", "-o", "trace.json", *files], check=True, capture_output=True)
    events = [event for event in json.load(open("trace.json"))["traceEvents"] if "all_reduce" in event.get("name", "")]
    return sorted((event["pid"], event["ts"]) for event in events if event["ph"] in "bX")
def waits(files):
    return {row["op"]: (row["wait_ns"], row["calls"]) for row in of("nccl", files)["rows"] if row["wait_ns"] is not None}
def late(files):
    return {row["rank"]: row["late_count"] for row in of("ranks", files)["rows"]}
plain, warped = ["plain/0.evt", "plain/1.evt", "plain/2.evt"], ["warped/0.evt", "warped/1.evt", "warped/2.evt"]
rows = {row["host"]: row for row in of("clocks", warped)["rows"]}
far = rows.pop("far")
(near,) = rows.values()
assert near["basis"] == "reference" and near["uncertainty_ns"] == 0, near
assert far["basis"] == "collectives" and far["bounds"] > 20, far
doubt = far["uncertainty_ns"]
assert 0 < doubt < 20e6, far  # of use: not above what a step takes
(true, _), (seen, zero) = starts(plain), starts(warped)
assert true.keys() == seen.keys() and len(true) > 10, len(true)
compared = 0
for (rank, step), start in true.items():
    if rank != 1 or not far["from_ns"] <= seen[rank, step] + zero <= far["to_ns"]:
        continue
    compared += 1
    assert abs(seen[rank, step] - start) <= doubt, (rank, step, start, seen[rank, step], doubt)
assert compared > 3, compared
if far["drift_uncertainty_ppm"] is not None:
    # what the clock gains is taken away, of the time that it shows
    assert abs(far["drift_ppm"] + drift / (1 + drift) * 1e6) <= far["drift_uncertainty_ppm"] + .01, far
# at `from` the file was at most 200 s old
assert abs(far["offset_ns"] + offset) <= doubt + abs(drift) * 200e9, far
before, after = trace(plain), trace(warped)
assert len(before) == len(after) > 20, (len(before), len(after))
apart = [after[at][1] - before[at][1] for at in range(len(before))]
assert max(apart) - min(apart) <= 2 * doubt / 1e3 + abs(drift) * 60e6, (min(apart), max(apart), doubt)
for op, (wait, calls) in waits(plain).items():
    # a call's own length is moved by the drift as well
    assert abs(waits(warped)[op][0] - wait) <= calls * doubt + abs(drift) * 60e9, (op, wait, waits(warped)[op])
# who is last is said only where the clocks leave no doubt
for rank, count in late(warped).items():
    assert count <= late(plain)[rank], (rank, count, late(plain))
END

try() { # RECORDING OFFSET_NS DRIFT_PPB
	rm -rf plain warped
	mkdir plain warped
	set -- "$@" "$recordings/$1".*.*.evt
	cp "$recordings/$1.evt" plain/0.evt
	cp "$4" plain/1.evt
	cp "$5" plain/2.evt
	cp plain/[01].evt warped
	"$PROGRAMS/warp_recording" plain/2.evt warped/2.evt far "$2" "$3" || fail "warp_recording $1"
	python3 -I -S compare.py "$REPORT" "$3" "$2" 2>err || fail "$1, $2 ns ahead, drift $3: $(tail -n 1 err)"
}

try gc_ranks 5000000000 60000
try gc_ranks -90000000 -250000
try good_ranks 1000 0
try uneven_ranks -3600000000000 900000

# files of one machine have one clock; without collectives nothing is known, and it is said
expect_eq "one host" "$(json clocks plain/0.evt '[len(rows), rows[0]["basis"], totals["clocks"], totals["unknown"]]' plain/1.evt)" '[1, "reference", 1, 0]'
mkdir one
cp plain/0.evt one
"$PROGRAMS/warp_recording" plain/0.evt one/1.evt far 5000000 0 || fail "warp_recording"
expect_eq "no collectives" "$(json clocks one/0.evt '[sorted(row["basis"] for row in rows), totals["unknown"]]' one/1.evt)" \
	'[["real-time clock", "reference"], 1]'
"$REPORT" clocks one/0.evt one/1.evt >shown || fail "no collectives"
grep -q 'placed by their real-time clocks only' shown || fail "$(cat shown)"
