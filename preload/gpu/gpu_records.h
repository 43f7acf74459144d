/* SPDX-License-Identifier: MIT */
/*
 * Converts activity records of CUPTI to events. If a record is too short for the head of its kind,
 * or its times make no sense, it is counted as lost (gpu_lost).
 *
 * Any thread; callbacks of CUPTI. No lock, no allocation.
 */
#ifndef PRELOAD_GPU_GPU_RECORDS_H
#define PRELOAD_GPU_GPU_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "preload/base/hidden.h"
#include "preload/gpu/cupti_api.h"

/* A record as an event: all fields except texts. */
struct gpu_record {
	enum evt_id event; /* 0: the kind is not recorded */
	uint64_t start_ns, end_ns;
	const char *name;     /* owned by CUPTI; NULL: none */
	uint64_t node;        /* node of a graph; 0: none */
	uint32_t correlation; /* set if there is a node */
	uint64_t field[EVT_FIELDS_MAX];
	unsigned int fields;
};

/*
 * Returns false if the record is shorter than the head of its kind. Reads at most `bytes` bytes.
 * For EVT_gpu_device only the event is set (gpu_device.h).
 */
bool gpu_record_read(const void *record, size_t bytes, struct gpu_record *ret_record);

/*
 * Takes all records of a buffer, by `next` (cuptiActivityGetNextRecord). `timestamp` is
 * cuptiGetTimestamp.
 */
void gpu_records_take(uint8_t *buffer, size_t valid_bytes,
		      cupti_result (*next)(uint8_t *, size_t, void **),
		      cupti_result (*timestamp)(uint64_t *));

/* Records that `count` records are missing. */
void gpu_lost(uint64_t count, enum evt_gpu_lost_reason reason);

/*
 * Numbers of calls go on where CUPTI, which had left the process, begins anew with 1. What is added
 * to CUPTI's:
 */
extern _Atomic uint32_t gpu_number_base PRELOAD_HIDDEN;
/* Returns what a record has as the number of the call; 0: none. */
static inline uint32_t gpu_number(uint32_t correlation)
{
	return correlation
		       ? correlation + atomic_load_explicit(&gpu_number_base, memory_order_relaxed)
		       : 0;
}

#endif
