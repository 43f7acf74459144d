#!/bin/bash
# A shell that has LD_PRELOAD exported: ls, date and head do not take a recording's name, and prof-report is not recorded.
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # the inner shell expands it
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
need_program nvtx_v3
python=/usr/bin/python3
[[ -x $python ]] || python=python3
unset INTERCEPT_OUTPUT
export REPORT python
shell() { # COMMANDS: in a shell that was not started with the library, and exports it
	bash --norc -c "export LD_PRELOAD=$LIB; $1" >out 2>err || fail "status $? of $1: $(cat err)"
	expect_silence err
}
files() {
	find . -name '*.evt*' -printf '%f\n' | sort | tr '\n' ' '
}
commands() { # FILE
	"$REPORT" processes --columns command --format csv "$1" | tail -n +2 | tr '\n' ';'
}

# A program waits a second at most for its collector: on a busy machine names are given, and files go, behind its end.
has_files() { # NAMES
	[[ $(files) == "$1" ]]
}
has_commands() { # REGEX FILE...
	local all='' file
	for file in "${@:2}"; do all+=$(commands "$file" 2>/dev/null); done
	[[ $all =~ $1 ]]
}
files_are() { # NAMES
	eventually "files '$1'" has_files "$1"
}
commands_are() { # REGEX FILE...
	eventually "commands '$1'" has_commands "$@"
}

# A recording of Python stays what it is.
shell '$python -c "print(1)"; ls; ls; date; ls -l; cat /dev/null; $REPORT processes'
files_are 'run.evt '
commands_are 'print\(1\)' run.evt
expect_match "what prof-report shows in that shell" "$(cat out)" 'print\(1\)'

# Nor is prof-report recorded by itself, wherever it is, and whatever it is called; a pipe of it ends.
cp "$REPORT" other-name
shell '$REPORT check run.evt >/dev/null; ./other-name processes | head -3'
files_are 'run.evt '
rm run.evt
bash --norc -c "export LD_PRELOAD=$LIB; timeout 600 ./other-name processes" >out 2>err
expect_eq "status of prof-report in an empty folder" $? 1
files_are ''

# Who asks for a small program alone has it, the one that was last.
shell 'ls'
commands_are '^ls;' run.evt
INTERCEPT_KEEP=1 LD_PRELOAD=$LIB date >/dev/null
commands_are '^"?date.*ls;$' run.evt run.evt.1

# One that was not plain by its looks: NVTX without Python.
LD_PRELOAD=$LIB "$PROGRAMS/nvtx_v3" 1 20 expected.json || fail "nvtx_v3: status $?"
commands_are nvtx_v3 run.evt
before=$(commands run.evt)
shell 'ls; ls -l | head -1 | tee log'
expect_eq "command behind ls" "$(commands run.evt)" "$before"
rm -f ./*.evt*

# Whoever of a pipe comes first: Python has the name, and what it is piped into leaves nothing.
cat >named.py <<'END'
# Ends when its recording has the name that was asked for.
import glob, os, time
while not os.path.exists("run.evt") or glob.glob("run.*.%d.*.evt" % os.getpid()):
    time.sleep(0.01)
END
for ((i = 0; i < 5; i++)); do
	rm -f ./*.evt*
	shell "\$python named.py | tee log | cat"
	files_are 'run.evt '
	commands_are 'named.py' run.evt
done
# One that is over before anybody can make way for it.
rm -f ./*.evt*
shell "\$python -c 'print(2)' | tee log | cat"
commands_are 'print\(2\)' run.evt
# While it runs and others come and go.
shell '$python -c "import sys; sys.stdin.read()" < <(ls; ls -l; date; sleep 0.2; ls)'
commands_are 'sys.stdin.read' run.evt

# The same program again is another run, smaller or not; another one is not until it has done as much.
rm -f ./*.evt*
run() { # ALLOCATIONS
	LD_PRELOAD=$LIB "$PROGRAMS/heap_calls" "$1" 2>err || fail "status $? of heap_calls: $(cat err)"
	written run.evt
}
need_program heap_calls
cp "$PROGRAMS/heap_calls" another
run 200000
size=$(stat -c %s run.evt)
((size > 65536)) || fail "the large one is small: $size"
LD_PRELOAD=$LIB ./another 20 2>err
expect_eq "what was said" "$(cat err)" ''
commands_are 'heap_calls 200000' run.evt
LD_PRELOAD=$LIB INTERCEPT_VERBOSE=1 ./another 20 2>err
expect_match "what was said" "$(cat err)" 'another.*its recording was small and is not kept, .*run.evt. holds another; set INTERCEPT_OUTPUT to a name of its own'
LD_PRELOAD=$LIB ./another 12000 2>err
expect_match "what was said" "$(cat err)" "run.evt' holds a larger recording and stays, this one is '.*run.evt.1'"
commands_are 'another 12000' run.evt.1
commands_are 'heap_calls 200000' run.evt
run 20
commands_are 'heap_calls 20";' run.evt
commands_are 'heap_calls 200000' run.evt.1
LD_PRELOAD=$LIB ./another 200000 2>err
commands_are 'another 200000' run.evt
expect_eq "what was said" "$(cat err)" ''
