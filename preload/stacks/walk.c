/* SPDX-License-Identifier: MIT */
/*
 * Fresh frames are collected until one equals a known frame and all words read further out are
 * unchanged. Then they replace the known frames inside of it. `state` shows whether a signal
 * handler has walked meanwhile.
 */

/*
 * gcc packs pairs of words into vectors and unpacks them again within the walk; a walk of 80 frames
 * took a sixth longer
 */
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "preload/stacks/walk.h"

#include "collector/arch/arch.h"

/* --- which part of the last stack is still valid --- */

struct walk {
	struct stack_thread *thread;
	struct step_span span;
	const struct stack_frame *known; /* the innermost known frame that may still be valid */
	const struct stack_fresh *end;   /* end of the frames that were stepped over */
	/* number of frames of the last stack that continue the fresh ones */
	unsigned int stand;
	bool known_is_cut, cut;
};

/*
 * The word at `read` has changed, so frames further in are invalid. Returns the first frame further
 * out, at or below `last`, that may still be valid.
 */
static const struct stack_frame *frames_beyond(const struct stack_thread *t,
					       const struct stack_frame *last,
					       const struct stack_read *read)
{
	while (last >= t->frame && frame_first_read(t, last) > read)
		last--;
	return last >= t->frame ? last - 1 : last;
}

/*
 * True if `stand` frames of the last stack may follow the fresh ones. If the last stack was cut,
 * the result must have exactly the maximum depth.
 */
static inline bool walk_fits(const struct walk *w, uint64_t depth)
{
	return w->known_is_cut ? depth == stack_depth_limit : depth <= stack_depth_limit;
}

/*
 * The walk has reached a frame of the last stack, after `fresh` fresh frames. Returns true if all
 * frames further out are still valid.
 */
