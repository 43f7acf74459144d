/* SPDX-License-Identifier: MIT */
/*
 * How families record: enter, put, leave. It handles the thread's ring, the gates, and everything
 * that can be in the way.
 *
 * Gates. One page that fork() by any means wipes (MADV_WIPEONFORK) holds one word per family: the
 * generation while the family records, 0 while it does not. A lane (this thread's end of a ring)
 * may write if its `owner` is that word plus one. So one compare tells a normal call from all
 * others: library not started, dormant, family off, capture paused, forked child, thread without a
 * ring, call from a signal handler that interrupted us. recorder_enter_slow() distinguishes those.
 *
 * Busy. While a hook runs, owner is an address on the caller's stack, with a bit that says what the
 * hook does. IN_CALL: the original is running; another call of the same family comes from the
 * original itself and is not recorded. IN_RECORD: a record is being written; only a signal handler
 * can come in, and its records go to the thread's second lane. The address tells a hook that was
 * left by longjmp() from one that is still running.
 *
 * Threads: a lane belongs to its thread. Nothing here takes a lock, allocates or makes a system
 * call, except binding a thread to a ring and waiting for room. The slow paths preserve errno.
 */
#ifndef PRELOAD_RECORD_RECORDER_H
#define PRELOAD_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/arch/arch.h"
#include "collector/format/events.h"
#include "collector/region/record.h"
#include "collector/region/region.h"
#include "preload/base/clock.h"
#include "preload/base/hidden.h"

/*
 * All data of its thread that an event touches. The first lane of a thread fits into one cache
 * line.
 */
struct recorder_lane {
	/* equals `bound` when idle, else a stack address and a bit; 0: no ring yet */
	uint64_t owner;
	uint64_t bound; /* generation + 1 that this lane's ring was claimed under */
	uint64_t *words;
	uint64_t head;  /* words written since the ring was claimed */
	uint64_t limit; /* head may grow to here before the collector's tail must be read */
	struct region_ring *ring;
	uint32_t mask;    /* ring words - 1 */
	uint32_t starved; /* calls since no ring was available */
};

#define RECORDER_LINE 64u
_Static_assert(sizeof(struct recorder_lane) <= RECORDER_LINE, "a lane is a line of the cache");

#define RECORDER_LEVELS 2u

/* Thread-local, initial-exec (dynamic TLS may call malloc), plain data: 176 bytes. */
struct recorder_thread {
	struct recorder_lane lane[RECORDER_LEVELS];
	uint64_t
		/* ticks from which an edge is worth a reading of the clock: thread_clock.h */
		clock_due;
	uint64_t task, generator; /* that its records have named last: task.h */
	uint32_t inside;          /* a call into CPython's allocators runs: preload/pymem */
	uint32_t operators;       /* a bit for each one that is open: preload/torch */
	/* bytes up to the next point of the heap's sample, 0: none drawn: preload/heap */
	uint64_t heap_left, heap_seed;
};

PRELOAD_HIDDEN extern __thread struct recorder_thread recorder_self
	__attribute__((tls_model("initial-exec")));

/* One cache line up to the heap's gate: all that a heap event reads before it knows its lane. */
struct recorder_gates {
	uint64_t base;   /* recorder_base */
	uint64_t no_tsc; /* not clock_is_tsc */
	/* offset from a thread's pointer to its recorder_self, the same in all threads */
	uint64_t self;
	/* what the heap's hooks see in place of gate[EVT_FAMILY_alloc]: enum recorder_heap */
	uint64_t heap, heap_sampled;
	uint64_t gate
		/* generation, or 0: closed; families that are always recorded have no gate */
		[EVT_FAMILY_LIMIT];
	uint64_t generation; /* 0 after fork: not this process's */
	/*
	 * region_asked.word or the entry's detail_asked, as last followed, and where it is: at
	 * `followed` if nobody asks
	 */
	uint64_t followed;
	const _Atomic uint64_t *asked;
};

_Static_assert(offsetof(struct recorder_gates, gate[EVT_FAMILY_alloc]) < RECORDER_LINE,
	       "an event of the heap reads one line of the gates");

#define RECORDER_PAGE ARCH_PAGE_MAX

/* All zero until recording starts. */
PRELOAD_HIDDEN extern union recorder_page {
	struct recorder_gates gates;
	char bytes[RECORDER_PAGE];
} recorder_page;
#define recorder_gates (&recorder_page.gates)

/* Time 0 of the records, in ticks. */
PRELOAD_HIDDEN extern uint64_t recorder_base;

#define RECORDER_IN_CALL 1u
#define RECORDER_IN_RECORD 2u
#define RECORDER_BUSY_BITS 3u
#define RECORDER_BUSY_MIN 65536u /* smaller values are generations, larger ones are addresses */

