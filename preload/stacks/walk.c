/* SPDX-License-Identifier: MIT */
/* See walk.h. */

/* gcc packs pairs of words into vectors and takes them apart again within the walk: a walk of 80 frames took a sixth longer */
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "preload/stacks/walk.h"

/* --- what of the last stack still stands --- */

struct walk {
	struct stack_thread *thread;
	struct step_span span;
	const struct stack_frame *known; /* the last one that may still stand */
	const struct stack_fresh *end;   /* of the frames that were stepped */
	unsigned int stand;              /* frames of the last stack that go on where these end */
	bool known_is_cut, cut;
};

/* The frames from `last` on stand; of those that lie further out, which is known to lie beyond a change? */
static const struct stack_frame *frames_beyond(const struct stack_thread *t,
					       const struct stack_frame *last,
					       const struct stack_read *read)
{
	while (last >= t->frame && &t->read[frame_first_read(last)] > read)
		last--;
	return last >= t->frame ? last - 1 : last;
}

/* May `stand` frames of the last stack follow the fresh ones? One that was cut has as many as may be. */
static inline bool walk_fits(const struct walk *w, uint64_t depth)
{
	return w->known_is_cut ? depth == stack_depth_limit : depth <= stack_depth_limit;
}

/* The last stack's frame is where the walk is, behind `fresh` frames. Does all further out stand, too? */
static inline __attribute__((always_inline)) bool walk_meets(struct walk *w, uint64_t fresh)
{
	const struct stack_thread *t = w->thread;
	uint64_t stand = (uint64_t)(w->known - t->frame) + 1;
	const struct stack_read *read;

	if (!walk_fits(w, fresh + stand)) {
		w->known = t->frame - 1;
		return false;
	}
	read = reads_differ(t->read, &t->read[frame_first_read(w->known + 1)]);
	if (read) {
		w->known = frames_beyond(t, w->known, read);
		return false;
	}
	w->stand = (unsigned int)stand;
	return true;
}

/* --- the walk --- */

static void fresh_is_cut(struct stack_fresh *f)
{
	f->word |= (uint64_t)FRAME_IS_TRUNCATED << RECORD_FRAME_SHIFT;
}

static inline __attribute__((always_inline)) void walk_frames(struct walk *w, struct step_place p,
							      uint64_t epoch_bits)
{
	struct stack_fresh *f = w->thread->fresh, *full = f + stack_depth_limit;
	enum step_end end = STEP_GOES_ON;

	for (;; f++) {
		f->word = p.word;
		f->rsp = p.rsp;
		f->rbp = p.rbp;
		while (w->known->rsp < p.rsp)
			w->known--;
		if (walk_is_at(w->known, &p) && walk_meets(w, (uint64_t)(f - w->thread->fresh)))
			break;
		if (__builtin_expect(f == full, 0)) {
			w->cut = true;
			fresh_is_cut(f - 1);
			break;
		}
		f->rule = rule_at(p.word, epoch_bits);
		if (__builtin_expect(f->rule & RULE_IS_USUAL, 1) &&
		    __builtin_expect(step_usual(&w->span, &p, f->rule), 1))
			continue;
		end = step_rarely(&w->span, &p, f);
		if (end == STEP_GOES_ON)
			continue;
		if (end == STEP_CUT)
			fresh_is_cut(f);
		f++;
		break;
	}
	w->end = f;
}

/* --- into what the thread remembers --- */

static bool rule_uses_rbp(uint64_t rule)
{
	return rule_kind(rule) == RULE_RBP || rule_kind(rule) == RULE_RBP_LOAD ||
	       rule_rbp(rule) == RULE_RBP_BY_RBP;
}

/* What is checked last comes first: the places of others may depend on what `load` reads. */
static struct stack_read *fresh_put_rare_reads(const struct stack_fresh *f, bool rbp_is_wanted,
					       struct stack_read *read)
{
	if (f->ret.at)
		*read++ = f->ret;
	if (f->saved.at && rbp_is_wanted)
		*read++ = f->saved;
	if (f->load.at)
		*read++ = f->load;
	return read;
}

/* As the frame outwards of it has them. The place of rbp is written in any case: there is room for one more. */
static inline struct stack_read *fresh_put_reads(const struct stack_fresh *f, uint64_t rbp_is_saved,
						 struct stack_read *read)
{
	const struct stack_fresh *outer = f + 1;
	uint64_t saved = outer->rsp + (uint64_t)rule_rbp_offset(f->rule);

	read[0] = (struct stack_read){ (const uint64_t *)(outer->rsp - 8), outer->word };
	read[1] = (struct stack_read){ (const uint64_t *)saved, outer->rbp };
	return read + 1 + rbp_is_saved;
}

/*
 * The collector has not been given all of the frames from `depth` on: it is now, outermost first. How many of the
 * thread's frames are known then: less than `end` when the ring had no room.
 */
static __attribute__((noinline)) unsigned int frames_send(struct stack_thread *t,
							  struct recorder_lane *lane,
							  unsigned int depth, unsigned int end)
{
	uint64_t parent = depth ? t->frame[depth - 1].name & (RECORD_STACK_BIT - 1) : 0;

	for (; depth < end; depth++) {
		struct stack_frame *f = &t->frame[depth];

		parent = frame_name(lane, parent, f->word, f->path);
		if (!parent)
			break;
		f->name = (f->name & ~(RECORD_STACK_BIT - 1)) | parent;
	}
	t->frame[depth].name &= STACK_READ_MASK << STACK_READ_SHIFT;
	return depth;
}

