/* SPDX-License-Identifier: MIT */
/*
 * Names: from the 64-bit hash that records carry to the dense ids of the file, and the putting
 * together of RECORD_TEXT pieces. An id is given at the first use or the first definition, whichever
 * comes first; the text is passed on once and not kept.
 *
 * One thread. Memory is bounded: NAMES_MAX names of 16 bytes, NAMES_PENDING_BYTES of half-received
 * text; what comes after that has the id of one name that says so.
 */
#ifndef COLLECTOR_CORE_NAMES_H
#define COLLECTOR_CORE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/core/journal.h"

#define NAMES_MAX (1u << 20)
#define NAMES_PENDING_BYTES (16u << 20)

struct names {
	struct names_entry {
		uint64_t hash; /* 0: empty slot */
		uint32_t id;
		uint32_t defined;
	} * entry;
	uint32_t slots; /* power of two */
	uint32_t count;
	uint32_t overflow; /* id of the name for all that had no room, 0 before */
	size_t pending_bytes;
	struct journal *journal; /* where definitions go */
};

/* Half of a text: one a ring. Zeroed memory is an empty one. */
struct names_text {
	uint64_t hash;
	uint32_t total;
	uint32_t have;
	char *bytes;
};

int names_init(struct names *names, struct journal *journal);
void names_release(struct names *names);

/* The id of a hash from a record; 0 for 0. */
uint64_t names_id(struct names *names, uint64_t hash);

/* The id of a text of the collector's own, defined when it is new. 0 for the empty text. */
uint64_t names_id_text(struct names *names, const char *text, size_t length);

/*
 * One RECORD_TEXT: its words after word 0. False when no writer can have written it. Pieces that do
 * not continue what is there begin anew (offset 0) or are passed over.
 */
bool names_take_piece(struct names *names, struct names_text *text, const uint64_t *words);
void names_drop_text(struct names *names, struct names_text *text);

#endif
