/* SPDX-License-Identifier: MIT */
/*
 * Only growing and releasing; lookups are inlined from the header. Growing empties the slots: the
 * owner inserts its numbers again.
 */
#include "report/base/slots.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define SLOTS_FIRST 1024u

void slots_expand(struct slots *slots)
{
	free(slots->slot);
	slots->count = slots->count ? slots->count * 2 : SLOTS_FIRST;
	slots->slot = memory_zero(slots->count, sizeof(*slots->slot));
	memory_ask_huge_pages(slots->slot, slots->count * sizeof(*slots->slot));
}

void slots_release(struct slots *slots)
{
	free(slots->slot);
	*slots = (struct slots){ 0 };
}
