#!/bin/bash
# Two torches in one program, and a library that only has their names: every block is recorded, and each profiler is told what it was told without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program tensors
mkdir -p one two
cp "$PROGRAMS/libfake_c10.so" one/libc10.so
cp "$PROGRAMS/libfake_c10.so" two/libc10.so
cp "$PROGRAMS/libfake_c10_stranger.so" stranger.so
libraries="$PWD/one/libc10.so $PWD/two/libc10.so $PWD/stranger.so"

# shellcheck disable=SC2086
same_as_bare "$PROGRAMS/tensors" $libraries
expect_eq "exit status" "$status" 0
expect_eq "profilers" "$(grep -c '133 calls' traced.out)" 3

count() { # EVENT: how many the file has
	"$REPORT" dump "$OUTPUT" | grep -c " tensor_$1 "
}
# each: 99 of the CPU, 11 mapped, 10 of devices, one of a thread, one of a child
expect_eq "blocks" "$(count alloc)" $((3 * 122))
expect_eq "blocks that end" "$(count free)" $((3 * 111))
expect_eq "failures" "$(count oom)" $((3 * 4))
expect_eq "sizes of the devices' allocators" "$(count totals)" 2
"$REPORT" dump "$OUTPUT" | grep -q ' tensor_totals device=257 allocated=200000 reserved=1048576$' ||
	fail "the first device's totals"
"$REPORT" dump "$OUTPUT" | grep -q ' tensor_oom bytes=1048576 device=258 allocated=200000 reserved=1048576$' ||
	fail "the second device's failure"

# another library that stands between
cat >between.c <<'END'
#include <dlfcn.h>
#include <stddef.h>
unsigned long between;
void _ZN3c1025ProfiledCPUMemoryReporter3NewEPvm(void *self, void *block, size_t bytes)
{
	static void (*next)(void *, void *, size_t);

	between++;
	if (!next)
		next = (void (*)(void *, void *, size_t))dlsym(RTLD_NEXT, __func__);
	if (next)
		next(self, block, bytes);
}
__attribute__((destructor)) static void tell(void)
{
	if (between != 101)
		__builtin_trap();
}
END
${CC:-cc} -shared -fPIC -o between.so between.c -ldl || fail "between.c"
for order in "$LIB:$PWD/between.so" "$PWD/between.so:$LIB"; do
	rm -f "$OUTPUT"*
	LD_PRELOAD=$order INTERCEPT_OUTPUT=$OUTPUT "$PROGRAMS/tensors" "$PWD/one/libc10.so" >between.out ||
		fail "with another preloaded library, $order"
	expect_eq "blocks with $order" "$(count alloc)" 122
done

# a program that is dormant at first
rm -f ./*.evt
run_traced bash -c "'$PROGRAMS/tensors' '$PWD/one/libc10.so'; true" >dormant.out || fail "dormant"
expect_eq "blocks of a program that was dormant" "$(for OUTPUT in ./*.evt; do count alloc; done | sort -n | tail -n 1)" 122
