/* SPDX-License-Identifier: MIT */
/*
 * For tests of stacks: a lane that nobody drains, the frames that are in it, and a judge: libgcc's
 * unwinder, which reads the same tables by other code and remembers nothing. Static inline: a test
 * includes it and is one program.
 */
#ifndef TESTS_UNIT_STACK_JUDGE_H
#define TESTS_UNIT_STACK_JUDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "tests/unit/plain_clock.h"
#include "collector/format/frame_flags.h"
#include "preload/record/entry.h"
#include "preload/stacks/stack.h"

#define JUDGE_FRAMES 5000u
#define JUDGE_WORDS (1u << 22)
#define JUDGE_NAMES (1u << 20)

uint64_t recorder_base;
union recorder_page recorder_page;

struct judge_name {
	uint64_t id, parent, word;
};

/* One a thread. */
struct judge {
	struct region_ring ring;
	struct recorder_lane lane;
	uint64_t read; /* words of the lane that have been looked at */
	struct judge_name *name;
	uintptr_t ip[JUDGE_FRAMES];
	bool exact[JUDGE_FRAMES];
	unsigned int frames;
	uint64_t compared, truncated, wrong;
};

/* Stacks that could not be had; the test's only one that is counted. */
static uint64_t judge_missed;
/* Records that found no room, as the recorder counts them. */
static uint64_t judge_dropped;

void entry_count_lost(enum entry_lost what)
{
	if (what == ENTRY_LOST_STACK)
		__atomic_fetch_add(&judge_missed, 1, __ATOMIC_RELAXED);
}

/* Called when the lane is full: then it stays so. */
bool recorder_make_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	judge_dropped++;
	return false;
}

bool recorder_find_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

static inline struct judge *judge_new(void)
{
	struct judge *j = calloc(1, sizeof(*j));

	if (!j)
		abort();
	j->lane = (struct recorder_lane){ .words = calloc(JUDGE_WORDS, 8),
					  .limit = JUDGE_WORDS,
					  .mask = JUDGE_WORDS - 1,
					  .ring = &j->ring };
	j->name = calloc(JUDGE_NAMES, sizeof(*j->name));
	if (!j->lane.words || !j->name)
		abort();
	return j;
}

static inline void judge_free(struct judge *j)
{
	free(j->lane.words);
	free(j->name);
	free(j);
}

static inline struct judge_name *judge_name(struct judge *j, uint64_t id)
{
	uint64_t at = id;

	while (j->name[at % JUDGE_NAMES].id && j->name[at % JUDGE_NAMES].id != id)
		at++;
	return &j->name[at % JUDGE_NAMES];
}

static inline void judge_read_lane(struct judge *j)
{
	for (; j->read < j->lane.head; j->read += RECORD_FRAME_WORDS) {
		const uint64_t *at = &j->lane.words[j->read];
		struct judge_name *name = judge_name(j, at[1]);

		if (record_type(at[0]) != RECORD_FRAME || !at[1] || at[1] >> RECORD_STACK_BITS)
			abort();
		if (name->id && (name->parent != at[2] || name->word != at[3]))
			abort(); /* one id, two frames */
		*name = (struct judge_name){ at[1], at[2], at[3] };
	}
	/* the lane begins anew: what is in it has been read */
	j->lane.head = j->read = 0;
}

static inline _Unwind_Reason_Code judge_visit(struct _Unwind_Context *context, void *arg)
{
	struct judge *j = arg;
	int exact = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &exact);

	if (!ip || j->frames == JUDGE_FRAMES)
		return _URC_END_OF_STACK;
	j->exact[j->frames] = exact;
	j->ip[j->frames++] = ip;
	return _URC_NO_REASON;
}

/* All frames of whoever calls this, innermost first. */
static __attribute__((noinline)) void judge_by_libgcc(struct judge *j)
{
	_Unwind_Backtrace(judge_visit, j);
}

/* Which unwinder judges. */
static void (*judge_collect)(struct judge *j) = judge_by_libgcc;

static inline void judge_print(struct judge *j, unsigned int at, uint64_t id)
{
	fprintf(stderr, "stack of thread differs; judge, ours:\n");
	for (; at < j->frames || id; at++) {
		struct judge_name *name = judge_name(j, id);

		fprintf(stderr, "  %#lx%s %#lx flags %lu\n", at < j->frames ? j->ip[at] : 0,
			at < j->frames && j->exact[at] ? " exact" : "",
			id ? name->word & ((1ul << RECORD_FRAME_SHIFT) - 1) : 0,
			id ? name->word >> RECORD_FRAME_SHIFT : 0);
		id = id ? name->parent : 0;
	}
}

/*
 * Is `id` the stack whose frames the judge has collected, from the `at`th on? What names them has
 * been read.
 */
static __attribute__((noinline, unused)) void judge_collected(struct judge *j, unsigned int at,
							      uint64_t id, unsigned int limit)
{
	unsigned int depth = 0;
	uint64_t frame = id;
	bool right = true;

	for (unsigned int i = at; frame && right; i++, depth++) {
		struct judge_name *name = judge_name(j, frame);
		uint64_t flags = name->word >> RECORD_FRAME_SHIFT;

		right = name->id && i < j->frames &&
			j->ip[i] == (name->word & ((1ull << RECORD_FRAME_SHIFT) - 1)) &&
			j->exact[i] == !!(flags & FRAME_IS_EXACT);
		frame = name->parent;
		if (!frame && flags & FRAME_IS_TRUNCATED)
			j->truncated++;
		else if (!frame)
			right &= i + 1 == j->frames;
		else
			right &= !(flags & FRAME_IS_TRUNCATED);
	}
	if (id && right && depth <= limit) {
		j->compared++;
		return;
	}
	j->wrong++;
	if (j->wrong < 4)
		judge_print(j, at, id);
}

/*
 * The judge's own frames, down to the function that was to return to `caller`: how many there are.
 */
static inline unsigned int judge_inner(const struct judge *j, const void *caller)
{
	unsigned int at = 0;

	while (at < j->frames && j->ip[at] != (uintptr_t)caller)
		at++;
	return at;
}

/*
 * Is `id` the stack of the function that was to return to `caller`? Truncated stacks are to be
 * right as far as they go; the limit of depth is `limit`. The caller of this must not be inlined.
 */
static __attribute__((noinline, unused)) void judge_compare(struct judge *j, uint64_t id,
							    void *caller, unsigned int limit)
{
	judge_read_lane(j);
	j->frames = 0;
	judge_collect(j);
	judge_collected(j, judge_inner(j, caller), id, limit);
}

#endif