/* The fresh frames, outermost first; NULL: the last stack is no longer what it was. Returns the end of the reads. */
static inline __attribute__((always_inline)) struct stack_frame *walk_put_frames(
	const struct walk *w, struct frame_chain *chain)
{
	struct stack_thread *t = w->thread;
	struct stack_frame *to = &t->frame[w->stand];
	uint64_t live = 0, first = 0;
	struct stack_read *read;

	if (w->stand) {
		chain->id = to[-1].name & (RECORD_STACK_BIT - 1);
		chain->path = to[-1].path;
		live = to[-1].name >> STACK_RBP_IS_LIVE_SHIFT;
		first = frame_first_read(to);
	}
	if (__builtin_expect(first > (uint64_t)w->stand * STACK_READS_MAX, 0))
		return NULL; /* a signal handler came in between; stack_walk() will see it, too */
	read = &t->read[first];
	for (const struct stack_fresh *f = w->end; f-- > t->fresh; to++) {
		uint64_t word = f->word |
				(f->rule & RULE_IS_WRAPPER) / RULE_IS_WRAPPER *
					((uint64_t)FRAME_IS_WRAPPER << RECORD_FRAME_SHIFT);
		uint64_t reads = (uint64_t)(read - t->read) << STACK_READ_SHIFT;

		frame_chain_add(chain, word);
		if (__builtin_expect(f->rule & RULE_IS_USUAL, 1)) {
			uint64_t is_saved = f->rule >> RULE_RBP_SHIFT & 1;

			read = fresh_put_reads(f, live & is_saved, read);
			live = (f->rule >> 1 & 1) | (live & ~is_saved);
		} else {
			read = fresh_put_rare_reads(f, live, read);
			live = rule_uses_rbp(f->rule) || (live && !f->saved.at);
		}
		to->rsp = f->rsp;
		to->word = word;
		to->rbp = f->rbp;
		to->name = chain->id | reads | live << STACK_RBP_IS_LIVE_SHIFT;
		to->path = chain->path;
	}
	to->name = (uint64_t)(read - t->read) << STACK_READ_SHIFT;
	return to;
}

/* How many frames are known then. */
static inline __attribute__((always_inline)) unsigned int walk_keep(const struct walk *w,
								    struct recorder_lane *lane)
{
	struct stack_thread *t = w->thread;
	struct frame_chain chain = { 0 };
	const struct stack_frame *end = walk_put_frames(w, &chain);
	unsigned int depth;

	if (__builtin_expect(!end, 0))
		return 0;
	depth = (unsigned int)(end - t->frame);
	if (w->end != t->fresh)
		ahead_note(&t->ahead, chain.hash & frame_names.mask);
	if (__builtin_expect(frame_chain_is_sent(&chain), 1))
		return depth;
	return frames_send(t, lane, w->stand, depth);
}

/* --- from one stack to the next --- */

/*
 * The number of frames is 0 while they change. A signal handler that records on this thread meanwhile begins anew and
 * leaves another count of changes: one instruction compares and stores, so that nothing comes between.
 */
static bool state_replace(struct stack_thread *t, uint64_t from, uint64_t to)
{
	bool replaced;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(replaced), "+m"(t->state), "+a"(from)
			 : "r"(to)
			 : "memory");
	return replaced;
}

static uint64_t state_begin(struct stack_thread *t)
{
	uint64_t state = (t->state | STACK_STATE_FRAMES) + 1;

	__atomic_store_n(&t->state, state, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return state;
}

static struct step_span span_of(const struct stack_thread *t, uintptr_t rsp)
{
	struct step_span span = { t->low, t->high };

	if (rsp - 8 - span.low < span.high - span.low || step_span_reach(&span, rsp - 8))
		return span;
	/* this frame's page is in use, so it can be read */
	return (struct step_span){ memory_page(rsp - 8), memory_page(rsp - 8) + MEMORY_PAGE };
}

__attribute__((noinline)) uint64_t stack_walk(struct stack_thread *t, struct recorder_lane *lane,
					      struct step_place p)
{
	uint64_t epoch = walk_epoch();
	unsigned int frames = t->epoch == epoch ? t->state & STACK_STATE_FRAMES : 0;
	uint64_t state = state_begin(t);
	struct walk w = { .thread = t,
			  .span = span_of(t, p.rsp),
			  .known = &t->frame[frames] - 1,
			  .known_is_cut = t->cut };
	unsigned int depth, wanted;

	walk_frames(&w, p, rules_epoch_bits(epoch));
	depth = walk_keep(&w, lane);
	wanted = w.stand + (unsigned int)(w.end - t->fresh);
	t->epoch = epoch;
	t->cut = w.stand ? t->cut : w.cut;
	t->low = w.span.low;
	t->high = w.span.high;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(!state_replace(t, state, state | depth), 0)) {
		(void)state_begin(t);
		return walk_missed(lane);
	}
	if (__builtin_expect(depth < wanted || !depth, 0))
		return walk_missed(lane);
	return t->frame[depth - 1].name & (RECORD_STACK_BIT - 1);
}
