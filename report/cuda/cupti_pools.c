/* SPDX-License-Identifier: MIT */
/*
 * Keeps the size of each pool by process, device and address. The difference to the previous size
 * changes what the process holds, and the high-water marks of its device and of all devices.
 */
#include "report/cuda/cupti_pools.h"

#include <stdlib.h>

#include "report/base/memory.h"

void cupti_pools_init(struct cupti_pools *pools, const struct source *source)
{
	*pools = (struct cupti_pools){ .device_count = 0 };
	holdings_init(&pools->holdings, source);
	map_init(&pools->pools);
}

void cupti_pools_release(struct cupti_pools *pools)
{
	free(pools->device);
	holdings_release(&pools->holdings);
	map_release(&pools->pools);
}

static struct highwater *cupti_pools_device_at(struct cupti_pools *pools, int64_t number)
{
	size_t at = 0;

	while (at < pools->device_count && pools->device[at].device != number)
		at++;
	if (at < pools->device_count)
		return &pools->device[at].held;
	pools->device = memory_room(pools->device, at, &pools->device_room, sizeof(*pools->device));
	pools->device[at] = (struct cupti_pools_device){ .device = number };
	pools->device_count++;
	return &pools->device[at].held;
}

static void lower(struct cupti_pools *pools, int64_t device, uint64_t time_ns, uint64_t bytes)
{
	highwater_lower(cupti_pools_device_at(pools, device), time_ns, bytes);
	highwater_lower(&pools->all, time_ns, bytes);
}

static void cupti_pools_drop(void *owner, const struct holding *gone)
{
	lower(owner, (int64_t)gone->thing, gone->process->end_ns, gone->bytes);
}

void cupti_pools_take(struct cupti_pools *pools, const struct source_process *process,
		      uint64_t time_ns, int64_t device, uint64_t address, uint64_t bytes)
{
	uint64_t words[] = { process->index, (uint64_t)device, address };
	uint32_t place = holdings_place(&pools->holdings, process, (uint64_t)device);
	struct map_entry *pool;
	struct holding *holding;
	uint64_t before;
	bool added;

	holdings_drop_ended(&pools->holdings, time_ns, cupti_pools_drop, pools);
	holding = &pools->holdings.holding[place];
	if (holding->is_gone)
		return;
	pool = map_put(&pools->pools, map_hash_bytes(words, sizeof(words), 0), &added);
	before = added ? 0 : pool->value;
	pool->value = bytes;
	holding->bytes += bytes - before;
	if (bytes < before)
		lower(pools, device, time_ns, before - bytes);
	if (bytes <= before)
		return;
	highwater_raise(cupti_pools_device_at(pools, device), time_ns, bytes - before);
	highwater_raise(&pools->all, time_ns, bytes - before);
}

const struct highwater *cupti_pools_of(const struct cupti_pools *pools, int64_t device)
{
	for (size_t i = 0; i < pools->device_count; i++)
		if (pools->device[i].device == device)
			return &pools->device[i].held;
	return NULL;
}
