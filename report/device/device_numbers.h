/* SPDX-License-Identifier: MIT */
/*
 * Which card of device_states a device of a process is: CUPTI tells the UUID of each device
 * (gpu_device). Memory grows with pairs of process and device. To be used by one thread.
 */
#ifndef REPORT_DEVICE_DEVICE_NUMBERS_H
#define REPORT_DEVICE_DEVICE_NUMBERS_H

#include "report/core/analysis.h"

struct device_numbers {
	struct device_number {
		uint32_t process, device; /* index of the process; CUDA's number */
		uint32_t uuid;            /* index of a name */
		struct evt_gpu_device told;
	} * of;
	size_t count, room;
	struct source *source;
};

struct device_numbers_options {
	uint32_t none;
};
ANALYSIS(device_numbers, struct device_numbers)

/* Returns what is known of the device of the process, or NULL. */
const struct device_number *device_numbers_find(const struct device_numbers *numbers,
						uint32_t process, uint32_t device);
/*
 * Sets the number that all processes that know the card have for it. Returns false if it is
 * unknown, or if their numbers differ.
 */
bool device_numbers_of_card(const struct device_numbers *numbers, uint32_t uuid,
			    uint32_t *ret_device);

#endif
