/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/processes/processes.c and namesake.c: an entry of the process table keeps the collector
 * only as long as a process that maps the region stands behind it, whatever the table says.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/region_fixture.h"

#include "collector/turn/collector.h"

#define REGION_BYTES (4u << 20)
#define SECOND 1000000000ull
#define ROUNDS 300u

static struct fixture f;
static struct collector c;
static uint64_t now_ns; /* the collector's steady time, which stands still but for pass() */

static int setup(void **state)
{
	fixture_init(&f, REGION_BYTES);
	now_ns = 1000 * SECOND;
	return collector_init(
		&c, &(struct collector_start){ .base = f.base, .bytes = f.bytes, .inspect = true });
}

static int teardown(void **state)
{
	collector_release(&c);
	fixture_release(&f);
	return 0;
}

/* Looks at the table every 50 ms for so long. */
static void pass(uint64_t ns)
{
	for (uint64_t end = now_ns + ns; now_ns < end; now_ns += SECOND / 20)
		processes_scan(&c.processes, &c.common, now_ns);
}

/* A child that maps the region, or has exec'd; it lives until it is ended. */
static pid_t child_start(bool exec)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid && exec) {
		execlp("sleep", "sleep", "300", (char *)NULL);
		_exit(1);
	}
	if (!pid) {
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1),
			 0); /* the other end is closed: by exec, or by hand */
	close(ready[0]);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void entry_add(uint32_t entry, pid_t pid, pid_t parent_pid, uint32_t parent)
{
	fixture_add_process(&f, entry, (uint32_t)pid);
	f.process[entry].parent_pid = (uint32_t)parent_pid;
	f.process[entry].parent = parent;
}

TEST_BOTH(who_maps_the_region_is_waited_for, setup, teardown)
{
	pid_t first = child_start(false), child = child_start(false);

	entry_add(0, first, getpid(), REGION_NO_PARENT);
	entry_add(1, child, first, 0);
	pass(2 * SECOND);
	assert_int_equal(c.processes.alive, 2);
	child_end(first);
	pass(SECOND);
	assert_int_equal(c.processes.alive, 1);
	child_end(child);
	pass(SECOND);
	assert_int_equal(c.processes.alive, 0);
	assert_int_equal(c.processes.numbers, 2);
}

TEST_BOTH(child_that_execs_is_not, setup, teardown)
{
	pid_t first = child_start(false), child = child_start(true);

	entry_add(0, first, getpid(), REGION_NO_PARENT);
	entry_add(1, child, first, 0);            /* one namespace: cheap to believe */
	entry_add(2, child, 1, REGION_NO_PARENT); /* nothing known of it */
	pass(SECOND);
	assert_int_equal(c.processes.alive, 1);
	assert_true(c.processes.slot[1].execed);
	child_end(first);
	pass(SECOND);
	assert_int_equal(c.processes.alive + c.processes.waiting, 0);
	child_end(child);
}

TEST_BOTH(stranger_is_not, setup, teardown)
{
	const uint32_t parents[] = { REGION_NO_PARENT, 0, 1, 77 };
	const pid_t parent_pids[] = { 1, getppid(), getpid() };
	pid_t first = child_start(false);
	uint32_t entry = 0;

	entry_add(entry++, first, getpid(), REGION_NO_PARENT);
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = 0; j < 3; j++) {
			entry_add(entry++, 1, parent_pids[j], parents[i]);
			entry_add(entry++, getppid(), parent_pids[j], parents[i]);
			entry_add(entry++, getppid(), first, parents[i]);
		}
	}
	pass(SECOND);
	assert_int_equal(c.processes.alive, 1);
	child_end(first);
	pass(SECOND);
	assert_int_equal(c.processes.alive + c.processes.waiting, 0);
}

TEST_BOTH(entry_that_cannot_be_is_refused, setup, teardown)
{
	entry_add(0, getpid(), getppid(), REGION_NO_PARENT);
	entry_add(1, 0, getpid(), 0);
	entry_add(2, -1, getpid(), 0);
	entry_add(3, getpid(), getpid(), REGION_PROCESSES);
	entry_add(4, getpid(), getpid(), 0);
	f.process[4].serial = 0;
	pass(SECOND);
	assert_int_equal(c.processes.numbers, 1);
	assert_int_equal(c.processes.refused, 4);
	for (uint32_t i = 1; i < 5; i++)
		assert_int_equal(f.process[i].state, REGION_PROCESS_FREE);
	assert_int_equal(processes_tell_losses(&c.processes, &c.common, 1), 4);
	assert_int_equal(processes_tell_losses(&c.processes, &c.common, 1), 0);
}

static uint32_t random_word(void)
{
	static uint64_t seed = 88172645463325252ull;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

/* One of those that are worth being believed, or noise. */
static uint32_t random_pid(const pid_t *pids, size_t count)
{
	uint32_t which = random_word() % (uint32_t)(2 * count);

	return which < count ? (uint32_t)pids[which] : random_word();
}

/*
 * Noise over the table, again and again while it is looked at: nothing of it outlives the real one.
 */
TEST_BOTH(noise_keeps_nobody, setup, teardown)
{
	pid_t exec = child_start(true), first = child_start(false);
	const pid_t pids[] = { 1, getppid(), exec, first };

	entry_add(0, first, getpid(), REGION_NO_PARENT);
	pass(SECOND / 20);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < 8; i++) {
			struct region_process *entry = &f.process[random_word() % REGION_PROCESSES];
			uint32_t *words = (uint32_t *)entry;

			if (round % 2) {
				words[random_word() % (sizeof(*entry) / 4)] = random_word();
				continue;
			}
			entry->pid = random_pid(pids, 4);
			entry->parent_pid = random_pid(pids, 4);
			entry->parent = random_word() % 3 ? random_word() % 3 : REGION_NO_PARENT;
			entry->serial = random_word() % 3;
			entry->state = random_word() % 7;
		}
		f.header->process_limit = random_word();
		pass(SECOND / 20);
	}
	child_end(first);
	pass(3 * SECOND);
	assert_int_equal(c.processes.alive + c.processes.waiting, 0);
	child_end(exec);
}