static inline __attribute__((always_inline)) bool walk_meets(struct walk *w, uint64_t fresh)
{
	const struct stack_thread *t = w->thread;
	uint64_t stand = (uint64_t)(w->known - t->frame) + 1;
	const struct stack_read *read;

	if (!walk_fits(w, fresh + stand)) {
		w->known = t->frame - 1;
		return false;
	}
	read = reads_differ(t, frame_first_read(t, w->known + 1));
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

static inline __attribute__((always_inline)) void walk_frames_here(struct walk *w,
								   struct step_place p,
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

/* --- storing the result in the thread's data --- */

static bool rule_uses_rbp(uint64_t rule)
{
	return rule_kind(rule) == RULE_RBP || rule_kind(rule) == RULE_RBP_LOAD ||
	       rule_rbp(rule) == RULE_RBP_BY_RBP;
}

/*
 * The read that is checked last is stored first: the places of the others may depend on the word
 * that `load` read.
 */
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

/*
 * The values are those in the next outer frame. The place of rbp is always written; there is room
 * for one more.
 */
static inline struct stack_read *fresh_put_reads(const struct stack_fresh *f, uint64_t rbp_is_saved,
						 struct stack_read *read)
{
	const struct stack_fresh *outer = f + 1;
	uint64_t saved = usual_saved_at(f->rule, outer->rsp);

	read[0] = (struct stack_read){ (const uint64_t *)(outer->rsp - 8), outer->word };
	read[1] = (struct stack_read){ (const uint64_t *)saved, outer->rbp };
	return read + 1 + rbp_is_saved;
}

/*
 * Sends those of the `end` frames that the collector does not have yet, outermost first. Returns
 * the id of the innermost frame; 0: the ring had no room. A signal handler may replace the frames
 * meanwhile. Each frame is read once and sent as read, so whatever is sent is correct.
 */
static __attribute__((noinline)) uint64_t frames_send(const struct stack_thread *t,
						      struct recorder_lane *lane, unsigned int end)
{
	uint64_t parent = 0, path = 0, word;
	unsigned int depth = end;

	for (; depth && !parent; depth -= !parent) {
		path = __atomic_load_n(&t->frame[depth - 1].path, __ATOMIC_RELAXED);
		parent = frame_is_sent(path) ? frame_id_of(path) : 0;
	}
	if (!parent)
		path = 0;
	for (; depth < end; depth++) {
		word = __atomic_load_n(&t->frame[depth].word, __ATOMIC_RELAXED);
		path = frame_path(path, word);
		parent = frame_name(lane, parent, word, path);
		if (!parent)
			return 0;
	}
	return parent;
}

/*
 * Stores the fresh frames, outermost first. Returns the frame behind the last one, which holds the
 * end of the reads. NULL: the last stack has changed meanwhile.
 */
static inline __attribute__((always_inline)) struct stack_frame *walk_put_frames(
	const struct walk *w)
{
	struct stack_thread *t = w->thread;
	struct stack_frame *to = &t->frame[w->stand];
	uint64_t live = 0, path = 0;
	struct stack_read *read = t->read;

	if (w->stand) {
		path = to[-1].path;
		live = to[-1].first & STACK_RBP_IS_LIVE;
		read = (struct stack_read *)frame_first_read(t, to);
	}
	if (__builtin_expect(read - t->read > (ptrdiff_t)w->stand * STACK_READS_MAX, 0))
		return NULL; /* a signal handler interrupted; stack_walk() will notice it too */
	for (const struct stack_fresh *f = w->end; f-- > t->fresh; to++) {
		uint64_t word = f->word |
				(f->rule & RULE_IS_WRAPPER) / RULE_IS_WRAPPER *
					((uint64_t)FRAME_IS_WRAPPER << RECORD_FRAME_SHIFT);
		uint64_t first = (uint64_t)((char *)read - (char *)t->read);

		path = frame_path(path, word);
		if (__builtin_expect(f->rule & RULE_IS_USUAL, 1)) {
			uint64_t is_saved = (f->rule & USUAL_SAVED_MASK) != 0;

			read = fresh_put_reads(f, live & is_saved, read);
			live = (f->rule & USUAL_BY_RBP) / USUAL_BY_RBP | (live & ~is_saved);
		} else {
			read = fresh_put_rare_reads(f, live, read);
			live = rule_uses_rbp(f->rule) || (live && !f->saved.at);
		}
		to->rsp = f->rsp;
		to->word = word;
		to->rbp = f->rbp;
		to->first = first | live;
		to->path = path;
	}
	to->first = (uint64_t)((char *)read - (char *)t->read);
	return to;
}

/* Returns how many frames are known now, and the id of the stack. An id of 0 means missed. */
static inline __attribute__((always_inline)) unsigned int walk_keep(const struct walk *w,
								    struct recorder_lane *lane,
								    uint64_t *ret_id)
{
	struct stack_thread *t = w->thread;
	const struct stack_frame *end = walk_put_frames(w);
	uint64_t path;

	if (__builtin_expect(!end || end == t->frame, 0))
		return 0;
	path = end[-1].path;
	*ret_id = frame_id_of(path);
	if (w->end != t->fresh)
		ahead_note(&t->ahead, frame_home(*ret_id));
	if (__builtin_expect(!frame_is_sent(path), 0))
		*ret_id = frames_send(t, lane, (unsigned int)(end - t->frame));
	return (unsigned int)(end - t->frame);
}

/* --- between two stacks --- */

/*
 * The number of frames is 0 while they change. If a signal handler records on this thread
 * meanwhile, it starts again and changes the count of changes. One instruction compares and stores,
 * so that no handler can come in between.
 */
static bool state_replace(struct stack_thread *t, uint64_t from, uint64_t to)
{
	return arch_word_replace(&t->state, from, to);
}

/*
 * From here on the thread knows no frames. Returns how many it knew before. This is one
 * instruction: a handler that came between a load and a store would leave other frames than were
 * counted. Everything else about the frames is read after this.
 */
static inline unsigned int state_begin(struct stack_thread *t, uint64_t *ret_state)
{
	uint64_t from;

	do {
		from = __atomic_load_n(&t->state, __ATOMIC_RELAXED);
		*ret_state = (from | STACK_STATE_FRAMES) + 1;
	} while (__builtin_expect(!state_replace(t, from, *ret_state), 0));
	return (unsigned int)(from & STACK_STATE_FRAMES);
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
	uint64_t state;
	unsigned int frames = state_begin(t, &state);
	struct walk w = { .thread = t,
			  .span = span_of(t, p.rsp),
			  .known = &t->frame[t->epoch == epoch ? frames : 0] - 1,
			  .known_is_cut = t->cut };
	unsigned int depth;
	uint64_t id = 0;

	walk_frames_here(&w, p, rules_epoch_bits(epoch));
	depth = walk_keep(&w, lane, &id);
	if (__builtin_expect(!id, 0))
		depth = 0;
	t->id = id;
	t->epoch = epoch;
	t->cut = w.stand ? t->cut : w.cut;
	t->low = w.span.low;
	t->high = w.span.high;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(!state_replace(t, state, state | depth), 0)) {
		(void)state_begin(t, &state);
		return walk_missed(lane);
	}
	return __builtin_expect(id, 1) ? id : walk_missed(lane);
}
