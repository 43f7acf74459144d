/* SPDX-License-Identifier: MIT */
/*
 * See stack.h; README.md has the reasons. A stack is walked from the hook outwards until a frame stands where the
 * thread's last stack had it and all that was read further out reads the same; the rest is that of the last stack.
 */
#include "preload/stacks/stack.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#include "preload/base/object.h"
#include "preload/record/entry.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/step.h"

/* other C libraries have neither; they are not called there */
#pragma weak getcontext
#pragma weak makecontext

#define SAME_BITS (STEP_ADDRESS | STEP_EXACT)
#define OWN_FRAMES_MAX 16u     /* of this library, between a hook and its record */
#define WRAPPERS_MAX 4u        /* that a plain caller is looked for behind */
#define FALLBACK_ENTRIES 1024u /* of the tables where memory is scarce */

unsigned int stack_families;
unsigned int stack_native_families, stack_python_families;
unsigned int stack_without;
uint64_t (*stack_python)(struct recorder_lane *lane);
uint64_t (*stack_join)(struct recorder_lane *lane, uint64_t native, uint64_t python);
static unsigned int depth_limit;

/* --- start --- */

static void context_nowhere(void)
{
}

/* makecontext() lets the function return into the middle of nowhere, whose frame no table calls the outermost. */
static uintptr_t context_outermost(void)
{
	static char stack[4096] __attribute__((aligned(16)));
	ucontext_t context;

	if (getcontext(&context))
		return 0;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	context.uc_link = NULL;
	makecontext(&context, context_nowhere, 0);
	return *(const uintptr_t *)context.uc_mcontext.gregs[REG_RSP];
}

int stack_begin(unsigned int families, uint64_t entries, unsigned int depth)
{
	if (!object_can_be_found())
		return -ENOSYS;
	if (!depth_limit)
		depth_limit = depth;
	if (!stack_threads_begin(depth_limit))
		return -ENOMEM;
	if (!rules_begin(entries, context_outermost()) &&
	    !rules_begin(FALLBACK_ENTRIES, context_outermost()))
		return -ENOMEM;
	if (!frame_names_begin(entries) && !frame_names_begin(FALLBACK_ENTRIES))
		return -ENOMEM;
	stack_families = stack_native_families = families;
	return 0;
}

void stack_forked(void)
{
	frame_names_forked();
	stack_threads_forked();
}

/* --- what the thread remembers --- */

/* Changes when rules or names of frames have become stale. */
static uint64_t epoch_now(void)
{
	return rules_epoch() | frame_names.generation;
}

static uint64_t frame_first_read(const struct stack_thread *t, unsigned int frame)
{
	return t->frame[frame].name >> STACK_READ_SHIFT & STACK_READ_MASK;
}

static bool frame_is_at(const struct stack_frame *f, const struct step_place *p)
{
	return f->rsp == p->rsp && (f->word & SAME_BITS) == p->word &&
	       (f->rbp == p->rbp || !(f->name & STACK_RBP_IS_LIVE));
}

/* Which of the reads [0, end) is the first from the end that reads something else; -1: none. */
static inline int64_t reads_differ(const struct stack_read *read, int64_t end)
{
#pragma GCC unroll 4
	for (read += end - 1; end > 0; end--, read--)
		if (__builtin_expect(*read->at != read->value, 0))
			break;
	return end - 1;
}

/* The innermost `frames` + 1 of the outer ones stand; of those how many are known to lie further out than a change. */
static unsigned int frames_beyond(const struct stack_thread *t, unsigned int frames, int64_t read)
{
	while (frames && (int64_t)frame_first_read(t, frames - 1) > read)
		frames--;
	return frames ? frames - 1 : 0;
}

/* --- a walk --- */

struct walk {
	struct stack_thread *thread;
	struct step_span span;
	unsigned int known; /* frames of the last stack that may still stand */
	bool known_is_cut;
	unsigned int fresh; /* frames that were stepped */
	unsigned int stand; /* frames of the last stack that go on where these end */
	bool cut;
};

