#!/bin/bash
# A program that adopts orphans (a subreaper, process 1) finds none of ours, whatever its children do and however they end.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >adopts.py <<'END'
import ctypes, os, subprocess, sys

def child(*code):
    return subprocess.Popen([sys.executable, "-c", "; ".join(code)])

if __name__ == "__main__":
    how = sys.argv[1]
    if how == "before":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        os.execv(sys.executable, [sys.executable, sys.argv[0], "main"])
    if how == "after":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    child("import sys", "sys.exit(3)")
    child("import os", "os.kill(os.getpid(), 9)")
    child("import os", "os._exit(4)")
    # exec: the same process, one program after the other
    child("import os, sys", "os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(5)'])")
    # a grandchild that outlives its parent is the program's own orphan
    child("import subprocess, sys", "subprocess.Popen([sys.executable, '-c', 'input(); raise SystemExit(6)'])")
    reaped = []
    try:
        while True:
            reaped.append(os.waitstatus_to_exitcode(os.wait()[1]))
    except ChildProcessError:
        print(how, sorted(reaped))
END
python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
adopts() { # HOW [COMMAND...]: runs it, alone and under us
	local how=$1
	shift
	rm -f ./*.evt
	mkfifo go 2>/dev/null
	exec 4<>go # the grandchild reads from it: it gets its line when it is there
	echo >&4
	"$@" "$python" adopts.py "$how" <go >bare.out 2>bare.err || fail "$how alone: $(cat bare.err)"
	echo >&4
	INTERCEPT_OUTPUT=$OUTPUT timeout 600 "$@" env LD_PRELOAD="$LIB" "$python" adopts.py "$how" <go >traced.out 2>traced.err ||
		fail "$how: status $?: $(cat traced.err)"
	cmp bare.out traced.out || fail "$how: $(cat bare.out traced.out)"
	expect_eq "standard error, $how" "$(cat traced.err)" ''
	# all of them were recorded, an image that calls exec and the next one as two
	expect "$OUTPUT" "len(processes.rows) == $wanted" 'summary.totals.events_lost == 0'
}
wanted=8
adopts after
wanted=9
adopts before
unshare -pf --mount-proc true 2>/dev/null || exit 0
wanted=8
adopts one unshare -pf --mount-proc
