/* SPDX-License-Identifier: MIT */
/*
 * Calls every CUDA function of hooks.def, each another number of times, with nothing but zeros for
 * arguments. Each call is to fail: it starts itself again with the fake CUDA told so.
 *
 * usage: cuda_every
 * Exit status 0: every call returned the injected error and kept errno.
 */
/* build: -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN/../fake' */
#include <errno.h>

#include "cuda_client.h"

/* More arguments than any of them has, in registers and on the stack. */
typedef int (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
			uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
			uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
			uintptr_t, uintptr_t, uintptr_t);

static const struct {
	const char *name;
	void (*function)(void);
} functions[] = {
#define CUDA(library, since, per_thread, name, ...) { #name, (void (*)(void))name },
#include "preload/cuda/hooks.def"
};

#define COUNT (sizeof(functions) / sizeof(*functions))

static void start_again(char **argv)
{
	static char rules[COUNT * 64];
	char *at = rules;

	for (size_t i = 0; i < COUNT; i++)
		at += sprintf(at, "%s:*=%zu,", functions[i].name, 1000 + i);
	setenv("FAKE_CUDA_FAIL", rules, 1);
	execv("/proc/self/exe", argv);
	_exit(91);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!getenv("FAKE_CUDA_FAIL"))
		start_again(argv);
	for (size_t i = 0; i < COUNT; i++) {
		function call = (function)functions[i].function;

		for (size_t times = 0; times <= i % 5; times++) {
			errno = 4711;
			EXPECT(call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				    0, 0, 0) == (int)(1000 + i));
			EXPECT(errno == 4711);
		}
	}
	return 0;
}
