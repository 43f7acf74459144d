#!/bin/bash
# make test-gpu without a GPU: skips with a reason; its comparisons over the fake CUDA; they notice differences.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
# suite: test-all, compiles its programs with nvcc
need_tool python3
script=$ROOT/scripts/test-gpu.sh
compare=$ROOT/tests/gpu/compare.py

OUT=$PWD/none CUDA_VISIBLE_DEVICES='' "$script" >none.out 2>none.err
expect_eq "exit status without a GPU" $? 0
expect_eq "standard error without a GPU" "$(cat none.err)" ''
expect_match "last line without a GPU" "$(tail -n 1 none.out)" '^0 passed, 0 failed, [0-9]+ skipped: no GPU: .'

# first, since what needs its programs and does not find them compiles them for itself
if command -v nvcc >/dev/null; then
	"$script" --build >build.out 2>&1 || fail "nvcc: $(cat build.out)"
fi

# no time at all: nothing is begun, and that is said
OUT=$PWD/late "$script" --fake "$BUILD/fake" --within 0 --only counts,killed >late.out 2>&1
expect_eq "last line without time" "$(tail -n 1 late.out)" '0 passed, 0 failed, 2 skipped'
expect_match "without time" "$(cat late.out)" 'SKIP killed: the 0 seconds of --within are over'
expect_eq "results without time" "$(grep -c '"status": 77' late/results.json)" 2

"$script" --only counts,nonsense >bad.out 2>&1
expect_eq "exit status of an unknown check" $? 2
expect_match "an unknown check" "$(cat bad.out)" "^test-gpu: --only ' counts nonsense ': the checks are works_elementwise"

# nor is what needs longer than there is time waited for
OUT=$PWD/short "$script" --fake "$BUILD/fake" --within 1 --only beside_plain,million >short.out 2>&1
expect_eq "last line in a second" "$(tail -n 1 short.out)" '0 passed, 0 failed, 2 skipped'

need_tool nvcc
[[ -e $BUILD/fake/libcudart.so.13 ]] || skip "the fake CUDA was not built"
for name in $(ldd "$REPORT" | awk '$2 == "=>" { print $1 }'); do
	case $name in
	libc.so.* | libm.so.* | libpthread.so.* | libdl.so.*) [[ ! -e $BUILD/gpu/lib/$name ]] || fail "glibc's '$name' came along" ;;
	*) [[ -e $BUILD/gpu/lib/$name ]] || fail "'$name' did not come along" ;;
	esac
