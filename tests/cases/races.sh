#!/bin/bash
# Test programs with threads have no data race of their own, as ThreadSanitizer sees it: what they lose would be taken for our loss.
# SPDX-License-Identifier: MIT
# timeout: 400
# suite: test-all, builds every program with threads for ThreadSanitizer
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# A program with threads says at its top how it runs here, once or more often: "races: [timeout SECONDS] PROGRAM ARGUMENT...", with a
# limit where it ends by a kill, or "races: none, REASON".
sources=$(cd "$ROOT/tests/programs" && grep -lE 'pthread_create|std::thread|nvtx_calls\.h"' ./*.c ./*.cpp)
runs=
for source in $sources; do
	lines=$(sed -n 's,^/\* races: \(.*\) \*/$,\1,p' "$ROOT/tests/programs/$source")
	[[ $lines ]] || fail "tests/programs/${source#./} starts threads: say in a line 'races:' at its top how it runs here"
	runs+=$(grep -v '^none, ' <<<"$lines")$'\n'
done

printf 'data' >data
ulimit -c 0
export TSAN_OPTIONS='exitcode=66 report_signal_unsafe=0 allocator_may_return_null=1' LD_LIBRARY_PATH=$BUILD/fake FAKE_CUDA_COUNTS=$PWD/c.json
steady=()
setarch -R true 2>/dev/null && steady=(setarch -R) # older ThreadSanitizers know no mappings as random as today's kernels make them
build() { # SOURCE FLAG...
	local compiler=${CC:-gcc}
	[[ $1 == *.cpp ]] && compiler=${CXX:-g++}
	"$compiler" -fsanitize=thread -O1 -g -w -D_GNU_SOURCE -I"$ROOT" "$@" -pthread -ldl 2>build.err
}

cat >planted.c <<'END'
#include <pthread.h>
static long shared;
static void *add(void *unused) { for (int i = 0; i < 1000; i++) shared++; return unused; }
int main(void)
{
	pthread_t thread[2];
	for (int i = 0; i < 2; i++) pthread_create(&thread[i], 0, add, 0);
	for (int i = 0; i < 2; i++) pthread_join(thread[i], 0);
	return 0;
}
END
build planted.c -o planted || skip "no ThreadSanitizer: $(tail -n 1 build.err)"
"${steady[@]}" ./planted 2>err
grep -q 'WARNING: ThreadSanitizer: data race' err || skip "ThreadSanitizer does not work here: $(head -n 1 err)"

cp "$PROGRAMS/libfake_c10.so" libc10.so
while read -r name arguments; do
	limit=
	[[ $name != timeout ]] || read -r limit name arguments <<<"$arguments"
	[[ $name ]] || continue # of a program that is left out
	source=$(echo "$ROOT/tests/programs/$name".c*)
	# as the Makefile takes them, but for the place of the fake CUDA
	flags=$(sed -n 's,^/\* build: \(.*\) \*/$,\1,p' "$source" | sed "s,\$O/fake,$BUILD/fake,g")
	eval "build '$source' -o './$name' $flags" || fail "$name: $(cat build.err)"
	# atomics of the fake CUDA are not seen: what it does in functions of libc is not looked at either
	seen=$TSAN_OPTIONS
	[[ $name != cuda_* ]] || seen+=' ignore_interceptors_accesses=1'
	# shellcheck disable=SC2086 # words
	TSAN_OPTIONS=$seen timeout -s KILL "${limit:-300}" "${steady[@]}" "./$name" $arguments >out 2>err </dev/null
	status=$?
	! grep -q 'WARNING: ThreadSanitizer' err || fail "$name $arguments: $(grep -m 1 -A 25 'WARNING: ThreadSanitizer' err)"
	[[ $limit || $status == 0 || $status == 21 ]] || fail "$name $arguments: status $status: $(tail -n 5 err)"
done <<<"$runs"
