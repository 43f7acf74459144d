# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What the cases (tests/cases/*.sh) share. The second line of a case is a comment that says what it shows;
# then it sources this file: . "$ROOT/tests/lib.sh". To run one: make test T=NAME
#
#   $ROOT $BUILD $LIB $COLLECTOR $REPORT $PROGRAMS   the tree and what was built
#   "${PYTHONS[@]}"                   a Python of each release from 3.8 to 3.14; of several the machine's own, which stands last
#   ${PYTHON_OF[3.11]}                the one of this release, which may be none; 3.13t is the free-threaded one
#   "${ALL_PYTHONS[@]}"               every Python 3 here: several of a release, older and newer ones as well
#   run_traced COMMAND...             run it under intercept; the file is $OUTPUT (./run.evt)
#   json REPORT FILE EXPRESSION [OPTION...]
#                                     a value out of `prof-report REPORT --format json`; EXPRESSION is
#                                     Python and sees doc, rows, totals, losses and row(column=value, ...)
#   expect_eq WHAT GOT WANTED, expect_between WHAT GOT LOW HIGH, expect_match WHAT GOT REGEX
#                                     go on, or end the test with a line that says what was wrong
#   refuses STATUS REGEX ARGUMENT...  prof-report with these arguments ends so, with one line that matches
#   expect FILE EXPRESSION...         each is true of the reports over FILE (expect.py says what it sees)
#   expect_sums FILE                  the whole is the sum of the parts in every report
#   expect_stacks NOTES               what stack_note.h wrote is what was recorded
#   collector_of FILE                 pid of the process that has the file open, as soon as there is one
#   eventually WHAT COMMAND...        until the command succeeds, or end the test: for what others do in their own time
#   free_port                         prints a port for a server that has to be told one
#   written [FILE...]                 until no process of ours writes any of these recordings, or of all in the folder
#   progress_of FILE                  what program progress or cuda_progress has done so far
#   expect_silence FILE [WHAT]        of a program's standard error, no line is ours
#   same_as_fake FILE COUNTS...       the CUDA reports say what the fake CUDA counted (FAKE_CUDA_COUNTS)
#   same_as_bare COMMAND...           output, status and standard error are those without intercept
#   tables reports|keys            the reports of prof-report --list that make a table of a recording; keys: each
#                                     `--by KEY` of theirs, too, a line each
#   help_columns REPORT               name:heading of each column that --help of the report lists
#   fail MESSAGE, skip REASON         end the test
#   need_tool NAME, need_program NAME, need_torch    skip when it is not there (need_torch sets $PYTHON)
#   need_browser NAME                 the same for chromium and firefox-esr
#   torch_python                      prints an interpreter that has PyTorch, or fails
#   fetched NAME                      the folder of what the script of that name has downloaded; perhaps it is not there
#   need_torch eager                  without what an optimizer and an import of torch load for nothing (tests/torch/eager): 2 s of CPU
#   need_cuda_torch [eager]           one that is built for CUDA 13, as the fake CUDA is
#   need_lightning [eager]            as need_torch, and sets PYTHONPATH
#   need_starting                     the same for pytest, uvicorn, ... (scripts/starting-env.sh), which it puts into PATH
#   need_servers                      the same for servers of Python: sets PYTHONPATH
#   need_grpc                         the same for gRPC
#   without_heap                      record no blocks of the heap (need_starting and need_servers do it)
#   documented COMMAND                the first line of docs/STARTING.md that begins with these words, for eval
# A helper that needs PyTorch has "# fetched" behind its name, one that needs another download or a browser "# fetched: test-all":
# tests/suites.sh keeps the cases that call it out of `make check`, or out of `make test` as well. $SUITE is the suite that runs
# (check or test), or is empty for everything.

