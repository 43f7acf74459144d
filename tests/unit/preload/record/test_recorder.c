/* SPDX-License-Identifier: MIT */
/* links: preload:record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/entry.c */
/*
 * The recorder by itself: rings that fill, wrap, wait and drop; gates; the second lane;
 * generations; forked children that nobody has brought in. The test plays the collector.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/base/futex.h"
#include "tests/unit/preload_region.h"
#include "preload/record/trouble.h"

/* preload/record/trouble.h: nothing goes wrong here. */
void trouble_watch(struct region_header *region)
{
	(void)region;
}

void trouble_look(void)
{
}

#define FIELDS 2u
#define WORDS (FIELDS + 1u)

static uint32_t entry;

static void open_with(bool wait_when_full)
{
	memset(&recorder_self, 0, sizeof(recorder_self)); /* as a new thread */
	entry = region_make(wait_when_full);
	recorder_capture(true);
	assert_int_equal(
		recorder_open(&region_made, entry, 1u << EVT_FAMILY_alloc | 1u << EVT_FAMILY_nvtx),
		0);
}

static int setup(void **state)
{
	open_with(false);
	return 0;
}

static int teardown(void **state)
{
	region_unmake();
	return 0;
}

/* One record of three words; whether there was room. */
static __attribute__((noinline)) bool record(uint64_t number)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	const uint64_t field[FIELDS] = { number, ~number };
	bool put;

	assert_non_null(lane);
	put = recorder_put(lane, EVT_nvtx_push, recorder_now(), field, FIELDS);
	recorder_leave(lane);
	return put;
}

static uint64_t ring_capacity(unsigned int tier)
{
	return region_made.shape.class[tier].ring_bytes / 8;
}

/* --- rings --- */

/*
 * The collector's side: the records from tail to head are those from `number` on; the next number.
 */
static uint64_t drain(struct region_ring *ring, const uint64_t *words, uint64_t number)
{
	uint64_t mask = ring_capacity(0) - 1, tail = atomic_load(&ring->tail);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

	while (tail < head) {
		const uint64_t *at = &words[tail & mask];

		if (record_type(at[0]) == RECORD_PAD) {
			assert_int_equal((tail + record_ticks(at[0])) & mask, 0);
			tail += record_ticks(at[0]);
			continue;
		}
		assert_int_equal(record_type(at[0]), EVT_nvtx_push);
		assert_true((tail & mask) + WORDS <= mask + 1);
		assert_true(at[1] == number && at[2] == ~number);
		number++;
		tail += WORDS;
	}
	assert_true(tail == head);
	atomic_store(&ring->tail, tail);
	return number;
}

TEST_BOTH(records_wrap_and_none_spans_the_end, setup, teardown)
{
	struct region_ring *ring = region_ring(0, 0);
	uint64_t number = 0, read = 0;

	for (unsigned int round = 0; round < 20; round++) {
		for (uint64_t i = 0; i < ring_capacity(0) / WORDS / 2; i++)
			assert_true(record(number++));
		read = drain(ring, region_words(0, 0), read);
		assert_true(read == number);
	}
	assert_true(atomic_load(&ring->head) > 6 * ring_capacity(0));
	assert_true(atomic_load(&ring->dropped) == 0);
}

TEST_BOTH(a_full_ring_drops_and_counts, setup, teardown)
{
	struct region_ring *ring = region_ring(0, 0);
	uint64_t number = 0, head;

	while (record(number))
		number++;
	head = atomic_load(&ring->head);
	assert_true(head <= ring_capacity(0) && head + WORDS > ring_capacity(0));
	assert_true(number == ring_capacity(0) / WORDS);
	assert_false(record(number));
	assert_true(atomic_load(&ring->dropped) == 2);
	assert_true(atomic_load(&ring->head) == head);
	assert_true(drain(ring, region_words(0, 0), 0) == number);
	assert_true(record(number));
	assert_true(drain(ring, region_words(0, 0), number) == number + 1);
	assert_true(atomic_load(&ring->dropped) == 2);
}

/* Makes room once the producer says that it sleeps. */
static void *collect(void *context)
{
	struct region_ring *ring = context;

	while (!atomic_load(&ring->waiters))
		sched_yield();
	(void)drain(ring, region_words(0, 0), 0);
	atomic_fetch_add(&ring->progress, 1);
	futex_wake(&ring->progress);
	return NULL;
}

TEST_BOTH(a_full_ring_waits_for_the_collector, setup, teardown)
{
	struct region_ring *ring = region_ring(0, 0);
	uint64_t number = 0;
	pthread_t collector;

	region_unmake();
	open_with(true);
	ring = region_ring(0, 0);
	for (; number < ring_capacity(0) / WORDS; number++)
		assert_true(record(number));
	assert_int_equal(pthread_create(&collector, NULL, collect, ring), 0);
	assert_true(record(number));
	pthread_join(collector, NULL);
	assert_true(drain(ring, region_words(0, 0), number) == number + 1);
	assert_true(atomic_load(&ring->dropped) == 0);
	assert_true(atomic_load(&region_entry(entry)->waits) >= 1);
}

