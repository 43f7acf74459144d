#!/bin/bash
# Python's os._exit() and os.execv() empty CUPTI; every other _exit() and exec leaves it alone, whoever calls it, and what is missing then is counted.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program libcuda_user13.so
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json
cat >end.py <<'PY'
import atexit, ctypes, faulthandler, os, signal, subprocess, sys, threading

user, libc = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(None)
end = sys.argv[2]
if end == "handlers":  # called after what CUDA and we have registered
    last = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)(lambda *_: os._exit(3))
    libc.on_exit(last, None)
user.cuda_user_run(50)
if end == "os":
    os._exit(3)
if end == "thread":
    thread = threading.Thread(target=os._exit, args=(3,))
    thread.start()
    thread.join()
if end == "signal":  # Python runs its handlers where it is safe
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))
    os.kill(os.getpid(), signal.SIGUSR1)
if end == "atexit":
    atexit.register(os._exit, 3)
    sys.exit(0)
if end == "handlers":
    libc.exit(0)
if end == "fork":
    child = os.fork()
    if child == 0:
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    os._exit(3)
if end == "exec":
    os.execv("/bin/sh", ["sh", "-c", "exit 3"])
if end == "noexec":  # the program goes on
    try:
        os.execvpe("/no/such/program", ["program"], os.environ)
    except FileNotFoundError:
        pass
    user.cuda_user_run(50)
    os._exit(3)
if end == "execchild":  # a child has nothing that is to be emptied
    child = os.fork()
    if child == 0:
        os.execv("/bin/sh", ["sh", "-c", "exit 4"])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    os._exit(3)
if end == "library exec":  # execv() from another library's code
    argv = (ctypes.c_char_p * 4)(b"sh", b"-c", b"exit 3", None)
    libc.execv(b"/bin/sh", argv)
if end == "library":  # _exit() from another library's code
    libc._exit(3)
if end == "handler":  # of C: within whatever it interrupts
    libc.signal(signal.SIGUSR1, libc._exit)
    os.kill(os.getpid(), signal.SIGUSR1)
if end == "watchdog":  # the interpreter's code, on a thread without the GIL: the rest of the program may hang
    faulthandler.dump_traceback_later(0.01, exit=True, file=open(os.devnull, "w"))
    threading.Event().wait()
if end == "child":  # _exit() in a child of vfork() is none of the parent's
    try:
        subprocess.run(["/no/such/program"], close_fds=False)
    except FileNotFoundError:
        pass
    os.kill(os.getpid(), signal.SIGKILL)
PY
run() { # HOW STATUS
	local status
	rm -f ./*.evt* counts.*.json
	run_traced "$python" end.py "$PROGRAMS/libcuda_user13.so" "$1" 2>err
	status=$?
	((status == $2)) || fail "$python: $1: status $status, wanted $2: $(cat err)"
}
tried=0 program=''
try() { # PYTHON
	local how
	python=$1
	# CUPTI hands out nothing by itself
	export FAKE_CUDA_FAIL='cuptiActivityFlushPeriod:*=999'
	for how in os thread signal atexit handlers fork exec execchild; do
		for _ in 1 2 3 4 5; do # so long as the machine is too busy for the thread that empties CUPTI
			run $how 3
			grep -q 'in time' err || break
		done
		expect_silence err "$python: $how"
		expect "$OUTPUT" 'launches.totals.calls == 50' 'kernels.totals.calls == 50' 'kernels.totals.lost == 0' 'kernels.totals.untold == 0'
	done
	run noexec 3
	expect "$OUTPUT" 'launches.totals.calls == 100' 'kernels.totals.calls == 100' 'kernels.totals.lost == 0' 'kernels.totals.untold == 0'
	for how in library:3 "library exec:3" handler:10 watchdog:1 child:137; do
		run "${how%:*}" "${how#*:}"
		expect_silence err "$python: $how"
		expect "$OUTPUT" 'launches.totals.calls == 50' 'kernels.totals.calls == 0' 'kernels.totals.untold == 100'
	done
	# one that hangs holds nobody up
	FAKE_CUPTI_HANG=1 run os 3
	expect_match "$python: hang" "$(cat err)" 'did not hand out its last records in time'
	expect "$OUTPUT" 'kernels.totals.untold == 100'
	unset FAKE_CUDA_FAIL
	tried=$((tried + 1))
}
# The interpreter is the program, or a library.
for shape in program library; do
	for python in "${PYTHONS[@]}"; do
		"$python" -c 'import ctypes, os; os.waitstatus_to_exitcode' 2>/dev/null || continue
		if ldd "$(readlink -f "$python")" 2>/dev/null | grep -q libpython; then is=library; else is=program; fi
		[[ $is == "$shape" ]] || continue
		try "$python"
		[[ $is == library ]] || program=$python
		break
	done
done
# A program of another name may have code of its own beside the interpreter's, and handlers that end it.
elsewhere() { # PYTHON
	local home
	cp "$(readlink -f "$1")" engine || fail "cannot copy '$1'"
	python=./engine home=$("$1" -c 'import sys; print(sys.base_prefix)')
	PYTHONHOME=$home FAKE_CUDA_FAIL='cuptiActivityFlushPeriod:*=999' run os 3
	expect "$OUTPUT" 'launches.totals.calls == 50' 'kernels.totals.calls == 0' 'kernels.totals.untold == 100'
}
((tried)) || skip "no Python 3.9 or newer with ctypes"
[[ ! $program ]] || elsewhere "$program"
exit 0
