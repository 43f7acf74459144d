/* SPDX-License-Identifier: MIT */
/*
 * An indirect function whose resolver calls dlsym(). libdlsym_callers.so refers to it, so ld.so
 * calls the resolver before it has relocated the program and what was preloaded. PLAIN: a function
 * as any other.
 */
/* build: -ldl */
#include <dlfcn.h>
#include <stddef.h>

int dlsym_chosen(void);
const char *dlsym_which(void);
const char *cupti_which(void);

static int one(void)
{
	return 1;
}

static int other(void)
{
	return 2;
}

typedef int chosen_function(void);

/* What is not there: no answer is the right one, however early. */
static chosen_function *resolve(void)
{
	return dlsym(RTLD_DEFAULT, "dlsym_nowhere") ? other : one;
}

#ifdef PLAIN
int dlsym_chosen(void)
{
	return resolve()();
}
#else
int dlsym_chosen(void) __attribute__((ifunc("resolve")));
#endif

const char *dlsym_which(void)
{
	return "resolver";
}

const char *cupti_which(void)
{
	return "resolver's cupti";
}
