/* SPDX-License-Identifier: MIT */
/*
 * A program's own stack, by libunwind: note() writes "SIZE WHERE ADDRESS,ADDRESS,..." from its
 * caller outwards, and allocates a block of SIZE bytes there, which no other has. libunwind is
 * opened at run time: linked, it would unwind exceptions. It remembers no rules here, as libraries
 * come and go. One thread at a time.
 */
#ifndef TESTS_PROGRAMS_STACK_NOTE_H
#define TESTS_PROGRAMS_STACK_NOTE_H

#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static struct {
	int (*get_context)(unw_tdep_context_t *context);
	int (*begin)(unw_cursor_t *cursor, unw_context_t *context);
	int (*step)(unw_cursor_t *cursor);
	int (*get)(unw_cursor_t *cursor, int reg, unw_word_t *ret_value);
} note_by;

static int note_size = 7000001;
static void *volatile note_block; /* or the compiler would leave the allocation out */

static bool note_open(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	int (*remember)(unw_addr_space_t space, unw_caching_policy_t policy);
	unw_addr_space_t *space;

	if (!library)
		return false;
	*(void **)&note_by.get_context = dlsym(library, "_Ux86_64_getcontext");
	*(void **)&note_by.begin = dlsym(library, "_ULx86_64_init_local");
	*(void **)&note_by.step = dlsym(library, "_ULx86_64_step");
	*(void **)&note_by.get = dlsym(library, "_ULx86_64_get_reg");
	*(void **)&remember = dlsym(library, "_ULx86_64_set_caching_policy");
	space = (unw_addr_space_t *)dlsym(library, "_ULx86_64_local_addr_space");
	if (!note_by.get_context || !note_by.begin || !note_by.step || !note_by.get || !remember ||
	    !space)
		return false;
	return remember(*space, UNW_CACHE_NONE) == 0;
}

static void NOINLINE note(const char *where)
{
	static char line[1 << 16];
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address;
	int used = snprintf(line, sizeof(line), "%d %s ", note_size, where);

	note_by.get_context(&context);
	note_by.begin(&cursor, &context);
	while (note_by.step(&cursor) > 0 && !note_by.get(&cursor, UNW_REG_IP, &address) &&
	       address && used < (int)sizeof(line) - 32)
		used += snprintf(line + used, sizeof(line) - (size_t)used, "%#lx,", (long)address);
	line[used - 1] = '\n';
	if (write(1, line, (size_t)used) != used)
		abort();
	note_block = malloc((size_t)note_size++);
	free(note_block);
	__asm__ volatile("" ::: "memory");
}

#endif
