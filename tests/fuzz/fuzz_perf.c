/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * A ring of any bytes: its first 8 say how much of it is filled, the rest is read as records, and
 * as one record of any length.
 */
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/native/perf_ring.h"

#define RING_BYTES 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum_of(const struct perf_record *record)
{
	uint64_t sum = record->time_ns ^ record->id;

	for (uint32_t i = 0; i < record->stack_bytes; i++)
		sum += record->stack[i];
	return sum + (record->path ? strlen(record->path) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(4096) uint8_t memory[4096 + RING_BYTES];
	static uint8_t copy_room[PERF_RECORD_BYTES_MAX];
	struct perf_event_mmap_page *page = (void *)memory;
	struct perf_record record;
	struct perf_ring ring;
	uint64_t words[2] = { 0 }, sum = 0;
	uint8_t *copy;

	if (size < sizeof(words))
		return 0;
	memcpy(words, data, sizeof(words));
	data += sizeof(words);
	size -= sizeof(words);
	copy = malloc(size ? size : 1); /* exactly so large: whoever reads beyond is found */
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (perf_record_read(copy, size, &record))
		sum += sum_of(&record);
	free(copy);
	memset(memory, 0, sizeof(memory));
	memcpy(memory + 4096, data, size < RING_BYTES ? size : RING_BYTES);
	perf_ring_of_memory(&ring, memory, RING_BYTES, copy_room);
	ring.tail = words[0];
	page->data_head = words[0] + words[1] % (2 * RING_BYTES);
	for (perf_ring_look(&ring); perf_ring_next(&ring, &record); perf_ring_pass(&ring))
		sum += sum_of(&record);
	(void)*(volatile uint64_t *)&sum;
	return 0;
}
