/* SPDX-License-Identifier: MIT */
/* See torch_reserved.h. */
#include "report/cuda/torch_reserved.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"

#define TYPE_CUDA 1u /* c10::DeviceType, which event fields `device` have above their eighth bit */

struct torch_reserved_state {
	struct torch_reserved reserved; /* first: it is what others see */
	struct map last;                /* hash of process and device to what it held */
};

static struct torch_reserved_device *device_at(struct torch_reserved *reserved, int64_t number)
{
	size_t at = 0;

	while (at < reserved->device_count && reserved->device[at].device != number)
		at++;
	if (at < reserved->device_count)
		return &reserved->device[at];
	reserved->device = memory_room(reserved->device, at, &reserved->device_room,
				       sizeof(*reserved->device));
	reserved->device[at] = (struct torch_reserved_device){ .device = number };
	reserved->device_count++;
	return &reserved->device[at];
}

static void held_change(struct highwater *held, uint64_t time_ns, uint64_t from, uint64_t to)
{
	if (to > from)
		highwater_raise(held, time_ns, to - from);
	else if (to < from)
		highwater_lower(held, time_ns, from - to);
}

static void take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);
	struct torch_reserved_state *mine = state;
	uint64_t words[] = { event->process->index, totals->device };
	uint64_t time_ns = event->event.time_ns;
	struct map_entry *last;
	bool added;

	(void)counts;
	if (totals->device >> 8 != TYPE_CUDA || !(totals->device & 0xff))
		return;
	last = map_put(&mine->last, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added)
		last->value = 0;
	held_change(&device_at(&mine->reserved, (int64_t)(totals->device & 0xff) - 1)->held,
		    time_ns, last->value, totals->reserved);
	held_change(&mine->reserved.all, time_ns, last->value, totals->reserved);
	last->value = totals->reserved;
}

const struct highwater *torch_reserved_of(const struct torch_reserved *reserved, int64_t device)
{
	for (size_t i = 0; i < reserved->device_count; i++)
		if (reserved->device[i].device == device)
			return &reserved->device[i].held;
	return NULL;
}

static void start(void *state, struct run *run, const void *options)
{
	struct torch_reserved_state *mine = state;

	(void)options;
	map_init(&mine->last);
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, take_totals, mine);
}

static void release(void *state)
{
	struct torch_reserved_state *mine = state;

	map_release(&mine->last);
	free(mine->reserved.device);
}

const struct analysis_kind analysis_torch_reserved = {
	.name = "torch reserved",
	.state_bytes = sizeof(struct torch_reserved_state),
	.start = start,
	.release = release,
};
