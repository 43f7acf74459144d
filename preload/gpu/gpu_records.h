/* SPDX-License-Identifier: MIT */
/*
 * Activity records of CUPTI to events. A record is believed only as far as it reaches: what is too short for the head
 * of its kind, or has times that make no sense, is counted as lost (gpu_lost).
 *
 * Any thread; callbacks of CUPTI. No lock, no allocation.
 */
#ifndef PRELOAD_GPU_GPU_RECORDS_H
#define PRELOAD_GPU_GPU_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "preload/gpu/cupti_api.h"

/* A record as an event: its fields but the texts. */
struct gpu_record {
	enum evt_id event; /* 0: of a kind that is not recorded */
	uint64_t start_ns, end_ns;
	const char *name;     /* CUPTI's; NULL: none */
	uint64_t node;        /* of a graph; 0: none */
	uint32_t correlation; /* where there is a node */
	uint64_t field[EVT_FIELDS_MAX];
	unsigned int fields;
};

/* False: shorter than the head of its kind. Reads `bytes` bytes at most. Of EVT_gpu_device nothing but the event is set
 * (gpu_device.h). */
bool gpu_record_read(const void *record, size_t bytes, struct gpu_record *ret_record);

/* All of a buffer, by `next` (cuptiActivityGetNextRecord); `timestamp` is cuptiGetTimestamp. */
void gpu_records_take(uint8_t *buffer, size_t valid_bytes,
		      cupti_result (*next)(uint8_t *, size_t, void **),
		      cupti_result (*timestamp)(uint64_t *));

/* Records that are not there. */
void gpu_lost(uint64_t count, enum evt_gpu_lost_reason reason);

#endif