/* May `stand` frames of the last stack follow the fresh ones? One that was cut has as many as may be. */
static bool walk_fits(const struct walk *w, unsigned int stand)
{
	unsigned int depth = w->fresh + stand;

	return w->known_is_cut ? depth == depth_limit : depth <= depth_limit;
}

/* Does the last stack go on from here? */
static bool walk_meets(struct walk *w, const struct step_place *p)
{
	struct stack_thread *t = w->thread;
	int64_t read;

	while (w->known && t->frame[w->known - 1].rsp < p->rsp)
		w->known--;
	if (!w->known || !frame_is_at(&t->frame[w->known - 1], p))
		return false;
	if (!walk_fits(w, w->known)) {
		w->known = 0;
		return false;
	}
	read = reads_differ(t->read, (int64_t)frame_first_read(t, w->known));
	if (read >= 0) {
		w->known = frames_beyond(t, w->known, read);
		return false;
	}
	w->stand = w->known;
	return true;
}

static void walk_frames(struct walk *w, struct step_place p)
{
	for (;;) {
		struct stack_fresh *f = &w->thread->fresh[w->fresh];
		enum step_end end;

		if (walk_meets(w, &p))
			return;
		if (w->fresh == depth_limit) {
			w->cut = true;
			w->thread->fresh[w->fresh - 1].word |= (uint64_t)FRAME_IS_TRUNCATED
							       << RECORD_FRAME_SHIFT;
			return;
		}
		f->rsp = p.rsp;
		f->word = p.word;
		f->rbp = p.rbp;
		f->rule = step_rule(&p);
		f->load.at = f->saved.at = f->ret.at = NULL;
		if (f->rule & RULE_IS_WRAPPER)
			f->word |= (uint64_t)FRAME_IS_WRAPPER << RECORD_FRAME_SHIFT;
		w->fresh++;
		end = step_out(&w->span, &p, f);
		if (end == STEP_GOES_ON)
			continue;
		if (end == STEP_CUT)
			f->word |= (uint64_t)FRAME_IS_TRUNCATED << RECORD_FRAME_SHIFT;
		return;
	}
}

/* --- into what the thread remembers --- */

static bool rule_uses_rbp(uint64_t rule)
{
	return rule_kind(rule) == RULE_RBP || rule_kind(rule) == RULE_RBP_LOAD ||
	       rule_rbp(rule) == RULE_RBP_BY_RBP;
}

/* What is checked last comes first: the places of others may depend on what `load` reads. */
static unsigned int fresh_put_reads(const struct stack_fresh *f, bool rbp_is_wanted,
				    struct stack_read *read)
{
	unsigned int used = 0;

	if (f->ret.at)
		read[used++] = f->ret;
	if (f->saved.at && rbp_is_wanted)
		read[used++] = f->saved;
	if (f->load.at)
		read[used++] = f->load;
	return used;
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
	return depth;
}

static inline void walk_note(struct stack_thread *t, unsigned int fresh, uint64_t name_home)
{
	uint64_t walk = ahead_walk(name_home);

	for (unsigned int i = 0; i < AHEAD_RULES && i < fresh; i++) {
		uint64_t word = t->fresh[i].word;
		uint64_t exact = word & STEP_EXACT ? RULES_EXACT : 0;

		walk |= ahead_walk_rule(rule_home(word & STEP_ADDRESS, exact), i);
	}
	ahead_note(&t->ahead, walk, &frame_names.entry[name_home]);
}

/* Outermost first; how many frames are known then. */
static inline __attribute__((always_inline)) unsigned int walk_keep(const struct walk *w,
								    struct recorder_lane *lane)
{
	struct stack_thread *t = w->thread;
	struct stack_frame *to = &t->frame[w->stand];
	unsigned int end = w->stand + w->fresh;
	struct frame_chain chain = { 0 };
	bool live = false;
	uint64_t reads = to->name >> STACK_READ_SHIFT & STACK_READ_MASK;

