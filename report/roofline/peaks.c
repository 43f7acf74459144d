/* SPDX-License-Identifier: MIT */
/* cases: roofline */
/* One entry a device of a process; a later event of it replaces what it knows. */
#include "report/roofline/peaks.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define HZ_A_KHZ 1000.0
#define BYTES_A_KB 1000.0

const char *const peak_unit_names[PEAK_UNIT_LIMIT] = {
#define UNIT(name) #name,
	PEAK_UNITS(UNIT)
#undef UNIT
};

static const struct {
	unsigned int major, minor;
	double flops[PEAK_UNIT_LIMIT]; /* of a multiprocessor in a clock */
} published[] = {
#define PEAK(major, minor, fp64, fp32, tf32, half) { major, minor, { fp64, fp32, tf32, half } },
#include "report/roofline/peaks.def"
};

const struct peaks_device *peaks_find(const struct peaks *peaks, uint32_t process, uint32_t device)
{
	for (size_t i = 0; i < peaks->count; i++)
		if (peaks->of[i].process == process && peaks->of[i].device == device)
			return &peaks->of[i];
	return NULL;
}

static struct peaks_device *peaks_device_of(struct peaks *peaks, uint32_t process, uint64_t device)
{
	const struct peaks_device *known = peaks_find(peaks, process, (uint32_t)device);

	if (known)
		return &peaks->of[known - peaks->of];
	peaks->of = memory_room(peaks->of, peaks->count, &peaks->room, sizeof(*peaks->of));
	peaks->of[peaks->count] = (struct peaks_device){ .process = process,
							 .device = (uint32_t)device };
	return &peaks->of[peaks->count++];
}

static void peaks_take_device(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_device *told = EVENT_AS(gpu_device, &event->event);

	struct peaks *peaks = state;
	struct peaks_device *device;
	size_t length;

	(void)counts;
	if (told->device > UINT32_MAX)
		return;
	device = peaks_device_of(peaks, event->process->index, told->device);
	(void)name_text(
		source_name_at(peaks->source, event_name(peaks->source, event, told->mig_uuid)),
		&length);
	device->is_part = length != 0;
	device->bytes = device->is_part ? 0 : (double)told->bandwidth_kbs * BYTES_A_KB;
	if (device->is_part)
		memset(device->flops, 0, sizeof(device->flops));
}

bool peaks_have_parts(const struct peaks *peaks)
{
	for (size_t i = 0; i < peaks->count; i++)
		if (peaks->of[i].is_part)
			return true;
	return false;
}

static void peaks_take_limits(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_limits *told = EVENT_AS(gpu_limits, &event->event);
	struct peaks_device *device;

	(void)counts;
	if (told->device > UINT32_MAX)
		return;
	device = peaks_device_of(state, event->process->index, told->device);
	if (device->is_part)
		return;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		if (published[i].major != told->major || published[i].minor != told->minor)
			continue;
		for (unsigned int unit = 0; unit < PEAK_UNIT_LIMIT; unit++)
			device->flops[unit] = published[i].flops[unit] *
					      (double)told->multiprocessors *
					      (double)told->clock_khz * HZ_A_KHZ;
	}
}

static void peaks_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct peaks *)state)->source = run_source(run);
	run_reads(run, EVT_gpu_device,
		  FIELD_BIT(gpu_device, device) | FIELD_BIT(gpu_device, bandwidth_kbs) |
			  FIELD_BIT(gpu_device, mig_uuid),
		  peaks_take_device, state);
	run_reads(run, EVT_gpu_limits, FIELDS_ALL, peaks_take_limits, state);
}

static void peaks_release(void *state)
{
	free(((struct peaks *)state)->of);
}

const struct analysis_kind analysis_peaks = {
	.name = "peaks",
	.state_bytes = sizeof(struct peaks),
	.options_bytes = sizeof(struct peaks_options),
	.start = peaks_start,
	.release = peaks_release,
};
