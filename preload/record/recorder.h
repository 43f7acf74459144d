/* SPDX-License-Identifier: MIT */
/*
 * How the families record: enter, put, leave. The thread's ring, the gates, and what to do when
 * something is in the way.
 *
 * Gates. One page that fork() by any means wipes (MADV_WIPEONFORK) holds a word a family: the
 * generation while the family records, 0 while it does not. A lane (this thread's end of a ring)
 * whose `owner` is that word plus one may write. So one compare tells a normal call from all others:
 * library not started, dormant, family off, capture paused, forked child, thread without a ring, call
 * from a signal handler that interrupted us. recorder_enter_slow() sorts those out.
 *
 * Busy. While a hook runs, owner is an address on the caller's stack with a bit that says whether it
 * is around the original (IN_CALL: another call of the same family comes from the original itself
 * and is not recorded) or writing (IN_RECORD: only a signal handler can come in; its records go to
 * the thread's second lane). The address tells a hook left by longjmp() from one still running.
 *
 * Threads: a lane belongs to its thread; nothing here takes a lock, allocates or makes a system call
 * but for binding a thread to a ring and waiting for room. errno is preserved by the slow paths.
 */
#ifndef PRELOAD_RECORD_RECORDER_H
#define PRELOAD_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/region/record.h"
#include "collector/region/region.h"
#include "preload/base/clock.h"
#include "preload/base/hidden.h"

/* All that an event touches of its thread: the first lane of a thread is one line of the cache. */
struct recorder_lane {
	uint64_t owner; /* bound when idle, else an address and a bit; 0: no ring yet */
	uint64_t bound; /* generation + 1 that this lane's ring was claimed under */
	uint64_t *words;
	uint64_t head;  /* words written since the claim */
	uint64_t limit; /* head may grow to here without a look at the other side */
	struct region_ring *ring;
	uint32_t mask;    /* ring words - 1 */
	uint32_t starved; /* calls since no ring was to be had */
};

#define RECORDER_LINE 64u
_Static_assert(sizeof(struct recorder_lane) <= RECORDER_LINE, "a lane is a line of the cache");

#define RECORDER_LEVELS 2u

/* Thread-local, initial-exec (dynamic TLS may call malloc), plain data: 160 bytes. */
struct recorder_thread {
	struct recorder_lane lane[RECORDER_LEVELS];
	uint64_t
		clock_due; /* ticks from which an edge is worth a reading of the clock: thread_clock.h */
	uint64_t task, generator; /* that its records have named last: task.h */
	uint32_t inside;          /* a call into CPython's allocators runs: preload/pymem */
	uint32_t operators;       /* a bit for each one that is open: preload/torch */
};

PRELOAD_HIDDEN extern __thread struct recorder_thread recorder_self
	__attribute__((tls_model("initial-exec")));

/* Up to the heap's gate one line of the cache: all that an event of the heap reads before it knows its lane. */
struct recorder_gates {
	uint64_t base;   /* recorder_base */
	uint64_t no_tsc; /* not clock_is_tsc */
	uint64_t self;   /* from a thread's pointer to its recorder_self: the same in all threads */
	uint64_t gate
		[EVT_FAMILY_LIMIT]; /* generation, or 0: closed; what is always recorded has none */
	uint64_t generation;        /* 0 after fork: not this process's */
};

_Static_assert(offsetof(struct recorder_gates, gate[EVT_FAMILY_alloc]) < RECORDER_LINE,
	       "an event of the heap reads one line of the gates");

#define RECORDER_PAGE 4096u

/* Zeroes until recording starts. */
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
#define RECORDER_BUSY_MIN 65536u /* below: generations; above: addresses */

/* In a family's place: whether ranges of capture are open or not. For what is known late, of work that was asked for
 * while they were (a GPU's). */
#define RECORDER_LATE EVT_FAMILY_LIMIT

static inline uint64_t recorder_gate(enum evt_family family)
{
	return family == RECORDER_LATE ? recorder_gates->generation : recorder_gates->gate[family];
}

struct recorder_lane *recorder_enter_slow(enum evt_family family, uintptr_t frame);
bool recorder_make_room(struct recorder_lane *lane, unsigned int words);
/* The same, for words that are no record of their own: nothing is counted. */
bool recorder_find_room(struct recorder_lane *lane, unsigned int words);

