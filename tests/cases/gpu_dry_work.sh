#!/bin/bash
# make test-gpu over the fake CUDA: work of PyTorch, cuBLAS, graphs and a DataLoader, and kill -9.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
need_cuda_torch eager
"$PYTHON" -c 'import sklearn' 2>/dev/null || skip "no sklearn for '$PYTHON'"
OUT=$PWD/out "$ROOT/scripts/test-gpu.sh" --fake "$BUILD/fake" --runs 1 --only work_elementwise,work_cublas,work_graph,work_workers,work_memory,killed >fake.out 2>&1 || fail "$(cat fake.out)"
expect_eq "last line" "$(tail -n 1 fake.out)" '6 passed, 0 failed, 0 skipped'
# what the comparison says to be equal it would see if it were not
python3 - "$ROOT/tests/gpu/compare.py" "$REPORT" <<'END' || fail "differences are not seen"
import json, subprocess, sys
compare, report = sys.argv[1:]
sys.path.insert(0, compare.rpartition("/")[0])
sys.dont_write_bytecode = True
name_of = __import__("compare").demangler()  # as torch.profiler names kernels
def differs(what, *command):
    done = subprocess.run([sys.executable, compare, *command], capture_output=True, text=True)
    assert done.returncode == 1 and what in done.stdout, (what, done)
recording = "out/work_graph.evt"
kernels = json.loads(subprocess.run([report, "kernels", "-f", "json", "--names", "mangled", "--limit", "0", "--range", "measured", recording],
                                    check=True, capture_output=True).stdout)["rows"]
def trace(calls, ns):
    events = [{"cat": "kernel", "name": name_of(row["name"]), "dur": ns(row) / 1000} for row in kernels for _ in range(calls(row))]
    json.dump({"traceEvents": events}, open("trace.json", "w"))
trace(lambda row: row["calls"], lambda row: row["avg_ns"])
subprocess.run([sys.executable, compare, "device", report, recording, "measured", "trace.json"], check=True)
trace(lambda row: row["calls"] + 1, lambda row: row["avg_ns"])
differs("wanted", "device", report, recording, "measured", "trace.json")
trace(lambda row: row["calls"], lambda row: row["avg_ns"] * 1.01)
differs("ns in all", "device", report, recording, "measured", "trace.json")
json.dump({"kernels": kernels[0]["calls"] + 1, "value": True}, open("result.json", "w"))
differs("the program launched", "number", report, recording, "measured", "result.json")
json.dump({"kernels": kernels[0]["calls"], "value": False}, open("result.json", "w"))
result = json.load(open("out/work_memory.json"))
subprocess.run([sys.executable, compare, "memory", report, "out/work_memory.evt", "out/work_memory.json"], check=True)
for key, what in (("segments", "PyTorch alone has"), ("reserved_bytes", "PyTorch held")):
    json.dump({**result, key: result[key] + 1000}, open("more.json", "w"))
    differs(what, "memory", report, "out/work_memory.evt", "more.json")
differs("wrong", "number", report, recording, "measured", "result.json")
END
