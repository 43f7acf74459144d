/* SPDX-License-Identifier: MIT */
/*
 * How much PyTorch's allocators hold of each CUDA device, as PyTorch reports it (event
 * tensor_totals): the maximum at one time, over all processes together. To be used by one thread;
 * memory grows with processes and devices.
 */
#ifndef REPORT_CUDA_TORCH_RESERVED_H
#define REPORT_CUDA_TORCH_RESERVED_H

#include "report/base/highwater.h"
#include "report/core/analysis.h"

struct torch_reserved_device {
	int64_t device;
	struct highwater held;
};

struct torch_reserved {
	struct torch_reserved_device *device;
	size_t device_count, device_room;
	struct highwater all;
};

struct torch_reserved_options;
ANALYSIS(torch_reserved, struct torch_reserved)

/* NULL: nothing was reported of the device. */
const struct highwater *torch_reserved_of(const struct torch_reserved *reserved, int64_t device);

#endif
