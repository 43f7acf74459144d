#!/bin/bash
# Table, csv, json and markdown of every report by every key, over files with all families; --output; a full disk; a closed pipe.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program captured
run_traced "$PROGRAMS/captured" || fail "status $?"
cp "$ROOT"/tests/golden/{families,io,collectives,memory,samples,stuck,native,functions}.evt "$ROOT"/tests/golden/events/*.evt "$ROOT"/tests/truth/recordings/{straggler*,gpu_throttled}.evt .
need_program cuda_gpu
INTERCEPT_OUTPUT=gpu.evt LD_PRELOAD=$LIB "$PROGRAMS/cuda_gpu" work || fail "cuda_gpu: status $?"
tables keys >wanted
python3 -S - "$REPORT" <<'END' || fail "a format of a report"
import csv, glob, io, json, subprocess, sys
prof_report = sys.argv[1]
FILES = sorted(set(glob.glob("*.evt")) - {"run.evt"}, key=lambda name: name != "families.evt")
def run(what, *arguments):
    done = subprocess.run([prof_report, *arguments], capture_output=True)
    assert done.returncode == 0, "%s: status %d: %s" % (what, done.returncode, done.stderr)
    return done.stdout.decode(), done.stderr.decode()
def judge(file, *command):
    report = command[0]
    table, talk = run("table", *command, file)
    assert talk == "", "standard error: " + talk
    assert table, "prints nothing"
    assert "\x1b" not in table, "colour, but this is no terminal"
    doc = json.loads(run("json", *command, "--format", "json", file)[0])
    if len(command) == 1:
        beside = run("--output", *command, "--format", "json", "--output", "written.json", file)[0]
        assert beside == "", "standard output beside --output: " + beside
        assert json.load(open("written.json"))["rows"] == doc["rows"]
    table_csv = run("csv", *command, "--format", "csv", file)[0]
    markdown = run("markdown", *command, "--format", "markdown", file)[0]
    keys = {"report", "files", "session", "losses", "columns", "rows", "totals"}
    assert keys <= set(doc), "keys: %s" % sorted(keys - set(doc))
    assert doc["report"] == report
    assert doc["rows"] or file == "run.evt", "no row, though the file has events of the family"
    names = [column["name"] for column in doc["columns"]]
    assert all("unit" in column for column in doc["columns"])
    assert all(list(row) == names for row in doc["rows"]), "columns differ from rows"
    if report == "summary":
        return
    rows = list(csv.reader(io.StringIO(table_csv, newline="")))
    assert rows[0] == names, (rows[0], names)
    assert len(rows) - 1 == len(doc["rows"]), (len(rows), len(doc["rows"]))
    for row, other in zip(rows[1:], doc["rows"]):
        for cell, name in zip(row, names):
            value = other[name]
            if isinstance(value, int):
                assert cell == str(value), (name, cell, value)
    lines = markdown.splitlines() if doc["rows"] else ["|", "-"]
    assert any(line.startswith("|") for line in lines) and any(set(line) <= set("|-: ") and line for line in lines)
def has_rows(file):
    """How many rows reports have over this file, all from one reading."""
    run("export json", "export", "json", file, "-o", file + ".out")
    documents = (json.load(open(path)) for path in glob.glob(file + ".out/*.json"))
    return {document["report"]: len(document["rows"]) for document in documents}
rows = {file: has_rows(file) for file in FILES}
for line in open("wanted"):
    command = line.split()
    # the first has most families; of what it has not, whoever has most
    best = FILES[0] if rows[FILES[0]][command[0]] else max(FILES, key=lambda file: rows[file][command[0]])
    # rows of roofline need PyTorch: case roofline has them
    has_any = rows[best][command[0]] or command[0] == "roofline"
    assert has_any, "no recording here has rows for " + command[0]
    for file in [best] * bool(rows[best][command[0]]) + ["run.evt"] * (len(command) == 1):
        try:
            judge(file, *command)
        except Exception as error:
            sys.exit("%s of %s: %r" % (command, file, error))
END
(($(tables reports | wc -l) >= 15)) || fail "only $(tables reports | wc -l) reports are listed"
want() { # REPORT COLUMN...
	local report=$1
	shift
	"$REPORT" "$report" --format json "$OUTPUT" >json.out
	python3 -S -c 'import json, sys
doc = json.load(open("json.out"))
have = {c["name"] for c in doc["columns"]} | set(doc["totals"] or {})
missing = [name for name in sys.argv[1:] if name not in have]
assert not missing, missing' "$@" || fail "names that scripts rely on are missing in $report"
}
want alloc allocations bytes_allocated live_allocations live_bytes temporary_allocations frees frees_unmatched \
	bytes_freed peak_bytes peak_time_ns caller
want nvtx domain name count total_ns self_ns avg_ns min_ns max_ns stddev_ns p50_ns p90_ns p99_ns open \
	allocations bytes_allocated cuda_calls cuda_ns launches memcpy_bytes device_bytes
want api name calls total_ns percent avg_ns min_ns max_ns stddev_ns p50_ns p90_ns p99_ns errors
want kernels name calls total_ns avg_ns min_ns max_ns stddev_ns p50_ns p90_ns p99_ns lost clamped without_call
want gpu-trace start_ns duration_ns name device context stream correlation grid block bytes
want graphs graph pid launches nodes calls total_ns launch_ns span_ns gap_ns host_ns without_work
want launches kernel calls total_ns percent avg_ns min_ns max_ns stddev_ns p50_ns p90_ns p99_ns errors
want memcpy kind calls bytes total_ns avg_ns min_ns max_ns stddev_ns p50_ns p90_ns p99_ns avg_bytes max_bytes \
	rate errors
want device-memory device kind allocations frees bytes_allocated peak_bytes live_bytes frees_unmatched
want threads pid tid name start_ns end_ns events allocations bytes_allocated cuda_calls cuda_ns launches nvtx_ranges
want processes pid parent_pid command start_ns end_ns exit_status events events_lost bytes_on_disk cuda_calls
want summary events events_lost bytes_on_disk wall_ns cpu_ns profiler_cpu_ns processes threads cuda_calls cuda_ns \
	cuda_errors launches graph_launches memcpy_calls memcpy_bytes device_peak_bytes device_live_bytes
"$REPORT" alloc "$OUTPUT" >/dev/full 2>err
expect_eq "exit status with a full disk" $? 1
expect_match "the line" "$(cat err)" '^prof-report: .*(space|full)'
expect_eq "lines with a full disk" "$(wc -l <err)" 1
"$REPORT" dump "$OUTPUT" 2>err | head -1 >out
[[ -s out ]] || fail "dump prints nothing"
expect_eq "standard error of a closed pipe" "$(cat err)" ''
