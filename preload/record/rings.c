/* SPDX-License-Identifier: MIT */
/*
 * A thread and its ring: claims a free ring of the region for a lane, and gives it back at the
 * thread's end. Nothing here allocates; system calls are futexes, gettid and prctl.
 */
#include "preload/record/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/futex.h"
#include "preload/record/entry.h"
#include "preload/record/last_name.h"
#include "preload/record/recorder_state.h"
#include "preload/record/thread_clock.h"
#include "preload/record/trouble.h"

/* time between two checks for a ring that is about to become free */
#define RECORDER_RING_WAIT_NS 1000000u
#define RECORDER_RETRY 1024u /* calls of a thread without a ring between two attempts to get one */

/* keys that lie in the thread itself: PTHREAD_KEY_2NDLEVEL_SIZE in glibc; all keys in musl */
#define RECORDER_KEYS_IN_THREAD 32u

static pthread_key_t thread_key;
static bool thread_key_made;

static void (*thread_left)(void); /* NULL: nobody asks */

static void thread_ends(void *unused)
{
	(void)unused;
	recorder_retire();
	if (thread_left)
		thread_left();
}

void recorder_on_thread_end(void (*left)(void))
{
	thread_left = left;
}

void recorder_watch_threads(void)
{
	thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0;
}

/*
 * This is called from within malloc(), so only the first keys can be used: they lie in the thread
 * itself. For others libc allocates.
 */
static void watch_thread(void)
{
	if (thread_key_made && thread_key < RECORDER_KEYS_IN_THREAD)
		(void)pthread_setspecific(thread_key, &thread_key);
}

/* Returns the CPU time that this thread had used before the process's recording began. */
static uint64_t cpu_ns_before(uint32_t tid)
{
	if (tid == recorder_state.began.tid)
		return recorder_state.began.cpu_ns;
	return recorder_state.began.is_joined ? REGION_CPU_UNKNOWN : 0;
}

static struct region_waits *ring_waits(const struct region_ring *ring)
{
	return region_waits_of(
		recorder_region.header, &recorder_region.shape,
		(uint64_t)(ring - region_rings(recorder_region.header, &recorder_region.shape)));
}

struct region_waits *recorder_waits(const struct recorder_lane *lane)
{
	return ring_waits(lane->ring);
}

/* Other families leave these pages untouched. */
static void ring_clear_waits(const struct region_ring *ring)
{
	struct region_waits *waits = ring_waits(ring);

	if (!waits || !(recorder_region.header->family[EVT_FAMILY_osrt] |
			recorder_region.header->family[EVT_FAMILY_io]))
		return;
	atomic_store(&waits->start, 0);
	atomic_store(&waits->io_calls, 0);
	atomic_store(&waits->io_ticks, 0);
	for (unsigned int i = 0; i < REGION_WAITS; i++) {
		atomic_store_explicit(&waits->sum[i].calls, 0, memory_order_relaxed);
		atomic_store_explicit(&waits->sum[i].ticks, 0, memory_order_relaxed);
	}
}

/* The thread was cancelled in a wait. */
static void ring_end_wait(const struct region_ring *ring)
{
	struct region_waits *waits = ring_waits(ring);

	if (waits && recorder_region.header->family[EVT_FAMILY_osrt])
		atomic_store(&waits->start, 0);
}

static bool ring_claim(struct region_ring *ring, unsigned int level)
{
	uint32_t expected = REGION_RING_FREE;

	if (atomic_load_explicit(&ring->state, memory_order_relaxed) != REGION_RING_FREE ||
	    !atomic_compare_exchange_strong(&ring->state, &expected, REGION_RING_FILLING))
		return false;
	ring->process = recorder_state.process;
	ring->process_serial = entry_serial(recorder_state.process);
	ring->tid = (uint32_t)syscall(SYS_gettid);
	ring->level = level;
	ring->start_tsc = clock_ticks();
	atomic_store(&ring->start_cpu_ns, thread_clock_ns());
	atomic_store(&ring->before_cpu_ns, cpu_ns_before(ring->tid));
	atomic_store(&ring->end_tsc, 0);
	atomic_store(&ring->end_cpu_ns, 0);
	for (unsigned int i = 0; i < REGION_NAME_WORDS; i++)
		atomic_store(&ring->name[i], 0);
	for (unsigned int i = 0; i < REGION_OPEN_LIMIT; i++)
		atomic_store(&ring->open[i].start, 0);
	ring_clear_waits(ring);
	atomic_store(&ring->dropped, 0);
	atomic_store(&ring->waiters, 0);
	atomic_store(&ring->head, 0);
	atomic_store(&ring->tail, 0);
	atomic_fetch_add(&ring->serial, 1);
	atomic_store_explicit(&ring->state, REGION_RING_LIVE, memory_order_release);
	return true;
}

