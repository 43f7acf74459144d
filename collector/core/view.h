/* SPDX-License-Identifier: MIT */
/*
 * The region as the collector sees it: base, shape and the tables in it.
 *
 * The traced programs may write everything behind the pointers at any moment, also by mistake. Read
 * a word once with view_load32()/view_load64(), check the copy, use the copy.
 */
#ifndef COLLECTOR_CORE_VIEW_H
#define COLLECTOR_CORE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/region/region.h"

struct view {
	struct region_header *header;
	struct region_process *process; /* [REGION_PROCESSES] */
	struct region_ring *ring;       /* [shape.ring_count] */
	struct region_shape shape;
	uint64_t base_tsc; /* copied once, so that later overwriting does not change the clock */
	uint64_t base_mono;
	uint64_t base_real;
	uint32_t clock;
	uint32_t redact; /* 1 << enum region_redact */
};

#define VIEW_ERROR_BYTES REGION_TEXT_BYTES

/*
 * `base` is mapped for `bytes`. Returns 0, or -1 with a sentence in ret_error (VIEW_ERROR_BYTES).
 */
int view_init(struct view *view, void *base, uint64_t bytes, char *ret_error);

/* Ring `index` is REGION_RING_FREE: threads that look for a ring find it first. */
void view_ring_is_free(const struct view *view, uint32_t index);
/* Words and class of ring `index`; ret_words is their number. */
const uint64_t *view_ring_words(const struct view *view, uint32_t index, uint64_t *ret_words);

static inline uint64_t view_load64(const void *word)
{
	return __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
}

static inline uint32_t view_load32(const void *word)
{
	return __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
}

/*
 * Loads a word that announces others: they were stored before it, and are loaded after it.
 */
static inline uint64_t view_acquire64(const void *word)
{
	return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

static inline uint32_t view_acquire32(const void *word)
{
	return __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE);
}

/*
 * What the program asks of the family's source: FAMILY_WORD of families.def. Not checked: it may be
 * any number.
 */
static inline uint64_t view_family_word(const struct view *view, enum evt_family family)
{
	return view_load64(&view->header->family[family]);
}

/*
 * Stores a line for the program to print. A program that reads it meanwhile finds nothing or the
 * whole line.
 */
void view_say(struct region_header *header, const char *text);

/* For a futex in the region, shared between processes. */
void view_futex_wake(void *word);
/* Returns when the word no longer holds `value`, somebody wakes it, or the time is over. */
void view_futex_wait(void *word, uint32_t value, uint64_t timeout_ns);

#endif