/*
 * What SIGSTOP does to a thread that waits: it looks at the clock long after. Only then comes its
 * collector, stopped as well, to make room.
 */
static void stand_still_then_collect(int number)
{
	static const struct itimerval soon = { .it_value.tv_usec = 10000 };
	static const struct timespec longer_than_patience = { 1, 200000000 };
	static bool has_stood;
	struct region_ring *ring = region_ring(0, 0);

	(void)number;
	if (has_stood) {
		(void)drain(ring, region_words(0, 0), 0);
		atomic_fetch_add(&ring->progress, 1);
		return;
	}
	has_stood = true;
	(void)nanosleep(&longer_than_patience, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
}

TEST_BOTH(time_that_a_thread_was_stopped_is_no_wait, setup, teardown)
{
	static const struct itimerval soon = { .it_value.tv_usec = 10000 };
	struct sigaction action = { .sa_handler = stand_still_then_collect }, before;
	struct region_ring *ring;
	uint64_t number = 0;

	region_unmake();
	open_with(true);
	ring = region_ring(0, 0);
	for (; number < ring_capacity(0) / WORDS; number++)
		assert_true(record(number));
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_true(record(number));
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_true(drain(ring, region_words(0, 0), number) == number + 1);
	assert_true(atomic_load(&ring->dropped) == 0);
}

TEST_BOTH(a_sleeping_collector_is_woken_by_half_a_ring, setup, teardown)
{
	struct region_header *header = region_made.header;
	uint32_t bell = atomic_load(&header->doorbell);

	atomic_store(&header->asleep, 1);
	for (uint64_t i = 0; i < ring_capacity(0) / WORDS / 4; i++)
		assert_true(record(i));
	assert_int_equal(atomic_load(&header->doorbell), bell);
	/* it is looked at once a quarter */
	for (uint64_t i = 0; i < ring_capacity(0) / WORDS * 6 / 10; i++)
		assert_true(record(i));
	assert_int_equal(atomic_load(&header->doorbell), bell + 1);
	assert_int_equal(atomic_load(&header->asleep), 0);
}

TEST_BOTH(a_scribbled_ring_is_not_written, setup, teardown)
{
	struct region_ring *ring = region_ring(0, 0);
	uint64_t head;

	assert_true(record(0));
	atomic_store(&ring->state, REGION_RING_CLOSED);
	for (uint64_t i = 0; i < ring_capacity(0); i++)
		(void)record(i);
	head = atomic_load(&ring->head);
	assert_false(record(0));
	assert_true(atomic_load(&ring->head) == head);
}

TEST_BOTH(a_thread_without_a_ring_is_counted, setup, teardown)
{
	for (uint32_t i = 0; i < region_made.shape.ring_count; i++)
		atomic_store(&region_rings(region_made.header, &region_made.shape)[i].state,
			     REGION_RING_LIVE);
	assert_null(recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD));
	assert_null(recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD));
	assert_true(atomic_load(&region_entry(entry)->lost_no_ring) == 2);
}

static void *record_named(void *unused)
{
	prctl(PR_SET_NAME, "short-lived");
	assert_true(record(7));
	return NULL;
}

TEST_BOTH(a_thread_that_ends_gives_its_ring_back, setup, teardown)
{
	struct region_ring *ring = region_ring(0, 0);
	uint64_t name[REGION_NAME_WORDS];
	pthread_t thread;

	recorder_watch_threads();
	assert_int_equal(pthread_create(&thread, NULL, record_named, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&ring->state), REGION_RING_RETIRED);
	assert_int_equal(ring->process, entry);
	assert_true(atomic_load(&ring->end_tsc) >= ring->start_tsc);
	for (unsigned int i = 0; i < REGION_NAME_WORDS; i++)
		name[i] = atomic_load(&ring->name[i]);
	assert_string_equal((const char *)name, "short-lived");
}

/* --- gates --- */

static bool is_open(enum evt_family family)
{
	struct recorder_lane *lane = recorder_enter(family, RECORDER_IN_RECORD);

	if (lane)
		recorder_leave(lane);
	return lane != NULL;
}

TEST_BOTH(gates_are_by_family_and_by_capture_range, setup, teardown)
{
	assert_true(is_open(EVT_FAMILY_nvtx));
	assert_true(is_open(EVT_FAMILY_alloc));
	assert_false(is_open(EVT_FAMILY_cuda));
	recorder_capture(false);
	assert_false(is_open(EVT_FAMILY_nvtx));
	assert_false(is_open(EVT_FAMILY_alloc));
	recorder_capture(true);
	assert_true(is_open(EVT_FAMILY_nvtx));
	assert_false(is_open(EVT_FAMILY_cuda));
	recorder_close();
	assert_false(is_open(EVT_FAMILY_nvtx));
	assert_false(recorder_is_open());
}

