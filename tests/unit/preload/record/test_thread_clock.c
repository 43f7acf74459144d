/* SPDX-License-Identifier: MIT */
/* links: preload:record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/entry.c,record/thread_clock.c */
/*
 * The thread's clock beside edges: which of them are read, what stands in the ring, what happens
 * where the kernel refuses.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "collector/arch/arch.h"
#include "preload/record/thread_clock.h"
#include "preload/record/trouble.h"
#include "tests/unit/preload_region.h"

void trouble_watch(struct region_header *region)
{
	(void)region;
}

void trouble_look(void)
{
}

static int setup(void **state)
{
	uint32_t entry;

	memset(&recorder_self, 0, sizeof(recorder_self)); /* as a new thread */
	entry = region_make(false);
	region_made.header->base_tsc = arch_ticks(); /* more than 56 bits after some months */
	recorder_capture(true);
	assert_int_equal(recorder_open(&region_made, entry, 1u << EVT_FAMILY_nvtx), 0);
	return 0;
}

static int teardown(void **state)
{
	region_unmake();
	return 0;
}

/* An edge of the family that is recorded, at `ticks`; returns the time that it gets. */
static uint64_t edge(uint64_t ticks)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);

	assert_non_null(lane);
	ticks = thread_clock_edge(lane, ticks);
	recorder_leave(lane);
	return ticks;
}

static uint64_t words(void)
{
	return recorder_self.lane[0].head;
}

TEST_BOTH(edges_are_read_when_time_has_passed, setup, teardown)
{
	const uint64_t *ring;
	uint64_t first, due;

	first = edge(recorder_now()); /* of a thread that has just begun */
	ring = recorder_self.lane[0].words;
	assert_int_equal(words(), 2);
	assert_int_equal(record_type(ring[0]), EVT_thread_clock);
	assert_int_equal(record_ticks(ring[0]), first);
	assert_int_not_equal(ring[1], 0);
	due = recorder_self.clock_due;
	assert_int_equal(due, first + thread_clock_interval);
	assert_int_equal(edge(due - 1), due - 1); /* too soon */
	assert_int_equal(words(), 2);
	assert_true(edge(due) > first);
	assert_int_equal(words(), 4);
	assert_true(ring[3] >= ring[1]);
	assert_true(record_ticks(ring[2]) >= record_ticks(ring[0]));
}

/* What a reading takes is this machine's; the bounds are not. */
TEST_BOTH(interval_is_within_its_bounds, setup, teardown)
{
	uint64_t first;

	thread_clock_begin();
	assert_in_range(thread_clock_interval, THREAD_CLOCK_TICKS,
			THREAD_CLOCK_TICKS * THREAD_CLOCK_LONGEST);
	first = edge(recorder_now());
	assert_int_equal(recorder_self.clock_due, first + thread_clock_interval);
	clock_is_tsc = false;
	thread_clock_begin();
	clock_is_tsc = true;
	assert_in_range(thread_clock_interval, THREAD_CLOCK_NS,
			THREAD_CLOCK_NS * THREAD_CLOCK_LONGEST);
	thread_clock_interval = THREAD_CLOCK_TICKS;
}

TEST_BOTH(rare_edges_are_always_read, setup, teardown)
{
	thread_clock_record();
	thread_clock_record();
	assert_int_equal(words(), 4);
	recorder_capture(false);
	thread_clock_record();
	assert_int_equal(words(), 4);
}

static void *ends_at_once(void *argument)
{
	(void)edge(recorder_now());
	recorder_retire();
	return argument;
}

TEST_BOTH(the_ring_has_where_it_began_and_ended, setup, teardown)
{
	pthread_t thread;
	struct region_ring *ring;

	assert_int_equal(pthread_create(&thread, NULL, ends_at_once, NULL), 0);
	pthread_join(thread, NULL);
	ring = region_ring(0, 0);
	assert_int_not_equal(ring->start_cpu_ns, 0);
	assert_true(ring->end_cpu_ns > ring->start_cpu_ns);
}

/* Under a filter that refuses the call. Returns an exit status: 77 where there are no filters. */
static int without_the_call(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	uint64_t now = recorder_now();

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	errno = ENOTTY;
	if (edge(now) < now || words() != 0 || errno != ENOTTY)
		return 1;
	if (recorder_self.clock_due != UINT64_MAX) /* it would ask at every edge */
		return 2;
	thread_clock_record();
	return words() != 0;
}

TEST_BOTH(refused_is_never_asked_again, setup, teardown)
{
	int status;
	pid_t child;

	(void)recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD); /* has its ring */
	recorder_leave(&recorder_self.lane[0]);
	child = fork();
	if (child == 0) {
		recorder_reopen(0);
		_exit(without_the_call());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}
