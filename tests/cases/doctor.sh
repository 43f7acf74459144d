#!/bin/bash
# prof-report doctor and intercept doctor: a line a subject; faults that are made here change the line that is theirs, with a remedy.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program confine
# An interpreter that says what it is told to; the line `answer` of the test is its output.
cat >python3 <<'END'
#!/bin/sh
cat "$(dirname "$0")/answer"
END
chmod +x python3
export PYTHON=$PWD/python3
answer() { printf '%b' "$1" >answer; }
mkdir bin
cp "$REPORT" "$COLLECTOR" "$LIB" bin/
unset LD_PRELOAD

doctor() { # STATUS [COMMAND...]: out
	local wanted=$1 status
	shift
	"$@" "$PWD/bin/prof-report" doctor >out 2>err
	status=$?
	expect_eq "status ($(cat err))" $status "$wanted"
	expect_eq "standard error" "$(cat err)" ''
	# each line has a subject, a state and what was found; a remedy behind the semicolon
	grep -vE '^[A-Za-z][A-Za-z ]*: (ok|limited|missing): .' out && fail "a line of another form"
	expect_eq "subjects" "$(cut -d: -f1 out | paste -sd,)" \
		"machine,library,collector,output,allocator,stacks,seccomp,native samples,Python samples,ptrace scope,interpreter,its layout,PyTorch,NVIDIA driver,CUPTI,NVML"
}
line() { # SUBJECT REGEX
	expect_match "line of $1" "$(grep "^$1: " out)" "$2"
}

answer 'implementation cpython\nversion 3.12.4\nruntime yes\ntorch 2.9.1+cpu\ncupti /somewhere/libcupti.so.12\n'
doctor 0
line machine '^machine: ok: Linux .*, x86_64$'
line library "^library: ok: $PWD/bin/libintercept.so$"
line collector "^collector: ok: $PWD/bin/intercept-collector$"
line output '^output: (ok|limited): [0-9.]+ [KMGTP]?i?B left on the disk'
line interpreter "^interpreter: ok: $PWD/python3, CPython 3.12.4$"
line 'its layout' '^its layout: ok: _PyRuntime is visible$'
line PyTorch '^PyTorch: ok: 2.9.1\+cpu$'
line CUPTI '^CUPTI: ok: /somewhere/libcupti.so.12$'

# where INTERCEPT_OUTPUT leads to
mkdir to
INTERCEPT_OUTPUT=$PWD/to/r%r.evt doctor 0
line output "^output: (ok|limited): .* left on the disk of INTERCEPT_OUTPUT='$PWD/to/r%r.evt'"
INTERCEPT_OUTPUT=to/%p/x.evt doctor 0
line output "^output: limited: INTERCEPT_OUTPUT='to/%p/x.evt': its folder is another one for each program; make the folders"
INTERCEPT_OUTPUT=gone/x.evt doctor 1
line output "^output: missing: INTERCEPT_OUTPUT='gone/x.evt': no file can be made in the folder 'gone': No such file or directory; make it,"
INTERCEPT_OUTPUT=/proc/x.evt doctor 1
line output "^output: missing: INTERCEPT_OUTPUT='/proc/x.evt': /dev and /proc are no place for it; name a file"

# a filter that refuses perf_event_open(), or another call
doctor 0 "$PROGRAMS/confine" eperm perf_event_open
line seccomp '^seccomp: ok: a filter of system calls is in force'
line 'native samples' '^native samples: missing: .*perf_event_open\(\).*; (in a container use --cap-add PERFMON|set kernel.perf_event_paranoid)'

# an interpreter that is not known, stripped, another one, none, or no interpreter at all
answer 'implementation cpython\nversion 3.99.0\nruntime yes\n'
doctor 0
line interpreter 'missing: .* is CPython 3.99.0, which is not known: no stacks of Python; run the program with CPython 3.8 to 3.14$'
line PyTorch '^PyTorch: missing: not installed in this interpreter: no operators; name'
answer 'implementation cpython\nversion 3.11.2\nruntime no\n'
doctor 0
line 'its layout' 'missing: _PyRuntime is not visible: no stacks of Python; use an interpreter that was not stripped'
answer 'implementation pypy\nversion 3.10.1\nruntime unknown\n'
doctor 0
line interpreter 'missing: .* is pypy 3.10.1: no stacks of Python'
line 'its layout' 'limited: not known'
for text in '' 'implementation\nversion\n' '\x1b[2J\xff\x00version 3.9\n' "$(printf 'x%.0s' {1..20000})"; do
	answer "$text"
	doctor 0
	line interpreter 'missing: .*python3.: it does not answer as an interpreter of Python does; name another one by PYTHON'
done
PYTHON=$PWD/gone doctor 0
line interpreter "missing: '$PWD/gone': it cannot be started, or fails; name another one"
# an interpreter that the environment spoils
answer 'implementation cpython\nversion 3.12.4\nruntime yes\n'
printf '#!/bin/sh\n[ -z "$%s" ] || exit 1\ncat "%s"\n' PYTHONHOME "$PWD/answer" >spoiled
chmod +x spoiled
PYTHON=$PWD/spoiled doctor 0 env PYTHONHOME=/nowhere PYTHONPATH=/elsewhere
line interpreter "missing: '$PWD/spoiled': it fails with PYTHONHOME='/nowhere'; correct or unset that variable$"
PYTHON=/bin/false doctor 0 env PYTHONHOME=/nowhere
line interpreter "missing: '/bin/false': it cannot be started, or fails; name another one"
doctor 0 env PYTHON= PATH=/nonexistent
line interpreter '^interpreter: missing: no python3 in PATH; name one by PYTHON in the environment$'

# the collector is not there, or cannot be run; the library is not there
answer 'implementation cpython\nversion 3.12.4\nruntime yes\n'
chmod 000 bin/intercept-collector
doctor 1
line collector "^collector: missing: '$PWD/bin/intercept-collector' cannot be run; make it executable"
rm -f bin/intercept-collector
doctor 1
line collector '^collector: missing: intercept-collector is not found; keep it beside libintercept.so'
rm bin/libintercept.so
doctor 1
line library '^library: missing: .*; install intercept, or run make$'
cp "$COLLECTOR" "$LIB" bin/

# an allocator that comes first; this program is not recorded, so the names need not exist
LD_PRELOAD=/x/libjemalloc.so:/x/libintercept.so "$PWD/bin/prof-report" doctor 2>/dev/null >out
line allocator 'missing: jemalloc comes before libintercept.so in LD_PRELOAD: the heap is not recorded; put libintercept.so first'

refuses 2 'doctor takes no files' doctor run.evt

# the shell command has the same, and a version
expect_eq "intercept --version" "$(sh "$ROOT/scripts/intercept.sh" --version)" "intercept $("$REPORT" --version | cut -d' ' -f2)"
sh "$ROOT/scripts/intercept.sh" doctor >out 2>err || fail "intercept doctor: $(cat err)"
line machine '^machine: ok'
expect_match "intercept help" "$(sh "$ROOT/scripts/intercept.sh" help)" 'intercept doctor'
exit 0
