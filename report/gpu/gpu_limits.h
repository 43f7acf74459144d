/* SPDX-License-Identifier: MIT */
/*
 * What the GPUs of a recording can run at once, by process and device number: one number may be
 * different GPUs in two processes. Memory grows with devices, up to GPU_LIMITS_MAX. To be used by
 * one thread.
 */
#ifndef REPORT_GPU_GPU_LIMITS_H
#define REPORT_GPU_GPU_LIMITS_H

#include <stddef.h>

#include "collector/format/events.h"
#include "report/base/map.h"

#define GPU_LIMITS_MAX 65536u /* more occur in damaged files only */

struct gpu_limits {
	struct evt_gpu_limits *of;
	size_t count, room;
	struct map places; /* process and device to index in `of` */
};

void gpu_limits_init(struct gpu_limits *limits);
void gpu_limits_release(struct gpu_limits *limits);
/* The latest limits replace earlier ones. */
void gpu_limits_put(struct gpu_limits *limits, uint32_t process,
		    const struct evt_gpu_limits *device);
/* NULL: not recorded. The result is valid until the next gpu_limits_put(). */
const struct evt_gpu_limits *gpu_limits_of(const struct gpu_limits *limits, uint32_t process,
					   uint32_t device);

#endif