/*
 * Passed instead of a family: enters whether or not a capture range is open. For records of
 * deferred work (a GPU's), which was requested while a range was open.
 */
#define RECORDER_LATE EVT_FAMILY_LIMIT

/* Passed by the heap's hooks instead of family alloc, which has other events as well. */
#define RECORDER_HEAP (EVT_FAMILY_LIMIT + 1)

static inline uint64_t recorder_gate(enum evt_family family)
{
	if (family == RECORDER_HEAP)
		return recorder_gates->heap;
	return family == RECORDER_LATE ? recorder_gates->generation : recorder_gates->gate[family];
}

struct recorder_lane *recorder_enter_slow(enum evt_family family, uintptr_t frame);
bool recorder_make_room(struct recorder_lane *lane, unsigned int words);
/* As recorder_make_room(), for words that are no record of their own: nothing is counted. */
bool recorder_find_room(struct recorder_lane *lane, unsigned int words);

/* The collector has asked for something else than is done: capture_asked.h. A generation is set. */
static inline bool recorder_is_asked(void)
{
	return atomic_load_explicit(recorder_gates->asked, memory_order_relaxed) !=
	       __atomic_load_n(&recorder_gates->followed, __ATOMIC_RELAXED);
}

/*
 * The family is off or paused in a process that records, so the state of the lane does not
 * matter.
 */
static inline bool recorder_is_shut(enum evt_family family)
{
	return !recorder_gate(family) && recorder_gates->generation && !recorder_is_asked();
}

/*
 * This thread's first lane. The compiler would find it through the global offset table, a cache
 * line that nothing else here needs; so the offset stands beside the gates. While nothing is
 * recorded, and in a wiped page, the offset is 0. `owner` is then the word at the thread's pointer,
 * which never equals a gate + 1.
 */
static inline __attribute__((always_inline)) struct recorder_lane *recorder_first_lane(void)
{
	return (struct recorder_lane *)(arch_thread() + recorder_gates->self);
}

/* As recorder_enter(), or NULL where that takes the slow path, or records nothing. */
static inline __attribute__((always_inline)) struct recorder_lane *recorder_enter_at_once(
	enum evt_family family, unsigned int bit)
{
	struct recorder_lane *lane = recorder_first_lane();

	if (__builtin_expect(lane->owner != recorder_gate(family) + 1, 0))
		return NULL;
	lane->owner = (uintptr_t)__builtin_frame_address(0) | bit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return lane;
}

/*
 * Returns a lane to record this call in, or NULL if the call is not to be recorded. Pass
 * RECORDER_IN_CALL as `bit` if the original is called before recorder_leave(), else
 * RECORDER_IN_RECORD.
 */
static inline __attribute__((always_inline)) struct recorder_lane *recorder_enter(
	enum evt_family family, unsigned int bit)
{
	struct recorder_lane *lane = recorder_first_lane();
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	if (__builtin_expect(lane->owner != recorder_gate(family) + 1, 0)) {
		if (recorder_is_shut(family))
			return NULL;
		lane = recorder_enter_slow(family, frame);
		if (!lane)
			return NULL;
	}
	lane->owner = frame | bit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return lane;
}

/* Switches between running the original and writing the record. */
static inline void recorder_switch(struct recorder_lane *lane, unsigned int bit)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->owner = (lane->owner & ~(uint64_t)RECORDER_BUSY_BITS) | bit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* As recorder_switch(), where the frame that entered is known. */
static inline void recorder_switch_at(struct recorder_lane *lane, void *const *frame,
				      unsigned int bit)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->owner = (uintptr_t)frame | bit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void recorder_leave(struct recorder_lane *lane)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->owner = lane->bound;
}

/*
 * Returns the place for the next record of `words` words. NULL: there is no room, and the record
 * was counted as dropped. IN_RECORD only.
 */
static inline uint64_t *recorder_room(struct recorder_lane *lane, unsigned int words)
{
	uint64_t *at;

	if (__builtin_expect(lane->head + words > lane->limit, 0) &&
	    !recorder_make_room(lane, words))
		return NULL;
	at = lane->words + (lane->head & lane->mask);
#ifndef SANITISED /* with gcc's NULL checks this hint gives false reports of a NULL lane */
	if (!at)
		/* so that callers check for NULL only after the slow path */
		__builtin_unreachable();
#endif
	return at;
}

/* Hands the complete record to the collector. Pairs with its acquire load of head. */
static inline void recorder_publish(struct recorder_lane *lane, unsigned int words)
{
	lane->head += words;
	atomic_store_explicit(&lane->ring->head, lane->head, memory_order_release);
}

