/* SPDX-License-Identifier: MIT */
/*
 * How much the pools of stream-ordered memory (cudaMallocAsync) hold of each device, allocated or
 * not: the maximum at one time, over all processes together. CUPTI reports the pool's size with
 * each block, and when a pool is made, trimmed or destroyed. Pools imported from other processes
 * count in those. Changes must come in the order of time. To be used by one thread; memory grows
 * with pools.
 */
#ifndef REPORT_CUDA_CUPTI_POOLS_H
#define REPORT_CUDA_CUPTI_POOLS_H

#include "report/base/highwater.h"
#include "report/base/map.h"
#include "report/core/holdings.h"

struct cupti_pools_device {
	int64_t device;
	struct highwater held;
};

struct cupti_pools {
	struct cupti_pools_device *device;
	size_t device_count, device_room;
	struct highwater all;
	struct holdings holdings; /* of devices */
	struct map pools;         /* hash of process, device and address to bytes */
};

/* `source` has the meaning that it has for holdings_init(). */
void cupti_pools_init(struct cupti_pools *pools, const struct source *source);
void cupti_pools_release(struct cupti_pools *pools);
/* The pool at `address` has `bytes` from now on; 0: it was destroyed. */
void cupti_pools_take(struct cupti_pools *pools, const struct source_process *process,
		      uint64_t time_ns, int64_t device, uint64_t address, uint64_t bytes);
/* NULL: nothing was reported of pools of the device. */
const struct highwater *cupti_pools_of(const struct cupti_pools *pools, int64_t device);

#endif