set -u
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
O=${O:-build}
case $O in
/*) BUILD=$O ;;
*) BUILD=$ROOT/$O ;;
esac
LIB=$BUILD/libintercept.so
COLLECTOR=$BUILD/intercept-collector
REPORT=$BUILD/prof-report
PROGRAMS=$BUILD/programs
OUTPUT=$PWD/run.evt
export ROOT BUILD LIB COLLECTOR REPORT PROGRAMS

# Of which release a Python is stands in its path: to ask it would take a process for each in every case.
pythons_find() { # PATH...
	local path release
	for path; do
		[[ -x $path ]] || continue
		ALL_PYTHONS+=("$path")
		[[ $path == */3.*/bin/python3 ]] && release=${path%/bin/python3} || release=$(readlink -f "$path")
		[[ ${release##*/} =~ ^(python)?(3\.([89]|1[0-4]))(\.[0-9]+)?(t?)$ ]] && PYTHON_OF[${BASH_REMATCH[2]}${BASH_REMATCH[5]}]=$path
	done
	for release in 3.{8..14}{,t}; do
		path=${PYTHON_OF[$release]:-}
		[[ ! $path || $path == /usr/* ]] || PYTHONS+=("$path")
	done
	for path in "${PYTHON_OF[@]}"; do
		[[ $path != /usr/* ]] || PYTHONS+=("$path")
	done
}
PYTHONS=() ALL_PYTHONS=()
declare -A PYTHON_OF=()
# Only `make test-all` tries every interpreter; the others try the machine's own.
pythons=(/usr/local/bin/python3 /usr/bin/python3)
[[ ${SUITE:-} ]] || pythons=("${HOME:-/}"/.pyenv/versions/3.*/bin/python3
	"${XDG_CACHE_HOME:-${HOME:-/}/.cache}"/intercept/pythons/3.*/bin/python3 "${pythons[@]}")
pythons_find "${pythons[@]}"

fail() {
	echo "$*" >&2
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

need_tool() {
	command -v "$1" >/dev/null || skip "'$1' is not installed"
}

# A free-threaded build maps the memory of its objects itself: the heap has none of them.
is_free_threaded() { # PYTHON
	"$1" -c 'import sys, sysconfig; sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED"))'
}

greenlet_of() { # fetched: test-all; PYTHON: the folder that scripts/greenlet-env.sh fills for it
	fetched "greenlet/$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2] + sys.abiflags)' 2>/dev/null)"
}

need_program() {
	[[ -x $PROGRAMS/$1 || -e $PROGRAMS/$1 ]] || skip "test program '$1' was not built"
}

fetched() { # fetched: test-all; NAME
	echo "${XDG_CACHE_HOME:-${HOME:-/}/.cache}/intercept/$1"
}

torch_python() { # fetched
	if [[ ${TORCH_PYTHON:-} ]]; then
		echo "$TORCH_PYTHON"
	else
		"$ROOT/scripts/find-python.sh" 2>/dev/null
	fi
}

need_browser() { # fetched: test-all; NAME
	need_tool "$1"
}

# One thread by the environment: after torch.set_num_threads() a program that ends right after its first backward() can
# abort ("Invalid thread pool!"). The thread that PyTorch makes then asks for a pool that the end of the process has freed.
need_torch() { # fetched; [eager]
	PYTHON=$(torch_python) || skip "no Python with torch (make demo installs one)"
	export PYTHON OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
	[[ ${1:-} != eager || ${TORCH_AS_IT_IS:-} ]] || export PYTHONPATH=$ROOT/tests/torch/eager${PYTHONPATH:+:$PYTHONPATH}
}

need_cuda_torch() { # fetched; [eager]; its version is read, not asked for: that would import it
	need_torch "$@"
	"$PYTHON" -c 'import importlib.util, os, runpy, sys
folder = os.path.dirname(importlib.util.find_spec("torch").origin)
sys.exit(not str(runpy.run_path(os.path.join(folder, "version.py")).get("cuda")).startswith("13."))' 2>/dev/null ||
		skip "the PyTorch of '$PYTHON' is not built for CUDA 13"
}

need_lightning() { # fetched: test-all; [eager]
	local folder
	folder=$(fetched lightning)
	need_torch "$@"
	[[ -d $folder ]] && export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
	"$PYTHON" -c 'import sys, importlib.util as u
sys.exit(not all(u.find_spec(name) for name in ("lightning", "pytorch_lightning")))' 2>/dev/null ||
		skip "no Lightning for $PYTHON (scripts/pip-folder.sh lightning installs it)"
}

# What is not about the heap is recorded without it: of an import of torch it takes more CPU, and more to judge, than all else.
without_heap() {
	export INTERCEPT_TRACE=${INTERCEPT_TRACE--alloc}
}

need_servers() { # fetched: test-all
	local folder
	folder=$(fetched servers)
	need_torch
	without_heap
	[[ -e $folder/made-of ]] || skip "no uvicorn, gunicorn, Django and so on (scripts/pip-folder.sh servers installs them)"
	export PYTHONPATH=$folder
}

need_grpc() { # fetched: test-all
	local folder
	folder=$(fetched grpc)
	need_torch
	[[ -e $folder/made-of ]] || skip "no grpcio (scripts/pip-folder.sh grpc installs it)"
	export PYTHONPATH=$folder
}

need_starting() { # fetched: test-all
	local folder
	folder=$(fetched starting)
	need_torch eager
	without_heap
	[[ -e $folder/made-of ]] || skip "no pytest, uvicorn, Jupyter and so on (scripts/starting-env.sh installs them)"
	PATH=$folder/bin:$(dirname "$PYTHON"):$PATH
	# looked for, not imported: that takes two seconds of CPU
	python -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' || fail "the Python of '$folder' has no torch"
	export PATH LIB OMP_NUM_THREADS=1 # for the lines of the page
}

documented() {
	grep -m 1 -F "    $1" "$ROOT/docs/STARTING.md" || fail "docs/STARTING.md has no line '$1'"
}

run_traced() {
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$@"
}

# A recording with losses: what happens takes more than the 64 KiB that the file may have.
run_lossy() {
	INTERCEPT_MAX_FILE=64K run_traced python3 -c '
for i in range(150):
    x = [bytes(600 + j % 7) for j in range(3000)]' || fail "losses: status $?"
}

# A program waits a second for its collector, which on a busy machine may make the file after that.
appears() { # FILE
	local i
	for ((i = 0; i < looks / 5; i++)); do
		[[ -e $1 ]] && return
		sleep 0.05
	done
}

json() {
	local report=$1 file=$2 expression=$3
	shift 3
	appears "$file"
	[[ $report == summary || $report == bottleneck ]] || set -- --limit 0 "$@"
	"$REPORT" "$report" --format json --wait 60 "$@" "$file" |
		EXPRESSION=$expression python3 -I -S -c '
import json, os, sys
doc = json.load(sys.stdin)
rows, totals, losses = doc.get("rows"), doc.get("totals"), doc.get("losses")
def row(**want):
    found = [r for r in rows if all(r.get(k) == v for k, v in want.items())]
    assert len(found) == 1, "%d rows have %r" % (len(found), want)
    return found[0]
value = eval(os.environ["EXPRESSION"])
print(json.dumps(value) if isinstance(value, (dict, list, bool, type(None))) else value)'
}

expect_eq() {
	[[ $2 == "$3" ]] || fail "$1: got '$2', wanted '$3'"
}

expect_between() {
	(($2 >= $3 && $2 <= $4)) || fail "$1: got '$2', wanted $3 to $4"
}

expect_match() {
	[[ $2 =~ $3 ]] || fail "$1: got '$2', wanted something like '$3'"
}

refuses() { # STATUS REGEX ARGUMENT...; its outputs stay in stdout and err
	local wanted=$1 regex=$2 status
	shift 2
	"$REPORT" "$@" >stdout 2>err
	status=$?
	expect_eq "status of $* ($(cat err))" $status "$wanted"
	expect_eq "lines of $* ($(cat err))" "$(wc -l <err)" 1
	expect_match "what $* says" "$(cat err)" "$regex"
}

# expect FILE EXPRESSION...: each is true of the reports over FILE (see expect.py), or the test ends.
expect() {
	python3 -I -S "$ROOT/tests/expect.py" "$REPORT" "$@" >&2 || fail "of $1, line ${BASH_LINENO[0]}"
}

# expect_sums FILE: what the reports say of the whole is the sum of what they say of the parts.
expect_sums() {
	local by key
	expect "$1" 'threads.sum("allocations") == alloc.totals.allocations' \
		'threads.sum("bytes_allocated") == alloc.totals.bytes_allocated' \
		'threads.sum("events") == summary.totals.events' \
		'threads.sum("nvtx_ranges") == nvtx.totals.count' \
		'processes.sum("events") == summary.totals.events' \
		'processes.sum("events_lost") == summary.totals.events_lost' \
		'len(processes.rows) == summary.totals.processes' \
		'len(threads.rows) == summary.totals.threads'
	for by in caller thread size process; do
		for key in allocations bytes_allocated live_allocations live_bytes temporary_allocations; do
			set -- "$@" "alloc('--by', '$by', '--symbols', 'off').sum('$key') == alloc.totals.$key"
		done
	done
	expect "$@"
}

# collector_of FILE: pid of the process that has it open; waits for it, as long as `eventually` does.
collector_of() {
	local found i
	for ((i = 0; i < looks; i++)); do
		found=$(find /proc/[0-9]*/fd -maxdepth 1 -lname "$1" -print -quit 2>/dev/null)
		[[ $found ]] && cut -d / -f 3 <<<"$found" && return
		sleep 0.05
	done
	return 1
}

# The looks of `eventually`: for five minutes at least. A machine that is slow and busy needs two for an import of PyTorch.
looks=6000

# True if a program's standard error is empty. That the collector got no turn for a second of the program's end is said there on a
# machine that is slow enough; the recording is complete a moment later.
says_nothing() { # FILE
	grep -qv 'the collector does not answer: events may be missing' "$1" && return 1
	[[ ! -s $1 ]] || written
	return 0
}

# Nothing of a program's standard error is ours.
expect_silence() { # FILE [WHAT]
	grep '^intercept' "$1" >said
	says_nothing said || fail "${2:+$2: }we said something: $(cat said)"
}

# eventually WHAT COMMAND...: asks 20 times a second until the command succeeds. That it takes long is said once, since the limit of
# the test may end it first.
eventually() {
	local what=$1 i
	shift
	for ((i = 0; i < looks; i++)); do
		"$@" && return
		((i != looks / 10)) || echo "still not: $what" >&2
		sleep 0.05
	done
	fail "$what: not within $i looks"
}

# free_port: a port that nobody has, for a server that does not say which one it was given. It is none of those that the kernel gives
# to others who ask for any.
free_port() {
	python3 -I -S -c '
import random, socket
with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
    first = int(file.read().split()[0])
while True:
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", random.randrange(min(10000, first - 100), first)))
        except OSError:
            continue
        print(tried.getsockname()[1])
        break'
}

# knows_module FILE NAME: the collector has told of the module, in a recording that goes on.
knows_module() {
	PROF_REPORT_CACHE=off "$REPORT" alloc --live --format csv --columns module "$1" 2>/dev/null | grep -q -- "$2"
}

# written [FILE...]: a program does not wait for ever until its collector has written all: its file may grow for a moment. Without a
# name it is all that is here now, of which an older one may just be going away.
written() {
	local file
	for file; do
		eventually "a recording '$file'" test -s "$file"
	done
	(($#)) || set -- ./*.evt*
	for file; do
		"$REPORT" check --wait 300 "$file" >/dev/null 2>&1
	done
}

# serve_web COMMAND...: a server that says in its log where it listens; $server is its process, $port the port. The log is in log.
serve_web() {
	local i
	port=''
	: >log # now, and not when the server's shell comes to it: the port of the server before would be taken
	("$@") >>log 2>&1 &
	server=$!
	for ((i = 0; i < looks && !${#port}; i++)); do
		port=$(sed -nE 's,.*(running on|Listening at:) .*http://127\.0\.0\.1:([0-9]+).*,\2,p' log | head -n 1)
		kill -0 $server 2>/dev/null || fail "$*: $(cat log)"
		sleep 0.1 # between two looks
	done
	[[ $port ]] || fail "$*: no port: $(cat log)"
}

# progress_of FILE: the sum of the counters that tests/programs/progress.c and cuda_progress.c count in; 0 when it is not there.
progress_of() {
	od -An -v -t u8 -w8 "$1" 2>/dev/null | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

# has_progress FILE NUMBER: so much is done.
has_progress() {
	(($(progress_of "$1") >= $2))
}

# same_as_fake [-o REPORT...] [--peak] FILE COUNTS...: the CUDA reports are what the fake CUDA counted.
same_as_fake() {
	local options=()
	while [[ $1 == -* ]]; do
		options+=("$1")
		[[ $1 == -o ]] && options+=("$2") && shift
		shift
	done
	python3 -E -S "$ROOT/tests/fake/compare.py" "${options[@]}" "$REPORT" "$@" >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
}

# Reports that print something else than a table, as a pattern.
no_tables='dump|check|symbolize|export|diff|page|watch|redact|pack|capture|sample|mcp|doctor'

tables() {
	local report key
	for report in $("$REPORT" --list | awk '{ print $1 }' | grep -vxE "$no_tables"); do
		echo "$report"
		[[ $1 == keys ]] || continue
		for key in $("$REPORT" "$report" --by no-such-key 2>&1 | sed -n 's/.* is not one of //p' | tr -d ,); do
			echo "$report --by $key"
		done
	done
}

help_columns() { # the unit is the last word with two spaces behind it
	"$REPORT" "$1" --help | sed -nE '/^  name +heading +unit/,/^$/s/^  ([a-z0-9_]+) +(.*[^ ]) +[A-Za-z/]+  +.*/\1:\2/p' |
		grep -v '^name:heading$'
}

damaged_copies() { # RECORDING: cut.evt, the first two thirds of it; bad.evt, with other bytes in the middle
	local bytes
	bytes=$(stat -c %s "$1")
	head -c $((bytes * 2 / 3)) "$1" >cut.evt
	cp "$1" bad.evt
	printf 'xxxxxxxxxxxxxxxx' | dd of=bad.evt bs=1 seek=$((bytes / 2)) conv=notrunc status=none
}

run_bare() {
	"$@"
}

# same_as_bare COMMAND...: standard output, exit status and standard error are those of the command
# without intercept; ALLOWED_LINES=1 allows one line of ours more. Leaves status, bare.out, traced.out, traced.err.
same_as_bare() {
	local bare
	run_bare "$@" >bare.out 2>bare.err
	bare=$?
	run_traced "$@" >traced.out 2>traced.err
	status=$?
	expect_eq "exit status of $*" "$status" "$bare"
	cmp bare.out traced.out || fail "standard output of $* differs"
	grep -v '^intercept: ' traced.err | cmp bare.err - || fail "standard error of $* differs: $(head -c 600 traced.err)"
	(($(grep -c '^intercept: ' traced.err) <= ${ALLOWED_LINES:-0})) ||
		fail "$*: more than ${ALLOWED_LINES:-0} lines of ours: $(cat traced.err)"
}

expect_stacks() { # NOTES, what stack_note.h wrote: each is the recorded stack
	local size where stack
	"$REPORT" dump "$OUTPUT" | sed -n 's/.* malloc ptr=[^ ]* size=\(70000[0-9]*\) .*stack=\([^ ]*\).*/\1 \2/p' >recorded.txt
	# the innermost frame is note() itself; a flag says what of a frame is special: here none is
	while read -r size where stack; do
		expect_eq "stack of '$where' ($size)" "$(sed -n "s/^$size [^,]*,//p" recorded.txt)" "$stack"
	done <"$1"
}
