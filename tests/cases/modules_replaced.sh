#!/bin/bash
# A library that lies where another one lay before is told from it: at once, many times, without a look at the maps in between.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program replaced
need_tool cc
# The same code at the same offsets: only names and sizes of blocks differ.
cat >plugin.c <<'END'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void *NAME(void) { void *p = malloc(SIZE); kept = p; return p; }
void *run(void) { void *p = NAME(); kept = p; return p; }
END
plugins=()
for size in 1001 1002 1003; do
	cc -O1 -g -fPIC -shared -DNAME="made_$size" -DSIZE=$size plugin.c -Wl,--build-id -o "plugin_$size.so" || fail "cc"
	cc -O1 -g -fPIC -shared -DNAME="made_$size" -DSIZE=$size plugin.c -Wl,--build-id=none -o "bare_$size.so" || fail "cc"
	plugins+=("./plugin_$size.so")
done

rounds=30
expect_named() { # WHAT KIND THREADS; each function has the blocks that its library allocated, in every report
	each=$((rounds * 10 * $3))
	wanted="{'made_1001': $((each * 1001)), 'made_1002': $((each * 1002)), 'made_1003': $((each * 1003))}"
	"$REPORT" dump run.evt | grep -qw lost && fail "$1: $("$REPORT" dump run.evt | grep -w lost)"
	expect_eq "$1, functions" "$(json alloc run.evt \
		'dict(sorted((r["function"], r["bytes_allocated"]) for r in rows if "made_" in (r["function"] or "")))' --by function)" "${wanted//\'/\"}"
	expect_eq "$1, callers" "$(json alloc run.evt \
		'dict(sorted((r["function"], r["bytes_allocated"]) for r in rows if "made_" in (r["function"] or "")))' --by caller)" "${wanted//\'/\"}"
	expect_eq "$1, modules" "$(json alloc run.evt \
		'sorted(r["module"] for r in rows if r["module"].startswith(("plugin_", "bare_")))' --by module)" \
		"$(printf '["%s_1001.so", "%s_1002.so", "%s_1003.so"]' "$2" "$2" "$2")"
}
for stacks in caller native; do
	for kind in plugin bare; do
		rm -f run.evt
		same=$(INTERCEPT_STACKS=$stacks run_traced "$PROGRAMS/replaced" 1 $rounds "${plugins[@]/plugin/$kind}") ||
			fail "replaced: status $?"
		written run.evt
		# where ld.so puts a library is its own affair
		((same == rounds * 3)) || echo "only $same of $((rounds * 3)) libraries lay at the same place"
		expect_named "$stacks, $kind" $kind 1
	done
done
"$REPORT" export folded run.evt -o run.folded || fail "export: status $?"
for size in 1001 1002 1003; do
	expect_eq "folded stacks of $size" "$(sed -nE "s/.*;made_$size ([0-9]+)$/\1/p" run.folded | sort | uniq | xargs)" $((each * size))
done
# Four threads at once: one may use a library before another has returned from closing the one that lay there.
rm run.evt
rounds=200
run_traced "$PROGRAMS/replaced" 4 $rounds "${plugins[@]}" >out || fail "with threads: status $?"
written run.evt
expect_named "with threads" plugin 4
