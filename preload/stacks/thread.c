/* SPDX-License-Identifier: MIT */
/*
 * A slot is one mapping that contains a thread's frames, reads, fresh frames and Python frames, one
 * after the other. Slots are claimed by compare-and-swap, beginning at the one found last, and stay
 * mapped.
 */
#include "preload/stacks/thread.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/base/clock.h"
#include "preload/stacks/pages.h"
#include "preload/stacks/stack.h"

#define SLOTS 4096u
/* address space of all slots together; only the used part takes memory */
#define SLOTS_BYTES_MAX (512u << 20)

/* In .tdata, which is padded up to recorder_self in any case: TLS is scarce (case elf). */
__thread struct stack_thread *stack_self
	__attribute__((tls_model("initial-exec"), section(".tdata")));

unsigned int stack_depth_limit;
uint64_t stack_every;
/* Mapped when stacks are wanted, so that a program without stacks does not pay for it. */
static struct slot_pool {
	_Atomic(struct stack_thread *) memory[SLOTS];
	_Atomic bool taken[SLOTS];
} * pool;
static _Atomic uint32_t slot_hint; /* the slot found last */

/*
 * For a thread that found no slot, and one that has ended but still runs. They have no frames, so
 * nothing is written to them.
 */
static const struct stack_thread nobody[2];
#define WITHOUT ((struct stack_thread *)&nobody[0])
#define ENDED ((struct stack_thread *)&nobody[1])

/* One more than can be used, because fresh_put_reads() writes it. */
static size_t reads_room(void)
{
	return STACK_READS_PADS + (size_t)stack_depth_limit * STACK_READS_MAX + 1;
}

static size_t slot_bytes(void)
{
	return sizeof(struct stack_thread) + (stack_depth_limit + 2) * sizeof(struct stack_frame) +
	       reads_room() * sizeof(struct stack_read) +
	       (stack_depth_limit + 1) * sizeof(struct stack_fresh) +
	       (size_t)stack_depth_limit * 2 * sizeof(struct stack_python_frame);
}

static uint32_t slots(void)
{
	size_t fit = SLOTS_BYTES_MAX / slot_bytes();

	return fit < SLOTS ? (uint32_t)fit : SLOTS;
}

bool stack_threads_begin(unsigned int depth)
{
	if (!stack_depth_limit)
		stack_depth_limit = depth;
	if (!pool)
		pool = pages_map(sizeof(*pool));
	return pool;
}

/* Threads, and a forked child and its parent, draw different random numbers. */
static uint64_t sample_seed(const void *place)
{
	return clock_ticks() ^ (uintptr_t)place * 0x9e3779b97f4a7c15u;
}

static struct stack_thread *slot_map(uint32_t slot)
{
	struct stack_thread *t = pages_map(slot_bytes());

	if (!t)
		return NULL;
	t->frame = (struct stack_frame *)(t + 1) + 1;
	t->frame[-1].rsp = UINT64_MAX;
	t->read = (struct stack_read *)(t->frame + stack_depth_limit + 1);
	t->fresh = (struct stack_fresh *)(t->read + reads_room());
	for (unsigned int i = 0; i < STACK_READS_PADS; i++, t->read++)
		*t->read = (struct stack_read){ &t->read->value, 0 };
	t->python.frame = (struct stack_python_frame *)(t->fresh + stack_depth_limit + 1);
	t->python.fresh = t->python.frame + stack_depth_limit;
	t->python.room = stack_depth_limit;
	sample_begin(&t->sample, sample_seed(t), stack_every);
	atomic_store(&pool->memory[slot], t);
	return t;
}

static struct stack_thread *slot_use(uint32_t slot)
{
	struct stack_thread *t = atomic_load(&pool->memory[slot]);

	if (!t)
		t = slot_map(slot);
	if (!t) {
		atomic_store(&pool->taken[slot], false);
		return NULL;
	}
	t->state = 0;
	t->epoch = 0;
	t->low = t->high = 0;
	t->python.frames = 0;
	t->python.thread = 0;
	atomic_store_explicit(&slot_hint, slot, memory_order_relaxed);
	return t;
}

static struct stack_thread *thread_slot_take(void)
{
	uint32_t count = pool ? slots() : 0;
	uint32_t hint = atomic_load_explicit(&slot_hint, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = (hint + i) % count;
		bool free = false;

		if (atomic_load_explicit(&pool->taken[slot], memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&pool->taken[slot], &free, true))
			continue;
		return slot_use(slot);
	}
	return NULL;
}

struct stack_thread *stack_thread_claim(void)
{
	struct stack_thread *t = stack_self ? NULL : thread_slot_take();

	if (!stack_self)
		stack_self = t ? t : WITHOUT; /* WITHOUT: the thread does not try again */
	return t;
}

/*
 * Without a slot each allocation draws anew. That is correct, because the remaining distance has
 * the same distribution as a new one.
 */
static __attribute__((noinline)) bool sample_without(uint64_t bytes)
{
	struct sample sample;

	sample_begin(&sample, sample_seed(&sample), stack_every);
	return sample_hits(&sample, bytes, stack_every);
}

bool stack_is_sampled(uint64_t bytes)
{
	struct stack_thread *t = stack_self;

	if (__builtin_expect(!t, 0))
		t = stack_thread_claim();
	if (__builtin_expect(!t || !t->frame, 0))
		return sample_without(bytes);
	return sample_hits(&t->sample, bytes, stack_every);
}

struct stack_python *stack_thread_python(void)
{
	struct stack_thread *t = stack_self;

	if (__builtin_expect(!t, 0))
		t = stack_thread_claim();
	return t && t->frame ? &t->python : NULL;
}

void stack_python_forget(void)
{
	struct stack_thread *t = stack_self;

	if (!t || !t->frame)
		return;
	t->python.changes++;
	t->python.frames = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < STACK_PYTHON_PAGES; i++)
		t->python.page[i] = 0;
	t->python.thread = 0;
	t->python.cframe = 0;
}

static void slot_give_back(struct stack_thread *t)
{
	for (uint32_t slot = 0; pool && slot < SLOTS; slot++) {
		if (atomic_load_explicit(&pool->memory[slot], memory_order_relaxed) != t)
			continue;
		atomic_store(&pool->taken[slot], false);
		return;
	}
}

void stack_thread_ends(void)
{
	struct stack_thread *t = stack_self;

	stack_self = ENDED;
	if (t && t->frame)
		slot_give_back(t);
}

struct stack_thread *stack_thread_borrow(void)
{
	return stack_self == ENDED ? thread_slot_take() : NULL;
}

void stack_thread_return(struct stack_thread *borrowed)
{
	slot_give_back(borrowed);
}

void stack_threads_forked(void)
{
	if (stack_self && stack_self->frame)
		sample_begin(&stack_self->sample, sample_seed(stack_self), stack_every);
	for (uint32_t slot = 0; pool && slot < SLOTS; slot++)
		if (atomic_load_explicit(&pool->memory[slot], memory_order_relaxed) != stack_self)
			atomic_store_explicit(&pool->taken[slot], false, memory_order_relaxed);
}
