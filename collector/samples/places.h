/* SPDX-License-Identifier: MIT */
/*
 * Stacks as places: a place is a line of a function together with the place that it was called
 * from. It is written once (python_place) and then named by its number. Functions (python_code)
 * work the same way and are shared by all processes.
 *
 * One thread. Memory is bounded: PLACES_MAX and CODES_MAX entries of 24 bytes; the number is 0
 * when there is no room.
 */
#ifndef COLLECTOR_SAMPLES_PLACES_H
#define COLLECTOR_SAMPLES_PLACES_H

#include <stdint.h>

#include "collector/core/journal.h"

#define PLACES_MAX (1u << 19)
#define CODES_MAX (1u << 17)

struct id_table {
	struct id_entry {
		uint64_t key, more;
		uint32_t id; /* 0: empty slot */
	} * entry;
	uint32_t slots; /* power of two; 0 before the first */
	uint32_t count, most;
};

struct places {
	struct id_table codes, places;
	struct journal *journal;
};

void places_init(struct places *places, struct journal *journal);
void places_release(struct places *places);

/* Names are ids of names.h. Returns 0 if there is no room. */
uint32_t places_code(struct places *places, uint64_t function, uint64_t file, uint32_t line);
uint32_t places_place(struct places *places, uint32_t from, uint32_t code, uint32_t line);

#endif
