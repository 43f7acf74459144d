/* SPDX-License-Identifier: MIT */
/*
 * The fake libcublas.so.13: functions that succeed and compute nothing.
 */
#include "tests/fake/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define PLAIN(name) AT_##name,
#define MORE(name, parameters, arguments) AT_##name,
enum cublas_function {
#include "tests/fake/cublas.def"
	FUNCTIONS,
};

#define PLAIN(name) [AT_##name] = #name,
#define MORE(name, parameters, arguments) [AT_##name] = #name,
static const char *const names[FUNCTIONS] = {
#include "tests/fake/cublas.def"
};

static struct fake_library *opened;

__attribute__((constructor)) static void cublas_start(void)
{
	opened = fake_library_open("libcublas.so.13", names, FUNCTIONS, 0);
}

static struct fake_library *fake_library_get(void)
{
	if (!opened)
		cublas_start();
	return opened;
}

#define PLAIN(name) FAKE_PLAIN(name)
#define MORE(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#include "tests/fake/cublas.def"
