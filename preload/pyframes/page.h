/* SPDX-License-Identifier: MIT */
/*
 * Pages that a thread has found readable, kept because asking the kernel is a system call. Used
 * only by its own thread, also within a hook.
 */
#ifndef PRELOAD_PYFRAMES_PAGE_H
#define PRELOAD_PYFRAMES_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/stacks/memory.h"
#include "preload/stacks/thread.h"

/* `page` is a result of memory_page(). The first page is excluded, because 0 stands for none. */
static inline bool pyframes_page_is_readable(struct stack_python *t, uint64_t page)
{
	uint64_t *known = &t->page[page / MEMORY_PAGE % STACK_PYTHON_PAGES];

	if (*known == page)
		return true;
	if (!memory_page_is_readable(page))
		return false;
	*known = page;
	return true;
}

#endif
