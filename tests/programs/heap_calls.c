/* SPDX-License-Identifier: MIT */
/*
 * usage: heap_calls COUNT: that many blocks are allocated, of sizes that do not compress well, and
 * freed.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 0, random = 1;
	char *volatile block[64] = { NULL };

	for (unsigned int i = 0; i < count; i++) {
		unsigned int at = (random = random * 1103515245u + 12345u) >> 26;

		free(block[at]);
		block[at] = malloc(1 + (random >> 8 & 0xfff));
	}
	for (unsigned int i = 0; i < 64; i++)
		free(block[i]);
	return 0;
}
