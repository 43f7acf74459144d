/* SPDX-License-Identifier: MIT */
/*
 * Memory as CUPTI tells of it, beside what calls say (cuda.h): that of static runtimes and of libraries that no call
 * shows is here, too. Its records come late and in no order: they are put in the order of their own times, ten seconds
 * behind what is read (DEFERRED_WAIT_NS), with the calls of family cuda.
 *
 * A block is of the call during which it was given out (same process and address): the call has the key, the kind and
 * whether the filters hold. A block without one has the key 0; it counts where all of the run was recorded and no
 * filter is set. What is told after ten seconds is applied then, and counted in `late`.
 *
 * Memory grows with live blocks, with rows, and with the records and calls of ten seconds. One thread.
 */
#ifndef REPORT_CUDA_CUPTI_MEMORY_H
#define REPORT_CUDA_CUPTI_MEMORY_H

#include "report/core/analysis.h"
#include "report/options/keys.h"
#include "report/cuda/cupti_pools.h"
#include "report/cuda/device_memory.h"

struct cupti_memory {
	struct device_memory memory;
	struct cupti_pools pools;
	uint64_t
		graph_nodes; /* of CUDA graphs, which allocate: nobody knows what CUPTI tells of that */
	uint64_t records;      /* of memory, whether they count or not */
	uint64_t without_call; /* blocks that count and were given out in no recorded call */
	uint64_t late;         /* records that were told too late for their order */
	uint64_t lost;         /* records of the GPU of any kind */
};

struct cupti_memory_options {
	enum key_id by; /* of device-memory */
};
ANALYSIS(cupti_memory, struct cupti_memory)

#endif
