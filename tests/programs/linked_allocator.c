/* SPDX-License-Identifier: MIT */
/*
 * Looks like a program with a jemalloc linked in: it has a text of jemalloc's and asks for sbrk().
 * Runs until its standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char words[] = "string pointed to by the global variable malloc_conf";

int main(void)
{
	char letter;

	if (!sbrk(0) || !malloc(words[0]))
		return 1;
	while (read(0, &letter, 1) > 0)
		continue;
	puts("done");
	return 0;
}
