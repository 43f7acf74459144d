/* SPDX-License-Identifier: MIT */
/*
 * Names: converts the 64-bit hashes in records to the dense ids of the file, and assembles
 * RECORD_TEXT pieces. An id is given at the first use or the first definition, whichever comes
 * first. The text is passed on, and kept in `texts`: a name that a segment of the file uses for the
 * first time is defined in it again.
 *
 * One thread. Memory is bounded: NAMES_MAX names of 28 bytes, NAMES_PENDING_BYTES of incomplete
 * texts, TEXTS_BYTES_MAX of complete ones. Names beyond that share the id of one name that says so.
 */
#ifndef COLLECTOR_CORE_NAMES_H
#define COLLECTOR_CORE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/core/journal.h"
#include "collector/core/texts.h"

#define NAMES_MAX (1u << 20)
#define NAMES_LISTENERS 2u
#define NAMES_PENDING_BYTES (16u << 20)

struct names {
	struct names_entry {
		uint64_t hash; /* 0: empty slot */
		uint32_t id;
		uint32_t defined;
	} * entry;
	uint32_t slots; /* power of two */
	uint32_t count;
	uint32_t overflow; /* id of the name for all names without room, 0 before there is one */
	size_t pending_bytes;
	struct texts texts;
	struct journal *journal; /* where definitions go */
	struct names_listener {  /* is told each definition, too */
		void (*take)(void *state, uint32_t id, const char *text, size_t length);
		void *state;
	} listener[NAMES_LISTENERS];
	unsigned int listeners;
};

/* An incomplete text, one per ring. Zeroed memory is an empty one. */
struct names_text {
	uint64_t hash;
	uint32_t total;
	uint32_t have;
	char *bytes;
};

int names_init(struct names *names, struct journal *journal);
void names_release(struct names *names);
/* `take` is called with each text that is defined from now on; for NAMES_LISTENERS at most. */
void names_listen(struct names *names,
		  void (*take)(void *state, uint32_t id, const char *text, size_t length),
		  void *state);

/* The id is used by a record: defines it again if this segment of the file has not done so. */
void names_use(struct names *names, uint64_t id);

/* The id for a hash of a record; 0 for 0. */
uint64_t names_id(struct names *names, uint64_t hash);

/* The id for a text of the collector's own, which is defined if it is new. 0 for the empty text. */
uint64_t names_id_text(struct names *names, const char *text, size_t length);

/*
 * Takes one RECORD_TEXT: its words after word 0. Returns false if no writer can have written it. A
 * piece that does not continue the present text starts a new one (offset 0) or is skipped.
 */
bool names_take_piece(struct names *names, struct names_text *text, const uint64_t *words);
void names_drop_text(struct names *names, struct names_text *text);

#endif
