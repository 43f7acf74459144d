/* SPDX-License-Identifier: MIT */
/* cases: roofline */
/* One entry a device of a process; a later event of it replaces what it knows. */
#include "report/roofline/peaks.h"

#include <stdlib.h>

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

	(void)counts;
	if (told->device <= UINT32_MAX)
		peaks_device_of(state, event->process->index, told->device)
			->bytes = (double)told->bandwidth_kbs * BYTES_A_KB;
}

static void peaks_take_limits(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_limits *told = EVENT_AS(gpu_limits, &event->event);
	struct peaks_device *device;

	(void)counts;
	if (told->device > UINT32_MAX)
		return;
	device = peaks_device_of(state, event->process->index, told->device);
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
	run_reads(run, EVT_gpu_device,
		  FIELD_BIT(gpu_device, device) | FIELD_BIT(gpu_device, bandwidth_kbs),
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
