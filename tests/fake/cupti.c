/* SPDX-License-Identifier: MIT */
/* The fake libcupti: an entry for every function of the list; see cupti.h. */
#include "tests/fake/cupti.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define TEXT(number) #number
#define SONAME(number) "libcupti.so." TEXT(number)

enum cupti_number {
#define CALL(name, parameters, arguments) AT_##name,
#include "tests/fake/cupti.def"
	FUNCTIONS,
};

static const char *const names[FUNCTIONS] = {
#define CALL(name, parameters, arguments) [AT_##name] = #name,
#include "tests/fake/cupti.def"
};

static struct fake_library *opened;

static struct fake_library *fake_library_get(void)
{
	if (!opened)
		opened = fake_library_open(SONAME(FAKE_MAJOR), names, FUNCTIONS, 0);
	return opened;
}

#define CALL(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#include "tests/fake/cupti.def"
