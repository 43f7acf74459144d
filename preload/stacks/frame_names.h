/* SPDX-License-Identifier: MIT */
/*
 * The ids of frames (collector/region/record.h), and which of them this process has sent to the
 * collector. An unknown frame is put into the ring as RECORD_FRAME and remembered in a bounded
 * table. If a frame was evicted, it is sent again, which costs only space. The table also keeps a
 * second hash, of the whole path to the frame. If two frames have the same id, the later one gets
 * another id.
 *
 * A forked child sends its frames itself: frame_names_forked() makes the table forget. So does a
 * question of the collector (collector/turn/renewal.h), which each record with a stack checks for.
 * Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_STACKS_FRAME_NAMES_H
#define PRELOAD_STACKS_FRAME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

struct frame_name {
	uint64_t id; /* with the generation above RECORD_STACK_BITS; 0: free */
	/*
	 * frame_path() without its upper FRAME_PLACE_BITS. The low bits say where some thread's log
	 * has the frame (ahead.h).
	 */
	uint64_t path;
};

struct frame_names {
	struct frame_name *entry;      /* NULL: nothing is remembered */
	uint64_t mask;                 /* entries - 1 */
	uint64_t generation;           /* at most FRAME_NAMES_GENERATIONS */
	const _Atomic uint32_t *asked; /* number of the collector's last question, never NULL */
	uint32_t heard;                /* the question that `generation` answers */
};

#define FRAME_NAMES_LINE 4u
#define FRAME_NAMES_GENERATIONS 0xffffu
#define FRAME_PLACE_BITS 16u
#define FRAME_PLACE_MASK ((1ull << FRAME_PLACE_BITS) - 1)

PRELOAD_HIDDEN extern struct frame_names frame_names;

/*
 * Maps the table; `entries` is a power of two. Returns false if there is no memory. Call while all
 * gates are shut.
 */
bool frame_names_begin(uint64_t entries);
void frame_names_forked(void);

/* Sets where the region's stacks_asked is in this process. Forgets nothing. */
void frame_names_listen(const _Atomic uint32_t *asked);
void frame_names_answer(uint32_t asked);

/* Call before a thread uses the ids that it remembers. */
static inline void frame_names_hear(void)
{
	uint32_t asked = __atomic_load_n((const uint32_t *)frame_names.asked, __ATOMIC_RELAXED);

	if (__builtin_expect(asked != __atomic_load_n(&frame_names.heard, __ATOMIC_RELAXED), 0))
		frame_names_answer(asked);
}

/*
 * Combining both halves of the product distinguishes the factors. No address equals one of the
 * constants, so no factor is 0.
 */
static inline uint64_t frame_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) *
				    (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes the whole path to a frame: its word and the path of its caller (0 for the outermost). */
static inline uint64_t frame_path(uint64_t outer, uint64_t word)
{
	uint64_t path = (outer ^ word) * 0xff51afd7ed558ccdu;

	return path ^ path >> 32;
}

/*
 * The id is the upper bits of the path, which are mixed best. If another path has the same bits,
 * one of the two gets another id.
 */
static inline uint64_t frame_id_of(uint64_t path)
{
	uint64_t id = path >> (64 - RECORD_STACK_BITS);

	return id ? id : 1;
}

/* The home of an id in the table. Two paths with the same id have the same home. */
static inline uint64_t frame_home(uint64_t id)
{
	return id & frame_names.mask;
}

static inline bool frame_entry_has(uint64_t path_and_place, uint64_t path)
{
	return !((path_and_place ^ path << FRAME_PLACE_BITS) >> FRAME_PLACE_BITS);
}

/*
 * True if the frame has been sent to the collector under frame_id_of(). Then all its callers have
 * been sent too, because they are sent first. If false, call frame_name().
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

/*
 * If the entry becomes another frame's meanwhile, neither frame is found in it, and one is sent
 * once more.
 */
static inline void frame_place_set(struct frame_name *e, uint32_t place)
{
	uint64_t path = __atomic_load_n(&e->path, __ATOMIC_RELAXED);

	__atomic_store_n(&e->path, (path & ~FRAME_PLACE_MASK) | place, __ATOMIC_RELAXED);
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path);

/*
 * Returns the id of the frame `word` (address and flags), whose caller is `parent` and whose whole
 * path is `path`. The frame is in a ring afterwards. 0: there was no room. `lane` is IN_RECORD.
 */
static inline uint64_t frame_name(struct recorder_lane *lane, uint64_t parent, uint64_t word,
				  uint64_t path)
{
	return frame_is_sent(path) ? frame_id_of(path) : frame_name_send(lane, parent, word, path);
}

#endif
