/* SPDX-License-Identifier: MIT */
/* links: preload:life/process.c,base/interpreter.c,base/symbols.c,record/entry.c,record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/capture.c,record/event.c,record/strings.c,record/thread_clock.c */
/*
 * Entries of the process table, and when a process gets one: claims, fork(), the end. The test
 * plays the collector, and the families.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIT_HAS_MAIN
#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/base/futex.h"
#include "preload/life/families.h"
#include "preload/life/process.h"
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

bool trouble_collector_is_gone(const struct region_header *region)
{
	(void)region;
	return false;
}

/* --- what the handlers call; children tell of it in shared memory --- */

static struct {
	_Atomic int forked, forked_open, flushed, left, ended;
	_Atomic int collector_moved;
} * told;

void families_forked(void)
{
	atomic_fetch_add(&told->forked, 1);
	atomic_fetch_add(&told->forked_open, recorder_gates->gate[EVT_FAMILY_nvtx] != 0);
}

void families_flush(void)
{
	atomic_fetch_add(&told->flushed, recorder_is_open());
}

static void left(void)
{
	atomic_fetch_add(&told->left, 1);
}

static void ended(bool collector_moves)
{
	atomic_fetch_add(&told->ended, 1);
	atomic_store(&told->collector_moved, collector_moves);
}

static uint32_t entry;

static int setup(void **state)
{
	memset(told, 0, sizeof(*told));
	entry = region_make(false);
	recorder_capture(true);
	assert_int_equal(recorder_open(&region_made, entry, 1u << EVT_FAMILY_nvtx), 0);
	return 0;
}

static int teardown(void **state)
{
	region_unmake();
	return 0;
}

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* --- entries --- */

TEST_BOTH(entries_are_claimed_until_the_table_is_full, setup, teardown)
{
	assert_int_equal(entry, 0);
	for (uint32_t i = 1; i < REGION_PROCESSES; i++)
		assert_int_equal(entry_claim(REGION_PROCESS_PENDING), i);
	assert_int_equal(atomic_load(&region_made.header->process_limit), REGION_PROCESSES);
	assert_int_equal(entry_claim(REGION_PROCESS_PENDING), ENTRY_NONE);
	assert_true(atomic_load(&region_made.header->lost_no_process) == 1);
	atomic_store(&region_entry(7)->state, REGION_PROCESS_FREE);
	assert_int_equal(entry_claim(REGION_PROCESS_PENDING), 7);
	assert_int_equal(atomic_load(&region_entry(7)->serial), 2);
	assert_int_equal(region_entry(7)->parent, 0);
}

TEST_BOTH(a_pending_entry_is_confirmed_once, setup, teardown)
{
	uint32_t pending = entry_claim(REGION_PROCESS_PENDING);

	assert_true(entry_confirm(pending));
	assert_false(entry_confirm(pending));
	atomic_store(&region_entry(pending)->state, REGION_PROCESS_FREE); /* given up */
	assert_false(entry_confirm(pending));
}

TEST_BOTH(counts_go_to_the_own_entry, setup, teardown)
{
	const struct region_process *own = region_entry(entry);

	assert_ptr_equal(entry_own(), own);
	assert_true(entry_is_own());
	entry_count_lost(ENTRY_LOST_NO_RING);
	entry_count_lost(ENTRY_LOST_NESTED);
	entry_count_lost(ENTRY_LOST_NESTED);
	entry_count_lost(ENTRY_LOST_EARLY);
	entry_count_lost(ENTRY_LOST_STACK);
	entry_count_wait();
	assert_true(atomic_load(&own->lost_no_ring) == 1 && atomic_load(&own->lost_nested) == 2);
	assert_true(atomic_load(&own->lost_early) == 1 && atomic_load(&own->waits) == 1);
	assert_true(atomic_load(&own->lost_stacks) == 1);
	entry_take(entry_claim(REGION_PROCESS_FILLING));
	assert_ptr_equal(entry_own(), region_entry(1));
	assert_true(atomic_load(&entry_own()->lost_nested) == 0);
}

/* --- fork --- */

