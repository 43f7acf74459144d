#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: test-gpu.sh [--build] [--fake DIRECTORY] [--runs N] [--only CHECK,...] [--within SECONDS]
# Checks what can only be seen on a GPU: exact counts of programs in CUDA C++, a training beside
# torch.profiler and beside itself, what a launch costs. What is missing is skipped with its reason.
# Needs O (build): the three programs, which are taken as they are when they run here.
#   --build  only compile the test programs into O/gpu, for a machine that has no nvcc
#   --fake   the fake CUDA of that directory in the place of a GPU: checks this script, not a GPU
#   --runs   of each variant of what is timed (3)
#   --only   these checks
#   --within begin no check after so many seconds, for a machine that is lent for a time; those that say most come first
# $OUT (O/gpu-results) gets log.txt, tables.txt, results.json, figures.json and recordings; $PYTHON is an interpreter with
# torch. The last line is "N passed, N failed, N skipped", with the reason where all were.
# shellcheck disable=SC2034,SC2317 # for the checks, which are called by name

cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
O=${O:-build}
[[ $O == /* ]] || O=$ROOT/$O
OUT=${OUT:-$O/gpu-results}
PREBUILT=$O/gpu
export LC_ALL=C
CHECKS=(counts counts_static driver launch_cost work_elementwise work_cublas work_graph work_triton beside_plain
	work_memory work_workers killed million train_plain beside_demo cost train_demo)
only_build='' fake='' runs=3 within=
while (($#)); do
	case $1 in
	--build) only_build=1 ;;
	--fake) fake=$(realpath "$2") || exit 2; shift ;;
	--runs) runs=$2; shift ;;
	--only) IFS=, read -ra CHECKS <<<"$2"; shift ;;
	--within) within=$2; shift ;;
	*) sed -n '4s/^# //p' "$0" >&2; exit 2 ;;
	esac
	shift
done
# A setting of the caller's must not change what is tested.
preload=()
unset LD_PRELOAD CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH "${!INTERCEPT_@}" "${!FAKE_CUDA_@}"

nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
# It may be a script that stands elsewhere.
[[ $nvcc ]] && toolkit=$("$nvcc" --dryrun -c x.cu 2>&1 | sed -n 's/^#\$ TOP=//p')

# --- the test programs ---

compile() { # DIRECTORY
	local directory=$1 flags=(-std=c++17 -O2 -Itests/gpu) path
	local libraries=()
	for path in "$toolkit"/lib64/stubs "$toolkit"/lib/stubs "$toolkit"/targets/x86_64-linux/lib/stubs; do
		[[ -d $path ]] && libraries+=("-L$path")
	done
	mkdir -p "$directory" || return
	"$nvcc" "${flags[@]}" -cudart shared --default-stream per-thread -c tests/gpu/perthread.cu \
		-o "$directory/perthread.o" &&
		"$nvcc" "${flags[@]}" -cudart shared tests/gpu/counts.cu "$directory/perthread.o" \
			-o "$directory/counts" &&
		"$nvcc" "${flags[@]}" -cudart static tests/gpu/counts.cu "$directory/perthread.o" \
			-o "$directory/counts_static" &&
		"$nvcc" "${flags[@]}" -cudart shared tests/gpu/launch_cost.cu -o "$directory/launch_cost" &&
		"$nvcc" "${flags[@]}" -x c++ -cudart none tests/gpu/driver.cu "${libraries[@]}" -lcuda \
			-o "$directory/driver"
}

# What ours link beside libc, for a machine that lacks it.
collect_libraries() { # DIRECTORY
	mkdir -p "$1" || return
	ldd "$O/prof-report" "$O/intercept-collector" |
		awk '/libzstd|libjemalloc/ { print $3 }' | sort -u | xargs -r cp -Lt "$1"
}

if [[ $only_build ]]; then
	[[ $nvcc ]] || { echo "test-gpu: nvcc not found: install CUDA's toolkit" >&2; exit 1; }
	compile "$PREBUILT" && collect_libraries "$PREBUILT/lib"
	exit
fi

mkdir -p "$OUT" || exit 1
rm -f "$OUT"/{log.txt,tables.txt,results.json,figures.json,work.tar.gz} "$OUT"/*.evt
export FIGURES=$OUT/figures.json # a line each
work=$(mktemp -d "${TMPDIR:-/tmp}/intercept-gpu.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0

tell() {
	echo "$*" | tee -a "$OUT/log.txt"
}

finish() { # [REASON]
	tell "$passed passed, $failed failed, $skipped skipped${1:+: $1}"
	((failed == 0)) || tar -C "$work" --exclude=./programs --exclude=./ours --exclude='./train_*.evt' \
		-czf "$OUT/work.tar.gz" .
	exit $((failed != 0))
}

skip_all() { # REASON
	skipped=${#CHECKS[@]}
	finish "$1"
}

# --- what there is on this machine ---

# Prints device, driver's CUDA version and count, or why there is none.
find_gpu() {
	python3 - <<-'PYTHON'
	import ctypes
	import sys

	def give(value, what):
	    if value:
	        sys.exit("no GPU: %s: error %d" % (what, value))

	try:
	    cuda = ctypes.CDLL("libcuda.so.1")
	except OSError as error:
	    sys.exit("no GPU: %s" % error)
	version, count, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(100)
	give(cuda.cuInit(0), "cuInit")
	give(cuda.cuDriverGetVersion(ctypes.byref(version)), "cuDriverGetVersion")
	give(cuda.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
	if not count.value:
	    sys.exit("no GPU: the driver counts none")
	cuda.cuDeviceGetName(name, 100, 0)
	print("%s, %d of them, driver of CUDA %d" % (name.value.decode(), count.value, version.value))
	PYTHON
}

ours_run() {
	rm -f "$work/try.evt"
	"$O/prof-report" --version &&
		INTERCEPT_OUTPUT=$work/try.evt LD_PRELOAD=$O/libintercept.so env true &&
		"$O/prof-report" check "$work/try.evt"
}

# Built elsewhere: as they are, with the libraries that came along, or built again.
find_ours() {
	ours_run >"$work/ours.log" 2>&1 && return
	if [[ -d $PREBUILT/lib ]]; then
		export LD_LIBRARY_PATH=$PREBUILT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
		ours_run >"$work/ours.log" 2>&1 && return
	fi
	cp "$work/ours.log" "$work/carried.log"
	O=$work/ours
	make programs O="$O" >"$work/make.log" 2>&1 && ours_run >"$work/ours.log" 2>&1
}

with_runtime() { # COMMAND...: the directory goes to our programs only, PyTorch brings its own runtime
	env ${runtime:+"LD_LIBRARY_PATH=$runtime${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"} "$@"
}

find_runtime() {
	local packages
	packages=$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	for runtime in "$fake" '' "${toolkit:-/usr/local/cuda}"/{lib64,lib,targets/x86_64-linux/lib} \
		"$packages"/nvidia/*/lib; do
		with_runtime ldd "$programs/counts" | grep -q 'not found' || return 0
	done
	return 1
}

# Compiled only for checks that run them: nvcc takes a quarter of a minute.
find_programs() {
	programs=''
	[[ ,$(IFS=,; echo "${CHECKS[*]}"), =~ ,(counts|counts_static|driver|launch_cost), ]] || return
	programs=$PREBUILT
	if [[ $nvcc ]]; then
		programs=$work/programs
		compile "$programs" >"$work/nvcc.log" 2>&1
	fi
	no_programs=''
	if [[ ! -x $programs/driver ]]; then
		no_programs="no nvcc, and no programs in '$PREBUILT' (test-gpu.sh --build makes them)"
	elif ! find_runtime; then
		no_programs="no directory has the libcudart.so that '$programs/counts' needs"
	fi
}

need_programs() {
	[[ $programs ]] || { echo "find_programs() does not know that this check runs programs"; exit 1; }
	[[ $nvcc && ! -x $programs/driver ]] && cat "$work/nvcc.log" && exit 1
	[[ $no_programs ]] && echo "$no_programs" && exit 77
	return 0
}

need_values() {
	[[ $fake ]] && echo "values mean nothing on a fake CUDA" && exit 77
	return 0
}

# What PyTorch would load of NVIDIA's lies beneath ours, where it is a fake one.
find_beneath() {
	local name
	beneath='' nothing=() without=()
	[[ $fake ]] || return 0
	for name in libcudart.so.13 libcuda.so.1 libcublas.so.13 libcublasLt.so.13 libcupti.so.13; do
		beneath+=:$fake/$name
	done
	nothing=(--values-mean-nothing)
	without=(--without-cudnn --epochs 1)
	export TRITON_LIBCUDA_PATH=$fake
}

# Prints why PyTorch cannot be used, or nothing. It takes seconds to start.
find_torch() {
	LD_PRELOAD=$beneath "${PYTHON:-python3}" -c 'import sys, torch
if sys.argv[1] and not (torch.version.cuda or "").startswith("13."):
    print("the fake CUDA is for a PyTorch of CUDA 13")
elif not torch.cuda.is_available():
    print("this torch sees no GPU")' "$fake" || echo "torch of '${PYTHON:-python3}' cannot be imported"
}

need_torch() {
	local missing
	missing=$("${PYTHON:-python3}" -c 'import sys, importlib.util as u
print(*[name for name in sys.argv[1:] if not u.find_spec(name)])' torch numpy "$@" 2>&1)
	[[ $missing ]] && echo "'${PYTHON:-python3}' has no $missing" && exit 77
	[[ -e $work/torch ]] || find_torch >"$work/torch"
	[[ -s $work/torch ]] && cat "$work/torch" && exit 77
	return 0
}

# --- running ---

traced() { # RECORDING COMMAND...: program or train, which preload what `preload` says
	local preload=("INTERCEPT_OUTPUT=$1" "LD_PRELOAD=$O/libintercept.so")
	rm -f "$1"
	shift
	"$@"
}

program() { # NAME [ARGUMENT]...
	local name=$1 status
	shift
	# the second call is one that a GPU's driver refuses by itself
	with_runtime ${fake:+FAKE_CUDA_FAIL=cudaMemcpy2D:2=12} timeout 120 \
		env "${preload[@]}" "$programs/$name" "$@" && return
	status=$?
	echo "${preload[1]} $programs/$name $*: exit status $status" >&2
	return "$status"
}

python_run() { # FILE [ARGUMENT]...: with what `preload` says
	local ours=${preload[1]:-} status
	timeout 400 env "${preload[@]}" "LD_PRELOAD=${ours#LD_PRELOAD=}$beneath" TRITON_CACHE_DIR="$work/triton" \
		"${PYTHON:-python3}" -W ignore "$@" >"$work/python.out" 2>"$work/python.err"
	status=$?
	((status)) && cat "$work/python.err" "$work/python.out"
	return "$status"
}

train() { # RESULT WORK [OPTION]...
	python_run tests/gpu/train.py "$@"
}

work() { # RESULT WORK [OPTION]...
	python_run tests/gpu/work.py "$@" "${nothing[@]}"
}

compare() {
	python3 "$ROOT/tests/gpu/compare.py" "$@"
}

show_tables() { # TITLE RECORDING
	local report
	for report in summary api launches memcpy device-memory kernels gpu-copies sync utilization gpu-idle graphs; do
		printf '\n== %s: %s\n\n' "$1" "$report"
		COLUMNS=160 "$O/prof-report" "$report" "$2"
	done >>"$OUT/tables.txt" 2>&1
	cp "$2" "$OUT/"
}

# --- the checks ---

. tests/gpu/checks.sh

run_check() { # NAME
	local name=$1 status start=$SECONDS
	if [[ $within ]] && ((SECONDS >= within)); then
		echo "the $within seconds of --within are over" >"$work/$name.log"
		status=77
	else
		(check_"$name") >"$work/$name.log" 2>&1
		status=$?
	fi
	case $status in
	0) passed=$((passed + 1)) ;;
	77) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	case $status in
	0) tell "PASS $name ($((SECONDS - start)) s)" ;;
	77) tell "SKIP $name: $(tail -n 1 "$work/$name.log")" ;;
	*) tell "FAIL $name (status $status, $((SECONDS - start)) s)" ;;
	esac
	((status == 77)) || tell "$(sed 's/^/    /' "$work/$name.log" | cut -c 1-300)"
	python3 -c 'import json, sys
