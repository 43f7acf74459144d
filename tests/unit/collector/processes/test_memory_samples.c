/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/processes/memory_samples.c: what is told of a process's memory, and how often /proc is
 * asked.
 */
#include "tests/unit/unit.h"
#include "tests/unit/region_fixture.h"

#include "collector/processes/memory_samples.h"

#define BIG_BYTES (32u << 20)
#define SECOND 1000000000ull

static struct processes processes;
static struct memory_samples samples;
static struct common common;

/* This process is the one that is looked at. */
static int setup(void **state)
{
	processes_init(&processes, true);
	samples = (struct memory_samples){ 0 };
	memset(&common, 0, sizeof(common));
	journal_init(&common.journal);
	processes.limit = 1;
	processes.slot[0] = (struct process){ .number = 7, .pid = (uint32_t)getpid() };
	return 0;
}

static int teardown(void **state)
{
	journal_release(&common.journal);
	return 0;
}

static const struct evt_process_memory *told(size_t place)
{
	assert_true(place < common.journal.count);
	assert_int_equal(common.journal.event[place].id, EVT_process_memory);
	return (const void *)common.journal.event[place].value;
}

TEST_BOTH(test_memory_is_told_when_it_changes, setup, teardown)
{
	char *big;

	/*
	 * the first look grows this very process, which a sanitizer's shadow makes much of: it is
	 * done before
	 */
	memory_samples_take(&samples, &processes, &common, 1 * SECOND);
	common.journal.count = 0;
	processes.slot[0].memory = (struct proc_memory){ 0 };
	memory_samples_take(&samples, &processes, &common, 50 * SECOND);
	assert_int_equal(common.journal.count, 1);
	assert_int_equal(told(0)->process, 7);
	assert_int_equal(told(0)->anonymous_bytes + told(0)->file_bytes + told(0)->shared_bytes,
			 told(0)->resident_bytes);
	memory_samples_take(&samples, &processes, &common, 100 * SECOND);
	assert_int_equal(common.journal.count, 1);
	big = mmap(NULL, BIG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(big, MAP_FAILED);
	memset(big, 1, BIG_BYTES);
	memory_samples_take(&samples, &processes, &common, 200 * SECOND);
	assert_int_equal(common.journal.count, 2);
	assert_true(told(1)->anonymous_bytes - told(0)->anonymous_bytes > BIG_BYTES * 9ull / 10);
	munmap(big, BIG_BYTES);
}

TEST_BOTH(test_memory_is_not_asked_for_too_often, setup, teardown)
{
	memory_samples_take(&samples, &processes, &common, 1 * SECOND);
	assert_true(samples.next_ns >= 1 * SECOND + MEMORY_PAUSE_MIN_NS);
	processes.slot[0].memory = (struct proc_memory){ 0 };
	memory_samples_take(&samples, &processes, &common, samples.next_ns - 1);
	assert_int_equal(common.journal.count, 1);
	memory_samples_take(&samples, &processes, &common, samples.next_ns);
	assert_int_equal(common.journal.count, 2);
	assert_int_equal(memory_samples_pause_ns(0), MEMORY_PAUSE_MIN_NS);
	assert_int_equal(memory_samples_pause_ns(5000000), 500000000);
	assert_int_equal(memory_samples_pause_ns(UINT64_MAX), MEMORY_PAUSE_MAX_NS);
}

TEST_BOTH(test_memory_of_nobody_is_not_told, setup, teardown)
{
	struct process *process = &processes.slot[0];
	struct proc_memory memory;

	assert_false(proc_memory(1u << 30, &memory));
	process->gone = true;
	memory_samples_take(&samples, &processes, &common, 1 * SECOND);
	process->gone = false;
	process->pid = 1u << 30;
	memory_samples_take(&samples, &processes, &common, 100 * SECOND);
	memory_sample_last(&common, process, 1);
	process->pid = (uint32_t)getpid(); /* but it is another program now */
	process->stack_start = 1;
	memory_samples_take(&samples, &processes, &common, 200 * SECOND);
	processes.inspect = false;
	memory_samples_take(&samples, &processes, &common, 300 * SECOND);
	assert_int_equal(common.journal.count, 0);
}

TEST_BOTH(test_memory_at_the_end_is_told, setup, teardown)
{
	memory_sample_last(&common, &processes.slot[0], 5);
	assert_int_equal(common.journal.count, 1);
	assert_true(told(0)->resident_bytes > 0);
}
