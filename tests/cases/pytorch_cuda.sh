#!/bin/bash
# PyTorch trains the demo's network over the fake CUDA: launches, copies and calls are what the fake counted, every one.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 500
# suite: test-all, trains the demo's network three times over the fake CUDA
need_cuda_torch eager
fake=$BUILD/fake
preload="$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13"
"$PYTHON" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("sklearn"))' || skip "no sklearn in '$PYTHON'"
export PYTHONPATH=$ROOT/tests/torch/rest${PYTHONPATH:+:$PYTHONPATH} # PyTorch's own end
train() { # PRELOAD: one epoch; prints what the training does but the times
	local status
	LD_PRELOAD=$1 "$PYTHON" "$ROOT/scripts/demo_train.py" 1 --device cuda >train.out 2>train.err
	status=$?
	expect_eq "exit status ($(tail -n 3 train.err))" $status 0
	grep -v '^intercept: ' train.err >&2 && fail "the training says something on standard error"
	sed 's/  [0-9.]* s$//' train.out
}
FAKE_CUDA_COUNTS=$PWD/bare.json train "$preload" >bare.out || exit 1
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json
INTERCEPT_OUTPUT=$OUTPUT train "$LIB:$preload" >traced.out || exit 1
cmp bare.out traced.out || fail "the training prints otherwise"
same_as_fake --peak "$OUTPUT" counts.*.json
# the same calls as without intercept
python3 -S - counts.*.json <<'END' || fail "the training made other calls than without intercept"
import json, sys
bare, traced = (json.load(open(path)) for path in ("bare.json", sys.argv[1]))
for part in "calls", "errors", "launches", "copies", "memory":
    assert bare[part] == traced[part], part
END
expect "$OUTPUT" 'summary.totals.events_lost == 0' 'launches.totals.calls > 45 * 40' \
	'len(launches("--names", "mangled").rows) > 20' \
	'all(row.kernel.startswith("_Z") for row in launches("--names", "mangled").rows)' \
	'nvtx.row(name="optimizer").launches > 0' 'nvtx.row(name="data").memcpy_bytes > 0' \
	'launches("--by", "range").sum("calls") == launches.totals.calls' 'api.totals.calls == api.sum("calls")' \
	'threads.sum("launches") == launches.totals.calls'
# what the GPU did is what the fake device did, what cuBLAS launched past all that can be interposed included
python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.*.json >compare.out || fail "$(cat compare.out)"
expect "$OUTPUT" 'kernels.totals.calls > launches.totals.calls' 'kernels.totals.without_call == 0' 'kernels.totals.lost == 0' \
	'kernels("--names", "mangled").row(name="_Z14fake_lt_matmulPKfS0_Pf").calls + kernels("--names", "mangled").row(name="_Z12fake_gemm_64PKfS0_Pfi").calls == kernels.totals.calls - launches.totals.calls' \
	'kernels("--by", "op").sum("total_ns") == kernels.totals.total_ns' \
	'launches.sum("gpu_ns") + memcpy.sum("gpu_ns") <= threads.sum("gpu_ns")' 'threads.sum("gpu_ns") == kernels.totals.total_ns + gpu_copies.totals.total_ns' \
	'processes.sum("gpu_ns") == threads.sum("gpu_ns")' 'all(kernels("--by", "range").row(range=each.range).calls >= each.calls for each in launches("--by", "range").rows)'
expect_sums "$OUTPUT"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"

# operators, ranges, modules, threads and steps have the GPU's time that follows from the events one by one
rm -f counts.*.json
INTERCEPT_STACKS=python INTERCEPT_TRACE=-alloc,-imports,+modules INTERCEPT_OUTPUT=$PWD/joined.evt train "$LIB:$preload" >joined.out || exit 1
python3 "$ROOT/tests/fake/judge_gpu.py" "$REPORT" joined.evt >judge.out || fail "$(head -n 20 judge.out)"
expect joined.evt 'ops.sum("self_cuda_ns") <= threads.sum("gpu_ns")' 'ops.sum("self_cuda_ns") == ops.totals.self_cuda_ns' \
	'ops("--sort", "cuda_time_total").rows[0].total_cuda_ns == max(row.total_cuda_ns for row in ops.rows)' \
	'steps.totals.kernel_ns > 0' 'steps.totals.gpu_late == 0' 'actions.row(name="Optimizer.step#Adam.step").gpu_ns > 0' \
	'kernels("--by", "step").sum("total_ns") == kernels.totals.total_ns' 'kernels("--by", "step").row(step=5).total_ns > 0' \
	'kernels("--by", "line").sum("total_ns") == kernels.totals.total_ns' 'kernels("--by", "stack").sum("calls") == kernels.totals.calls' \
	'any("demo_train.py" in row.python and row.total_ns > 0 for row in kernels("--by", "python").rows)'

# what autograd's thread does for a range is in it, whoever asks, and at the line that waits for it
line=$(grep -n 'loss.backward()' "$ROOT/scripts/demo_train.py" | cut -d: -f1)
expect joined.evt 'nvtx.row(name="backward").launches > nvtx.row(name="forward").launches > 0' \
	'launches("--range", "backward").totals.calls == nvtx.row(name="backward").launches' \
	'launches("--by", "range").row(range="backward").calls == nvtx.row(name="backward").launches' \
	'ops("--range", "backward").row(name="autograd::engine::evaluate_function: AddmmBackward0").calls == ops.row(name="autograd::engine::evaluate_function: AddmmBackward0").calls' \
	"sum(row.calls for row in kernels('--by', 'line').rows if row.line.endswith('demo_train.py:$line')) + sum(row.calls for row in memcpy('--by', 'line').rows if row.line.endswith('demo_train.py:$line')) == nvtx.row(name='backward').gpu_ops" \
	'steps.totals.helped_ns > 0' 'steps.totals.waiting_ns is None or steps.totals.running_ns + steps.totals.waiting_ns + steps.totals.helped_ns <= steps.totals.total_ns'