TEST_BOTH(gates_stay_shut_when_opened_inside_of_no_range, setup, teardown)
{
	recorder_capture(false);
	recorder_reopen(entry);
	assert_false(is_open(EVT_FAMILY_nvtx));
	assert_true(recorder_is_shut(EVT_FAMILY_nvtx));
	recorder_capture(true);
	assert_true(is_open(EVT_FAMILY_nvtx));
}

/* A new opening is a new generation: rings of the old one are not written. */
TEST_BOTH(a_new_generation_has_rings_of_its_own, setup, teardown)
{
	uint64_t generation = recorder_gates->generation;

	assert_true(record(1));
	recorder_reopen(entry);
	assert_true(recorder_gates->generation == generation + 1);
	assert_true(record(2));
	assert_true(atomic_load(&region_ring(0, 0)->head) == WORDS);
	assert_true(atomic_load(&region_ring(0, 1)->head) == WORDS);
	assert_true(region_words(0, 1)[1] == 2);
}

/* --- busy lanes --- */

/* As a signal handler would, in a frame below the one that holds the lane. */
static __attribute__((noinline)) struct recorder_lane *enter_below(enum evt_family family)
{
	struct recorder_lane *lane = recorder_enter(family, RECORDER_IN_RECORD);

	__asm__ volatile("" ::: "memory");
	return lane;
}

TEST_BOTH(inside_of_a_record_the_second_lane_is_used, setup, teardown)
{
	struct recorder_lane *lane, *second;

	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	assert_ptr_equal(lane, &recorder_self.lane[0]);
	second = enter_below(EVT_FAMILY_alloc);
	assert_ptr_equal(second, &recorder_self.lane[1]);
	assert_int_equal(second->ring->level, 1);
	assert_ptr_equal(second->ring, region_ring(REGION_CLASSES - 1, 0));
	assert_null(enter_below(EVT_FAMILY_alloc));
	assert_true(atomic_load(&region_entry(entry)->lost_nested) == 1);
	recorder_leave(second);
	recorder_leave(lane);
	assert_true(record(1));
	assert_true(atomic_load(&region_ring(0, 0)->head) == WORDS);
}

/* The heap's own calls are the original's; others are the program's. */
TEST_BOTH(inside_of_an_original_only_the_heap_is_silent, setup, teardown)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL), *second;

	assert_non_null(lane);
	assert_null(enter_below(EVT_FAMILY_alloc));
	second = enter_below(EVT_FAMILY_nvtx);
	assert_ptr_equal(second, &recorder_self.lane[1]);
	recorder_leave(second);
	recorder_leave(lane);
	assert_true(atomic_load(&region_entry(entry)->lost_nested) == 0);
}

static __attribute__((noinline)) void enter_and_jump(jmp_buf *back)
{
	(void)recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	longjmp(*back, 1);
}

static __attribute__((noinline)) void enter_far_below(jmp_buf *back)
{
	char room[1024];

	__asm__ volatile("" ::"r"(room) : "memory");
	enter_and_jump(back);
}

TEST_BOTH(a_lane_left_by_longjmp_is_idle, setup, teardown)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		enter_far_below(&back);
	assert_true(recorder_self.lane[0].owner >= RECORDER_BUSY_MIN);
	assert_ptr_equal(enter_below(EVT_FAMILY_alloc), &recorder_self.lane[0]);
	recorder_leave(&recorder_self.lane[0]);
}

/* --- children that nobody has brought in --- */

static void adopt(void)
{
	uint32_t own = entry_claim(REGION_PROCESS_FILLING);

	entry_take(own);
	recorder_reopen(own);
}

static void adopt_nobody(void)
{
	recorder_close();
}

/* In a child; its exit status is 0 when `number` was recorded. */
static int child_records(uint64_t number)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct recorder_lane *lane;

		if (recorder_gates->generation)
			recorder_shut_in_child(); /* a kernel that does not wipe the page */
		lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
		if (!lane)
			_exit(1);
		(void)recorder_put(lane, EVT_nvtx_push, 0, &number, 1);
		recorder_leave(lane);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST_BOTH(a_forked_child_gets_an_entry_and_a_ring_of_its_own, setup, teardown)
{
	struct region_ring *own = region_ring(0, 0), *child = region_ring(0, 1);

	assert_true(record(1));
	recorder_on_strange_fork(adopt);
	assert_int_equal(child_records(2), 0);
	assert_true(atomic_load(&own->head) == WORDS);
	assert_true(atomic_load(&child->head) == 2);
	assert_true(region_words(0, 1)[1] == 2);
	assert_int_equal(child->process, 1);
	assert_int_equal(child->process_serial, atomic_load(&region_entry(1)->serial));
	assert_int_not_equal(region_entry(1)->pid, region_entry(0)->pid);
	assert_true(record(3));
	assert_true(atomic_load(&own->head) == (uint64_t)2 * WORDS);
}

TEST_BOTH(a_child_that_nobody_adopts_records_nothing, setup, teardown)
{
	assert_true(record(1));
	recorder_on_strange_fork(adopt_nobody);
	assert_int_not_equal(child_records(2), 0);
	assert_int_equal(atomic_load(&region_ring(0, 1)->state), REGION_RING_FREE);
}
