/* SPDX-License-Identifier: MIT */
/*
 * Pairs that were joined before are remembered in a bounded table of the process, and also in the
 * order of their first join. A program that repeats itself asks for them in that order. So the next
 * pair is beside the last one, where the table would miss the cache for each.
 */
#include "preload/pyframes/join.h"

#include "collector/format/frame_flags.h"
#include "preload/pyframes/id_cache.h"
#include "preload/pyframes/page.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/pages.h"
#include "preload/stacks/thread.h"

#define PAIRS (1u << 17)
#define TRAIL_BITS 16u
#define TRAIL_MASK ((1u << TRAIL_BITS) - 1)
#define TRAIL_AHEAD 2u /* entries that are checked: one may be left out */

_Static_assert(RECORD_STACK_BITS + TRAIL_BITS <= 64, "an id and a place of the trail in one word");

static struct {
	struct id_entry *pair;  /* key: a pair; value: its joined id and a place on the trail */
	struct id_entry *trail; /* a ring of joined pairs */
	uint32_t trail_next;
	/* offsets in a thread state and in the struct of its chain; 0: none */
	unsigned int chain, previous;
} join;

bool join_begin(const struct python_layout *layout)
{
	if (!layout->entry_chain && !layout->frame_owner)
		return false;
	join.chain = layout->entry_chain;
	join.previous = layout->entry_previous;
	if (!join.pair)
		join.pair = pages_map(PAIRS * sizeof(*join.pair));
	if (!join.trail)
		join.trail = pages_map((TRAIL_MASK + 1) * sizeof(*join.trail));
	return join.pair && join.trail;
}

/*
 * Follows the chain of structs on the thread's own stack, innermost first. There are as many as
 * functions that C called.
 */
static bool entries_of_chain(struct stack_python *t)
{
	uint64_t at = *(const uint64_t *)(uintptr_t)(t->thread + join.chain);

	for (uint32_t i = t->frames; i-- > 0;) {
		if (!t->frame[i].is_entry)
			continue;
		if (at < MEMORY_PAGE || at >> ARCH_ADDRESS_BITS || at % 8 ||
		    !pyframes_page_is_readable(t, memory_page(at)) ||
		    !pyframes_page_is_readable(t, memory_page(at + join.previous)))
			return false;
		t->frame[i].entry = at;
		at = *(const uint64_t *)(uintptr_t)(at + join.previous);
	}
	return true;
}

/*
 * Finds where on the native stack the interpreter was entered for each function that C called; 0:
 * further out than is known.
 */
static bool entries_find(struct stack_python *t)
{
	if (join.chain)
		return entries_of_chain(t);
	for (uint32_t i = 0; i < t->frames; i++)
		t->frame[i].entry = i && t->frame[i - 1].is_of_c ? t->frame[i - 1].frame : 0;
	return true;
}

struct joining {
	struct recorder_lane *lane;
	struct stack_python *python;
	uint32_t next; /* the next frame of Python */
	uint64_t id, path;
};

static bool join_add(struct joining *j, uint64_t word)
{
	j->path = frame_path(j->path, word);
	j->id = frame_name(j->lane, j->id, word, j->path);
	return j->id != 0;
}

/* Adds the frames that one entry runs, from j->next on. */
static bool join_entry(struct joining *j)
{
	struct stack_python *t = j->python;
	bool first = true;

	for (; j->next < t->frames; j->next++) {
		const struct stack_python_frame *f = &t->frame[j->next];

		if (f->is_of_c)
			continue;
		if (f->is_entry && !first)
			return true;
		first = false;
		if (!join_add(j, f->word))
			return false;
	}
	return true;
}

/*
 * Returns the address of the next entry. 0: it is further out than anything known. UINT64_MAX:
 * there is none.
 */
static uint64_t join_next(struct joining *j)
{
	struct stack_python *t = j->python;

	while (j->next < t->frames && t->frame[j->next].is_of_c)
		j->next++;
	return j->next < t->frames ? t->frame[j->next].entry : UINT64_MAX;
}

