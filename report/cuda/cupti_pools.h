/* SPDX-License-Identifier: MIT */
/*
 * What pools of stream-ordered memory (cudaMallocAsync) hold of each device, given out or not, as CUPTI tells it with each
 * block and when a pool is made, trimmed or destroyed: how much at most at one time, of all processes together. Pools of
 * other processes are theirs. To be told in the order of time. One thread; memory grows with pools.
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

/* `source` as that of holdings_init(). */
void cupti_pools_init(struct cupti_pools *pools, const struct source *source);
void cupti_pools_release(struct cupti_pools *pools);
/* The pool at `address` has `bytes` from now on; 0: it is no more. */
void cupti_pools_take(struct cupti_pools *pools, const struct source_process *process,
		      uint64_t time_ns, int64_t device, uint64_t address, uint64_t bytes);
/* NULL: nothing was said of pools of the device. */
const struct highwater *cupti_pools_of(const struct cupti_pools *pools, int64_t device);

#endif
