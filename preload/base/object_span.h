/* SPDX-License-Identifier: MIT */
/*
 * The memory that a loaded object takes. For a library, which lies in one piece, that is what
 * object_of() returns. For an executable with a hole between its segments (node, for huge
 * pages), object_of() returns only the segment that was asked for, while .eh_frame and the
 * symbols are in another.
 *
 * Takes no lock, allocates nothing, makes no system call: any thread, signal handlers too.
 */
#ifndef PRELOAD_BASE_OBJECT_SPAN_H
#define PRELOAD_BASE_OBJECT_SPAN_H

#include "preload/base/object.h"

struct object_span {
	uintptr_t low, high; /* first byte, and the byte after the last one */
	bool has_holes;      /* parts of the span belong to other objects or are not mapped */
};

struct object_span object_span(const struct object *object);

#endif
