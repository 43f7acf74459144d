/* SPDX-License-Identifier: MIT */
/*
 * A library that asks dlsym() for what comes after itself: in a constructor that runs before those
 * of what was preloaded, and later.
 */
/* build: -Wl,--no-as-needed -L$O/programs -ldlsym_resolver -Wl,-rpath,'$ORIGIN' -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int dlsym_chosen(void);
const char *dlsym_which(void);
const char *cupti_which(void);
const char *callers_next(const char *name);
extern const char *callers_early;
extern int (*callers_chosen)(void);

int (*callers_chosen)(void) = dlsym_chosen;
const char *callers_early;

const char *dlsym_which(void)
{
	return "callers";
}

const char *cupti_which(void)
{
	return "callers' cupti";
}

/* Not a jump: dlsym() has to see this library. */
const char *callers_next(const char *name)
{
	const char *(*which)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, name);
	const char *answer = which ? which() : "nothing";

	__asm__ volatile("" : : "r"(answer));
	return answer;
}

__attribute__((constructor)) static void begin(void)
{
	callers_early = callers_next("dlsym_which");
}
