/* SPDX-License-Identifier: MIT */
/*
 * How a function of a fake library is made: an exported entry that counts, fails or waits as told,
 * and then calls its body do_NAME(). A body that nobody writes is weak and returns success.
 *
 * A library's .c defines FAKE_LIBRARY (a pointer variable's name) and an enum of numbers AT_NAME.
 */
#ifndef TESTS_FAKE_ENTRY_H
#define TESTS_FAKE_ENTRY_H

#include "tests/fake/core.h"

/* The entry has a name that nobody interposes as well: what the driver hands out by name. */
#define FAKE_ENTRY(name, parameters, arguments)                                \
	int entry_##name parameters;                                           \
	int do_##name parameters;                                              \
	__attribute__((weak)) int do_##name parameters                         \
	{                                                                      \
		return 0;                                                      \
	}                                                                      \
	__attribute__((visibility("hidden"))) int entry_##name parameters      \
	{                                                                      \
		struct fake_call call;                                         \
		int result = fake_enter(&call, fake_library_get(), AT_##name); \
                                                                               \
		if (!result)                                                   \
			result = do_##name arguments;                          \
		return fake_leave(&call, result);                              \
	}                                                                      \
	FAKE_EXPORT int name parameters __attribute__((alias("entry_" #name)));

#define FAKE_PLAIN(name) FAKE_ENTRY(name, (void), ())

/* The body of a function and the same for its twin with a suffix. */
#define PER_THREAD(name, suffix) \
	__typeof__(do_##name) do_##name##suffix __attribute__((alias("do_" #name)));

#endif
