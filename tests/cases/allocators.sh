#!/bin/bash
# jemalloc, tcmalloc and mimalloc, preloaded before and after us or linked: they stay, and all is counted, by whatever name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

for program in counts operators jemalloc_flags operators_local own_malloc libown_new.so libstd_new.so; do
	need_program "$program"
done
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

# Blocks that an allocator gives by names of its own, as many as the program says; what it throws passes through us.
try_names() { # PRELOAD PROGRAM ARGUMENT...
	local preload=$1 blocks bytes
	shift
	rm -f ./*.evt
	LD_PRELOAD=${preload#"$LIB"} "$@" >bare || fail "$*: bare: status $?"
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$preload "$@" >out 2>err || fail "$*: $preload: status $?: $(cat err)"
	expect_eq "output of $*" "$(cat out)" "$(cat bare)"
	read -r _ blocks _ bytes _ <out
	expect_eq "blocks and bytes of $* with $preload" "$(json alloc "$OUTPUT" \
		"(lambda r: ' '.join(str(sum(x[c] for x in r)) for c in ('allocations', 'bytes_allocated', 'live_allocations')))([x for x in rows if x['module'] == '${1##*/}'])" \
		--limit 0)" "$blocks $bytes 0"
	expect "$OUTPUT" 'summary.totals.events_lost == 0'
}

# Where no allocator has them they are not ours to answer for: libraries that come later find them as they do without us.
try_plugins() { # PRELOAD PLUGIN...
	INTERCEPT_OUTPUT=$PWD/plugins.evt LD_PRELOAD=$LIB$1 "$PROGRAMS/operators_local" "${@:2}" >out 2>err ||
		fail "plugins: status $?: $(cat err)"
	LD_PRELOAD=${1#:} "$PROGRAMS/operators_local" "${@:2}" >bare
	expect_eq "whose the plugins' operators are" "$(cat out)" "$(cat bare)"
}

# The file has it that the heap is not recorded, and why; so has every report that speaks of the heap, and no other.
expect_hidden() { # LIMITATION SUBJECT PROCESSES
	local report
	expect_eq "limitations" "$(json summary "$OUTPUT" '[[l["id"], l["subject"], l["processes"]] for l in doc["limitations"]]')" \
		"[[\"$1\", \"$2\", $3]]"
	for report in summary alloc leaks peak memory threads 'alloc --format markdown'; do
		# shellcheck disable=SC2086
		"$REPORT" $report "$OUTPUT" >text
		expect_match "what $report says" "$(head -1 text)" "^MISSING in .*: '$2' "
		! grep -E 'nothing was allocated|heap 0 B' text || fail "$report says that there was no heap"
	done
	"$REPORT" processes "$OUTPUT" >text
	! grep MISSING text || fail "processes speaks of the heap"
	"$REPORT" export chrome "$OUTPUT" -o out.json 2>err
	expect_match "what an export says" "$(cat err)" "MISSING in .*: '$2' "
}

# Its own business: nothing is said on stderr, unless the user wants to hear more.
run_traced "$PROGRAMS/own_malloc" 2>err >out || fail "own_malloc: status $?: $(cat err)"
! grep malloc err || fail "a program with a malloc of its own is told so"
expect_hidden heap_own "$PROGRAMS/own_malloc" 1
INTERCEPT_VERBOSE=1 run_traced "$PROGRAMS/own_malloc" 2>err >out
expect_match "own_malloc, verbose" "$(cat err)" "own_malloc' defines malloc itself"

own=$PROGRAMS/libown_new.so std=$PROGRAMS/libstd_new.so
try_plugins '' "$own" "$std"
try_plugins '' "$std" "$own"
try_names "$LIB" "$PROGRAMS/operators"
found=0
for name in libjemalloc libtcmalloc_minimal libmimalloc; do
	library=$(find_library $name)
	[[ $library ]] || continue
	found=$((found + 1))
	try_preload "$LIB:$library" "$name"
	calm=()
	[[ $name = libmimalloc ]] && calm=(calm)
	try_names "$LIB:$library" "$PROGRAMS/operators" "${calm[@]}"
	try_plugins ":$library" "$own"
	[[ $name = libjemalloc ]] && try_names "$LIB:$library" "$PROGRAMS/jemalloc_flags"
	# In front of us it hides the heap from us: that is said, and the program is none the worse for it.
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$library:$LIB "$PROGRAMS/counts" expected.json 50 2 2 portable 2>err ||
		fail "$name in front of us: status $?: $(cat err)"
	expect_match "line with $name in front of us" "$(cat err)" "^intercept: '.*$name.*put libintercept.so first"
	expect_hidden heap_preloaded "$library" 3 # counts forks two
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