	if (w->stand) {
		chain.id = to[-1].name & (RECORD_STACK_BIT - 1);
		chain.path = to[-1].path;
		live = to[-1].name & STACK_RBP_IS_LIVE;
	} else {
		reads = 0;
	}
	if (reads > (uint64_t)w->stand * STACK_READS_MAX)
		return 0; /* a signal handler came in between; stack_walk() will see it, too */
	for (const struct stack_fresh *f = &t->fresh[w->fresh]; f-- > t->fresh; to++) {
		bool outer_live = live;

		frame_chain_add(&chain, f->word);
		live = rule_uses_rbp(f->rule) || (outer_live && !f->saved.at);
		*to = (struct stack_frame){ f->rsp, f->word, f->rbp,
					    chain.id | reads << STACK_READ_SHIFT |
						    (uint64_t)live << STACK_RBP_IS_LIVE_SHIFT,
					    chain.path };
		reads += fresh_put_reads(f, outer_live, &t->read[reads]);
	}
	to->name = reads << STACK_READ_SHIFT;
	if (w->fresh)
		walk_note(t, w->fresh, chain.hash & frame_names.mask);
	if (__builtin_expect(frame_chain_is_sent(&chain), 1))
		return end;
	end = frames_send(t, lane, w->stand, end);
	t->frame[end].name &= STACK_READ_MASK << STACK_READ_SHIFT;
	return end;
}

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

/* In a forked child, whoever was interrupted has a lane without words: its record goes nowhere either. */
static uint64_t miss(const struct recorder_lane *lane)
{
	if (lane->mask)
		entry_count_lost(ENTRY_LOST_STACK);
	return 0;
}

static __attribute__((noinline)) uint64_t stack_walk(struct stack_thread *t,
						     struct recorder_lane *lane,
						     struct step_place p)
{
	uint64_t epoch = epoch_now();
	unsigned int frames = t->epoch == epoch ? t->state & STACK_STATE_FRAMES : 0;
	uint64_t state = state_begin(t);
	struct walk w = {
		.thread = t, .span = span_of(t, p.rsp), .known = frames, .known_is_cut = t->cut
	};
	unsigned int depth;

	walk_frames(&w, p);
	depth = walk_keep(&w, lane);
	t->epoch = epoch;
	t->cut = w.stand ? t->cut : w.cut;
	t->low = w.span.low;
	t->high = w.span.high;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!state_replace(t, state, state | depth)) {
		(void)state_begin(t);
		return miss(lane);
	}
	if (depth < w.stand + w.fresh || !depth)
		return miss(lane);
	return t->frame[depth - 1].name & (RECORD_STACK_BIT - 1);
}

/* Of a thread that remembers nothing: its first stack, or one after its end. */
static __attribute__((noinline)) uint64_t stack_first(struct recorder_lane *lane,
						      struct step_place p)
{
	struct stack_thread *t = stack_thread_claim();
	uint64_t id;

	if (t)
		return stack_walk(t, lane, p);
	t = stack_thread_borrow();
	if (!t)
		return miss(lane);
	id = stack_walk(t, lane, p);
	stack_thread_return(t);
	return id;
}

static inline __attribute__((always_inline)) uint64_t id_at(struct recorder_lane *lane,
							    struct step_place p)
{
	struct stack_thread *t = stack_self;
	uint64_t state, id;
	unsigned int frames;

	if (__builtin_expect(!t || !t->frame, 0))
		return stack_first(lane, p);
	state = __atomic_load_n(&t->state, __ATOMIC_RELAXED);
	frames = state & STACK_STATE_FRAMES;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (frames && frame_is_at(&t->frame[frames - 1], &p) && t->epoch == epoch_now() &&
	    reads_differ(t->read, (int64_t)frame_first_read(t, frames)) < 0) {
		id = t->frame[frames - 1].name & (RECORD_STACK_BIT - 1);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == state)
			return id;
	}
	return stack_walk(t, lane, p);
}

static inline struct step_place place_of(void *const *frame)
{
	return (struct step_place){ (uintptr_t)frame[1], (uintptr_t)(frame + 2),
				    (uintptr_t)frame[0] };
}

uint64_t stack_id(struct recorder_lane *lane, void *const *frame)
{
	return id_at(lane, place_of(frame));
}

static struct step_span own;

