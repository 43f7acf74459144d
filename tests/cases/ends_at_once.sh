#!/bin/bash
# A program that is over, or another one, before the collector has come up still has its callers' names and its command.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program leaves
names() { # the functions that made blocks of the program's own sizes
	json alloc "$1" '" ".join(sorted(row["function"] or "?" for row in rows if row["module"] == "leaves" or not row["module"]))'
}
command_of() {
	"$REPORT" processes --sort start_ns --format csv --columns command "$1" | sed -n '2{s/"//g;p}'
}

for how in exit kill execv exec fork vfork; do
	wanted=makes_blocks
	[[ $how == fork ]] && wanted="child_makes_blocks makes_blocks"
	rounds=5
	[[ $how == exit || $how == kill ]] && rounds=20
	for ((round = 1; round <= rounds; round++)); do
		OUTPUT=$PWD/$how$round.evt # the collector of the round before may be at work still
		INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/leaves" $how &
		wait $! 2>/dev/null # which would say that it was killed
		eventually "the file of $how, round $round" test -s "$OUTPUT"
		written "$OUTPUT"
		expect_eq "functions, $how, round $round" "$(names "$OUTPUT")" "$wanted"
		expect_eq "command, $how, round $round" "$(command_of "$OUTPUT")" "$PROGRAMS/leaves $how"
	done
done

# by a relative path, through a link: the recording names the file itself
mkdir folder
cp "$PROGRAMS/leaves" folder/leaves
ln -s folder/leaves link
OUTPUT=$PWD/link.evt
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB ./link exit
eventually "the file of a link" test -s "$OUTPUT"
written "$OUTPUT"
expect_eq "functions through a link" "$(names "$OUTPUT")" makes_blocks
expect_eq "command through a link" "$(command_of "$OUTPUT")" "./link exit"
grep -q " module .*path=\"$PWD/folder/leaves\"" <("$REPORT" dump "$OUTPUT") || fail "the file itself is not named"

# started by ld.so, which is the program that /proc knows: its functions are not ld.so's
loader=$(LC_ALL=C readelf -l "$PROGRAMS/leaves" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
for ((round = 1; round <= 10; round++)); do
	OUTPUT=$PWD/loader$round.evt
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$loader" "$PROGRAMS/leaves" kill &
	wait $! 2>/dev/null
	eventually "the file by ld.so, round $round" test -s "$OUTPUT"
	written "$OUTPUT"
	expect_eq "functions by ld.so, round $round" "$(names "$OUTPUT")" makes_blocks
done

# what shall not be in the file is not
OUTPUT=$PWD/redacted.evt
INTERCEPT_REDACT=args,paths INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/leaves" exit
eventually "the file of one redacted" test -s "$OUTPUT"
written "$OUTPUT"
expect_eq "the command without arguments and folder" "$(command_of "$OUTPUT")" leaves
! "$REPORT" dump "$OUTPUT" | grep " module .*path=\"/" || fail "a folder in spite of INTERCEPT_REDACT"
