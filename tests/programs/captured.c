/* SPDX-License-Identifier: MIT */
/*
 * Three times: a range "outside" with ten blocks of 2020 bytes, then a range "wanted" with ten
 * blocks of 1010 bytes, made inside a range "inner".
 */
/* build: -fno-builtin -ldl */
#include <dlfcn.h>
#include <stdlib.h>

static int (*range_push)(const char *);
static int (*range_pop)(void);

static void make_blocks(size_t size)
{
	for (int i = 0; i < 10; i++)
		free(malloc(size));
}

int main(void)
{
	range_push = (int (*)(const char *))dlsym(RTLD_DEFAULT, "nvtxRangePushA");
	range_pop = (int (*)(void))dlsym(RTLD_DEFAULT, "nvtxRangePop");
	if (!range_push || !range_pop)
		return 3;
	for (int i = 0; i < 3; i++) {
		range_push("outside");
		make_blocks(2020);
		range_pop();
		range_push("wanted");
		range_push("inner");
		make_blocks(1010);
		range_pop();
		range_pop();
	}
	return 0;
}