void stack_set_own(uintptr_t low, uintptr_t high)
{
	own = (struct step_span){ low, high };
}

static __attribute__((noinline)) uint64_t stack_of_python(struct recorder_lane *lane)
{
	uint64_t id = stack_python ? stack_python(lane) : 0;

	__asm__ volatile(
		""
		: "+r"(id)); /* a call and no jump: reaches.txt names it by this function */
	return id;
}

/* Native frames alone where the thread runs no Python, or where one does not fit the other. */
static __attribute__((noinline)) uint64_t stack_of_both(struct recorder_lane *lane,
							struct step_place p)
{
	uint64_t python = stack_of_python(lane), native, id;

	if (python && !stack_join)
		return python;
	native = id_at(lane, p);
	if (!python || !native)
		return native;
	id = stack_join(lane, native, python);
	__asm__ volatile("" : "+r"(id));
	if (!id)
		(void)miss(lane);
	return id ? id : native;
}

/* Native frames, Python's or both, whatever the family has. */
static inline __attribute__((always_inline)) uint64_t id_for(struct recorder_lane *lane,
							     enum evt_family family,
							     struct step_place p)
{
	if (__builtin_expect(stack_python_families >> family & 1, 0))
		return stack_native_families >> family & 1 ? stack_of_both(lane, p)
							   : stack_of_python(lane);
	return id_at(lane, p);
}

uint64_t stack_outside(struct recorder_lane *lane, enum evt_family family)
{
	struct step_place p = place_of(STACK_FRAME);
	struct step_span span = { memory_page(p.rsp - 8), memory_page(p.rsp - 8) + MEMORY_PAGE };

	for (unsigned int i = 0; p.word - own.low < own.high - own.low; i++) {
		struct stack_fresh f = { .rule = step_rule(&p) };

		if (i == OWN_FRAMES_MAX || step_out(&span, &p, &f) != STEP_GOES_ON)
			return miss(lane);
	}
	return id_for(lane, family, p);
}

/* --- records --- */

/* The innermost frame that is no wrapper. */
static uint64_t plain_caller(void *const *frame)
{
	struct step_place p = place_of(frame);
	struct step_span span = { memory_page(p.rsp - 8), memory_page(p.rsp - 8) + MEMORY_PAGE };
	uint64_t address = p.word;

	for (unsigned int i = 0; i < WRAPPERS_MAX; i++) {
		struct stack_fresh f = { .rule = step_rule(&p) };

		if (!(f.rule & RULE_IS_WRAPPER) || step_out(&span, &p, &f) != STEP_GOES_ON)
			break;
		address = p.word & STEP_ADDRESS;
	}
	return address;
}

uint64_t stack_here(struct recorder_lane *lane, void *const *frame)
{
	uint64_t id = id_for(lane, EVT_FAMILY_alloc, place_of(frame));

	return id ? id | RECORD_STACK_BIT : plain_caller(frame);
}

uint64_t stack_here_of(struct recorder_lane *lane, enum evt_family family, void *const *frame)
{
	uint64_t id = id_for(lane, family, place_of(frame));

	return id ? id | RECORD_STACK_BIT : plain_caller(frame);
}

uint64_t *stack_room(struct recorder_lane *lane, uint64_t stack, uint64_t ticks, unsigned int words)
{
	uint64_t *at;

	if (!stack)
		return recorder_room(lane, words);
	at = recorder_room(lane, RECORD_STACK_WORDS + words); /* both or none */
	if (!at)
		return NULL;
	at[0] = record_word(ticks, RECORD_STACK);
	at[1] = stack;
	recorder_publish(lane, RECORD_STACK_WORDS);
	return at + RECORD_STACK_WORDS;
}

bool stack_put(struct recorder_lane *lane, uint64_t stack, uint32_t type, uint64_t ticks,
	       const uint64_t *field, unsigned int fields)
{
	uint64_t *at = stack_room(lane, stack, ticks, fields + 1);

	if (!at)
		return false;
	at[0] = record_word(ticks, type);
	for (unsigned int i = 0; i < fields; i++)
		at[i + 1] = field[i];
	recorder_publish(lane, fields + 1);
	return true;
}
