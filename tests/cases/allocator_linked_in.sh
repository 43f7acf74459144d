#!/bin/bash
# A program with an allocator of its own linked in, as ruff, uv and polars, or that calls one by name: reports of the heap say it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program linked_allocator
mkfifo in
run_traced "$PROGRAMS/linked_allocator" <in >out 2>err &
exec 9>in
is_told() {
	"$REPORT" alloc --live "$OUTPUT" 2>/dev/null | grep -q '^MISSING'
}
eventually "the allocator that is linked in" is_told
exec 9>&-
wait $! || fail "status $?: $(cat err)"
expect_eq "output" "$(cat out)" "done"
for report in alloc memory summary; do
	expect_match "what $report says" "$("$REPORT" $report --wait 60 "$OUTPUT")" \
		"^MISSING in process [0-9]+: '.*/linked_allocator' has a jemalloc, tcmalloc or mimalloc linked in"
done

# what is said of a program that waits for its input to end
expect_said() { # WHAT PROGRAM SENTENCE; empty: nothing is said
	rm -f said.evt
	# the module is there before the sentence could be
	INTERCEPT_OUTPUT=$PWD/said.evt LD_PRELOAD=$LIB "./$2" <in >out 2>err &
	exec 9>in
	is_read() { "$REPORT" dump --live said.evt 2>/dev/null | grep -q " module .*/$1\""; }
	eventually "the module of $2" is_read "$2"
	exec 9>&-
	wait $! || fail "$1: status $?: $(cat err)"
	got=$("$REPORT" alloc --wait 60 said.evt | grep '^MISSING')
	if [[ $3 ]]; then expect_match "$1" "$got" "^MISSING in process [0-9]+: '.*/$2' $3"; else expect_eq "$1" "$got" ''; fi
}
need_tool cc
wait_source='int main(void) { char c; TAKE; while (read(0, &c, 1) > 0) continue; return !words[0]; }'
cat >called.c <<-END
	#include <stdlib.h>
	#include <unistd.h>
	void *mi_malloc(size_t);
	const char words[] = "x";
	#define TAKE if (!mi_malloc(100)) return 2
	$wait_source
END
echo '#include <stdlib.h>
void *mi_malloc(size_t size) { return malloc(size); }' >mi.c
cc -shared -fPIC -o libmimalloc.so.2 mi.c || fail "cc"
cc -o called called.c ./libmimalloc.so.2 || fail "cc"
expect_said "calls by name" called "calls an allocator by functions of its own"
# the words of mimalloc, in a program, in a Python that does not use it, and in one that does
linked() { # NAME WORDS [DEFINITION]
	cat >"$1.c" <<-END
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <unistd.h>
		const char words[] = "$2";
		${3-}
		#define TAKE if (madvise(0, 0, 0) == 77) return 2
		$wait_source
	END
	cc -rdynamic -o "$1" "$1.c" || fail "cc"
}
linked mi_in 'mimalloc: error: '
expect_said "mimalloc" mi_in "has a jemalloc, tcmalloc or mimalloc linked in"
linked mi_python 'mimalloc: error: ' 'void PyMem_Malloc(void) { }'
expect_said "Python" mi_python ""
linked mi_free_threaded 'mimalloc: error: 3.14.0 free-threading build' 'void PyMem_Malloc(void) { }'
expect_said "Python without a GIL" mi_free_threaded "has a jemalloc, tcmalloc or mimalloc linked in"

# the library itself is none of these: what it hands out goes through us
jemalloc=$(ldconfig -p | sed -n 's/.*=> \(.*\/libjemalloc\.so\.[0-9.]*\)$/\1/p' | head -1)
[[ $jemalloc ]] || exit 0
OUTPUT=$PWD/library.evt
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$jemalloc cat <in >out &
exec 9>in
has_module() {
	"$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep -q ' module .*libjemalloc'
}
eventually "the module of libjemalloc" has_module
exec 9>&-
wait $! || fail "cat: status $?"
"$REPORT" summary --wait 60 "$OUTPUT" >text
! grep MISSING text || fail "libjemalloc is taken for one that is linked in"
