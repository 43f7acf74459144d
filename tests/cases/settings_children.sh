#!/bin/bash
# INTERCEPT_CHILDREN=all records exec'd programs, none records none, auto those that are of interest.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
script="import subprocess; subprocess.run(['$PROGRAMS/hostile'], stdout=subprocess.DEVNULL)"
count() { # CHILDREN: how many processes, how many blocks
	rm -f ./*.evt
	INTERCEPT_CHILDREN=$1 run_traced "$python" -c "$script" 2>err || fail "$1: status $?"
	expect_eq "standard error" "$(cat err)" ''
}
count all
expect "$OUTPUT" 'sized(3003) == 200' 'len(processes.rows) == 2' \
	'len(processes.select(exit_status=21)) == 1'
# exec'd: a file of its own beside, found and merged
expect_eq "files with all" "$(find . -name '*.evt' | wc -l)" 2
count auto
expect "$OUTPUT" 'sized(3003) == 0'
expect_eq "files with auto" "$(find . -name '*.evt' | wc -l)" 1
rm -f ./*.evt
inner="import sys; x = [bytearray(4444) for _ in range(50)]; sys.exit(9)"
INTERCEPT_CHILDREN=auto run_traced "$python" -c "import subprocess, sys; subprocess.run([sys.executable, '-c', '$inner'])"
expect "$OUTPUT" 'len(processes.rows) == 2' 'len(processes.select(exit_status=9)) == 1'
expect_sums "$OUTPUT"
rm -f ./*.evt
INTERCEPT_CHILDREN=none run_traced "$python" -c "import subprocess, sys; subprocess.run([sys.executable, '-c', '$inner'])"
expect "$OUTPUT" 'len(processes.rows) == 1'
expect_eq "files with none" "$(find . -name '*.evt' | wc -l)" 1

# timeout starts one program in a child: that one is the first. Of a shell's children, nobody knows which is meant.
behind() { # CHILDREN COMMAND...
	rm -f ./*.evt
	INTERCEPT_CHILDREN=$1 run_traced "${@:2}" >/dev/null 2>err && fail "${*:2}: status 0"
	expect_eq "standard error of ${*:2}" "$(cat err)" ''
}
behind auto timeout 600 "$PROGRAMS/hostile"
expect "$OUTPUT" 'sized(3003) == 200' 'len(processes.rows) == 1'
behind auto timeout 600 env timeout 600 nice "$PROGRAMS/hostile"
expect "$OUTPUT" 'sized(3003) == 200' 'len(processes.rows) == 1'
behind auto timeout 600 sh -c "$PROGRAMS/hostile; exit 21"
expect_eq "files behind a shell" "$(find . -name '*.evt' | wc -l)" 0
behind none timeout 600 "$PROGRAMS/hostile"
expect_eq "files with none behind timeout" "$(find . -name '*.evt' | wc -l)" 0
