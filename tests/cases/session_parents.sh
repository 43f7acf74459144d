#!/bin/bash
# Parents that hand on no INTERCEPT_SESSION (Go, env -i, static programs) are of one session with their children.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program stack_env
need_program stack_env_static
python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
blocks="x = [bytearray(4444) for _ in range(25)]"
export INTERCEPT_KEEP=0
both() { # the parent and one child, in two files of one session
	expect "$OUTPUT" 'sized(7007) == 30' 'sized(4445) == 25' 'len(processes.rows) == 2'
	expect_eq files "$(find . -name '*.evt*' | wc -l)" 2
}

# A child while the parent lives.
run_traced "$PROGRAMS/stack_env" wait "$python" -c "$blocks; raise SystemExit(9)"
expect_eq status $? 9
both

# One that starts long after the parent's file was finished, below a program that was not recorded.
rm -f ./*.evt
mkfifo go
exec 4<>go
run_traced "$PROGRAMS/stack_env" leave /bin/bash -c \
	"echo >&3; read -r line <&4; '$python' -c '$blocks; raise SystemExit(9)'; echo child ended >&2" 2>err
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
echo >&4
eventually "child ended" grep -qs 'child ended' err
both

# What the user set is heeded: none, and a program that is not of interest.
rm -f ./*.evt
INTERCEPT_CHILDREN=none run_traced "$PROGRAMS/stack_env" wait "$python" -c "$blocks"
expect "$OUTPUT" 'len(processes.rows) == 1' 'sized(7007) == 30'
expect_eq "files with none" "$(find . -name '*.evt*' | wc -l)" 1
rm -f ./*.evt
run_traced "$PROGRAMS/stack_env" wait "$PROGRAMS/stack_env" wait /bin/true
expect "$OUTPUT" 'len(processes.rows) == 1' 'sized(7007) == 30'
expect_eq "files with auto" "$(find . -name '*.evt*' | wc -l)" 1

# Further down: through a program that stays dormant, and one with a scrubbed environment.
rm -f ./*.evt
run_traced "$PROGRAMS/stack_env" wait /bin/bash -c \
	"env -i LD_PRELOAD=$LIB INTERCEPT_KEEP=0 INTERCEPT_OUTPUT=$OUTPUT $python -c '$blocks; raise SystemExit(9)'; exit \$?"
both

# A static parent: its children at once, and one after the other.
for how in both twice; do
	rm -f ./*.evt
	run_traced "$PROGRAMS/stack_env_static" $how "$PROGRAMS/stack_env" wait "$python" -c "$blocks"
	# two programs that came first, each with a Python that did not
	expect "$OUTPUT" 'sized(7007) == 2 * 30' 'sized(4445) == 2 * 25' 'len(processes.rows) == 4'
	expect_eq "files of a static parent's children" "$(find . -name '*.evt*' | wc -l)" 4
done

# Another run does not move a file of a session whose shell goes on, though nobody writes it.
rm -f ./*.evt err # of before
run_traced /bin/bash -c "'$python' -c '$blocks; raise SystemExit(9)'; echo child ended >&2; read -r line <&4" 2>err &
shell=$!
eventually "child ended" grep -qs 'child ended' err
other="y = [bytearray(7006) for _ in range(30)]"
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$python" -c "$other"
expect "$OUTPUT" 'sized(7007) == 0' 'processes.rows[0].exit_status == 9'
expect_eq "files beside it" "$(find . -name '*.evt*' | wc -l)" 2
echo >&4
wait $shell
INTERCEPT_KEEP=1 run_traced "$python" -c "$other"
expect "$OUTPUT" 'sized(7007) == 30'
expect "$OUTPUT.1" 'processes.rows[0].exit_status == 9'