done
# A machine that lacks one of them, by a name of the same length: only that one is taken from what came along.
mkdir -p lacking/gpu/lib
cp "$LIB" "$COLLECTOR" lacking/
sed 's/libdw\.so\.1/libqw.so.1/g' "$REPORT" >lacking/prof-report
chmod +x lacking/prof-report
sed 's/libdw\.so\.1/libqw.so.1/g' "$BUILD/gpu/lib/libdw.so.1" >lacking/gpu/lib/libqw.so.1
cp "$BUILD"/gpu/{counts,counts_static,driver,launch_cost} lacking/gpu/
O=$PWD/lacking OUT=$PWD/lacked "$script" --fake "$BUILD/fake" --only driver >lacked.out 2>&1 || fail "$(cat lacked.out)"
expect_eq "last line where a library is missing" "$(tail -n 1 lacked.out)" '1 passed, 0 failed, 0 skipped'
# as on a machine that has no nvcc
OUT=$PWD/out PATH=/usr/bin:/bin PYTHON=$PWD/no-python CUDA_HOME=$PWD "$script" --fake "$BUILD/fake" --runs 1 >fake.out 2>&1
status=$?
((status == 0)) || fail "exit status $status over the fake: $(cat fake.out)"
expect_match "programs" "$(cat fake.out)" 'toolkit: none'
skips=$(. "$ROOT/tests/gpu/checks.sh" && echo $((${#CHECKS[@]} + ${#COSTS[@]} - 4)))
expect_eq "last line over the fake" "$(tail -n 1 fake.out)" "4 passed, 0 failed, $skips skipped"
expect_eq "what is left of it" "$(cd out && echo *)" 'results.json results.txt'
expect_eq "results over the fake" "$(python3 -S -c 'import json
document = json.load(open("out/results.json"))
print(document["summary"], *sorted({check["status"] for check in document["checks"]}), len(document["figures"]))')" \
	"4 passed, 0 failed, $skips skipped 0 77 3"

# Of a check that fails the recording is left: a program that computes something else under intercept.
mv lacking/gpu/driver lacking/gpu/driver.real
cat >lacking/gpu/driver <<'END'
#!/bin/sh
"$0.real" | if [ "${LD_PRELOAD:-}" ]; then sed 's/"value": /"value": 1/'; else cat; fi
END
chmod +x lacking/gpu/driver
O=$PWD/lacking OUT=$PWD/differs "$script" --fake "$BUILD/fake" --only driver,counts >differs.out 2>&1
expect_eq "exit status of a check that fails" $? 1
expect_eq "last line of a check that fails" "$(tail -n 1 differs.out)" '1 passed, 1 failed, 0 skipped'
expect_match "a check that fails" "$(cat differs.out)" 'FAIL driver .status 1, '
expect_eq "the recordings of it" "$(tar -tzf differs/failed.tar.gz | grep evt)" checks/driver/driver.evt

# What it says to be equal it would see if it were not.
differs() { # WHAT PATTERN COMMAND...
	local what=$1 pattern=$2
	shift 2
	python3 "$compare" "$@" >differs.out 2>&1
	expect_eq "$what: exit status" "$?" 1
	grep -q -- "$pattern" differs.out || fail "$what: $(cat differs.out)"
}

run_counts() {
	FAKE_CUDA_FAIL=cudaMemcpy2D:2=12 LD_LIBRARY_PATH=$BUILD/fake run_traced "$BUILD/gpu/counts" >tally.json
}
run_counts || fail "counts: exit status $?"
python3 "$compare" counts "$REPORT" tally.json "$OUTPUT" >equal.out || fail "counts: $(cat equal.out)"

# Variables of kernels, of which a GPU's CUPTI tells: no call made them.
cat >with_variables <<'END'
#!/usr/bin/env python3
import json, os, subprocess, sys
done = subprocess.run([os.environ["REPORT"], *sys.argv[1:]], stdout=subprocess.PIPE, check=True)
document = json.loads(done.stdout)
if sys.argv[1] == "device-memory":
    document["rows"].append({**dict.fromkeys(document["rows"][0], 0), "kind": "variables", "cupti_allocations": 1,
                             "cupti_bytes": int(os.environ["VARIABLES"])})
print(json.dumps(document))
END
chmod +x with_variables
VARIABLES=16384 python3 "$compare" counts ./with_variables tally.json "$OUTPUT" >equal.out || fail "variables: $(cat equal.out)"
expect_match "variables" "$(cat equal.out)" '^variables: 1 of 16384 bytes, by CUPTI'
VARIABLES=16383 differs variables '^device-memory: variables: recorded 16383 bytes, the program has 16384$' \
	counts ./with_variables tally.json "$OUTPUT"
edit() { # STATEMENT: makes changed.json
	python3 -S -c 'import json, sys
tally = json.load(open("tally.json"))
exec(sys.argv[1])
json.dump(tally, open("changed.json", "w"))' "$1"
}
change() { # STATEMENT PATTERN
	edit "$1"
	differs "$1" "$2" counts "$REPORT" changed.json "$OUTPUT"
}
change 'tally["api"]["cudaMemcpyAsync"][0] += 1' '^api: cudaMemcpyAsync: recorded .204, 0., wanted .205, 0.$'
change 'tally["api"]["cudaMalloc"][1] = 0' '^api: cudaMalloc:'
change 'del tally["kernels"]["add"]' '^launches: add: recorded .*, wanted nothing$'
change 'tally["copies"]["DtoH"][2] -= 1' '^memcpy: DtoH:'
change 'tally["memory"]["pool"][3] += 1' '^device-memory: pool:'
change 'tally["streams"]["stream"] += 1' '^launches --by stream: other:'
change 'tally["grids"]["add 1 1 1 32 1 1 0"] = [3, 0, 0]' '^launches --by grid: add 1 1 1 32 1 1 0:'
change 'tally["unexpected"]["cudaMalloc: 35"] = 2' 'cudaMalloc: 35'
differs worked 'cudaMalloc: 35, 2 times' worked changed.json
differs nothing '^230 calls of cudaLaunchKernel recorded' nothing "$REPORT" "$OUTPUT"
edit 'tally["value"] += 1'
differs outputs '^value: ' outputs tally.json changed.json
python3 "$compare" outputs tally.json changed.json value >/dev/null || fail "outputs: a key was not ignored"

# A trace as torch.profiler writes them, made from what was recorded; ADDED are more kernels in it.
trace() { # ADDED...
	"$REPORT" launches --names mangled --format json --limit 0 "$OUTPUT" |
		python3 -S -c 'import json, sys
events, correlation = [{"ph": "M", "name": "process_name", "args": {"name": "python"}}], 0
def add(kernel, category, function):
    global correlation
    correlation += 1
    events.append({"cat": category, "name": function, "args": {"correlation": correlation}})
    events.append({"cat": "kernel", "name": kernel, "args": {"correlation": correlation}})
short = {"_Z5scaleIiEvPT_S0_i": "void scale<int>(int*, int, int)"}
for row in json.load(sys.stdin)["rows"]:
    for _ in range(row["calls"]):
        add(short.get(row["kernel"], row["kernel"]), "cuda_runtime", "__cudaLaunchKernel_v13000")
for text in sys.argv[1:]:
    add(*text.split(" / "))
json.dump({"traceEvents": events}, open("trace.json", "w"))' "$@"
}
same_kernels() {
	python3 "$compare" kernels "$REPORT" "$OUTPUT" - trace.json >kernels.out || fail "kernels: $(cat kernels.out)"
}
trace
same_kernels
grep -q '^equal: 654 launches of 6 kernels' kernels.out || fail "kernels: $(cat kernels.out)"
trace 'sm90_gemm / cuda_driver / cuLaunchKernelEx' 'cublas_kernel / cuda_runtime / cudaLaunchKernelExC_v11060'
same_kernels
grep -q 'does not reach: 2 launches of 2 kernels' kernels.out || fail "kernels: $(cat kernels.out)"
differs "a library's kernels" '^launches: sm90_gemm: recorded nothing' kernels "$REPORT" "$OUTPUT" - trace.json --whole
trace 'void at::native::fill(int) / cuda_runtime / cudaLaunchKernel'
differs "a kernel of PyTorch" 'recorded nothing, torch.profiler has 1' kernels "$REPORT" "$OUTPUT" - trace.json
trace 'add / cuda_runtime / cudaLaunchKernel'
differs "one launch more" '^launches: add: recorded 220, wanted 221' kernels "$REPORT" "$OUTPUT" - trace.json

# NVIDIA's own runtime with no driver: every call fails, and is recorded with its error.
CUDA_VISIBLE_DEVICES='' run_traced "$BUILD/gpu/counts" >tally.json 2>err || skip "no libcudart.so.13: $(head -n 1 err)"
python3 "$compare" counts "$REPORT" tally.json "$OUTPUT" --failing >equal.out || fail "no driver: $(cat equal.out)"
