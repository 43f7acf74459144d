/* SPDX-License-Identifier: MIT */
/*
 * Memory as CUPTI reports it, beside what calls show (cuda.h). It includes the memory of statically
 * linked runtimes and of libraries, whose calls are not recorded. CUPTI's records come late and
 * unordered. They are put in the order of their times, ten seconds behind the events that are read
 * (DEFERRED_WAIT_NS), together with the calls of family cuda.
 *
 * A block belongs to the call during which it was allocated (same process and address): the call
 * determines the key, the kind, and whether the filters hold. A block without a call has key 0; it
 * counts if the whole run was recorded and no filter is set. A record that comes more than ten
 * seconds late is applied when it comes, and counted in `late`.
 *
 * Memory grows with live blocks, with rows, and with the records and calls of ten seconds. To be
 * used by one thread.
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
	/* nodes of CUDA graphs that allocate: it is not known what CUPTI reports of them */
	uint64_t graph_nodes;
	uint64_t records;      /* of memory, whether they count or not */
	uint64_t without_call; /* blocks that count and were allocated in no recorded call */
	uint64_t late;         /* records that came too late to be put in order */
	uint64_t lost;         /* lost GPU records of any kind */
	uint64_t detached;     /* how often CUPTI left the process for a while */
};

struct cupti_memory_options {
	enum key_id by; /* key of report device-memory */
};
ANALYSIS(cupti_memory, struct cupti_memory)

#endif
