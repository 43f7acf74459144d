/* SPDX-License-Identifier: MIT */
/*
 * Reads the head of the lock's struct in one piece: its `locked` flag and the thread state that
 * took it last. That state is the holder only while the flag is set.
 */
#include "collector/samples/gil.h"

#include <string.h>
uint64_t gil_holder(struct memory *memory, const struct python_layout *layout, uint64_t gil)
{
	uint8_t bytes[PYTHON_GIL_HEAD_BYTES];
	uint64_t holder;
	int32_t locked;

	if (!memory_get(memory, gil, bytes, sizeof(bytes)))
		return 0;
	memcpy(&holder, bytes + layout->gil_holder, sizeof(holder));
	memcpy(&locked, bytes + layout->gil_locked, sizeof(locked));
	return locked == 1 ? holder : 0;
}