/* A native frame extends from its stack pointer to that of its caller. */
static uint64_t join_frames(struct recorder_lane *lane, const struct stack_thread *n,
			    struct stack_python *t)
{
	uint32_t frames = n->state & STACK_STATE_FRAMES;
	struct joining j = { .lane = lane, .python = t };

	if (!frames || !entries_find(t))
		return 0;
	while (join_next(&j) == 0 ||
	       (n->frame[0].word >> RECORD_FRAME_SHIFT & FRAME_IS_TRUNCATED &&
		join_next(&j) != UINT64_MAX && join_next(&j) >= n->frame[0].rsp))
		if (!join_entry(&j))
			return 0;
	for (uint32_t i = 0; i < frames; i++) {
		if (!join_add(&j, n->frame[i].word))
			return 0;
		while (join_next(&j) != UINT64_MAX && join_next(&j) >= n->frame[i].rsp)
			if (!join_entry(&j))
				return 0;
	}
	return join_next(&j) == UINT64_MAX ? j.id : 0;
}

/*
 * True if both are still this thread's last stacks, so no signal handler has taken others in
 * between.
 */
static bool join_holds(const struct stack_thread *n, uint64_t native, uint64_t python)
{
	uint32_t frames = n->state & STACK_STATE_FRAMES;

	return frames && n->python.frames && n->id == native &&
	       n->python.frame[n->python.frames - 1].id == python;
}

static __attribute__((noinline)) uint64_t join_new(struct recorder_lane *lane, uint64_t native,
						   uint64_t python)
{
	struct stack_thread *n = stack_self;
	uint64_t state, changes, id;

	if (!n || !n->frame || !join_holds(n, native, python))
		return 0;
	state = n->state;
	changes = n->python.changes;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	id = join_frames(lane, n, &n->python);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return n->state == state && n->python.changes == changes ? id : 0;
}

/* Returns the id at that place of the trail if it belongs to the key, else 0. */
static inline uint64_t trail_at(uint64_t place, uint64_t key)
{
	const struct id_entry *at = &join.trail[place & TRAIL_MASK];
	uint64_t id = __atomic_load_n(&at->id, __ATOMIC_RELAXED);

	return (__atomic_load_n(&at->mark, __ATOMIC_RELAXED) ^ id) == key ? id : 0;
}

static uint64_t join_trail_add(uint64_t key, uint64_t id)
{
	uint64_t place = __atomic_fetch_add(&join.trail_next, 1, __ATOMIC_RELAXED) & TRAIL_MASK;

	id_cache_put(&join.trail[place], key, id);
	return place;
}

/* For a pair that is not next on the trail. Sets *trail to where the trail goes on. */
static __attribute__((noinline)) uint64_t join_apart(struct recorder_lane *lane, uint64_t native,
						     uint64_t python, uint64_t key, uint64_t *trail)
{
	struct id_entry *at;
	uint64_t found = id_cache_find(join.pair, PAIRS, key, &at);
	uint64_t id = found & ((1ull << RECORD_STACK_BITS) - 1), place = found >> RECORD_STACK_BITS;

	if (!id)
		id = join_new(lane, native, python);
	if (!id)
		return 0;
	if (!found || trail_at(place, key) != id) {
		place = join_trail_add(key, id);
		id_cache_put(at, key, id | place << RECORD_STACK_BITS);
	}
	*trail = place + 1;
	return id;
}

uint64_t join_stacks(struct recorder_lane *lane, uint64_t native, uint64_t python)
{
	uint64_t key = frame_mix(native, python + (frame_names.generation << RECORD_STACK_BITS));
	uint64_t nowhere = 0, *trail = stack_self ? &stack_self->python.trail : &nowhere;

	for (uint64_t i = 0; i < TRAIL_AHEAD; i++) {
		uint64_t id = trail_at(*trail + i, key);

		if (id) {
			*trail += i + 1;
			return id;
		}
	}
	return join_apart(lane, native, python, key, trail);
}
