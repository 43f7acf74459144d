/* SPDX-License-Identifier: MIT */
/*
 * A set-associative table: a hit elsewhere in the line moves to its home. Each entry carries the
 * generation in which it was sent, so raising the generation forgets all entries. Ids that collide
 * are salted, up to SALTS times.
 */
#include "preload/stacks/frame_names.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/stacks/pages.h"

#define SALTS 4u /* ids that are tried for a frame before it goes without one */

static const _Atomic uint32_t nobody_asks;
struct frame_names frame_names = { .asked = &nobody_asks };

bool frame_names_begin(uint64_t entries)
{
	if (!frame_names.entry) {
		frame_names.entry = pages_map_huge(entries * sizeof(*frame_names.entry));
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

void frame_names_listen(const _Atomic uint32_t *asked)
{
	frame_names.heard = atomic_load_explicit(asked, memory_order_relaxed);
	frame_names.asked = asked;
}

/*
 * One of the threads that hear the question forgets for all. Walks that are running in other
 * threads end in the previous generation.
 */
void frame_names_answer(uint32_t asked)
{
	uint32_t heard = __atomic_load_n(&frame_names.heard, __ATOMIC_RELAXED);

	if (asked != heard && __atomic_compare_exchange_n(&frame_names.heard, &heard, asked, false,
							  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		frame_names_forked();
}

static bool entry_is_current(const struct frame_name *e)
{
	return __atomic_load_n(&e->id, __ATOMIC_RELAXED) >> RECORD_STACK_BITS ==
	       frame_names.generation;
}

static void frame_names_entry_write(struct frame_name *at, uint64_t mark, uint64_t path)
{
	__atomic_store_n(&at->id, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&at->path, path, __ATOMIC_RELEASE);
	__atomic_store_n(&at->id, mark, __ATOMIC_RELEASE);
}

/*
 * Puts an entry at its home, where the hot path looks. The entry that was there moves to `spare`,
 * so that two entries that are used by turns both stay. If another thread writes the line at the
 * same time, an entry may be lost or stored twice, and a frame is sent once more.
 */
static void entry_come_home(uint64_t home, struct frame_name *spare, uint64_t mark, uint64_t path)
{
	struct frame_name *at = &frame_names.entry[home];
	uint64_t old = __atomic_load_n(&at->id, __ATOMIC_ACQUIRE);
	uint64_t old_path = __atomic_load_n(&at->path, __ATOMIC_ACQUIRE);

	if (at != spare && entry_is_current(at) &&
	    __atomic_load_n(&at->id, __ATOMIC_RELAXED) == old)
		frame_names_entry_write(spare, old, old_path);
	frame_names_entry_write(at, mark, path);
}

static struct frame_name *line_entry(uint64_t home, unsigned int i)
{
	uint64_t line = home & ~(uint64_t)(FRAME_NAMES_LINE - 1);

	return &frame_names.entry[line + (home + i) % FRAME_NAMES_LINE];
}

/* Returns a place that is free or of an earlier generation, or else the place after the home. */
static struct frame_name *line_spare(uint64_t home)
{
	for (unsigned int i = 0; i < FRAME_NAMES_LINE; i++)
		if (!entry_is_current(line_entry(home, i)))
			return line_entry(home, i);
	return line_entry(home, 1);
}

enum known {
	KNOWN_NOT,
	KNOWN_SENT,
	KNOWN_ANOTHER, /* the id belongs to another frame */
};

static enum known frame_names_line_find(uint64_t home, uint64_t mark, uint64_t path)
{
	for (unsigned int i = 0; i < FRAME_NAMES_LINE; i++) {
		struct frame_name *e = line_entry(home, i);
		uint64_t seen;

		if (__atomic_load_n(&e->id, __ATOMIC_ACQUIRE) != mark)
			continue;
		seen = __atomic_load_n(&e->path, __ATOMIC_ACQUIRE);
		/* the entry was replaced meanwhile, so the path may belong to the new one */
		if (__atomic_load_n(&e->id, __ATOMIC_RELAXED) != mark)
			continue;
		if (!frame_entry_has(seen, path))
			return KNOWN_ANOTHER;
		if (i)
			entry_come_home(home, e, mark, path << FRAME_PLACE_BITS);
		return KNOWN_SENT;
	}
	return KNOWN_NOT;
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path)
{
	uint64_t field[] = { 0, parent, word };
	uint64_t salted = path;

	for (uint64_t salt = 0; salt < SALTS; salt++) {
		uint64_t id = frame_id_of(salted), home = frame_home(id);
		uint64_t mark = id | frame_names.generation << RECORD_STACK_BITS;

		switch (frame_names_line_find(home, mark, path)) {
		case KNOWN_SENT:
			return id;
		case KNOWN_ANOTHER:
			salted = frame_mix(salted, salt);
			continue;
		case KNOWN_NOT:
			break;
		}
		field[0] = id;
		/* if there is no room, the record loses its stack; no event is lost */
		if (lane->head + RECORD_FRAME_WORDS > lane->limit &&
		    !recorder_find_room(lane, RECORD_FRAME_WORDS))
			return 0;
		(void)recorder_put(lane, RECORD_FRAME, recorder_now(), field,
				   RECORD_FRAME_WORDS - 1);
		entry_come_home(home, line_spare(home), mark, path << FRAME_PLACE_BITS);
		return id;
	}
	return 0;
}
