#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: test-gpu.sh [--build] [--fake DIRECTORY] [--runs N] [--jobs N] [--only CHECK,...] [--within SECONDS] [--keep]
# Checks what can only be seen on a GPU: exact counts of programs in CUDA C++, a training beside
# torch.profiler and beside itself; then, alone, what recording costs. What is missing is skipped with its reason.
# Needs O (build): the three programs, which are taken as they are when they run here.
#   --build  only compile the test programs into O/gpu, with the libraries that ours need, for a machine that lacks them
#   --fake   the fake CUDA of that directory in the place of a GPU: checks this script, not a GPU
#   --runs   of each variant of what is timed in programs (3)
#   --jobs   checks side by side (half of the CPUs, 8 at most)
#   --only   these checks
#   --within all is over after so many seconds: what is in flight then is ended and counts as skipped
#   --keep   the recordings of all checks, not only of those that failed
# $OUT (O/gpu-results) gets results.txt, results.json (checks and figures), steps.json and runs.json of cost, and failed.tar.gz with
# recordings, each of bounded size; $PYTHON is an interpreter with torch (else that of find-python.sh). The last line is "N passed, N failed, N skipped", with
# the reason where all were.
# shellcheck disable=SC2034,SC2317 # for the checks, which are called by name

cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
O=${O:-build}
[[ $O == /* ]] || O=$ROOT/$O
OUT=${OUT:-$O/gpu-results}
PREBUILT=$O/gpu
PYTHON=${PYTHON:-$(scripts/find-python.sh || echo python3)}
export LC_ALL=C
. tests/gpu/checks.sh
only_build='' fake='' runs=3 jobs='' within='' keep=''
while (($#)); do
	case $1 in
	--build) only_build=1 ;;
	--fake) fake=$(realpath "$2") || exit 2; shift ;;
	--runs) runs=$2; shift ;;
	--jobs) jobs=$2; shift ;;
	--only) only=,$2,; shift ;;
	--within) within=$2; shift ;;
	--keep) keep=1 ;;
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

limited() { # SECONDS COMMAND...: or until the time of --within is over
	local limit=$1
	shift
	if [[ $within ]] && ((within - SECONDS < limit)); then
		limit=$((within - SECONDS))
	fi
	((limit > 0)) || return 124
	timeout -k 2 "$limit" "$@"
}

# --- the test programs ---

compile() { # DIRECTORY
	local directory=$1 flags=(-std=c++17 -O2 -Itests/gpu) path
	local libraries=()
	for path in "$toolkit"/lib64/stubs "$toolkit"/lib/stubs "$toolkit"/targets/x86_64-linux/lib/stubs; do
		[[ -d $path ]] && libraries+=("-L$path")
	done
	local name cached=() pids=()
	mkdir -p "$directory" || return
	# objects come from the compiler's cache where there is one
	command -v ccache >/dev/null && cached=(ccache)
	for name in perthread counts launch_cost; do
		# shellcheck disable=SC2046 # two words
		limited 300 "${cached[@]}" "$nvcc" "${flags[@]}" $([[ $name != perthread ]] || echo --default-stream per-thread) \
			-c "tests/gpu/$name.cu" -o "$directory/$name.o" &
		pids+=($!)
	done
	limited 300 "$nvcc" "${flags[@]}" -x c++ -cudart none tests/gpu/driver.cu "${libraries[@]}" -lcuda -o "$directory/driver" &
	all_succeed "${pids[@]}" $! || return
	limited 300 "$nvcc" -cudart shared "$directory"/{counts,perthread}.o -o "$directory/counts" &
	pids=($!)
	limited 300 "$nvcc" -cudart static "$directory"/{counts,perthread}.o -o "$directory/counts_static" &
	pids+=($!)
	limited 300 "$nvcc" -cudart shared "$directory/launch_cost.o" -o "$directory/launch_cost" &
	all_succeed "${pids[@]}" $!
}

all_succeed() { # PID...: waits for all of them
	local pid status=0
	for pid; do
		wait "$pid" || status=1
	done
	return "$status"
}

are_built() { # DIRECTORY: after the last change of their sources
	local name source
	for name in counts counts_static launch_cost driver; do
		for source in tests/gpu/*.cu tests/gpu/*.cuh; do
			[[ -x $1/$name && ! $source -nt $1/$name ]] || return
		done
	done
}

# What ours link, for a machine that lacks it. Not glibc's own libraries, which fit no other glibc.
collect_libraries() { # DIRECTORY
	local path
	mkdir -p "$1" || return
	ldd "$O/prof-report" "$O/intercept-collector" "$O/libintercept.so" | awk '$2 == "=>" { print $3 }' | sort -u |
		while read -r path; do
			grep -q GLIBC_PRIVATE "$path" || cp -L "$path" "$1"
		done
}

if [[ $only_build ]]; then
	[[ $nvcc ]] || { echo "test-gpu: nvcc not found: install CUDA's toolkit" >&2; exit 1; }
	{ are_built "$PREBUILT" || compile "$PREBUILT"; } && collect_libraries "$PREBUILT/lib" && scripts/bench.sh --build
	exit
fi

mkdir -p "$OUT" || exit 1
rm -f "$OUT"/{results.txt,results.json,steps.json,failed.tar.gz}
work=$(mktemp -d "${TMPDIR:-/tmp}/intercept-gpu.XXXXXX") || exit 1
shared=$work/shared
mkdir "$shared"
export FIGURES=$work/figures # a line of JSON each
trap 'end_checks; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0
declare -A running=() # check by process
names=("${CHECKS[@]}" "${COSTS[@]}")
if [[ ${only:-} ]]; then
	names=()
	for name in "${CHECKS[@]}" "${COSTS[@]}"; do
		[[ $only != *,$name,* ]] || names+=("$name")
	done
	((${#names[@]} == $(tr -cd , <<<"$only" | wc -c) - 1)) || {
		echo "test-gpu: --only '${only//,/ }': the checks are ${CHECKS[*]} ${COSTS[*]}" >&2
		exit 2
	}
fi

tell() {
	echo "$*" | tee -a "$OUT/results.txt"
}

write_results() {
	python3 tests/gpu/results.py "$work" "$OUT" "$passed passed, $failed failed, $skipped skipped" "$@"
}

finish() { # [REASON]
	tell "$passed passed, $failed failed, $skipped skipped${1:+: $1}"
	write_results --files ${keep:+--keep}
	exit $((failed != 0))
}

skip_all() { # REASON
	skipped=${#names[@]}
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

# Of the libraries that came along, those that this machine lacks: others' programs get no second version of any.
add_libraries() {
	local name
	mkdir -p "$work/lib"
	export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	while name=$(ldd "$O/prof-report" "$O/intercept-collector" | awk '/not found/ { print $1; exit }') &&
		[[ $name && -e $PREBUILT/lib/$name && ! -e $work/lib/$name ]]; do
		ln -s "$PREBUILT/lib/$name" "$work/lib/"
	done
}

# Built elsewhere: as they are, with the libraries that came along, or built again.
find_ours() {
	ours_run >"$work/ours.log" 2>&1 && return
	if [[ -d $PREBUILT/lib ]]; then
		add_libraries
		ours_run >"$work/ours.log" 2>&1 && return
	fi
	cp "$work/ours.log" "$work/carried.log"
	O=$work/ours
	limited 900 make programs O="$O" >"$work/make.log" 2>&1 && ours_run >"$work/ours.log" 2>&1
}

with_runtime() { # COMMAND...: the directory goes to our programs only, PyTorch brings its own runtime
	local LD_LIBRARY_PATH=${runtime:+$runtime:}${LD_LIBRARY_PATH:-}
	LD_LIBRARY_PATH=${LD_LIBRARY_PATH%:} "$@"
}

find_runtime() {
	local packages
	packages=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	for runtime in "$fake" '' "${toolkit:-/usr/local/cuda}"/{lib64,lib,targets/x86_64-linux/lib} \
		"$packages"/nvidia/*/lib; do
		with_runtime ldd "$programs/counts" | grep -q 'not found' || return 0
	done
	return 1
}

# Compiled only for checks that run them: nvcc takes a quarter of a minute.
find_programs() {
	programs=''
	[[ ,$(IFS=,; echo "${names[*]}"), =~ ,(counts|counts_static|driver|launch_cost), ]] || return
	programs=$PREBUILT
	if [[ $nvcc ]] && ! are_built "$PREBUILT"; then
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
	without=(--without-cudnn --epochs 1 --steps 6)
	export TRITON_LIBCUDA_PATH=$fake
}

# Prints why PyTorch cannot be used, or nothing. It takes seconds to start.
find_torch() {
	LD_PRELOAD=$beneath limited 240 "$PYTHON" -c 'import sys, torch
if sys.argv[1] and not (torch.version.cuda or "").startswith("13."):
    print("the fake CUDA is for a PyTorch of CUDA 13")
elif not torch.cuda.is_available():
    print("this torch sees no GPU")' "$fake" || echo "torch of '$PYTHON' cannot be imported"
}

find_modules() { # MODULE...: prints those that are not there
	"$PYTHON" -c 'import sys, importlib.util as u
print(*[name for name in sys.argv[1:] if not u.find_spec(name)])' "$@" 2>&1
}

need_torch() { # MODULE...
	local missing
	missing=$(find_modules torch "$@")
	[[ $missing ]] && echo "'$PYTHON' has no $missing" && exit 77
	once torch find_torch >/dev/null
	[[ -s $shared/torch.out ]] && tail -n 1 "$shared/torch.out" && exit 77
	return 0
}

# --- running ---

once() { # NAME COMMAND...: whoever needs it first runs it, others wait; its output is NAME.out
	local name=$1 lock status
	shift
	exec {lock}>"$shared/$name.lock"
	flock "$lock"
	if [[ ! -e $shared/$name.status ]]; then
		("$@") >"$shared/$name.out" 2>&1 {lock}>&-
		echo $? >"$shared/$name.status"
	fi
	flock -u "$lock"
	exec {lock}>&-
	echo "$name" >>"${here:-$work}/uses"
	status=$(<"$shared/$name.status")
	((status)) && cat "$shared/$name.out"
	return "$status"
}

both() { # "COMMAND"...: side by side; the words of each are split
	local command pids=() pid status=0 i=0
	for command; do
		# shellcheck disable=SC2086
		($command) >"$here/both.$((i++))" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || status=$?
	done
	((status)) && cat "$here"/both.*
	rm -f "$here"/both.*
	return "$status"
}

traced() { # RECORDING COMMAND...: program, work or train, which preload what `preload` says
	local preload=("INTERCEPT_OUTPUT=$1" "LD_PRELOAD=$O/libintercept.so")
	rm -f "$1"
	shift
	"$@"
}

program() { # NAME [ARGUMENT]...
	local name=$1 status
	shift
	# the second call is one that a GPU's driver refuses by itself
	with_runtime limited 300 env ${fake:+FAKE_CUDA_FAIL=cudaMemcpy2D:2=12} "${preload[@]}" "$programs/$name" "$@" && return
	status=$?
	echo "${preload[1]:-bare} $programs/$name $*: exit status $status" >&2
	return "$status"
}

python_run() { # FILE RESULT [ARGUMENT]...: with what `preload` says; what it prints is beside the result
	local ours=${preload[1]:-} status killed=137
	limited 600 env "${preload[@]}" "LD_PRELOAD=${ours#LD_PRELOAD=}$beneath" TRITON_CACHE_DIR="$work/triton" \
		PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -W ignore "$@" >"$2.out" 2>"$2.err"
	status=$?
	((status && status != killed)) && echo "$* ${preload[*]}: exit status $status" && tail -n 30 "$2.err" "$2.out"
	return "$status"
}

train() { # RESULT WORK [OPTION]...
	python_run tests/gpu/train.py "$@"
}

work() { # RESULT WORK:COUNT... [OPTION]...
	python_run tests/gpu/work.py "$@" "${nothing[@]}"
}

compare() {
	limited 400 python3 "$ROOT/tests/gpu/compare.py" "$@"
}

# All of CUDA's reports can be had of it.
reports_run() { # RECORDING
	local report
	for report in summary api launches memcpy device-memory kernels gpu-copies sync utilization gpu-idle graphs; do
		limited 240 "$O/prof-report" "$report" "$1" >"$here/report" 2>&1 && continue
		echo "prof-report $report: $(tail -n 1 "$here/report")"
		return 1
	done
}

# --- the checks ---

is_over() {
	[[ $within ]] && ((SECONDS >= within))
}

begin_check() { # NAME
	mkdir -p "$work/checks/$1"
	(
		trap - EXIT
		here=$work/checks/$1
		cd "$ROOT" || exit
		start=$SECONDS
		if is_over; then
			echo "the $within seconds of --within are over"
			status=77
		else
			(check_"$1")
			status=$?
			if ((status != 0)) && is_over; then
				echo "not finished when the $within seconds of --within were over"
				status=77
			fi
		fi >"$here/log" 2>&1
		echo "$status $((SECONDS - start))" >"$here/status"
	) &
	running[$!]=$1
}

# Waits for one of those that run and tells of it.
end_check() {
	local pid name status seconds
	wait -n -p pid "${!running[@]}"
	name=${running[$pid]}
	unset "running[$pid]"
	read -r status seconds <"$work/checks/$name/status" || status=1 seconds=0
	case $status in
	0) passed=$((passed + 1)); tell "PASS $name ($seconds s)" ;;
	77) skipped=$((skipped + 1)); tell "SKIP $name: $(tail -n 1 "$work/checks/$name/log" | cut -c 1-300)" ;;
	*) failed=$((failed + 1)); tell "FAIL $name (status $status, $seconds s)" ;;
	esac
	((status == 77)) || tell "$(sed 's/^/    /' "$work/checks/$name/log" | cut -c 1-300 | head -n 100)"
	write_results # whoever ends us leaves what was found
}

