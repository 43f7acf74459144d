/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the allocator: functions as xmalloc() or jv_mem_alloc(), which ask for memory on behalf of their callers. A line of
 * such a function says nothing of who wanted the memory.
 *
 * They are found in the recording, not by their names. At most WRAPPERS_MAX functions of a module make nearly all of its
 * allocations, many functions call them, and the size depends on the caller. A function that is called from one place only (the
 * inner half of a wrapper) is a wrapper if its caller is one. The module's other functions of that kind, as xrealloc(), follow.
 *
 * Native stacks are needed: with callers only, nobody knows who called the wrapper. Only functions of the user's own code are
 * examined: libraries are passed over anyway. One thread.
 */
#ifndef REPORT_HEAP_ALLOC_WRAPPERS_H
#define REPORT_HEAP_ALLOC_WRAPPERS_H

#include "report/heap/heap.h"
#include "report/stacks/named_stacks.h"

/*
 * Sets is_wrapper of the frames of `names` that are wrappers. `names` says which frames are the user's; without that nothing is
 * marked. Before the first place is asked for.
 */
void alloc_wrappers_mark(const struct heap *heap, struct source *source,
			 struct named_stacks *names);

#endif
