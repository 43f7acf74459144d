/* SPDX-License-Identifier: MIT */
/* See gil.h. */
#include "collector/samples/gil.h"

#include <string.h>

#include "collector/region/python_layout.h"

uint64_t gil_holder(struct memory *memory, uint64_t gil)
{
	uint8_t bytes[PYTHON_GIL_HEAD_BYTES];
	uint64_t holder;
	int32_t locked;

	if (!memory_get(memory, gil, bytes, sizeof(bytes)))
		return 0;
	memcpy(&holder, bytes + PYTHON_GIL_HOLDER, sizeof(holder));
	memcpy(&locked, bytes + PYTHON_GIL_LOCKED, sizeof(locked));
	return locked == 1 ? holder : 0;
}
