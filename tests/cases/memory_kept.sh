#!/bin/bash
# What malloc keeps of freed blocks is known of its first arena alone, and memory and the summary say so where there are threads.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool gcc
cat >keeps.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { BLOCKS = 40000, BYTES = 1000 };
static char *block[BLOCKS + 1];
static void *wait_for_end(void *unused)
{
	char byte;

	free(malloc(100));
	while (read(0, &byte, 1) > 0)
		;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	for (int i = 0; i <= BLOCKS; i++)
		memset(block[i] = malloc(BYTES), 1, BYTES);
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]); /* the last one stays above them */
	/* a mapping: the peak comes when the blocks are free */
	memset(mmap(NULL, 20 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 20 << 20);
	if (argc == 1)
		return wait_for_end(NULL) != NULL;
	pthread_create(&thread, NULL, wait_for_end, NULL);
	return pthread_join(thread, NULL);
}
END
gcc -O1 -fno-builtin -pthread keeps.c -o keeps || fail "cannot build keeps.c"
keeps() { # the recording that goes on knows of it
	local kept
	kept=$(json memory "$OUTPUT" '[r["end_bytes"] for r in rows if r["kind"].startswith("heap: freed")]' --live 2>/dev/null)
	[[ $kept =~ [0-9]{8} ]]
}
for threads in 1 2; do
	rm -f hold
	mkfifo hold
	OUTPUT=$PWD/$threads.evt
	# shellcheck disable=SC2046
	run_traced ./keeps $( ((threads > 1)) && echo threads) <hold 2>err &
	program=$!
	exec 3>hold
	eventually "what malloc keeps, $threads threads" keeps
	exec 3>&-
	wait "$program" || fail "keeps: $(cat err)"
	says=$("$REPORT" memory "$OUTPUT" | tr -s '\n ' ' ')
	summary=$("$REPORT" "$OUTPUT" | tr -s '\n ' ' ')
	if ((threads > 1)); then
		expect_match "with threads" "$says" 'What malloc keeps is only known of its first arena'
		expect_match "summary, with threads" "$summary" "freed, and kept by malloc's first arena 3[0-9][.0-9]* MiB"
	else
		[[ $says != *"first arena"* ]] || fail "there is one arena: $says"
		expect_match "summary, without threads" "$summary" 'freed, and kept by malloc 3[0-9][.0-9]* MiB'
	fi
done
