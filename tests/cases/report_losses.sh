#!/bin/bash
# Losses are the first line of every report, and in the totals.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

run_lossy
# on a busy machine the collector may be late, too: a line for each reason
wanted=$(json summary "$OUTPUT" '"\n".join("LOST %d events%s: %s" % (
	loss["count"], " in process %d" % loss["process"] if loss["process"] else "", loss["reason"]) for loss in losses)')
expect_match "losses" "$wanted" 'LOST [0-9]+ events: file limit$'
lines=$(wc -l <<<"$wanted")
lost=$(json summary "$OUTPUT" 'totals["events_lost"]')
((lost > 1000)) || fail "only $lost events were lost"
expect "$OUTPUT" "processes.totals.events_lost == $lost" "sum(loss.count for loss in summary.losses) == $lost"
while read -r report; do
	# shellcheck disable=SC2086 # words
	shown=$("$REPORT" $report "$OUTPUT" | sed "s/,//g;${lines}q")
	expect_match "first line of $report" "$shown" 'file limit; recorded until [0-9.]+ m?s of [0-9.]+ m?s$'
	shown=$(sed 's/; recorded until .*//; s/ between .*//' <<<"$shown")
	expect_eq "first lines of $report" "$shown" "$wanted"
done < <(tables keys; echo 'threads -f markdown')
# Blocks are those that lived when the file was full, and what was freed after that is no leak.
known=$(json summary "$OUTPUT" 'doc["session"]["known_ns"]')
end=$(json summary "$OUTPUT" 'doc["session"]["end_ns"]')
((known < end)) || fail "the file was full at $known ns of $end"
"$REPORT" leaks "$OUTPUT" >out || fail "leaks: status $?"
# (a machine that is slow may have filled the file before the first of them)
grep -q '^not freed by [0-9.]* m\?s \|^no allocation was recorded until [0-9.]* m\?s; what came later was lost$' out ||
	fail "leaks does not say until when: $(cat out)"
! grep -q 'never freed\|nothing was allocated' out || fail "leaks says what nobody knows: $(cat out)"
"$REPORT" memory "$OUTPUT" >out || fail "memory: status $?"
if ! grep -q '^heap: blocks' out; then
	tr '\n' ' ' <out | grep -q 'blocks and mappings were recorded until' || fail "memory explains what was not recorded: $(cat out)"
fi
if "$REPORT" export massif "$OUTPUT" -o massif.out 2>err; then
	last=$(sed -n 's/^time=//p' massif.out | tail -n 1)
else
	grep -q 'no allocation was recorded until' err || fail "massif: $(cat err)"
	last=0
fi
((last <= known / 1000000 + 1)) || fail "massif goes on to $last ms, the recording to $known ns"
"$REPORT" page "$OUTPUT" -o page.html || fail "page: status $?"
expect_match "line of check" "$("$REPORT" check "$OUTPUT")" "ok: .* bytes, [0-9]+ events lost\$"

# Of several files, what is said of a process goes by its own file: another one may reach further.
cat >full.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned int random = 1;
	char *volatile more;
	if (argc == 1) { /* the first process has a file of its own, and goes on */
		if (!fork())
			execl(argv[0], argv[0], "full", (char *)NULL);
		wait(NULL);
		more = malloc(100);
		return 0;
	}
	for (int i = 0; i < 1200000; i++, random = random * 1103515245 + 12345)
		free(malloc(1 + (random >> 8) % 100000));
	more = malloc(30 << 20);
	memset(more, 1, 30 << 20);
	sleep(1);
}
END
gcc -O1 -fno-builtin full.c -o full || fail "cannot build full.c"
INTERCEPT_CHILDREN=all INTERCEPT_TRACE=alloc INTERCEPT_MAX_FILE=1M INTERCEPT_OUTPUT=$PWD/files.evt LD_PRELOAD=$LIB ./full || fail "full: status $?"
"$REPORT" memory --wait 60 files.evt >out || fail "memory of two files: status $?"
lost=$(sed -nE '1s/.*file limit, between (.*) and .*/\1/p' out)
[[ $lost ]] || fail "the file was not full, or its end is the end of all: $(head -n 1 out)"
said=$(tr '\n' ' ' <out | sed -nE 's/.*were recorded until ([0-9.]+ m?s):.*/\1/p')
expect_eq "until when blocks are known of the process that is shown" "$said" "$lost"

# Where a ring was full for a while, that is said with its time.
cat >burst.c <<'END'
#include <stdlib.h>
int main(void)
{
	for (int i = 0; i < 2000000; i++)
		free(malloc(100 + i % 900));
}
END
gcc -O1 -fno-builtin burst.c -o burst || fail "cannot build burst.c"
INTERCEPT_FULL=drop INTERCEPT_BUFFER=1M INTERCEPT_OUTPUT=$PWD/burst.evt LD_PRELOAD=$LIB ./burst || fail "burst: status $?"
if (($(json summary burst.evt 'len(losses)'))); then
	expect "burst.evt" "all(loss.from_ns < loss.to_ns for loss in summary.losses)"
	expect_match "line of leaks" "$("$REPORT" leaks burst.evt | head -n 1)" 'between [0-9.]+ [mun]?s and [0-9.]+ [mun]?s$'
	expect_eq "it goes on to its end" "$(json summary burst.evt '"known_ns" in doc["session"]')" false
fi
