#!/bin/bash
# make test-gpu over the fake CUDA: work of PyTorch, cuBLAS, graphs and a DataLoader, and kill -9.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
# suite: test-all, the checks of make test-gpu
need_cuda_torch eager
"$PYTHON" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("sklearn"))' || skip "no sklearn for '$PYTHON'"
OUT=$PWD/out "$ROOT/scripts/test-gpu.sh" --fake "$BUILD/fake" --runs 1 --keep \
	--only works_elementwise,works_cublas,works_graph,works_workers,works_memory,works_ops,detached,windows,killed >fake.out 2>&1 || fail "$(sed -n '/^FAIL/,/^PASS/p' fake.out; tail -n 2 fake.out)"
expect_eq "last line" "$(tail -n 1 fake.out)" '9 passed, 0 failed, 0 skipped'
tar -C out -xzf out/failed.tar.gz || fail "no recordings with --keep"
# what the comparison says to be equal it would see if it were not
python3 -S - "$ROOT/tests/gpu/compare.py" "$REPORT" <<'END' || fail "differences are not seen"
import json, subprocess, sys
compare, report = sys.argv[1:]
sys.path.insert(0, compare.rpartition("/")[0])
sys.dont_write_bytecode = True
name_of = __import__("compare").demangler()  # as torch.profiler names kernels
def differs(what, *command):
    done = subprocess.run([sys.executable, compare, *command], capture_output=True, text=True)
    assert done.returncode == 1 and what in done.stdout, (what, done)
recording, span = "out/shared/works_beside.evt", "measured graph"
kernels = json.loads(subprocess.run([report, "kernels", "-f", "json", "--names", "mangled", "--limit", "0", "--range", span, recording],
                                    check=True, capture_output=True).stdout)["rows"]
def trace(calls, ns):
    events = [{"cat": "kernel", "name": name_of(row["name"]), "dur": ns(row) / 1000} for row in kernels for _ in range(calls(row))]
    json.dump({"traceEvents": events}, open("trace.json", "w"))
trace(lambda row: row["calls"], lambda row: row["avg_ns"])
subprocess.run([sys.executable, compare, "device", report, recording, span, "trace.json", "kernels.json"], check=True)
trace(lambda row: row["calls"] + 1, lambda row: row["avg_ns"])
differs("wanted", "device", report, recording, span, "trace.json", "kernels.json")
trace(lambda row: row["calls"], lambda row: row["avg_ns"] * 1.01)
differs("ns in all", "device", report, recording, span, "trace.json", "kernels.json")
json.dump({"kernels": kernels[0]["calls"] + 1, "value": True}, open("result.json", "w"))
differs("the program launched", "number", report, recording, span, "result.json")
json.dump({"kernels": kernels[0]["calls"], "value": False}, open("result.json", "w"))
differs("wrong", "number", report, recording, span, "result.json")
alone, memory = "out/shared/works_alone.evt", "out/shared/works_alone.memory.json"
result = json.load(open(memory))
subprocess.run([sys.executable, compare, "memory", report, alone, memory], check=True)
for key, what in (("segments", "PyTorch alone has"), ("reserved_bytes", "PyTorch held")):
    json.dump({**result, key: result[key] + 1000}, open("more.json", "w"))
    differs(what, "memory", report, alone, "more.json")
ops = json.load(open("out/shared/works_beside.cublas.ops.json"))
for change, what in ((lambda row: [row[0], row[1] + 1, row[2]], "calls"), (lambda row: [row[0], row[1], row[2] * 1.02], "ns on the GPU")):
    json.dump([change(row) for row in ops], open("ops.json", "w"))
    differs(what, "ops", report, recording, "measured cublas", "ops.json")
END
