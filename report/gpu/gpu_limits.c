/* SPDX-License-Identifier: MIT */
/*
 * A map from process and device to an entry of an array. A later event of the same device replaces
 * the entry.
 */
#include "report/gpu/gpu_limits.h"

#include <stdlib.h>

#include "report/base/memory.h"

/* The result is never 0, because a map does not accept the key 0. */
static uint64_t gpu_limits_id_of(uint32_t process, uint32_t device)
{
	return ((uint64_t)process << 32 | device) + 1;
}

void gpu_limits_init(struct gpu_limits *limits)
{
	map_init(&limits->places);
}

void gpu_limits_release(struct gpu_limits *limits)
{
	map_release(&limits->places);
	free(limits->of);
}

void gpu_limits_put(struct gpu_limits *limits, uint32_t process,
		    const struct evt_gpu_limits *device)
{
	uint64_t id = gpu_limits_id_of(process, (uint32_t)device->device);
	struct map_entry *entry = map_find(&limits->places, id);
	bool added;

	if (!entry && limits->count == GPU_LIMITS_MAX)
		return;
	if (!entry) {
		limits->of = memory_room(limits->of, limits->count, &limits->room,
					 sizeof(*limits->of));
		entry = map_put(&limits->places, id, &added);
		entry->value = limits->count++;
	}
	limits->of[entry->value] = *device;
}

const struct evt_gpu_limits *gpu_limits_of(const struct gpu_limits *limits, uint32_t process,
					   uint32_t device)
{
	const struct map_entry *entry = map_find(&limits->places,
						 gpu_limits_id_of(process, device));

	return entry ? &limits->of[entry->value] : NULL;
}
