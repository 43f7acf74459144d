#!/bin/bash
# A library that lies where a module of iconv() was, which libc itself has unloaded: nobody reports that, and each has its own blocks.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program unloads_in_libc
need_tool cc
cat >plugin.c <<'END'
#include <stdlib.h>
void *volatile kept;
void *run(void) { void *p = malloc(1001); kept = p; return p; }
END
cc -O1 -g -fPIC -shared plugin.c -Wl,-z,noseparate-code -o plugin.so || fail "cc"
for stacks in caller native; do
	rm -f ./*.evt go
	INTERCEPT_STACKS=$stacks run_traced "$PROGRAMS/unloads_in_libc" go ./plugin.so 2>err &
	program=$!
	known() {
		knows_module "$OUTPUT" UTF-16.so || ! kill -0 "$program" 2>/dev/null
	}
	eventually "a look at the module, or the program's end" known
	touch go
	wait $program
	status=$?
	((status != 2)) || skip "no conversions of iconv() to UTF-16 and UTF-7"
	expect_eq "status, $stacks" "$status" 0
	expect_eq "blocks of $stacks" "$(json alloc "$OUTPUT" \
		'dict(sorted((r["module"], r["allocations"]) for r in rows if r["module"] in ("plugin.so", "UTF-16.so", "[unknown]")))' --by module)" \
		'{"UTF-16.so": 20, "plugin.so": 200}'
done
