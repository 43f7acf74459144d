#!/bin/bash
# prof-report ops beside torch.profiler's key_averages() of the same run: rows, calls, times, shapes, FLOPs.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch eager
cat >train.py <<'END'
import json, torch
from torch.profiler import profile, ProfilerActivity, record_function
torch.manual_seed(1)
schedule = torch.profiler.schedule(wait=0, warmup=0, active=100)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True, schedule=schedule) as p:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, stride=2, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(512, 32),
        torch.nn.LayerNorm(32), torch.nn.Linear(32, 10))
    encoder = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    lstm = torch.nn.LSTM(32, 16)
    optimizer = torch.optim.SGD([*model.parameters(), *lstm.parameters()], lr=0.1)
    x, y = torch.randn(16, 1, 16, 16), torch.randint(0, 10, (16,))
    checkpointed = torch.nn.Linear(10, 10)
    for step in range(8):
        with record_function("my step"):
            out = torch.utils.checkpoint.checkpoint(checkpointed, model(x), use_reentrant=False)
            loss = torch.nn.functional.cross_entropy(out, y) + lstm(torch.randn(5, 16, 32))[0].mean()
            loss.backward()
        with torch.no_grad(), record_function("my evaluation"):
            encoder(torch.randn(4, 6, 32)).bmm(torch.ones(4, 32, 7))
        optimizer.step()
        optimizer.zero_grad()
        p.step()
def rows(events):
    return [dict(name=e.key, calls=e.count, self_ns=e.self_cpu_time_total * 1000, total_ns=e.cpu_time_total * 1000,
                 flops=e.flops, shapes=str(e.input_shapes or [])) for e in events]
json.dump(dict(op=rows(p.key_averages()), shape=rows(p.key_averages(group_by_input_shape=True))), open("theirs.json", "w"))
END
INTERCEPT_TRACE=+shapes,-alloc run_traced "$PYTHON" train.py >out 2>err || fail "$(cat err)"
for by in op shape; do
	"$REPORT" ops --by $by -f json "$OUTPUT" >"$by.json" || fail "ops --by $by"
done
python3 -S - <<'END' || fail "ops differs from key_averages()"
import collections, json
theirs = json.load(open("theirs.json"))
ours = json.load(open("op.json"))["rows"]
hidden = ("profiler::", "[")  # torch.profiler's own

def counted(rows, key):
    calls = collections.Counter()
    for row in rows:
        if not row["name"].startswith(hidden):
            calls[key(row)] += row["calls"]
    return calls

def compare(what, a, b):
    wrong = {k: (a[k], b[k]) for k in set(a) | set(b) if a[k] != b[k]}
    assert not wrong, "%s of torch.profiler, ours: %r" % (what, wrong)

compare("calls", counted(theirs["op"], lambda row: row["name"]), counted(ours, lambda row: row["name"]))
assert len(ours) > 60, len(ours)
shaped = json.load(open("shape.json"))["rows"]
def plain(shapes):  # torch.profiler's table has no sizes of lists of tensors
    return str([[] if any(isinstance(size, list) for size in shape) else shape for shape in json.loads(shapes or "[]")])

compare("calls by shape", counted(theirs["shape"], lambda row: (row["name"], row["shapes"])),
        counted(shaped, lambda row: (row["name"], plain(row["input_shapes"]))))
flops = {row["name"]: row["flops"] for row in theirs["op"] if row["flops"]}
assert len(flops) >= 5, flops
compare("FLOPs", collections.Counter(flops), collections.Counter({r["name"]: r["flops"] for r in ours if r["flops"]}))

# both took the time of each call, one inside of the other; where a busy machine comes between, a row is far off, but not many are
by_name = {row["name"]: row for row in ours}
far = []
for row in theirs["op"]:
    mine = by_name.get(row["name"])
    if not mine:
        continue
    for key, column in (("self_ns", "self_cpu_ns"), ("total_ns", "total_cpu_ns")):
        if abs(row[key] - mine[column]) > 0.1 * row[key] + 5000 * row["calls"] + 20e6:
            far.append((row, mine))
    assert mine["total_cpu_ns"] >= mine["self_cpu_ns"], mine
    assert abs(mine["avg_cpu_ns"] - mine["total_cpu_ns"] / mine["calls"]) < 1, mine
assert len(far) <= len(ours) // 10, far
total = json.load(open("op.json"))["totals"]["self_cpu_ns"]
assert sum(row["self_cpu_ns"] for row in ours) == total
assert abs(sum(row["self_cpu_percent"] for row in ours) - 100) < 0.01
assert by_name["my step"]["scope"] == "user" and by_name["AddmmBackward0"]["scope"] == "backward"
assert by_name["ProfilerStep*"]["calls"] >= 8, by_name["ProfilerStep*"]
# of a GPU nothing is known, and shapes are told by shape only
assert all(row["self_cuda_ns"] is None and row["input_shapes"] is None for row in ours)
END
text=$("$REPORT" ops --group-by shape --sort self_cpu_time_total "$OUTPUT")
expect_eq "--group-by and torch.profiler's sort key" "$text" "$("$REPORT" ops --by shape --sort self_cpu_ns "$OUTPUT")"
expect_match "footer" "$text" 'Self CPU time total: [0-9.]+ [mu]?s'
[[ $text != *CUDA* ]] || fail "columns of what was not recorded: $text"
expect_match "summary" "$("$REPORT" "$OUTPUT")" 'PyTorch operators by self CPU time'
