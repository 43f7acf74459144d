#!/bin/bash
# export sqlite: counts and sums of each table are those of the reports, over all stored recordings; nsys' recipes run on it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
cat >compare.py <<'END'
import json, os, sqlite3, subprocess, sys
report, path = sys.argv[1:3]

def table(name, *options):
    done = subprocess.run([report, name, "-f", "json", "--limit", "0", *options, path], capture_output=True, timeout=600)
    return json.loads(done.stdout)

done = subprocess.run([report, "export", "sqlite", path, "-o", "out.sqlite"], capture_output=True, text=True, timeout=600)
data = sqlite3.connect("file:out.sqlite?mode=ro", uri=True)
assert data.execute("PRAGMA integrity_check").fetchone() == ("ok",)
def one(query):
    return data.execute(query).fetchone()[0] or 0

threads = table("threads")
assert (done.returncode == 0) == (not threads["faults"]), done
assert one("SELECT SUM(count) FROM INTERCEPT_LOSSES") == sum(loss["count"] for loss in threads["losses"])
assert data.execute("SELECT start, end FROM INTERCEPT_LOSSES").fetchall() == [(loss["from_ns"], loss["to_ns"]) for loss in threads["losses"]]
assert one("SELECT COUNT(*) FROM INTERCEPT_FAULTS") == len(threads["faults"])
assert one("SELECT COUNT(*) FROM ThreadNames") <= len(threads["rows"])
operators = sum(row["operators"] or 0 for row in threads["rows"])
ranges = sum(row["nvtx_ranges"] or 0 for row in threads["rows"])
marks = one("SELECT COUNT(*) FROM NVTX_EVENTS WHERE eventType = 34")
steps = table("steps")["rows"]
dump = subprocess.run([report, "dump", path], capture_output=True, timeout=600).stdout
actions = dump.count(b" action_begin ")
labelled = any("ProfilerStep" in row["name"] for row in table("ops")["rows"])
found = one("SELECT COUNT(*) FROM TORCH_OPERATORS") + one("SELECT COUNT(*) FROM NVTX_EVENTS") - marks
assert found - operators - ranges - actions in ([0] if labelled else [len(steps)]), (path, found, operators, ranges, actions)
assert marks == table("nvtx")["totals"]["marks"], path
ops = {}
for row in table("ops")["rows"]:
    if row["scope"] != "user":
        ops[row["name"]] = ops.get(row["name"], 0) + row["calls"]
api = table("api")["rows"]
wanted = {row["name"]: (row["calls"], row["total_ns"]) for row in api}
got = {name: (calls, total) for name, calls, total in data.execute(
    'SELECT value, COUNT(*), SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId GROUP BY value')}
assert got == wanted, (path, got, wanted)
assert one("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE returnValue") == sum(row["errors"] for row in api)
modules = table("modules")["rows"]
assert one("SELECT COUNT(*) FROM TORCH_MODULES") == sum(row["calls"] for row in modules)
tensors = table("tensors", "--by", "device")["rows"]
assert one("SELECT SUM(bytes) FROM TORCH_MEMORY WHERE bytes > 0") == sum(row["bytes_allocated"] for row in tensors)
subprocess.run([report, "export", "chrome", path, "-o", "out.json"], capture_output=True, timeout=600)
calls = [event["dur"] for event in json.load(open("out.json"))["traceEvents"] if event.get("cat") == "io"]
assert one("SELECT COUNT(*) FROM OSRT_API") == len(calls), path
assert abs(one('SELECT SUM("end" - start) FROM OSRT_API') / 1000 - sum(calls)) < 0.001 * len(calls) + 1e-6, path

# as nsys' cuda_gpu_kern_sum, cuda_gpu_mem_size_sum, cuda_api_sum and nvtx_sum ask
kernels = {row["name"]: (row["calls"], row["total_ns"]) for row in table("kernels")["rows"]}
got = {name: (calls, total) for name, calls, total in data.execute(
    'SELECT s.value, COUNT(*), SUM(k."end" - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k '
    'JOIN StringIds AS s ON k.demangledName = s.id GROUP BY k.demangledName')}
