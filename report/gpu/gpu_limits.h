/* SPDX-License-Identifier: MIT */
/*
 * What the GPUs of a recording can run at once, by process and number of the device: a number means another GPU in another process.
 * Memory grows with devices, up to GPU_LIMITS_MAX. One thread.
 */
#ifndef REPORT_GPU_GPU_LIMITS_H
#define REPORT_GPU_GPU_LIMITS_H

#include <stddef.h>

#include "collector/format/events.h"
#include "report/base/map.h"

#define GPU_LIMITS_MAX 65536u /* more is damage */

struct gpu_limits {
	struct evt_gpu_limits *of;
	size_t count, room;
	struct map places; /* process and device to place in `of` */
};

void gpu_limits_init(struct gpu_limits *limits);
void gpu_limits_release(struct gpu_limits *limits);
/* The latest counts. */
void gpu_limits_put(struct gpu_limits *limits, uint32_t process,
		    const struct evt_gpu_limits *device);
/* NULL: not recorded. Good until the next put. */
const struct evt_gpu_limits *gpu_limits_of(const struct gpu_limits *limits, uint32_t process,
					   uint32_t device);

#endif
