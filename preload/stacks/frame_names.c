/* SPDX-License-Identifier: MIT */
/* See frame_names.h. */
#include "preload/stacks/frame_names.h"

#include <stddef.h>

#include "preload/stacks/pages.h"

#define SALTS 4u /* ids that a frame tries before it goes without */

struct frame_names frame_names;

bool frame_names_begin(uint64_t entries)
{
	if (!frame_names.entry) {
		frame_names.entry = pages_map(entries * sizeof(*frame_names.entry));
		frame_names.mask = entries - 1;
	}
	frame_names_forked();
	return frame_names.entry != NULL;
}

void frame_names_forked(void)
{
	if (frame_names.generation < FRAME_NAMES_GENERATIONS) {
		frame_names.generation++;
		return;
	}
	for (uint64_t i = 0; frame_names.entry && i <= frame_names.mask; i++)
		__atomic_store_n(&frame_names.entry[i].id, 0, __ATOMIC_RELAXED);
	frame_names.generation = 1;
}

enum known {
	KNOWN_NOT,
	KNOWN_SENT,
	KNOWN_ANOTHER, /* the id is another frame's */
};

static enum known line_find(uint64_t home, uint64_t mark, uint64_t other)
{
	struct frame_name *line = &frame_names.entry[home & ~(uint64_t)(FRAME_NAMES_LINE - 1)];

	for (unsigned int i = 0; i < FRAME_NAMES_LINE; i++) {
		uint64_t seen;

		if (__atomic_load_n(&line[i].id, __ATOMIC_ACQUIRE) != mark)
			continue;
		seen = __atomic_load_n(&line[i].hash, __ATOMIC_ACQUIRE);
		/* replaced meanwhile: the hash may be the next one's */
		if (__atomic_load_n(&line[i].id, __ATOMIC_RELAXED) == mark)
			return seen == other ? KNOWN_SENT : KNOWN_ANOTHER;
	}
	return KNOWN_NOT;
}

/* Into a free place of its line, or of a generation before, or over its home. */
static void line_keep(uint64_t home, uint64_t mark, uint64_t other)
{
	uint64_t line = home & ~(uint64_t)(FRAME_NAMES_LINE - 1);
	struct frame_name *at = &frame_names.entry[home];

	for (unsigned int i = 0; i < FRAME_NAMES_LINE; i++) {
		struct frame_name *e = &frame_names.entry[line + (home + i) % FRAME_NAMES_LINE];

		if (__atomic_load_n(&e->id, __ATOMIC_RELAXED) >> RECORD_STACK_BITS !=
		    mark >> RECORD_STACK_BITS) {
			at = e;
			break;
		}
	}
	__atomic_store_n(&at->id, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&at->hash, other, __ATOMIC_RELEASE);
	__atomic_store_n(&at->id, mark, __ATOMIC_RELEASE);
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t hash,
			 uint64_t id)
{
	uint64_t field[] = { 0, parent, word };

	for (uint64_t salt = 0; salt < SALTS; salt++) {
		uint64_t mark = id | frame_names.generation << RECORD_STACK_BITS;

		switch (line_find(hash & frame_names.mask, mark, parent ^ word)) {
		case KNOWN_SENT:
			return id;
		case KNOWN_ANOTHER:
			hash = frame_mix(hash, salt);
			id = frame_id_of(hash);
			continue;
		case KNOWN_NOT:
			break;
		}
		field[0] = id;
		/* what is lost is its record's stack, not an event */
		if (lane->head + RECORD_FRAME_WORDS > lane->limit &&
		    !recorder_find_room(lane, RECORD_FRAME_WORDS))
			return 0;
		(void)recorder_put(lane, RECORD_FRAME, recorder_now(), field,
				   RECORD_FRAME_WORDS - 1);
		line_keep(hash & frame_names.mask, mark, parent ^ word);
		return id;
	}
	return 0;
}