assert got == kernels, (path, got, kernels)
copies = {row["kind"]: (row["calls"], row["bytes"]) for row in table("gpu-copies")["rows"] if row["kind"] != "memset"}
got = {kind: (calls, size) for kind, calls, size in data.execute(
    "SELECT label, COUNT(*), SUM(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind GROUP BY label")}
assert got == copies, (path, got, copies)
sets = [row for row in table("gpu-copies")["rows"] if row["kind"] == "memset"]
assert one("SELECT SUM(bytes) FROM CUPTI_ACTIVITY_KIND_MEMSET") == sum(row["bytes"] for row in sets)
pids = {pid for pid, in data.execute("SELECT DISTINCT globalTid / 0x1000000 % 0x1000000 FROM NVTX_EVENTS")}
assert pids <= {row["pid"] for row in table("processes")["rows"]}
assert not data.execute('SELECT 1 FROM NVTX_EVENTS WHERE "end" < start').fetchall()
if len(sys.argv) > 3:
    joined = one("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r "
                 "ON k.correlationId = r.correlationId AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000")
    assert joined == sum(calls for calls, _ in kernels.values()) > 0, joined
END
# the GPU's work, joined with the calls that asked for it
need_program cuda_gpu
run_traced "$PROGRAMS/cuda_gpu" work 2>gpu.err || fail "cuda_gpu: $(cat gpu.err)"
printf '%s\n' "$ROOT"/tests/golden/*.evt "$ROOT"/tests/truth/recordings/{good_ranks,good_labels,garbage,decode}.evt "$OUTPUT"$'\tgpu' |
	python3 -S "$ROOT/tests/each.py" compare.py "$REPORT" 2>err || fail "what was exported is not what the reports have: $(tail -n 9 err)"

# hostile names stay data
cat >hostile.c <<'END'
#include <sys/prctl.h>
int main(void)
{
	return prctl(PR_SET_NAME, "');DROP TABLE x") || !__builtin_malloc(10);
}
END
gcc -w -o "drop');DELETE FROM StringIds;--" hostile.c || fail "no compiler"
rm -f run.evt*
run_traced "./drop');DELETE FROM StringIds;--" $'x\n\x1b[31m' || fail "status $?"
"$REPORT" export sqlite "$OUTPUT" -o out.sqlite 2>err || fail "an older database is not replaced: $(cat err)"
python3 -S - <<'END' || fail "a name is not what it was"
import sqlite3
data = sqlite3.connect("out.sqlite")
assert data.execute("PRAGMA integrity_check").fetchone() == ("ok",)
names = [name for name, in data.execute("SELECT value FROM StringIds JOIN ThreadNames ON id = nameId")]
assert names == ["');DROP TABLE x"], names
commands = [name for name, in data.execute("SELECT name FROM PROCESSES")]
assert len(commands) == 1 and "DELETE FROM StringIds;--" in commands[0], commands
END
# what is no UTF-8 can be read all the same
cp "drop');DELETE FROM StringIds;--" $'bad\xffna\xc3\xa9me'
rm -f run.evt*
run_traced $'./bad\xffna\xc3\xa9me' || fail "status $?"
"$REPORT" export sqlite "$OUTPUT" -o :memory: 2>err || fail "$(cat err)"
PYTHONUTF8=1 python3 -S - <<'END' || fail "a name that is no UTF-8"
import sqlite3
data = sqlite3.connect("./:memory:")
assert [name for name, in data.execute("SELECT name FROM PROCESSES")] == ["./bad\ufffdna\u00e9me"]
END
cp "$ROOT/tests/golden/counts.evt" own.evt
refuses 2 '^prof-report: ' export sqlite own.evt
refuses 1 '^prof-report: ' export sqlite own.evt -o own.evt
cmp own.evt "$ROOT/tests/golden/counts.evt" || fail "the recording was written over"
refuses 1 '^prof-report: ' export sqlite own.evt -o /
[ ! -e /dev/full ] || { "$REPORT" export sqlite own.evt -o /dev/full 2>err; expect_eq "status of a full disk" $? 1; }
exit 0
