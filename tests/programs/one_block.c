/* SPDX-License-Identifier: MIT */
/* Allocates once, and keeps it. */
#include <stdlib.h>

int main(void)
{
	void *volatile kept = malloc(100);

	return kept ? 0 : 1;
}
