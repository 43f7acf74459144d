#!/bin/bash
# A stack overflows in a whole program: it ends as bare, and each stack of its handlers is libunwind's, or the first part of it.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program overflows
ulimit -c 0
ulimit -s 2048
export INTERCEPT_STACKS=native

# handlers on stacks of their own note where they are
run_traced "$PROGRAMS/overflows" note >said.txt 2>err || fail "note: status $?: $(cat err)"
expect_eq "notes" "$(wc -l <said.txt)" 17
"$REPORT" check "$OUTPUT" >check.txt || fail "note: check: $(cat check.txt)"
"$REPORT" dump "$OUTPUT" | sed -n 's/.* malloc ptr=[^ ]* size=\(70000[0-9]*\) .*stack=\([^ ]*\).*/\1 \2/p' >recorded.txt
python3 -S - said.txt recorded.txt >judged.txt <<'END' || fail "$(cat judged.txt)"
import sys
DEPTH, EXACT, CUT = 1024, 1, 4
recorded = dict(line.split() for line in open(sys.argv[2]))
whole = cut = interrupted = 0
for line in open(sys.argv[1]):
    size, where, theirs = line.split()
    theirs = theirs.split(",")
    ours, flags = zip(*((f.split("/") + ["0"])[:2] for f in recorded[size].split(",")[1:]))
    flags = [int(f) for f in flags]
    interrupted += EXACT in flags
    if any(f not in (0, EXACT) for f in flags[:-1]) or flags[-1] not in (0, CUT):
        sys.exit(f"{where} ({size}): flags {flags}")
    if (EXACT in flags) != (where == "overflow"):
        sys.exit(f"{where} ({size}): no frame, or one too many, was interrupted")
    if flags[-1] == CUT:
        cut += 1
        if len(ours) != DEPTH - 1 or len(theirs) < DEPTH:
            sys.exit(f"{where} ({size}): cut after {len(ours)} of {len(theirs)} frames")
        theirs = theirs[:len(ours)]
    whole += flags[-1] != CUT
    if list(ours) != theirs:
        sys.exit(f"{where} ({size}): {ours}, libunwind's {theirs}")
if (whole, cut, interrupted) != (13, 4, 8):
    sys.exit(f"{whole} whole stacks, {cut} cut ones, {interrupted} interrupted frames")
END

# in the middle of hooks: the program goes on, and what was recorded is of the functions that did it
rm -f "$OUTPUT"
same_as_bare "$PROGRAMS/overflows" hook
"$REPORT" check "$OUTPUT" >check.txt || fail "hook: check: $(cat check.txt)"
blocks=$(json alloc "$OUTPUT" 'totals["allocations"]')
((blocks > 400 * 100)) || fail "hook: only $blocks blocks"
# a line a stack, by its frames: what cut it, if anything did, the begin of the thread, and then within() alone
"$REPORT" flame --value calls --format folded "$OUTPUT" | sed -E 's/(;within)+ [0-9]+$/;within/; s/^within /;within /' | grep 'within$' | sort -u >folded.txt
expect_eq "hook: stacks that are neither whole nor cut" "$(grep -vxE '(\(more callers, not recorded\))?((;?start_thread)?;?hook_turns)?;within' folded.txt)" ""
expect_eq "hook: whole stacks and cut ones" "$(grep -c '^(more' folded.txt | sed 's/[1-9].*/some/') $(grep -c '^[^(]' folded.txt | sed 's/[1-9].*/some/')" "some some"

# what ends the program ends it as bare, and what its handler took on the other stack was recorded
for how in die exit bare; do
	rm -f "$OUTPUT"
	{ "$PROGRAMS/overflows" $how >bare.txt; } 2>/dev/null
	bare=$?
	{ run_traced "$PROGRAMS/overflows" $how >traced.txt; } 2>/dev/null
	expect_eq "$how: status" $? $bare
	"$REPORT" check "$OUTPUT" >check.txt || fail "$how: check: $(cat check.txt)"
	wanted=10
	[ $how != bare ] || wanted=0
	# whole stacks: through the frame that was interrupted, and none that was cut. Names need a program that lives for longer
	"$REPORT" dump "$OUTPUT" | sed -nE 's/.* malloc ptr=[^ ]* size=40[0-9]+ .*stack=//p' >stacks.txt
	expect_eq "$how: blocks of the handler" "$(wc -l <stacks.txt)" $wanted
	expect_eq "$how: whole stacks of the handler" "$(grep -cxE '(0x[0-9a-f]+,){4,6}0x[0-9a-f]+/1(,0x[0-9a-f]+){10,}' stacks.txt)" $wanted
done
