/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the allocator: functions such as xmalloc() or jv_mem_alloc(), which allocate on
 * behalf of their callers. A line of such a function does not tell who wanted the memory.
 *
 * They are found in the recording, not by their names. At most WRAPPERS_MAX functions of a module
 * make nearly all of its allocations, many functions call them, and the size depends on the caller.
 * A function that is called from one place only (the inner half of a wrapper) is a wrapper if its
 * caller is one. Then the module's other functions of that kind, such as xrealloc(), are found.
 *
 * Native stacks are needed: with callers only, the wrapper's caller is not known. Only functions of
 * the user's own code are examined, because libraries are skipped anyway. To be used by one thread.
 */
#ifndef REPORT_HEAP_ALLOC_WRAPPERS_H
#define REPORT_HEAP_ALLOC_WRAPPERS_H

#include "report/heap/heap.h"
#include "report/stacks/named_stacks.h"

/*
 * Sets is_wrapper for the frames of `names` that are wrappers. `names` must know which frames are
 * the user's; otherwise nothing is marked. To be called before the first place is looked up.
 */
void alloc_wrappers_mark(const struct heap *heap, struct source *source,
			 struct named_stacks *names);

#endif
