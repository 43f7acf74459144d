/* SPDX-License-Identifier: MIT */
/*
 * Room in a thread's ring: wakes the collector, waits for it, and gives up where there is no
 * progress. Nothing here allocates; system calls are futexes.
 */
#include "preload/record/recorder.h"

#include <errno.h>

#include "preload/base/futex.h"
#include "preload/record/entry.h"
#include "preload/record/recorder_state.h"
#include "preload/record/trouble.h"

#define RECORDER_WAIT_NS 50000000u     /* one nap of a thread that waits for room in its ring */
#define RECORDER_NAP_MAX_NS 100000000u /* a nap counts for at most this much waiting time */
/* a thread checks for requests after this many words of its ring: some 20 events of the heap */
#define RECORDER_LOOK_WORDS 64u

/*
 * Returns how long the thread has waited since `*since_ns`, and sets `*since_ns` to now. One nap
 * counts for at most RECORDER_NAP_MAX_NS. A stopped thread (SIGSTOP, a debugger, a frozen cgroup)
 * did not wait, and the collector may have been stopped with it.
 */
uint64_t room_nap(uint64_t *since_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), passed = now - *since_ns;

	*since_ns = now;
	return passed < RECORDER_NAP_MAX_NS ? passed : RECORDER_NAP_MAX_NS;
}

static bool collector_is_gone(void)
{
	return atomic_load(&recorder_region.header->collector_state) >= REGION_COLLECTOR_FINISHED;
}

/* The collector sleeps until a ring is half full; the thread that passes that point wakes it. */
static void wake_when_half_full(struct recorder_lane *lane, uint64_t tail)
{
	struct region_header *h = recorder_region.header;

	if ((lane->head - tail) * 2 <= lane->mask)
		return;
	if (atomic_load_explicit(&h->asleep, memory_order_relaxed) &&
	    atomic_exchange(&h->asleep, 0))
		recorder_ring_bell();
}

/*
 * True if a quarter of the ring is free; for less a wake-up is not worth it. Pairs with
 * stream_publish() of the collector.
 */
static bool ring_has_room(const struct recorder_lane *lane)
{
	uint64_t capacity = (uint64_t)lane->mask + 1;

	return lane->head - atomic_load(&lane->ring->tail) <= capacity - capacity / 4;
}

/* True if nobody will make room any more. */
static bool ring_is_left(const struct recorder_lane *lane)
{
	return collector_is_gone() || atomic_load(&lane->ring->state) == REGION_RING_CLOSED;
}

/* Sleeps until there is room. Returns false if tail has not moved for RECORDER_STALL_NS. */
static bool wait_for_room(struct recorder_lane *lane, uint64_t tail)
{
	struct region_ring *ring = lane->ring;
	uint64_t since = clock_ns(CLOCK_MONOTONIC), waited = 0, seen = tail;

	entry_count_wait();
	atomic_store(&ring->waiters, 1);
	recorder_ring_bell();
	while (!ring_is_left(lane)) {
		uint32_t progress = atomic_load(&ring->progress);
		uint64_t now;

		if (ring_has_room(lane))
			break;
		futex_wait(&ring->progress, progress, RECORDER_WAIT_NS);
		waited += room_nap(&since);
		now = atomic_load(&ring->tail);
		if (now == seen && waited > RECORDER_STALL_NS)
			break;
		if (now != seen)
			waited = 0;
		seen = now;
	}
	atomic_store(&ring->waiters, 0);
	return atomic_load(&ring->tail) != tail;
}

/*
 * One step towards room for `words`. Returns 1: there is room, 0: call again, -1: there will be
 * none.
 */
static int room_step(struct recorder_lane *lane, unsigned int words)
{
	uint64_t capacity = (uint64_t)lane->mask + 1;
	uint64_t tail = atomic_load_explicit(&lane->ring->tail, memory_order_acquire);
	uint64_t end = (lane->head | lane->mask) + 1;
	uint64_t full = tail + capacity;
	uint64_t step = lane->head + (recorder_state.look ? RECORDER_LOOK_WORDS : capacity / 4);

	if (recorder_is_cut_off(lane) || lane->head - tail > capacity ||
	    atomic_load_explicit(&lane->ring->state, memory_order_relaxed) == REGION_RING_CLOSED)
		/* our collector would not write such a tail, or will never move it again */
		return -1;
	wake_when_half_full(lane, tail);
	recorder_shut_to_look();
	if (lane->head + words > end && end <= full) {
		lane->words[lane->head & lane->mask] = record_word(end - lane->head, RECORD_PAD);
		recorder_publish(lane, (unsigned int)(end - lane->head));
		return 0;
	}
	if (lane->head + words <= end && lane->head + words <= full) {
		uint64_t limit = end < full ? end : full;

		lane->limit = step < limit && step >= lane->head + words ? step : limit;
		atomic_store_explicit(&recorder_state.stalled, 0, memory_order_relaxed);
		return 1;
	}
	if (!recorder_region.wait_when_full ||
	    atomic_load_explicit(&recorder_state.stalled, memory_order_relaxed))
		return -1;
	if (!wait_for_room(lane, tail)) {
		atomic_store(&recorder_state.stalled, 1);
		return -1;
	}
	return 0;
}

bool recorder_find_room(struct recorder_lane *lane, unsigned int words)
{
	int saved = errno;
	int step;

	do
		step = room_step(lane, words);
	while (step == 0);
	if (step < 0) {
		lane->limit = lane->head; /* makes the next record check again */
		if (collector_is_gone()) {
			trouble_look();
			recorder_close();
		}
	}
	errno = saved;
	return step > 0;
}

bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	struct region_ring *ring = lane->ring;

	if (recorder_find_room(lane, words))
		return true;
	atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
	return false;
}
