/* SPDX-License-Identifier: MIT */
/*
 * cmocka, the headers that it needs before it, and those of libc that nearly every test uses. Every
 * test has a parameter for a state, and few use it.
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

/* `make check` runs this (tests/run): a test that tries random inputs may try fewer of them. */
static inline bool unit_is_quick(void)
{
	const char *suite = getenv("SUITE");

	return suite && !strcmp(suite, "check");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
