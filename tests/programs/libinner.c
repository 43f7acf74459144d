/* SPDX-License-Identifier: MIT */
/* A plug-in that is found through its user's RUNPATH only. */
/* build: -fno-builtin */
#include <stdlib.h>

int inner_blocks(void);

int inner_blocks(void)
{
	for (int i = 0; i < 10; i++)
		free(malloc(1111));
	return 10;
}
