#!/bin/bash
# jemalloc, tcmalloc and mimalloc, preloaded before and after us or linked: they stay, and all is counted.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program counts
E='load("expected.json")'
find_library() { # NAME
	ldconfig -p 2>/dev/null | sed -n "s/.*=> \(.*\/$1\.so\.[0-9.]*\)$/\1/p" | head -1
}

try_preload() { # PRELOAD MAPPED
	rm -f ./*.evt ./*.json
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$1 "$PROGRAMS/counts" expected.json 50 2 2 portable 2>err || fail "$1: status $?: $(cat err)"
	expect "$OUTPUT" \
		"all(threads.row(pid=t.pid, tid=t.tid).allocations == t.allocations for t in $E.threads[1:])" \
		"all(threads.row(pid=t.pid, tid=t.tid).events == t.events for t in $E.threads[1:])" \
		'summary.totals.events_lost == 0'
	INTERCEPT_OUTPUT=$PWD/maps.evt LD_PRELOAD=$1 grep -q "$2" /proc/self/maps || fail "$2 is not mapped"
}

found=0
for name in libjemalloc libtcmalloc_minimal libmimalloc; do
	library=$(find_library $name)
	[[ $library ]] || continue
	found=$((found + 1))
	try_preload "$LIB:$library" "$name"
	# In front of us it hides the heap from us: that is said, and the program is none the worse for it.
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$library:$LIB "$PROGRAMS/counts" expected.json 50 2 2 portable 2>err ||
		fail "$name in front of us: status $?: $(cat err)"
	expect_match "line with $name in front of us" "$(cat err)" "^intercept: .*$name"
	expect_eq "lines" "$(wc -l <err)" 1
	command -v "${CC:-cc}" >/dev/null || continue
	"${CC:-cc}" -D_GNU_SOURCE -I"$ROOT" -O1 -w -pthread -fno-builtin "$ROOT/tests/programs/counts.c" \
		"$library" -o linked || fail "cannot link $library"
	rm -f ./*.evt
	run_traced ./linked expected.json 50 2 2 portable || fail "linked with $name: status $?"
	expect "$OUTPUT" \
		"all(threads.row(pid=t.pid, tid=t.tid).allocations == t.allocations for t in $E.threads[1:])" \
		'summary.totals.events_lost == 0'
done
((found > 0)) || skip "no other allocator is installed (libjemalloc2, libtcmalloc-minimal4, libmimalloc2.0)"