/* Claims the first free ring of a class in [from, to). Returns `to` if there is none. */
static uint32_t ring_claim_one(unsigned int level, unsigned int tier, uint32_t from, uint32_t to)
{
	struct region_ring *rings = region_rings(recorder_region.header, &recorder_region.shape);
	_Atomic uint32_t *limit = &recorder_region.header->ring_limit[tier];

	for (; from < to; from++) {
		uint32_t seen = atomic_load_explicit(limit, memory_order_relaxed);

		while (seen <= from && !atomic_compare_exchange_weak(limit, &seen, from + 1))
			;
		if (ring_claim(&rings[recorder_region.shape.class[tier].first + from], level))
			break;
	}
	return from;
}

/* Starts at the hint. The hint may be wrong, so the other rings are checked too. */
static struct region_ring *ring_find(unsigned int level, unsigned int tier)
{
	const struct region_class *c = &recorder_region.shape.class[tier];
	_Atomic uint32_t *hint = &recorder_region.header->ring_free[tier];
	uint32_t hinted = atomic_load_explicit(hint, memory_order_relaxed);
	uint32_t from = hinted < c->count ? hinted : c->count;
	uint32_t found = ring_claim_one(level, tier, from, c->count);

	if (found == c->count) {
		found = ring_claim_one(level, tier, 0, from);
		if (found == from)
			return NULL;
	}
	(void)atomic_compare_exchange_strong(hint, &hinted, found + 1);
	return &region_rings(recorder_region.header, &recorder_region.shape)[c->first + found];
}

/*
 * A second lane holds only what signal handlers record during a record, so the smallest ring
 * suffices.
 */
static bool lane_bind(struct recorder_lane *lane, unsigned int level)
{
	struct region_ring *rings = region_rings(recorder_region.header, &recorder_region.shape);

	for (unsigned int tier = level ? REGION_CLASSES - 1 : 0; tier < REGION_CLASSES; tier++) {
		struct region_ring *ring = ring_find(level, tier);
		uint32_t bytes = recorder_region.shape.class[tier].ring_bytes;

		if (!ring)
			continue;
		lane->ring = ring;
		lane->words = region_ring_words(recorder_region.header, &recorder_region.shape,
						tier, (uint32_t)(ring - rings));
		lane->mask = bytes / 8 - 1;
		lane->head = 0;
		lane->limit = 0; /* makes the first record check for room */
		recorder_self.clock_due = 0;
		if (level == 0)
			recorder_self.task = recorder_self.generator = 0;
		lane->bound = recorder_state.generation + 1;
		if (level == 0) {
			watch_thread();
			trouble_look();
		}
		return true;
	}
	return false;
}

/* A ring becomes free soon: threads have ended, and the collector only has to drain their rings. */
static bool ring_is_coming(void)
{
	struct region_ring *rings = region_rings(recorder_region.header, &recorder_region.shape);

	for (unsigned int tier = 0; tier < REGION_CLASSES; tier++) {
		const struct region_class *c = &recorder_region.shape.class[tier];
		uint32_t limit = atomic_load_explicit(&recorder_region.header->ring_limit[tier],
						      memory_order_relaxed);

		for (uint32_t i = 0; i < c->count && i < limit; i++)
			if (atomic_load_explicit(&rings[c->first + i].state,
						 memory_order_relaxed) == REGION_RING_RETIRED)
				return true;
	}
	return false;
}

/*
 * When a thread looks for its first ring, it waits for a ring that becomes free, just as it waits
 * for a full one.
 */
static bool lane_bind_patiently(struct recorder_lane *lane, unsigned int level)
{
	uint64_t since = clock_ns(CLOCK_MONOTONIC), waited = 0;

	while (!lane_bind(lane, level)) {
		if (!recorder_region.wait_when_full || lane->starved || !ring_is_coming() ||
		    atomic_load_explicit(&recorder_state.stalled, memory_order_relaxed) ||
		    atomic_load(&recorder_region.header->collector_state) >=
			    REGION_COLLECTOR_FINISHED)
			return false;
		if (waited > RECORDER_STALL_NS) {
			atomic_store(&recorder_state.stalled, 1);
			return false;
		}
		recorder_ring_bell();
		futex_wait(&recorder_region.header->flushed,
			   atomic_load(&recorder_region.header->flushed), RECORDER_RING_WAIT_NS);
		waited += room_nap(&since);
	}
	return true;
}

bool ring_bind_or_count(struct recorder_lane *lane, unsigned int level)
{
	if (lane->starved % RECORDER_RETRY == 0 && lane_bind_patiently(lane, level)) {
		lane->starved = 0;
		return true;
	}
	lane->starved++;
	entry_count_lost(ENTRY_LOST_NO_RING);
	return false;
}

void recorder_retire(void)
{
	last_name_note();
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		struct recorder_lane *lane = &recorder_self.lane[i];
		uint32_t live = REGION_RING_LIVE;

		if (!lane->bound || lane->bound != recorder_gates->generation + 1)
			continue;
		/* the thread was cancelled in a call */
		for (unsigned int j = 0; j < REGION_OPEN_LIMIT; j++)
			atomic_store(&lane->ring->open[j].start, 0);
		ring_end_wait(lane->ring);
		atomic_store(&lane->ring->end_cpu_ns, thread_clock_ns());
		atomic_store(&lane->ring->end_tsc, clock_ticks());
		atomic_compare_exchange_strong(&lane->ring->state, &live, REGION_RING_RETIRED);
	}
}
