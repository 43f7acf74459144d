#!/bin/bash
# Stacks of a whole program are libunwind's, and code whose tables the program has unmapped cuts a stack.
# SPDX-License-Identifier: MIT
# timeout: 300
# Around exceptions, before and after main(), of ending threads, in a vforked child, of libraries that lie where another lay, of greenlets.
. "$ROOT/tests/lib.sh"

export INTERCEPT_STACKS=native
need_program stack_self
run_traced "$PROGRAMS/stack_self" >said.txt || fail "status $?"
[ "$(wc -l <said.txt)" -ge 25 ] || fail "the program said too little: $(cat said.txt)"
for where in constructor destructor cleanup handler after callback thread-local thread vforked after-vfork atexit main; do
	grep -q " $where " said.txt || fail "nothing of '$where'"
done
expect_stacks said.txt

# libraries
need_program stack_libraries
rm -f "$OUTPUT"
run_traced "$PROGRAMS/stack_libraries" "$PROGRAMS/libstack_one.so" "$PROGRAMS/libstack_two.so" >said.txt
status=$?
[ $status = 77 ] || [ $status = 0 ] || fail "stack_libraries: status $status"
if [ $status = 0 ]; then
	expect_eq "last line" "$(tail -n 1 said.txt | cut -d' ' -f1)" same
	sed -i '$d' said.txt
	stack_of() { "$REPORT" dump "$OUTPUT" | sed -n "s/.* malloc ptr=[^ ]* size=$1 .*stack=\([^ ]*\).*/\1/p" | tail -n 1; }
	expect_match "tables are gone, the frame is known" "$(stack_of 5001)" '^0x[0-9a-f]+(,0x[0-9a-f]+){4,}$'
	expect_match "tables are gone, the frame is not known" "$(stack_of 5002)" '^0x[0-9a-f]+,0x[0-9a-f]+/4$'
fi
expect_eq "stacks below libraries" "$(wc -l <said.txt)" 4
expect_stacks said.txt

# greenlets: parts of one stack, copied away and back
cat >turns.py <<'END'
import ctypes, greenlet, sys
here = ctypes.PyDLL(sys.argv[1]).note_here
def note(where):
    if not here(where.encode()):
        sys.exit("no libunwind")
def deeper(depth, name, turns):
    if depth:
        return deeper(depth - 1, name, turns)
    for turn in range(turns):
        note(f"{name}-{turn}")
        sorted([2, 1], key=lambda n: other(name, n))
def other(name, n):
    note(f"{name}-inner")
    main.switch()
    note(f"{name}-back")
    return n
main = greenlet.getcurrent()
parts = [greenlet.greenlet(deeper) for _ in range(3)]
for i, part in enumerate(parts):
    part.switch(3 * i, f"part{i}", 3)
for turn in range(4):
    note("main")
    for part in parts:
        part.switch()
END
for minor in 13 12 11 10; do
	for python in "${HOME:-/}/.pyenv/versions/3.$minor."*/bin/python3; do
		folder=$(greenlet_of "$python")
		PYTHONPATH=$folder "$python" -c 'import greenlet, ctypes' 2>/dev/null || continue
		rm -f "$OUTPUT"
		PYTHONPATH=$folder run_traced "$python" turns.py "$PROGRAMS/libstack_note.so" >said.txt || fail "$python: status $?"
		[ "$(wc -l <said.txt)" -ge 30 ] || fail "$python said too little: $(wc -l <said.txt)"
		expect_stacks said.txt
		exit 0
	done
done
skip "no Python with greenlet (scripts/greenlet-env.sh installs it); all before it passed"
