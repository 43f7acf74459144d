/* SPDX-License-Identifier: MIT */
/*
 * What PyTorch's allocators hold of each CUDA device, from its own words (event tensor_totals): how much at most at one
 * time, of all processes together. One thread; memory grows with processes and devices.
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

/* NULL: nothing was said of the device. */
const struct highwater *torch_reserved_of(const struct torch_reserved *reserved, int64_t device);

#endif