/* The family is off or paused in a process that records: whatever the lane does, there is nothing to sort out. */
static inline bool recorder_is_shut(enum evt_family family)
{
	return !recorder_gate(family) && recorder_gates->generation;
}

/*
 * This thread's first lane. The compiler's way to it reads a line of the global offset table, which nothing else here
 * needs; the offset stands beside the gates. While nothing is recorded, and in a wiped page, the offset is 0, and `owner` is what
 * lies there: the thread's pointer, which is no gate + 1.
 */
static inline __attribute__((always_inline)) struct recorder_lane *recorder_first_lane(void)
{
	char *thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	return (struct recorder_lane *)(thread + recorder_gates->self);
}

/*
 * A lane to record this call in, or NULL when it is not to be recorded. `bit` is RECORDER_IN_CALL
 * when the original is called before recorder_leave(), and RECORDER_IN_RECORD when not.
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

/* Between the original and the writing, and back. */
static inline void recorder_switch(struct recorder_lane *lane, unsigned int bit)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->owner = (lane->owner & ~(uint64_t)RECORDER_BUSY_BITS) | bit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The same where the frame that entered is known. */
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

/* Where the next record of `words` words goes, or NULL: it was counted as dropped. IN_RECORD only. */
static inline uint64_t *recorder_room(struct recorder_lane *lane, unsigned int words)
{
	uint64_t *at;

	if (__builtin_expect(lane->head + words > lane->limit, 0) &&
	    !recorder_make_room(lane, words))
		return NULL;
	at = lane->words + (lane->head & lane->mask);
#ifndef SANITISED /* gcc's checks for NULL and this hint together find lanes at NULL that are not there */
	if (!at)
		__builtin_unreachable(); /* so that callers look for NULL behind the slow path only */
#endif
	return at;
}

/* The record is complete: the collector may have it. Pairs with its acquire load of head. */
static inline void recorder_publish(struct recorder_lane *lane, unsigned int words)
{
	lane->head += words;
	atomic_store_explicit(&lane->ring->head, lane->head, memory_order_release);
}

static inline uint64_t recorder_now(void)
{
	if (__builtin_expect(recorder_gates->no_tsc != 0, 0))
		return clock_ticks_of_kernel() - recorder_gates->base;
	return __rdtsc() - recorder_gates->base;
}

/* One whole record in its plain form: `fields` words after the first. false: dropped (counted). */
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
 * The same of an event in a block (EVENT_IN_BLOCK() of events.def): one word more. `number`: its number in files.
 * recorder_record() knows that by itself.
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

/* --- control: life/ --- */

/* The parts of the region that recording needs; not owned. */
struct recorder_region {
	struct region_header *header;
	struct region_shape shape;
	bool wait_when_full;
};

/* Starts to record as entry `process` of the region; families by bit 1 << enum evt_family. */
int recorder_open(const struct recorder_region *region, uint32_t process, unsigned int families);
/* For ever: every hook passes through from now on. */
void recorder_close(void);
/* In a forked child that has its own process entry: opens the gates again under a new generation. */
void recorder_reopen(uint32_t process);
/* Shuts the gates until recorder_reopen(): a forked child where the page could not be wiped. */
void recorder_shut_in_child(void);
/*
 * In a forked child, first of all: when fork() was called by a signal handler that had interrupted the
 * writing of a record, the hook will end it here too, and by then the parent may have gone once round
 * its ring. So the region gets another address in this process (entry_region() has it), and private memory
 * stands at the old one.
 */
void recorder_leave_parents_region(void);
/*
 * Whom a forked child calls at its first event that no fork handler has brought in (clone(), vfork() and on):
 * it claims an entry and calls recorder_reopen(). The event may be a malloc() under any lock of libc.
 */
void recorder_on_strange_fork(void (*adopt)(void));
/* Once, in the constructor: a thread that ends says so. */
void recorder_watch_threads(void);
/* Whom a thread calls when it ends, after it has said so. What it records later, it records without them. */
void recorder_on_thread_end(void (*left)(void));
/* Capture ranges: all families on or off, gates only. */
void recorder_capture(bool on);
/* This thread says that it ends; what it still records is taken all the same. */
void recorder_retire(void);
/* Rings the collector's bell. */
void recorder_ring_bell(void);
/* True between recorder_open() and recorder_close(), in a child not yet adopted too. */
bool recorder_is_open(void);

#endif
