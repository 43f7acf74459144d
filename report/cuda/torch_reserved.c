/* SPDX-License-Identifier: MIT */
/* See torch_reserved.h. */
#include "report/cuda/torch_reserved.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"

#define TYPE_CUDA 1u /* c10::DeviceType, which event fields `device` have above their eighth bit */

/* What a process holds of a device, by what it said last. */
struct holding {
	const struct source_process *process;
	int64_t device;
	uint64_t bytes;
};

struct torch_reserved_state {
	struct torch_reserved reserved; /* first: it is what others see */
	struct holding *holding;
	size_t count, room;
	struct map places; /* hash of process and device to a place in it */
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

static void hold(struct torch_reserved *reserved, struct holding *holding, uint64_t time_ns,
		 uint64_t bytes)
{
	held_change(&device_at(reserved, holding->device)->held, time_ns, holding->bytes, bytes);
	held_change(&reserved->all, time_ns, holding->bytes, bytes);
	holding->bytes = bytes;
}

/* PyTorch says nothing as it ends. Asked before a sum rises, which is rare: allocators keep what they have. */
static void drop_ended(struct torch_reserved_state *mine, uint64_t time_ns)
{
	for (size_t i = 0; i < mine->count; i++) {
		struct holding *holding = &mine->holding[i];

		if (holding->bytes && holding->process->ended && holding->process->end_ns < time_ns)
			hold(&mine->reserved, holding, holding->process->end_ns, 0);
	}
}

static struct holding *holding_of(struct torch_reserved_state *mine,
				  const struct source_process *process, uint64_t device)
{
	uint64_t words[] = { process->index, device };
	struct map_entry *place;
	bool added;

	place = map_put(&mine->places, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added)
		return &mine->holding[place->value];
	place->value = mine->count;
	mine->holding = memory_room(mine->holding, mine->count, &mine->room,
				    sizeof(*mine->holding));
	mine->holding[mine->count] = (struct holding){ .process = process,
						       .device = (int64_t)(device & 0xff) - 1 };
	return &mine->holding[mine->count++];
}

static void take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);
	struct torch_reserved_state *mine = state;
	struct holding *holding;

	(void)counts;
	if (totals->device >> 8 != TYPE_CUDA || !(totals->device & 0xff))
		return;
	holding = holding_of(mine, event->process, totals->device);
	if (totals->reserved > holding->bytes)
		drop_ended(mine, event->event.time_ns);
	hold(&mine->reserved, holding, event->event.time_ns, totals->reserved);
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
	map_init(&mine->places);
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, take_totals, mine);
}

static void release(void *state)
{
	struct torch_reserved_state *mine = state;

	map_release(&mine->places);
	free(mine->holding);
	free(mine->reserved.device);
}

const struct analysis_kind analysis_torch_reserved = {
	.name = "torch reserved",
	.state_bytes = sizeof(struct torch_reserved_state),
	.start = start,
	.release = release,
};
