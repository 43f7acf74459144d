/* SPDX-License-Identifier: MIT */
/*
 * Each tensor_totals event replaces what its process held of the device, and the difference moves
 * the high-water marks. When a process ends it holds nothing any more (holdings.h).
 */
#include "report/cuda/torch_reserved.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/holdings.h"

#define TYPE_CUDA 1u /* c10::DeviceType, which event fields `device` have above the lowest 8 bits */

struct torch_reserved_state {
	struct torch_reserved reserved; /* must be first: others see only this part */
	struct holdings holdings;       /* of devices, as the event numbers them */
};

static int64_t torch_reserved_number_of(uint64_t device)
{
	return (int64_t)(device & 0xff) - 1;
}

static struct torch_reserved_device *torch_reserved_device_at(struct torch_reserved *reserved,
							      int64_t number)
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

static void hold(struct torch_reserved *reserved, uint64_t device, uint64_t time_ns, uint64_t from,
		 uint64_t to)
{
	held_change(&torch_reserved_device_at(reserved, torch_reserved_number_of(device))->held,
		    time_ns, from, to);
	held_change(&reserved->all, time_ns, from, to);
}

static void torch_reserved_drop(void *owner, const struct holding *gone)
{
	hold(owner, gone->thing, gone->process->end_ns, gone->bytes, 0);
}

/* PyTorch reports nothing when it ends. */
static void torch_reserved_take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);
	struct torch_reserved_state *mine = state;
	struct holdings *holdings = &mine->holdings;
	uint64_t time_ns = event->event.time_ns;
	struct holding *holding;
	uint32_t place;

	(void)counts;
	if (totals->device >> 8 != TYPE_CUDA || !(totals->device & 0xff))
		return;
	holdings_drop_ended(holdings, time_ns, torch_reserved_drop, &mine->reserved);
	place = holdings_place(holdings, event->process, totals->device);
	holding = &holdings->holding[place];
	if (holding->is_gone)
		return;
	hold(&mine->reserved, totals->device, time_ns, holding->bytes, totals->reserved);
	holding->bytes = totals->reserved;
}

const struct highwater *torch_reserved_of(const struct torch_reserved *reserved, int64_t device)
{
	for (size_t i = 0; i < reserved->device_count; i++)
		if (reserved->device[i].device == device)
			return &reserved->device[i].held;
	return NULL;
}

static void torch_reserved_start(void *state, struct run *run, const void *options)
{
	struct torch_reserved_state *mine = state;

	(void)options;
	holdings_init(&mine->holdings, run_source(run));
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, torch_reserved_take_totals, mine);
}

static void torch_reserved_release(void *state)
{
	struct torch_reserved_state *mine = state;

	holdings_release(&mine->holdings);
	free(mine->reserved.device);
}

const struct analysis_kind analysis_torch_reserved = {
	.name = "torch reserved",
	.state_bytes = sizeof(struct torch_reserved_state),
	.start = torch_reserved_start,
	.release = torch_reserved_release,
};
