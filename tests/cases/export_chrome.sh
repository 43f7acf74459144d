#!/bin/bash
# export chrome: valid JSON whose counts and sums are those of the reports, over stored recordings of all kinds, cut and damaged ones.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
# suite: test-all, many recordings of the tree; test_chrome_trace has the parts
cat >compare.py <<'END'
import collections, gzip, json, re, subprocess, sys
report, path = sys.argv[1:]

def table(name, *options):
    done = subprocess.run([report, name, "-f", "json", "--limit", "0", *options, path], capture_output=True, timeout=600)
    return json.loads(done.stdout)

def total(name, column, *options):
    return sum(row[column] or 0 for row in table(name, *options)["rows"])

done = subprocess.run([report, "export", "chrome", path, "-o", "trace.json"], capture_output=True, text=True, timeout=600)
whole = done.returncode == 0
text = open("trace.json", encoding="utf-8", errors="strict").read()
trace = json.loads(text, strict=True)
assert trace["schemaVersion"] == 1 and isinstance(trace["baseTimeNanoseconds"], int)
count, spent = collections.Counter(), collections.Counter()
for event in trace["traceEvents"]:
    assert event["ph"] in "XBCMbeisf" and isinstance(event["name"], str), event
    if event["ph"] == "X":
        assert event["ts"] >= 0 and event["dur"] >= 0, event
        spent[event["cat"]] += event["dur"]
    if event["ph"] in "XBb":
        count[event["cat"]] += 1
    elif event["ph"] != "M":
        count[event["ph"] + " " + event["name"]] += 1
threads = table("threads")
losses = sum(loss["count"] for loss in threads["losses"])
assert sum(loss["count"] for loss in trace["intercept_losses"]) == losses
assert len(trace["intercept_faults"]) == len(threads["faults"])
assert whole == (not threads["faults"]), done
if losses:
    assert "LOST" in done.stderr, done.stderr
steps = sum(e["ph"] == "X" and e["name"].startswith("ProfilerStep#") for e in trace["traceEvents"])
rows = len(table("steps")["rows"])
assert steps == rows or rows == 0 or steps > rows, (steps, rows)
operators = sum(row["operators"] or 0 for row in threads["rows"])
ranges = sum(row["nvtx_ranges"] or 0 for row in threads["rows"])
dump = subprocess.run([report, "dump", path], capture_output=True, timeout=600).stdout
actions = dump.count(b" action_begin ")
requests = dump.count(b" request_begin ")
labels = count["user_annotation"] + count["cpu_op"]
assert labels == operators + ranges + actions + requests + (steps if steps == rows and not any(
    "ProfilerStep" in row["name"] for row in table("ops")["rows"]) else 0), (path, labels, operators, ranges, actions, requests, steps)
calls = table("api")["rows"]
# calls that only CUPTI saw (of cuBLAS, say) are no calls of ours: the trace has them, report api has not
unseen = [int(number) for number in re.findall(rb" gpu_call .*?\bduration_ns=(\d+)", dump)]
assert count["cuda_runtime"] + count["cuda_driver"] == sum(row["calls"] for row in calls) + len(unseen), path
assert abs(spent["cuda_runtime"] + spent["cuda_driver"] - (sum(row["total_ns"] for row in calls) + sum(unseen)) / 1000) < 0.001 * (len(calls) + len(unseen)) + 1
assert count["python_function"] == total("modules", "calls"), path
tensors = table("tensors", "--by", "device")["rows"]
given = [e["args"]["Bytes"] for e in trace["traceEvents"] if e["name"] == "[memory]" and e["args"]["Bytes"] > 0]
assert sum(given) == sum(row["bytes_allocated"] for row in tensors), path
assert "f fwdbwd" not in count or count["f fwdbwd"] == count["s fwdbwd"]
print(path, dict(count))
END
# and cut off and damaged ones: what is readable
some=$ROOT/tests/truth/recordings/collate.evt
damaged_copies "$some"
{
	printf '%s\n' "$ROOT"/tests/golden/*.evt cut.evt bad.evt
	printf '%s\n' "$ROOT"/tests/truth/recordings/*.evt | awk 'NR % 4 == 1' # their programs are much alike
} |
	python3 -S "$ROOT/tests/each.py" compare.py "$REPORT" >log || fail "what was exported is not what the reports have"

# compressed, to stdout, into a folder; and what is refused
"$REPORT" export chrome "$some" -o t.json.gz 2>err || fail "$(cat err)"
expect_match "what was written" "$(cat err)" "'t.json.gz': [0-9,]+ events, "
"$REPORT" export chrome "$some" >plain.json || fail "to stdout"
gzip -dc t.json.gz | sed 's/"traceName": .*/"traceName": "stdout"/' | cmp - plain.json || fail "compressed is not the same"
mkdir folder
"$REPORT" export chrome "$some" -o folder/ 2>/dev/null || fail "into a folder"
expect_eq "files in the folder" "$(ls folder)" norank.pt.trace.json.gz
"$REPORT" export chrom "$some" -o x 2>err && fail "a format that is none was taken"
expect_match "a format that is none" "$(cat err)" "export 'chrom' is not one of chrome.*; did you mean 'chrome'\?"
"$REPORT" export 2>err && fail "no format was taken"
cp "$some" mine.evt
"$REPORT" export chrome mine.evt -o mine.evt 2>err && fail "the recording was written over"
cmp "$some" mine.evt || fail "the recording was changed"
"$REPORT" export chrome "$some" -o /dev/full 2>err && fail "a full disk was not noticed"
expect_match "a full disk" "$(cat err)" "cannot write '/dev/full': No space left on device; it is incomplete"
"$REPORT" export chrome "$some" -o nowhere/x.json 2>err && fail "a folder that is not there"
expect_match "a folder that is not there" "$(cat err)" "there is no directory 'nowhere'"
exit 0
