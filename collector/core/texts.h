/* SPDX-License-Identifier: MIT */
/*
 * The texts of names, by id, so that each segment of the file can define the names that it uses.
 * Knows when a name was used last: turns are counted up by the code that begins segments. Bounded
 * by TEXTS_BYTES_MAX. If there is no more room, texts of names that were not used lately are
 * forgotten; a later segment cannot define them. One thread.
 */
#ifndef COLLECTOR_CORE_TEXTS_H
#define COLLECTOR_CORE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTS_BYTES_MAX (8u << 20)

struct texts {
	struct texts_entry {
		uint32_t at, length; /* in `bytes`; length 0: no text */
		uint32_t turn;       /* of the last use */
	} * entry;                   /* by id */
	uint32_t room;
	char *bytes;
	size_t used, bytes_room;
	uint32_t turn;
	uint32_t full_turn; /* turn in which nothing more could be forgotten */
};

void texts_release(struct texts *texts);

void texts_keep(struct texts *texts, uint32_t id, const char *text, size_t length);

/* NULL: the text of this id is not known. */
static inline const char *texts_find(const struct texts *texts, uint64_t id, size_t *ret_length)
{
	if (id >= texts->room || !texts->entry[id].length)
		return NULL;
	*ret_length = texts->entry[id].length;
	return texts->bytes + texts->entry[id].at;
}

/* True if its text is known and the name was not used in this turn so far. */
static inline bool texts_is_stale(const struct texts *texts, uint64_t id)
{
	return id < texts->room && texts->entry[id].turn != texts->turn && texts->entry[id].length;
}

static inline void texts_use(struct texts *texts, uint64_t id)
{
	if (id < texts->room)
		texts->entry[id].turn = texts->turn;
}

#endif
