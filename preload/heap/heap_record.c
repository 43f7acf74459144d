/* SPDX-License-Identifier: MIT */
/*
 * The rare births: values that do not fit into the packed record are written as four words. They
 * are here so that the hooks, which inline the rest, stay small.
 */
#include "preload/heap/heap_record.h"

void record_born_wide(struct recorder_lane *lane, uint64_t word, uint64_t ptr, uint64_t size,
		      uint64_t caller)
{
	uint64_t *at = recorder_room(lane, 4);

	if (!at)
		return;
	at[0] = word;
	at[1] = ptr;
	at[2] = size;
	at[3] = caller;
	recorder_publish(lane, 4);
}