# the trace has all of it, each piece with its call and operator
mkdir traces
"$REPORT" export chrome joined.evt -o traces/ 2>/dev/null || fail "export chrome"
"$REPORT" kernels -f json --limit 0 joined.evt >kernels.json
python3 -S - <<'END' || fail "export chrome: $(ls -l traces)"
import collections, glob, gzip, json
(path,) = glob.glob("traces/*.json.gz")
events = json.load(gzip.open(path))["traceEvents"]
of = collections.defaultdict(list)
for event in events:
    of[event.get("cat"), event["ph"]].append(event)
rows = json.load(open("kernels.json"))["rows"]
assert collections.Counter(e["name"].removeprefix("void ") for e in of["kernel", "X"]) == {row["name"]: row["calls"] for row in rows}
assert abs(sum(e["dur"] for e in of["kernel", "X"]) - sum(row["total_ns"] for row in rows) / 1000) < 1
calls = {e["args"]["correlation"]: e for e in of["cuda_runtime", "X"] + of["cuda_driver", "X"]}
assert len(calls) == len(of["cuda_runtime", "X"] + of["cuda_driver", "X"])
operators = {e["args"]["External id"]: e for e in of["cpu_op", "X"] + of["user_annotation", "X"] if "External id" in e.get("args", {})}
for event in of["kernel", "X"] + of["gpu_memcpy", "X"] + of["gpu_memset", "X"]:
    call = calls[event["args"]["correlation"]]
    assert call["ts"] <= event["ts"] and call["args"].get("External id") == event["args"].get("External id")
    if "External id" in event["args"]:
        operator = operators[event["args"]["External id"]]
        assert operator["tid"] == call["tid"] and operator["ts"] <= call["ts"] + 0.001 and call["ts"] + call["dur"] <= operator["ts"] + operator["dur"] + 0.002
arrows = {phase: sorted(e["id"] for e in of["ac2g", phase]) for phase in "sf"}
assert arrows["s"] == arrows["f"] == sorted(e["args"]["correlation"] for e in of["kernel", "X"] + of["gpu_memcpy", "X"] + of["gpu_memset", "X"])
assert any(e["ph"] == "M" and e["name"] == "process_name" and e["args"].get("name") == "GPU 0" for e in events)
END
# the fake device is done at once: advice says once that it waits, and claims nothing that names do not say. Whether it waits for
# half a second at a time (gpu_gaps) is up to the machine: tests/unit/report/advice has that
expect_eq "advice on the GPU" "$(json bottleneck joined.evt \
	'sorted({row["id"] for row in rows} & {"no_device_time", "no_tensor_cores", "blocking_copies", "blocking_sets", "small_kernels"})')" '[]'
expect_eq "a GPU that waits" "$(json bottleneck joined.evt 'len({row["id"] for row in rows} & {"gpu_idle", "launch_bound"}) < 2')" true
# the step's thread waits for autograd's: that is no place of its own
expect_eq "waiting for autograd" "$(json bottleneck joined.evt '[row for row in rows if "after aten::ones_like" in row["text"]]')" '[]'

# each kernel has its operator, its direction, and FLOPs by the sizes of inputs
rm -f counts.*.json
cat >net.py <<'END'
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(512, 128), nn.Linear(128, 10)
    def forward(self, x):
        return self.second(torch.relu(self.first(x)))
net, x, y = Net().cuda(), torch.ones(16, 512).cuda(), torch.zeros(16, dtype=torch.long).cuda()
for step in range(3):
    nn.functional.cross_entropy(net(x), y).backward()
torch.cuda.synchronize()
END
INTERCEPT_STACKS=python INTERCEPT_TRACE=-alloc,-imports,+modules,+shapes INTERCEPT_OUTPUT=$PWD/net.evt LD_PRELOAD=$LIB:$preload "$PYTHON" net.py || fail "net: $?"
flops() { # LAYER DIRECTION
	echo "sum(row.flops or 0 for row in pyprof.rows if (row.op, row.layer, row.dir) == ('addmm', '$1', '$2'))"
}
# the first layer's input needs no gradient: one product backward, where the second has two
expect net.evt 'pyprof.totals.kernels == kernels.totals.calls' 'pyprof.sum("sil") == kernels.totals.total_ns' \
	"$(flops first fprop) == 3 * 2 * 16 * 512 * 128" "$(flops second fprop) == 3 * 2 * 16 * 128 * 10" \
	"$(flops first bprop) == 3 * 2 * 16 * 512 * 128" "$(flops second bprop) == 2 * 3 * 2 * 16 * 128 * 10" \
	'all(row.seq is not None and "linear.py" in row.trace for row in pyprof.rows if row.op == "addmm")' \
	'any((row.op, row.dir, row.layer) == ("relu", "bprop", "Net") for row in pyprof.rows)'
"$REPORT" pyprof net.evt -c idx,seq,altseq,tid,layer,trace,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,block,flops,bytes --csv >pyprof.csv || fail "--csv"
expect_eq "PyProf's columns" "$(head -n 1 pyprof.csv)" "idx,seq,altseq,tid,layer,trace,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,block,flops,bytes"
"$REPORT" pyprof net.evt -w 90 >narrow.out || fail "-w"
expect_eq "lines wider than -w says" "$(awk 'length > 90' narrow.out)" ""
"$REPORT" pyprof net.evt -w 5 2>&1 | grep -q "not from 40 to 1000" || fail "-w 5 is accepted"
