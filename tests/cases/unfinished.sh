#!/bin/bash
# Calls and kernels that had not ended when the program did are in each export and report, up to its end and marked; calls that were left are not.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program unfinished
export FAKE_CUDA_KERNELS=kernel_long=3600000000000

# Every export and report has what had not ended, and nothing else of that kind.
judge() { # STATUS
	local format
	for format in "chrome trace.json" "perfetto trace.pftrace" "sqlite trace.db" "parquet tables"; do
		"$REPORT" export "${format% *}" --wait 60 "$OUTPUT" -o "${format#* }" 2>export.err ||
			fail "export $format: $(cat export.err)"
	done
	"$REPORT" page "$OUTPUT" -o page.html 2>export.err || fail "page: $(cat export.err)"
	"$REPORT" dump "$OUTPUT" >dump.out || fail "dump: $(cat dump.out)"
	PYTHONPATH=$ROOT/tests python3 - "$1" <<'END' || fail "with status $1: $(grep -a unfinished dump.out)"
import json, re, sqlite3, sys
import page_pieces
wanted = {"io": ["poll", "read", "write"], "cuda_runtime": ["cudaDeviceSynchronize"], "gpu_unfinished": ["kernel_long"]}
if sys.argv[1] != "137":  # at a normal end the fake CUPTI hands out the kernel, with an end to come: that record counts as lost
    wanted["gpu_unfinished"] = []
count = sum(map(len, wanted.values()))
# what was recorded
found = {}
for line in open("dump.out", errors="replace"):
    match = re.match(r'(\d+) .* (io|cuda)_unfinished function="(\w+)"(?: fd=(-?\d+))? duration(?:_ns)?=(\d+)', line)
    if match:
        found[match[3]] = int(match[1]), match[2], match[4] and int(match[4])
    elif " process_end " in line:
        end = int(line.split()[0])
        assert f"exit_status={sys.argv[1]} " in line, line
assert sorted(found) == sorted(wanted["io"] + wanted["cuda_runtime"]), found
assert {time for time, *_ in found.values()} == {end}, (found, end)
assert found["poll"][2] == -1 and found["read"][2] > 2 and found["write"][2] > 2, found
# Chrome's trace
trace = json.load(open("trace.json"))
cut = [e for e in trace["traceEvents"] if "end not recorded" in e.get("args", {})]
assert {k: sorted(e["name"] for e in cut if e["cat"] == k) for k in wanted} == wanted, cut
assert len(cut) == count, cut
ends = [e["ts"] + e["dur"] for e in cut if e["ph"] == "X"] + \
    [e["ts"] for e in trace["traceEvents"] if e["ph"] == "e" and e["cat"] == "gpu_unfinished"]
assert len(ends) == count and all(abs(at * 1000 - end) < 1 for at in ends), (ends, end)
# Perfetto's: the name of the argument is there
assert b"end not recorded" in open("trace.pftrace", "rb").read()
# the page
spans, page_end = page_pieces.spans("page.html")
cut = sorted((kind, name, stop) for kind, name, _, stop in spans if name.endswith(" (end not recorded)"))
assert page_end == end and cut == sorted((kind, name + " (end not recorded)", end) for kind, names in wanted.items() for name in names), (cut, end)
# sqlite
db = sqlite3.connect("trace.db")
for table, kind in (("OSRT_API", "io"), ("CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime"), ("INTERCEPT_GPU_UNFINISHED", "gpu_unfinished")):
    rows = db.execute(f"SELECT value, end FROM {table} JOIN StringIds ON id = nameId WHERE endNotRecorded ORDER BY value").fetchall()
    assert rows == [(name, end) for name in wanted[kind]], (table, rows)
END
	for family in io calls; do # of Parquet: the case export_parquet reads its files
		grep -qa end_not_recorded tables/*/*/family=$family/part.parquet || fail "Parquet has no column of what is cut in $family"
	done
	# the reports count these calls up to the end, and say so
	expect "$OUTPUT" 'io.totals.unfinished == 3' 'io("--by", "function").row(function="poll").calls == 1' \
		'api.row(name="cudaDeviceSynchronize").calls == 2'
	for report in io api; do
		"$REPORT" "$report" "$OUTPUT" >report.out || fail "$report: $(cat report.out)"
		expect_match "$report" "$(tr '\n' ' ' <report.out)" 'calls? had not returned when the process ended \(end not recorded\): the time is until then'
	done
}

# killed
INTERCEPT_TRACE=+io INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/unfinished" ready 2>err &
pid=$!
eventually "all threads in their calls" test -e ready
kill -9 $pid
wait $pid 2>/dev/null
eventually "the file" test -s "$OUTPUT"
judge 137
expect "$OUTPUT" 'summary.totals.events_lost == 0'

# ended by another thread, which says its end
rm -rf ready tables run.evt
INTERCEPT_TRACE=+io run_traced "$PROGRAMS/unfinished" ready exit 2>err
expect_eq "status" $? 3
judge 3
