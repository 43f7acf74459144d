/* SPDX-License-Identifier: MIT */
/*
 * If the unwind table or the dynamic section lies outside of the segment that was found, the object
 * must be the executable. Its whole span is then computed from the program headers at AT_PHDR.
 */
#include "preload/base/object_span.h"

#include <sys/auxv.h>

/* The span over all segments of the executable. Returns false if `object` is not the executable. */
static bool span_of_executable(const struct object *object, struct object_span *ret_span)
{
	const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long count = getauxval(AT_PHNUM);
	struct object_span span = { .low = UINTPTR_MAX, .has_holes = true };
	uintptr_t load = object->map->l_addr;
	bool is_it = false;

	for (unsigned long i = 0; header && i < count; i++) {
		uintptr_t start = load + header[i].p_vaddr, end = start + header[i].p_memsz;

		if (header[i].p_type == PT_GNU_EH_FRAME)
			is_it = start == (uintptr_t)object->header;
		if (header[i].p_type != PT_LOAD)
			continue;
		span.low = start < span.low ? start : span.low;
		span.high = end > span.high ? end : span.high;
	}
	if (is_it)
		*ret_span = span;
	return is_it;
}

static bool span_holds(struct object_span span, const void *address)
{
	return (uintptr_t)address - span.low < span.high - span.low;
}

struct object_span object_span(const struct object *object)
{
	struct object_span span = { (uintptr_t)object->start, (uintptr_t)object->end, false };

	if (!span_holds(span, object->header) || !span_holds(span, object->map->l_ld))
		(void)span_of_executable(object, &span);
	return span;
}
