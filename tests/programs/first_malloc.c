/* SPDX-License-Identifier: MIT */
/* Linked with a library whose constructor makes the first malloc() under a lock of libc. */
/* build: -Wl,--no-as-needed -L$O/programs -lfirst_malloc -Wl,-rpath,'$ORIGIN' */
#include <stdio.h>
#include <stdlib.h>

int first_malloc_calls(void);

int main(void)
{
	free(malloc(100));
	printf("%d calls\n", first_malloc_calls());
	return first_malloc_calls() == 2 ? 0 : 1;
}