print(json.dumps({"check": sys.argv[1], "status": int(sys.argv[2]), "output": open(sys.argv[3]).read()}))' \
		"$name" "$status" "$work/$name.log" >>"$work/results"
	write_results
}

# After each check: whoever ends us leaves what was found.
write_results() {
	python3 -c 'import json, sys
print(json.dumps([json.loads(line) for line in open(sys.argv[1])], indent=1))' "$work/results" \
		>"$OUT/results.json"
}

command -v python3 >/dev/null || skip_all "python3 not found"
if [[ $fake ]]; then
	tell "GPU: none, the fake CUDA of '$fake'"
else
	gpu=$(find_gpu 2>&1) || skip_all "$(tail -n 1 <<<"$gpu")"
	tell "GPU: $gpu"
fi
find_ours || skip_all "intercept does not run here: $(tail -n 1 "$work/carried.log"); built again: \
$(cat "$work/make.log" "$work/ours.log" | tail -n 1)"
find_programs
find_beneath
tell "intercept: $("$O/prof-report" --version), $(git -c safe.directory="$ROOT" describe --always 2>/dev/null)"
tell "toolkit: $([[ $nvcc ]] && "$nvcc" --version | sed -n "s/.*release //p" || echo none); kernel $(uname -r)"
for name in "${CHECKS[@]}"; do
	run_check "$name"
done
finish
