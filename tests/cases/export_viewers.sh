#!/bin/bash
# export chrome, opened by torch-tb-profiler and HolisticTraceAnalysis: what they have is what the reports have.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_torch eager
folder=$(fetched viewers)
[[ -d $folder/hta && -d $folder/torch_tb_profiler ]] || skip "no viewers of traces (scripts/pip-folder.sh viewers installs them)"
cat >work.py <<'END'
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(6):
    with torch.profiler.record_function('a "label"\n<b> \u202e of mine'):
        loss = model(torch.randn(4, 1, 8, 8)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
END
# no steps: the viewers leave out what is before the first and after the last
RANK=3 WORLD_SIZE=4 INTERCEPT_STEP=off INTERCEPT_TRACE=+shapes,+modules run_traced "$PYTHON" work.py >out 2>err || fail "$(cat err)"
mkdir traces
"$REPORT" export chrome "$OUTPUT" -o traces/ || fail "export"
expect_eq "name of the file" "$(ls traces)" rank-3.pt.trace.json.gz
for table in ops threads modules tensors; do
	"$REPORT" $table -f json --limit 0 "$OUTPUT" >"$table.json" || fail "$table"
done
PYTHONPATH=$folder "$PYTHON" - >viewers 2>viewers.err <<'END' || fail "$(tail -n 5 viewers.err)"
import collections, gzip, json
rows = json.load(open("ops.json"))["rows"]
threads = json.load(open("threads.json"))["rows"]
trace = json.load(gzip.open("traces/rank-3.pt.trace.json.gz"))
ours = collections.defaultdict(list)
for event in trace["traceEvents"]:
    if event["ph"] == "X" and event["cat"] == "cpu_op":
        ours[event["name"]].append(event["dur"])

from torch_tb_profiler.profiler.data import RunProfileData
theirs = RunProfileData.parse("worker", "span", "traces/rank-3.pt.trace.json.gz", ".")
# where an operator only calls itself, all of them count one call
compared = 0
for op in theirs.op_list_groupby_name:
    found = [row for row in rows if row["name"] == op.name]
    assert found, op.name
    assert op.calls == sum(row["calls"] for row in found), (op.name, op.calls, found)
    assert abs(op.host_duration - sum(row["total_cpu_ns"] for row in found) / 1000) < 0.01, (op.name, op.host_duration, found)
    assert abs(op.self_host_duration - sum(row["self_cpu_ns"] for row in found) / 1000) < 0.01, (op.name, op.self_host_duration, found)
    compared += 1
assert compared > 20, compared
assert len(theirs.memory_snapshot.memory_records) == sum(e["name"] == "[memory]" for e in trace["traceEvents"])
assert theirs.distributed_info["rank"] == 3 and theirs.distributed_info["world_size"] == 4

from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_dir="traces")
assert list(analysis.t.traces) == [3], analysis.t.traces
frame = analysis.t.get_trace(3)
names = analysis.t.symbol_table.get_sym_table()
frame = frame[frame["cat"].map(lambda at: names[at]) == "cpu_op"]
for name, found in frame.groupby(frame["name"].map(lambda at: names[at])):
    assert len(found) == len(ours[name]), (name, len(found), len(ours[name]))
assert len(frame) == sum(map(len, ours.values()))
labels = [e for e in trace["traceEvents"] if e["name"] == 'a "label"\n<b> \u202e of mine']
assert len(labels) == 6, len(labels)
assert len(frame) + sum(e["ph"] == "X" and e["cat"] == "user_annotation" for e in trace["traceEvents"]) == sum(row["operators"] or 0 for row in threads)
flows = collections.Counter(e["ph"] for e in trace["traceEvents"] if e.get("cat") == "fwdbwd")
assert flows["s"] == flows["f"] > 20, flows
modules = [e["name"] for e in trace["traceEvents"] if e.get("cat") == "python_function"]
assert modules and all(name.startswith("nn.Module: ") for name in modules)
assert len(modules) == sum(row["calls"] for row in json.load(open("modules.json"))["rows"])
print(len(frame), "operators")
END
cat viewers
