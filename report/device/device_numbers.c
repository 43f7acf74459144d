/* SPDX-License-Identifier: MIT */
/* cases: device */
#include "report/device/device_numbers.h"

#include <stdlib.h>

#include "report/base/memory.h"

const struct device_number *device_numbers_find(const struct device_numbers *numbers,
						uint32_t process, uint32_t device)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->of[i].process == process && numbers->of[i].device == device)
			return &numbers->of[i];
	return NULL;
}

bool device_numbers_of_card(const struct device_numbers *numbers, uint32_t uuid,
			    uint32_t *ret_device)
{
	const struct device_number *first = NULL;

	for (size_t i = 0; i < numbers->count; i++) {
		if (numbers->of[i].uuid != uuid)
			continue;
		if (first && first->device != numbers->of[i].device)
			return false;
		first = &numbers->of[i];
	}
	if (first)
		*ret_device = first->device;
	return first != NULL;
}

static void device_numbers_take(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_device *told = EVENT_AS(gpu_device, &event->event);
	struct device_numbers *numbers = state;
	uint32_t process = event->process->index;

	(void)counts;
	if (told->device > UINT32_MAX ||
	    device_numbers_find(numbers, process, (uint32_t)told->device))
		return;
	numbers->of = memory_room(numbers->of, numbers->count, &numbers->room,
				  sizeof(*numbers->of));
	numbers->of[numbers->count++] = (struct device_number){
		.process = process,
		.device = (uint32_t)told->device,
		.uuid = event_name(numbers->source, event, told->uuid),
		.told = *told,
	};
}

static void device_numbers_start(void *state, struct run *run, const void *options)
{
	struct device_numbers *numbers = state;

	(void)options;
	numbers->source = run_source(run);
	run_reads(run, EVT_gpu_device, FIELDS_ALL, device_numbers_take, numbers);
}

static void device_numbers_release(void *state)
{
	free(((struct device_numbers *)state)->of);
}

const struct analysis_kind analysis_device_numbers = {
	.name = "device numbers",
	.state_bytes = sizeof(struct device_numbers),
	.options_bytes = sizeof(struct device_numbers_options),
	.start = device_numbers_start,
	.release = device_numbers_release,
};
