/* SPDX-License-Identifier: MIT */
/*
 * The ids of frames (collector/region/record.h) and which of them this process has given to the collector. What is
 * not known is put into the ring as RECORD_FRAME and remembered, in a bounded table: a frame that was evicted is sent
 * again, which costs space and nothing else. The table also keeps a second hash, of all the way to the frame: where
 * two frames have one id, the later one takes another.
 *
 * A forked child sends its frames itself: frame_names_forked() makes the table forget. So does the collector's question
 * (collector/turn/renewal.h), which each record with a stack hears. Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_STACKS_FRAME_NAMES_H
#define PRELOAD_STACKS_FRAME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

struct frame_name {
	uint64_t id; /* generation above RECORD_STACK_BITS; 0: free */
	/* frame_path() without its upper FRAME_PLACE_BITS; below it, where some thread's log has the frame (ahead.h) */
	uint64_t path;
};

struct frame_names {
	struct frame_name *entry;      /* NULL: none is remembered */
	uint64_t mask;                 /* entries - 1 */
	uint64_t generation;           /* at most FRAME_NAMES_GENERATIONS */
	const _Atomic uint32_t *asked; /* the collector's question, never NULL */
	uint32_t heard;                /* its number that `generation` is an answer to */
};

#define FRAME_NAMES_LINE 4u
#define FRAME_NAMES_GENERATIONS 0xffffu
#define FRAME_PLACE_BITS 16u
#define FRAME_PLACE_MASK ((1ull << FRAME_PLACE_BITS) - 1)

PRELOAD_HIDDEN extern struct frame_names frame_names;

/* Entries, a power of two. False: no memory. While all gates are shut. */
bool frame_names_begin(uint64_t entries);
void frame_names_forked(void);

/* Where the region's stacks_asked is in this process. Forgets nothing. */
void frame_names_listen(const _Atomic uint32_t *asked);
void frame_names_answer(uint32_t asked);

/* Before a thread looks at what it remembers of ids. */
static inline void frame_names_hear(void)
{
	uint32_t asked = __atomic_load_n((const uint32_t *)frame_names.asked, __ATOMIC_RELAXED);

	if (__builtin_expect(asked != __atomic_load_n(&frame_names.heard, __ATOMIC_RELAXED), 0))
		frame_names_answer(asked);
}

/* The halves of a product tell its factors apart; neither constant can be met by an address. */
static inline uint64_t frame_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) *
				    (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* All of the way to a frame: its word and the path of who called it, 0 of the outermost. */
static inline uint64_t frame_path(uint64_t outer, uint64_t word)
{
	uint64_t path = (outer ^ word) * 0xff51afd7ed558ccdu;

	return path ^ path >> 32;
}

/* The upper bits of the path, which are mixed best. Where another path has the same, one of them gets another id. */
static inline uint64_t frame_id_of(uint64_t path)
{
	uint64_t id = path >> (64 - RECORD_STACK_BITS);

	return id ? id : 1;
}

/* Where an id stands in the table: two paths that come to one id meet there. */
static inline uint64_t frame_home(uint64_t id)
{
	return id & frame_names.mask;
}

static inline bool frame_entry_has(uint64_t path_and_place, uint64_t path)
{
	return !((path_and_place ^ path << FRAME_PLACE_BITS) >> FRAME_PLACE_BITS);
}

/*
 * Has the frame been given to the collector under frame_id_of()? Then all that called it have been, too: they were given
 * before. False: ask frame_name().
 */
static inline __attribute__((always_inline)) bool frame_is_sent(uint64_t path)
{
	uint64_t id = frame_id_of(path);
	const struct frame_name *e = &frame_names.entry[frame_home(id)];

	return __atomic_load_n(&e->id, __ATOMIC_ACQUIRE) ==
		       (id | frame_names.generation << RECORD_STACK_BITS) &&
	       frame_entry_has(__atomic_load_n(&e->path, __ATOMIC_RELAXED), path);
}

static inline uint32_t frame_place(const struct frame_name *e)
{
	return __atomic_load_n(&e->path, __ATOMIC_RELAXED) & FRAME_PLACE_MASK;
}

/* If the entry becomes another frame's meanwhile, neither is found in it, and it is sent once more. */
static inline void frame_place_set(struct frame_name *e, uint32_t place)
{
	uint64_t path = __atomic_load_n(&e->path, __ATOMIC_RELAXED);

	__atomic_store_n(&e->path, (path & ~FRAME_PLACE_MASK) | place, __ATOMIC_RELAXED);
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path);

/*
 * The id of the frame `word` (address and flags) that `parent` called, `path` all the way. It is in a ring afterwards;
 * 0: there was no room. `lane` is IN_RECORD.
 */
static inline uint64_t frame_name(struct recorder_lane *lane, uint64_t parent, uint64_t word,
				  uint64_t path)
{
	return frame_is_sent(path) ? frame_id_of(path) : frame_name_send(lane, parent, word, path);
}

#endif
