#!/bin/bash
# Programs with the shared runtime of AddressSanitizer start, run as without us, find what they find; heap is recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >faults.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;

int main(int argc, char **argv)
{
	char *volatile block = malloc(4004);
	volatile size_t past = 4004;

	memset(block, 1, 4004);
	puts(argv[1]);
	fflush(stdout);
	if (strcmp(argv[1], "overflow") == 0)
		block[past] = 1;
	free(block);
	if (strcmp(argv[1], "after") == 0)
		return block[10];
	if (strcmp(argv[1], "twice") == 0)
		free(block);
	if (strcmp(argv[1], "leak") == 0) {
		kept = malloc(77);
		kept = NULL;
	}
	if (strcmp(argv[1], "exec") == 0)
		execvp(argv[2], argv + 2);
	return 21;
}
END
try() { # BLOCKS-OF-4004-BYTES PROGRAM WHAT
	local bare traced blocks=$1
	shift
	rm -f run.evt
	"$@" >bare.out 2>bare.err
	bare=$?
	run_traced "$@" >traced.out 2>traced.err
	traced=$?
	expect_eq "status of $*" $traced $bare
	cmp bare.out traced.out || fail "output of $*"
	expect_eq "reports of $*" "$(grep -o 'ERROR: [A-Za-z]*: [a-z-]*' traced.err)" "$(grep -o 'ERROR: [A-Za-z]*: [a-z-]*' bare.err)"
	expect "$OUTPUT" "sized(4004) == $blocks"
}
some=''
for compiler in gcc clang; do
	shared=''
	[[ $compiler == clang ]] && shared=-shared-libasan
	"$compiler" -fsanitize=address -g -w $shared faults.c -o "with_$compiler" 2>build.err || continue
	[[ $shared ]] && export LD_LIBRARY_PATH=${runtime:=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")}
	"./with_$compiler" plain >/dev/null 2>&1
	expect_eq "status of a bare program of $compiler" $? 21
	some=1
	for what in plain overflow after twice leak; do
		try 1 "./with_$compiler" $what
	done
	try 2 "./with_$compiler" exec "./with_$compiler" overflow
	unset LD_LIBRARY_PATH
done
[[ $some ]] || skip "no compiler has a shared runtime of AddressSanitizer"
# the user's own options hold
[[ -x with_gcc ]] && for exit in 5 6; do
	ASAN_OPTIONS=exitcode=$exit run_traced ./with_gcc overflow >/dev/null 2>&1
	expect_eq "status with exitcode=$exit" $? $exit
done
exit 0