TEST_BOTH(a_forked_child_takes_the_entry_claimed_for_it, setup, teardown)
{
	pid_t pid = fork();

	if (pid == 0) /* brought in by the handler, before anything is recorded */
		_exit(entry_own() == region_entry(1) && entry_is_own() &&
				      recorder_gates->gate[EVT_FAMILY_nvtx] != 0
			      ? 0
			      : 1);
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(region_entry(1)->pid, (uint32_t)pid);
	assert_int_equal(region_entry(1)->parent_pid, (uint32_t)getpid());
	assert_int_equal(region_entry(1)->parent, 0);
	assert_int_equal(atomic_load(&region_entry(1)->state), REGION_PROCESS_LIVE);
	assert_int_equal(atomic_load(&told->forked), 1);
	assert_int_equal(atomic_load(&told->forked_open), 0);
	assert_int_equal(atomic_load(&told->left), 0);
	assert_ptr_equal(entry_own(), region_entry(0));
}

TEST_BOTH(a_child_of_a_finished_collector_is_left, setup, teardown)
{
	pid_t pid;

	atomic_store(&region_made.header->collector_state, REGION_COLLECTOR_FINISHED);
	pid = fork();
	if (pid == 0)
		_exit(recorder_is_open());
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(atomic_load(&told->left), 1);
	assert_int_equal(atomic_load(&told->forked), 0);
}

/* Another one would fail again. */
TEST_BOTH(a_child_of_a_failed_collector_is_not, setup, teardown)
{
	pid_t pid;

	atomic_store(&region_made.header->collector_state, REGION_COLLECTOR_FAILED);
	pid = fork();
	if (pid == 0)
		_exit(recorder_is_open());
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(atomic_load(&told->left), 0);
}

/* --- the end --- */

TEST_BOTH(an_end_is_written_once, setup, teardown)
{
	struct region_process *own = region_entry(entry);

	assert_true(process_end(0x103, EVT_END_IMMEDIATE, false));
	assert_int_equal(atomic_load(&own->state), REGION_PROCESS_EXITING);
	assert_int_equal(atomic_load(&own->exit_status), 3);
	assert_int_equal(atomic_load(&own->exit_how), EVT_END_IMMEDIATE);
	assert_true(atomic_load(&own->exit_cpu_ns) > 0);
	assert_int_equal(atomic_load(&region_made.header->doorbell), 1);
	assert_false(recorder_is_open());
	assert_true(process_end(4, EVT_END_EXIT, true));
	assert_int_equal(atomic_load(&own->exit_status), 3);
}

static void *flush(void *unused)
{
	struct region_process *own = region_entry(0);

	while (atomic_load(&own->state) != REGION_PROCESS_EXITING)
		sched_yield();
	atomic_store(&own->state, REGION_PROCESS_FLUSHED);
	atomic_fetch_add(&region_made.header->flushed, 1);
	futex_wake(&region_made.header->flushed);
	return NULL;
}

TEST_BOTH(an_end_waits_for_the_collector, setup, teardown)
{
	pthread_t collector;

	assert_int_equal(pthread_create(&collector, NULL, flush, NULL), 0);
	assert_true(process_end(0, EVT_END_EXIT, true));
	assert_int_equal(atomic_load(&region_entry(0)->state), REGION_PROCESS_FLUSHED);
	pthread_join(collector, NULL);
}

TEST_BOTH(exit_flushes_the_families_and_says_its_status, setup, teardown)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* so that nobody waits for it */
		atomic_store(&region_made.header->collector_state, REGION_COLLECTOR_FINISHED);
		exit(5);
	}
	assert_int_equal(WEXITSTATUS(wait_for(pid)), 5);
	assert_int_equal(atomic_load(&told->flushed), 1);
	assert_int_equal(atomic_load(&told->ended), 1);
	assert_int_equal(atomic_load(&told->collector_moved), 1);
	assert_int_equal(atomic_load(&region_entry(1)->exit_status), 5);
	assert_int_equal(atomic_load(&region_entry(1)->exit_how), EVT_END_EXIT);
}

/* What a vfork() child does is not the parent's: it has the parent's memory. */
TEST_BOTH(anothers_end_is_nothing, setup, teardown)
{
	region_entry(entry)->pid++;
	assert_true(process_end(1, EVT_END_IMMEDIATE, false));
	assert_int_equal(atomic_load(&region_entry(entry)->state), REGION_PROCESS_LIVE);
	assert_true(recorder_is_open());
}

int main(void)
{
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
	process_install_handlers(left, ended);
	return unit_run();
}
