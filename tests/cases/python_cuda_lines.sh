#!/bin/bash
# The GPU by line of Python: its time, copies and bytes are those of calls that a line made; time in a call of CUDA is its line's.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(torch_python || command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"
export PYTHONDONTWRITEBYTECODE=1
fake=$BUILD/fake
cat >prog.py <<'END'
import ctypes, sys
cuda = ctypes.CDLL(None)
user = ctypes.CDLL(sys.argv[1])
device = ctypes.c_void_p()
host = ctypes.create_string_buffer(5000)
def copy(size, kind):
    one, other = (device, host) if kind == 1 else (host, device)
    assert cuda.cudaMemcpy(one, other, ctypes.c_size_t(size), kind) == 0
def launch(times):
    user.cuda_user_run(times)
def train():
    assert cuda.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(5000)) == 0
    for size in range(1, 41):
        copy(100 * size, 1)  # in
    for size in range(1, 11):
        copy(10 * size, 2)  # out
    copy(5000, 3)  # on the device
    launch(30)  # thirty
    launch(10)  # ten
    cuda.cudaDeviceSynchronize()  # waits
    return sum(range(5000000))  # computes
train()
END
record() { # [NAME=VALUE...]: the call of the device takes so long that it is looked at on a machine of any load
	rm -f ./*.evt*
	env FAKE_CUDA_DELAY=cudaDeviceSynchronize=1500000000 INTERCEPT_OUTPUT="$OUTPUT" "$@" \
		LD_PRELOAD="$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcupti.so.13" \
		"$python" prog.py "$PROGRAMS/libcuda_user13.so" 2>err || fail "prog.py ended with $?: $(cat err)"
}
record INTERCEPT_STACKS=python
"$REPORT" lines --source prog.py --format json --wait 60 "$OUTPUT" >source.json || fail "lines --source ended with $?"
"$REPORT" lines --by function --limit 0 --sort gpu_ns --format json "$OUTPUT" >functions.json || fail "lines --by function"
for report in kernels gpu-copies; do
	"$REPORT" "$report" --format json --limit 0 "$OUTPUT" >"$report.json" || fail "$report"
done
cat >check.py <<'END'
import json
def load(name):
    return json.load(open(name + ".json"))
source, functions = load("source")["rows"], load("functions")["rows"]
def at(words):
    return [row for row in source if row["text"].strip().endswith(words)][0]
kernels, copies = load("kernels")["totals"]["total_ns"], load("gpu-copies")["totals"]["total_ns"]
assert kernels > 0 and copies > 0
into, out, on, ten = at("# in"), at("# out"), at("# on the device"), at("# ten")
assert into["total_copied_bytes"] == sum(range(100, 4001, 100)), into
assert out["total_copied_bytes"] == sum(range(10, 101, 10)), out
assert on["total_copied_bytes"] == 0 < on["total_gpu_ns"], on
call = at("kind) == 0")
assert call["copies"] == 50 and call["gpu_ns"] == into["total_gpu_ns"] + out["total_gpu_ns"] + on["total_gpu_ns"], call
assert at("# thirty")["total_gpu_ns"] == 3 * ten["total_gpu_ns"] > 0 == ten["gpu_ns"], ten
whole = [row for row in source if row["text"] == "train()"][0]
assert whole["total_gpu_ns"] == kernels + copies == sum(row["gpu_ns"] or 0 for row in source), whole
by = {row["function"]: row for row in functions if row["file"].endswith("prog.py")}
assert by["train"]["total_gpu_ns"] == kernels + copies and by["copy"]["copies"] == 50, by
assert by["launch"]["gpu_ns"] == at("user.cuda_user_run(times)")["gpu_ns"] == 4 * ten["total_gpu_ns"], by
waits, computes = at("# waits"), at("# computes")
assert 0 < waits["cuda_ns"] == waits["cpu_ns"] + waits["wait_ns"] and waits["native_ns"] == waits["cpu_ns"], waits
assert not computes["cuda_ns"], computes
END
python3 -S check.py || fail "the GPU by line is wrong"
"$REPORT" lines --source prog.py "$OUTPUT" >text || fail "lines --source ended with $?"
expect_match "the source beside its figures" "$(grep '# thirty' text)" '[1-9].* us .*launch\(30\)'

# without Python's frames: nothing is made up, and something says how to have it
record
expect_eq "no time" "$(json lines "$OUTPUT" "{r['total_gpu_ns'] for r in rows} <= {None}" --sort total_gpu_ns)" true
"$REPORT" lines --sort gpu_ns "$OUTPUT" | tr '\n' ' ' | grep -q 'record with INTERCEPT_STACKS=python' || fail "nothing says how to have the GPU by line"
