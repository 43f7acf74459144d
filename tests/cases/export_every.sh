#!/bin/bash
# Every format of export: a file says what was lost where the format has room, stderr always; of a cut or damaged one the rest is written.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
INTERCEPT_MAX_FILE=256K INTERCEPT_STACKS=native run_traced python3 -c '
x = [[bytes(600 + j % 7) for j in range(3000)] for i in range(150)]' || fail "status $?"
lost=$(json summary "$OUTPUT" 'sum(loss["count"] for loss in losses)')
((lost > 1000)) || fail "only $lost events were lost"
# a format that read.py below does not know fails
formats=$("$REPORT" export no-such-format "$OUTPUT" 2>&1 | sed -nE 's/.* is not one of ([a-z, ]*).*/\1/p' | tr -d ,)
(($(wc -w <<<"$formats") >= 12)) || fail "formats: '$formats'"

cat >read.py <<'END_OF_PYTHON'
"""read.py FORMAT PATH: opens an export as its readers do, and prints how many events it says were lost; - where it has no room."""
import collections, glob, gzip, json, re, sqlite3, subprocess, sys
format, path = sys.argv[1:]

def said(text):  # "LOST 1,234 events in process 5: reason; LOST ..."
    return sum(int(number.replace(",", "")) for number in re.findall(r"LOST ([0-9,]+) events?", text))

def lines():  # of stacks, each once, with a value
    seen = collections.Counter()
    for line in open(path):
        stack, value = line.rstrip("\n").rsplit(" ", 1)
        seen[stack] += 1
        assert int(value) > 0 and seen[stack] == 1, line
    assert seen
    return "-"

def opened_by(*command):
    done = subprocess.run([*command, path], capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    assert len(done.stdout.splitlines()) > 10, done.stdout
    return done.stdout

def speedscope():
    scope = json.load(open(path))
    profile, = scope["profiles"]
    assert sum(profile["weights"]) == profile["endValue"] > 0
    return said(scope["name"])

def pprof():
    return said(gzip.open(path).read().decode("utf-8", "replace"))

def callgrind():
    text = open(path).read()
    opened_by("callgrind_annotate")
    assert sum("Losses" in line for line in text.splitlines()) <= 1
    return said(text)

def massif():
    opened_by("ms_print")
    head = open(path).read().splitlines()[:3]
    assert [line.split(":")[0] for line in head] == ["desc", "cmd", "time_unit"], head
    return said(head[0])

def sqlite():
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return db.execute("SELECT IFNULL(SUM(count), 0) FROM INTERCEPT_LOSSES").fetchone()[0]

def csv():
    import csv as reader
    for name in glob.glob(path + "/*.csv"):
        with open(name, newline="") as table:
            rows = list(reader.reader(table))
        assert rows and all(len(row) == len(rows[0]) for row in rows), name
    return sum(int(row["count"]) for row in reader.DictReader(open(path + "/losses.csv", newline="")))

def tables_of_json():
    losses = {sum(loss["count"] for loss in json.load(open(name))["losses"]) for name in glob.glob(path + "/*.json")}
    assert len(losses) == 1, losses
    return losses.pop()

def parquet():
    try:
        import pyarrow.parquet
    except ImportError:  # cases export_parquet and export_scale have it
        assert glob.glob(path + "/**/*.parquet", recursive=True)
        return "-"
    return sum(sum(pyarrow.parquet.ParquetFile(name).read()["count"].to_pylist())
               for name in glob.glob(path + "/**/*losses*/**/*.parquet", recursive=True))

readers = {
    "chrome": lambda: sum(loss["count"] for loss in json.load(open(path)).get("intercept_losses", [])),
    "perfetto": lambda: "-" if open(path, "rb").read(1) == b"\n" else 1 / 0,
    "speedscope": speedscope, "folded": lines, "stacks": lines, "pprof": pprof, "callgrind": callgrind, "massif": massif,
    "sqlite": sqlite, "parquet": parquet, "csv": csv, "json": tables_of_json,
}
print(readers[format]())
END_OF_PYTHON

for tool in callgrind_annotate ms_print; do
	need_tool $tool
done
damaged_copies "$OUTPUT"
mv "$OUTPUT" whole.evt
for format in $formats; do
	"$REPORT" export "$format" whole.evt -o "whole.$format" 2>err || fail "$format: status $? $(cat err)"
	expect_match "stderr of $format" "$(cat err)" "'whole.$format': [0-9,]+ [a-z]+, "
	expect_match "losses of $format" "$(cat err)" 'LOST [0-9,]+ events'
	said=$(python3 read.py "$format" "whole.$format" 2>err) || fail "$format: $(tail -n 5 err)"
	[[ $said == - ]] || expect_eq "lost, as $format has it" "$said" "$lost"
	for file in cut bad; do
		status=0
		"$REPORT" export "$format" $file.evt -o "$file.$format" 2>err || status=$?
		expect_eq "status of $format of $file.evt" $status "$("$REPORT" processes $file.evt >/dev/null 2>&1; echo $?)"
		expect_match "$format of $file.evt" "$(cat err)" 'INCOMPLETE|damaged|DAMAGED'
		python3 read.py "$format" "$file.$format" >said 2>err || fail "$format of $file.evt: $(tail -n 5 err)"
	done
done
# nothing was lost: nothing is said
run_traced python3 -c 'x = [bytes(600) for i in range(3000)]' || fail "status $?"
for format in speedscope pprof callgrind massif chrome sqlite; do
	"$REPORT" export $format "$OUTPUT" -o none.$format 2>err || fail "$format: $(cat err)"
	expect_eq "lost, as $format has it" "$(python3 read.py $format none.$format)" 0
done
