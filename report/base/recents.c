/* SPDX-License-Identifier: MIT */
/* Heap events of the last microsecond whose partner may still come, in a ring of fixed size. */
#include "report/base/recents.h"

void recents_put(struct recents *recents, struct recent recent)
{
	recents->entry[recents->next] = recent;
	recents->next = (recents->next + 1) % RECENT_COUNT;
	if (recents->count < RECENT_COUNT)
		recents->count++;
}

bool recents_take(struct recents *recents, uint64_t address, uint64_t time_ns, uint32_t thread,
		  struct recent *ret_recent)
{
	bool any = false;

	for (unsigned int i = 0; i < recents->count; i++) {
		struct recent *recent = &recents->entry[i];

		if (!recent->address || time_ns - recent->time_ns > RECENT_TOLERANCE_NS)
			continue;
		any = true;
		if (recent->address != address || recent->thread == thread)
			continue;
		*ret_recent = *recent;
		recent->address = 0;
		return true;
	}
	if (!any)
		recents->count = recents->next = 0; /* makes the next search end at once */
	return false;
}
