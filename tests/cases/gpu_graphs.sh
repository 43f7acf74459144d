#!/bin/bash
# CUDA graphs: launches, nodes, spans and gaps are those of the work itself; nodes have the operator, range and line of their capture.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 200
need_program cuda_life
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json

# spans and gaps, from each piece of work
cat >judge.py <<'END'
import collections, json, subprocess, sys
report, path = sys.argv[1:]
def load(*command):
    return json.loads(subprocess.run((report, *command, "--limit", "0", "--format", "json", path), stdout=subprocess.PIPE, check=True).stdout)
pieces = collections.defaultdict(list)
for row in load("gpu-trace")["rows"]:
    pieces[row["correlation"]].append((row["start_ns"], row["start_ns"] + row["duration_ns"]))
span = gaps = total = launches = 0
for work in pieces.values():
    if len(work) < 2:
        continue  # a launch of a kernel: the graphs of this test have more nodes
    launches += 1
    covered = min(work)[0]
    span += max(end for start, end in work) - covered
    for start, end in sorted(work):
        gaps += max(0, start - covered)
        covered = max(covered, end)
        total += end - start
totals = load("graphs")["totals"]
got = totals["launches"], totals["span_ns"], totals["gap_ns"], totals["total_ns"]
assert got == (launches, span, gaps, total), (got, (launches, span, gaps, total))
for key in "node", "name", "op", "range", "stack", "function", "line", "module", "python":
    rows = load("graphs", "--by", key)["rows"]
    assert sum(row["total_ns"] for row in rows) == total, (key, rows)
    assert sum(row["calls"] for row in rows) == totals["calls"], (key, rows)
END
judge() { # FILE
	python3 -S judge.py "$REPORT" "$1" || fail "line ${BASH_LINENO[0]}: $1"
}
life() { # NAME=VALUE...
	rm -f ./*.evt* counts.*.json
	env "$@" INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$PROGRAMS/cuda_life" capture 2>err || fail "$*: status $?: $(cat err)"
	"$REPORT" summary --wait 60 "$OUTPUT" >/dev/null
}

# four kernels, launched three times by another thread than the one that captured them
for order in FAKE_CUPTI_ORDER=reverse FAKE_CUPTI_ORDER=late FAKE_CUPTI_THREADS=1; do
	life "$order"
	judge "$OUTPUT"
	expect "$OUTPUT" 'len(graphs.rows) == 1' 'graphs.rows[0].launches == 3' 'graphs.rows[0].nodes == 4' 'graphs.totals.calls == 12' \
		'graphs.totals.without_work == 0' 'graphs.totals.total_ns == kernels.totals.total_ns' \
		'graphs.totals.host_ns == api.row(name="cudaGraphLaunch").total_ns' \
		'sorted(row.calls for row in graphs("--by", "node").rows) == [3] * 4' \
		'graphs("--by", "name").row(name="first(float*)").calls == 6' 'graphs("--by", "name").row(name="second(float*)").calls == 6' \
		'kernels.totals.untold == 0'
done
# the stack is that of the launch that was captured, not of the one that runs the graph
life INTERCEPT_STACKS=native
judge "$OUTPUT"
expect "$OUTPUT" 'graphs("--by", "function").row(function="launch").calls == 12' \
	'"run_capture" in [frame["function"] for frame in graphs("--by", "stack").rows[0].stack]' \
	'"replay" in [frame["function"] for frame in kernels("--by", "stack").rows[0].stack]'
# CUPTI that does not name nodes as they are captured: all but their context is there
life FAKE_CUDA_FAIL='cuptiGetGraphNodeId:*=999'
judge "$OUTPUT"
expect "$OUTPUT" 'graphs.rows[0].launches == 3' 'graphs.rows[0].nodes == 4' 'graphs.totals.calls == 12' \
	'graphs("--by", "op").row(op="(no operator)").calls == 12'
# as one piece each
life INTERCEPT_GRAPHS=whole
total=$(python3 -c 'import glob, json; print(json.load(open(glob.glob("counts.*.json")[0]))["device"]["graphs"]["total_ns"])')
expect "$OUTPUT" 'graphs.totals.launches == 3' "graphs.totals.span_ns == $total" 'graphs.rows[0].nodes is None' 'graphs.rows[0].gap_ns is None' \
	'not graphs("--by", "name").rows' 'kernels.totals.untold == 0'
"$REPORT" graphs --by name "$OUTPUT" | tr '\n' ' ' | grep -q 'INTERCEPT_GRAPHS=whole records each launch as one piece' || fail "nothing says why there are no nodes"
# none, and nothing of a GPU at all
rm -f ./*.evt*
run_traced "$PROGRAMS/cuda_life" reset || fail "status $?"
"$REPORT" graphs --wait 60 "$OUTPUT" | grep -q 'no CUDA graph was launched' || fail "nothing says that there is no graph"

# a graph of PyTorch's
fake=$BUILD/fake
PYTHON=$(torch_python) && (need_cuda_torch eager) >/dev/null || exit 0
cat >graph.py <<'END'
import torch
x = torch.zeros(64, device="cuda")
y = torch.zeros(64, device="cuda")
def step():
    with torch.cuda.nvtx.range("twice"):
        y.add_(x)
        y.add_(x)  # again
    with torch.cuda.nvtx.range("once"):
        y.mul_(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(10):
    graph.replay()
torch.cuda.synchronize()
END
rm -f ./*.evt*
INTERCEPT_STACKS=python INTERCEPT_TRACE=-alloc,-imports INTERCEPT_OUTPUT=$OUTPUT \
	LD_PRELOAD=$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13 \
	"$PYTHON" graph.py 2>err || fail "graph.py: status $?: $(cat err)"
judge "$OUTPUT"
expect "$OUTPUT" 'graphs.totals.launches == 10' 'graphs.totals.calls == 30' 'graphs.rows[0].nodes == 3' \
	'graphs("--by", "op").row(op="aten::add_").calls == 20' 'graphs("--by", "op").row(op="aten::mul_").calls == 10' 'len(graphs("--by", "op").rows) == 2' \
	'graphs("--by", "range").row(range="twice").calls == 20' 'graphs("--by", "range").row(range="once").calls == 10' \
	'sorted(row.python.split("/")[-1] for row in graphs("--by", "python").rows) == ["graph.py:6 step", "graph.py:7 step", "graph.py:9 step"]' \
	'sorted((row.op, row.calls) for row in graphs("--by", "node").rows) == [("aten::add_", 10), ("aten::add_", 10), ("aten::mul_", 10)]' \
	'kernels.totals.untold == 0'
exit 0
