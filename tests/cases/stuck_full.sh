#!/bin/bash
# stuck says which writes fail for lack of room: of a program that tries again, of one that ended, and not of one that could write since.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

[[ -c /dev/full ]] || skip "no /dev/full"
export INTERCEPT_TRACE=+io,-alloc
cat >writes.py <<'END'
import os
import resource
import signal
import sys
import time

kind = sys.argv[1]


def save(file):
    try:
        file.write(b"x" * 100)
        return True
    except OSError:
        return False


if kind == "waits":
    with open("/dev/full", "wb", buffering=0) as file:
        save(file)
        save(file)
        while not save(file):
            open("tried", "w").close()
            time.sleep(1000)
elif kind == "limit":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, resource.RLIM_INFINITY))
    with open("small", "wb", buffering=0) as file:
        file.write(b"x" * 50)
        save(file)
    os._exit(3)
elif kind == "mended":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("mended", "wb", buffering=0) as file:
        for limit in 0, 1000:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            save(file)
    os._exit(3)
END
verdict() { # FILE: all that is said
	"$REPORT" stuck --live "$1" 2>err | tr '\n' ' '
}

# while it waits, and after it was killed
INTERCEPT_OUTPUT=$PWD/waits.evt LD_PRELOAD=$LIB python3 writes.py waits >out 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null' EXIT
eventually "a third try" test -e tried
# shellcheck disable=SC2317 # called by eventually
says() {
	[[ $(verdict waits.evt) == *"Process $pid: its last 3 writes to /dev/full failed, within "*": no space is left on the device."* ]]
}
eventually "what it says of a full disk ($(verdict waits.evt))" says
kill -9 $pid
wait $pid 2>/dev/null
written waits.evt
expect_match "after SIGKILL" "$(verdict waits.evt)" "Process $pid: its last 3 writes to /dev/full failed, within .*: no space is left on the device\."

# the last that it did
INTERCEPT_OUTPUT=$PWD/limit.evt LD_PRELOAD=$LIB python3 writes.py limit >out 2>&1
expect_eq "status" $? 3
written limit.evt
expect_match "a limit" "$(verdict limit.evt)" "Process [0-9]+: its last write to [^ ]*small failed: the file would be larger than is allowed"

# there was room again
INTERCEPT_OUTPUT=$PWD/mended.evt LD_PRELOAD=$LIB python3 writes.py mended >out 2>&1
expect_eq "status" $? 3
written mended.evt
"$REPORT" dump mended.evt | grep -q 'io_failed function="write"' || fail "no write failed: $(cat out)"
! verdict mended.evt | grep 'last write' || fail "a file that has room since"
exit 0
