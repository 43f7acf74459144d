/* SPDX-License-Identifier: MIT */
/*
 * libunwind as the judge of stack_judge.h: an unwinder that shares no code with libgcc's. Opened at
 * run time, and for itself: linked, its _Unwind_Backtrace() would take the place of libgcc's for
 * all tests.
 */
#ifndef TESTS_UNIT_UNWIND_JUDGE_H
#define TESTS_UNIT_UNWIND_JUDGE_H

#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>

#include "tests/unit/preload/stacks/stack_judge.h"

static struct {
	int (*getcontext)(unw_tdep_context_t *context);
	int (*init)(unw_cursor_t *cursor, unw_context_t *context);
	int (*step)(unw_cursor_t *cursor);
	int (*get_reg)(unw_cursor_t *cursor, int reg, unw_word_t *ret_value);
	int (*is_signal_frame)(unw_cursor_t *cursor);
} libunwind;

/*
 * libunwind 1.6 calls that frame a signal frame that a signal has interrupted: its address is no
 * return address.
 */
static __attribute__((noinline)) void judge_by_libunwind(struct judge *j)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t ip;

	libunwind.getcontext(&context);
	if (libunwind.init(&cursor, &context))
		return;
	do {
		if (libunwind.get_reg(&cursor, UNW_REG_IP, &ip) || !ip || j->frames == JUDGE_FRAMES)
			return;
		j->exact[j->frames] = libunwind.is_signal_frame(&cursor) > 0;
		j->ip[j->frames++] = ip;
	} while (libunwind.step(&cursor) > 0);
}

static bool judge_is_libunwind(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&libunwind.getcontext = dlsym(library, "_Ux86_64_getcontext");
	*(void **)&libunwind.init = dlsym(library, "_ULx86_64_init_local");
	*(void **)&libunwind.step = dlsym(library, "_ULx86_64_step");
	*(void **)&libunwind.get_reg = dlsym(library, "_ULx86_64_get_reg");
	*(void **)&libunwind.is_signal_frame = dlsym(library, "_ULx86_64_is_signal_frame");
	judge_collect = judge_by_libunwind;
	return libunwind.getcontext && libunwind.init && libunwind.step && libunwind.get_reg &&
	       libunwind.is_signal_frame;
}

#endif