static inline uint64_t recorder_now(void)
{
	if (__builtin_expect(recorder_gates->no_tsc != 0, 0))
		return clock_ticks_of_kernel() - recorder_gates->base;
	return arch_ticks() - recorder_gates->base;
}

/*
 * Writes one whole record in its plain form: `fields` words after the first. Returns false if it
 * was dropped (counted).
 */
static inline bool recorder_put(struct recorder_lane *lane, uint32_t type, uint64_t ticks,
				const uint64_t *field, unsigned int fields)
{
	uint64_t *at = recorder_room(lane, fields + 1);

	if (!at)
		return false;
	at[0] = record_word(ticks, type);
	for (unsigned int i = 0; i < fields; i++)
		at[i + 1] = field[i];
	recorder_publish(lane, fields + 1);
	return true;
}

/*
 * As recorder_put(), for an event in a block (EVENT_IN_BLOCK() of events.def), which has one word
 * more. `number` is the event's number in files. recorder_record() does this by itself.
 */
static inline bool recorder_put_in_block(struct recorder_lane *lane, uint32_t number,
					 uint64_t ticks, const uint64_t *field, unsigned int fields)
{
	uint64_t *at = recorder_room(lane, fields + RECORD_IN_BLOCK_HEAD);

	if (!at)
		return false;
	at[0] = record_word(ticks, RECORD_IN_BLOCK);
	at[1] = number;
	for (unsigned int i = 0; i < fields; i++)
		at[i + RECORD_IN_BLOCK_HEAD] = field[i];
	recorder_publish(lane, fields + RECORD_IN_BLOCK_HEAD);
	return true;
}

/* What of the region says how the lane's thread waits; NULL: its ring has no such block. */
struct region_waits *recorder_waits(const struct recorder_lane *lane);

/* --- control: life/ --- */

/* The parts of the region that recording needs. Not owned. */
struct recorder_region {
	struct region_header *header;
	struct region_shape shape;
	bool wait_when_full;
};

/* Starts to record as entry `process` of the region. A family is bit 1 << enum evt_family. */
int recorder_open(const struct recorder_region *region, uint32_t process, unsigned int families);
/* Ends recording for ever: every hook passes through from now on. */
void recorder_close(void);
/* In a forked child that has a process entry of its own: opens the gates under a new generation. */
void recorder_reopen(uint32_t process);
/* In a forked child whose page could not be wiped: shuts the gates until recorder_reopen(). */
void recorder_shut_in_child(void);
/*
 * Call first in a forked child. fork() may have been called by a signal handler that interrupted
 * the writing of a record. The hook then completes the record in the child too, when the parent may
 * have reused that part of its ring. So the region moves to another address in this process
 * (entry_region() returns it), and private memory takes its old address.
 */
void recorder_leave_parents_region(void);
/*
 * Sets the function that a forked child calls at its first event if no fork handler brought it in
 * (clone(), vfork() and on). It claims an entry and calls recorder_reopen(). The event may be a
 * malloc() under any lock of libc.
 */
void recorder_on_strange_fork(void (*adopt)(void));
/* Call once, in the constructor: from now on, threads report their end. */
void recorder_watch_threads(void);
/*
 * Sets the function that a thread calls after it has reported its end. The thread may still record
 * afterwards.
 */
void recorder_on_thread_end(void (*left)(void));
/* What of the heap is recorded while the gate of family alloc is open. */
enum recorder_heap {
	RECORDER_HEAP_EACH,    /* `heap` is that gate */
	RECORDER_HEAP_SAMPLED, /* `heap_sampled` is that gate: preload/heap/heap_sample.h */
	RECORDER_HEAP_OFF,     /* neither is ever open */
};
/* Call while all gates are shut. */
void recorder_heap(enum recorder_heap what);
/* Capture ranges: opens or shuts the gates of all families. */
void recorder_capture(bool on);
/*
 * From now on, hooks compare region_asked.word with `followed`, and call `look` when they differ:
 * soon while the gates are shut, and after at most RECORDER_LOOK_WORDS of a ring while they are
 * open. `look` may run within malloc(). `own`: detail_asked of the process's entry takes the place
 * of that word.
 */
void recorder_on_asked(void (*look)(void), bool own);
/* What the collector asks for is done. */
void recorder_followed(uint64_t word);
/* Detail windows: opens or shuts the gates of the families that have detail (FAMILY_DRAWN). */
void recorder_detail(bool on);
/* Reports the end of this thread. Records that it still writes are taken all the same. */
void recorder_retire(void);
/* Wakes the collector. */
void recorder_ring_bell(void);
/* True between recorder_open() and recorder_close(), also in a child that is not yet adopted. */
bool recorder_is_open(void);

#endif