end_checks() {
	((${#running[@]} == 0)) || kill "${!running[@]}" 2>/dev/null
}

run_checks() { # JOBS NAME...
	local limit=$1 name
	shift
	for name; do
		while ((${#running[@]} >= limit)); do
			end_check
		done
		begin_check "$name"
	done
	while ((${#running[@]})); do
		end_check
	done
}

named() { # NAME...: those of them that are asked for
	local name
	for name; do
		[[ " ${names[*]} " != *" $name "* ]] || echo "$name"
	done
}

command -v python3 >/dev/null || skip_all "python3 not found"
if [[ $fake ]]; then
	gpu="none, the fake CUDA of '$fake'"
else
	gpu=$(find_gpu 2>&1) || skip_all "$(tail -n 1 <<<"$gpu")"
fi
tell "GPU: $gpu"
find_ours || skip_all "intercept does not run here: $(tail -n 1 "$work/carried.log"); built again: \
$(cat "$work/make.log" "$work/ours.log" | tail -n 1)"
find_programs
find_beneath
tell "intercept: $("$O/prof-report" --version), $(git -c safe.directory="$ROOT" describe --always 2>/dev/null)"
tell "toolkit: $([[ $nvcc ]] && "$nvcc" --version | sed -n "s/.*release //p" || echo none); kernel $(uname -r), $(nproc) CPUs"
jobs=${jobs:-$((($(nproc) + 1) / 2 < 8 ? ($(nproc) + 1) / 2 : 8))}
mapfile -t now < <(named "${CHECKS[@]}")
run_checks "$jobs" "${now[@]}"
mapfile -t now < <(named "${COSTS[@]}")
run_checks 1 "${now[@]}"
tell "$SECONDS s"
finish
