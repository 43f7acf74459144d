#!/bin/bash
# What earlier runs have left is not destroyed by small ones: files of other names, and those that the user has renamed.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
cat >child.py <<'PROGRAM'
keep = [bytearray(600 + number % 1000) for number in range(60000)]
PROGRAM
cat >parent.py <<'PROGRAM'
import os, subprocess, sys
subprocess.run([sys.executable, "child.py"], env={**os.environ, **dict(word.split("=") for word in sys.argv[1:])}, check=True)
PROGRAM
run() { # OUTPUT ARGUMENT...: what it leaves is complete when the next one comes
	INTERCEPT_OUTPUT=$1 LD_PRELOAD=$LIB "$python" "${@:2}" || fail "status $?: $*"
	written
}
small() { # OUTPUT TIMES
	for ((i = 0; i < $2; i++)); do run "$1" -c pass; done
}
whole() { # FILE SUM
	[[ -f $1 ]] || fail "$1 is gone: $(ls)"
	expect_eq "$1" "$(md5sum <"$1")" "$2"
}

# a rank's recording, when nothing but launchers come after it
run 'run.%r.evt' parent.py RANK=0
sum=$(md5sum <run.0.evt)
small 'run.%r.evt' 5
whole run.0.evt "$sum"

# a number that only a person gives
rm -f ./*.evt*
run run.evt parent.py
beside=$(ls run.*.*.*.evt)
mv run.evt run.evt.20261122
sum=$(md5sum <run.evt.20261122)
small run.evt 5
whole run.evt.20261122 "$sum"
[[ -f $beside ]] || fail "the file beside it is gone: $(ls)"

# a run that cannot go takes the place of no other
rm -f ./*.evt*
export INTERCEPT_KEEP=1
run run.evt parent.py
mv run.*.*.*.evt mine.evt
run run.evt child.py
sum=$(md5sum <run.evt)
run run.evt child.py
whole run.evt.1 "$sum"
[[ -f mine.evt ]] || fail "mine.evt is gone: $(ls)"
