/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/followed.c: the events of a real process, read by nobody but this test: threads
 * that were there before, threads that they start, threads that end; two processes in one ring.
 * Where the kernel allows no perf event, why is what it says.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"
#include "collector/native/followed.h"
#include "collector/native/perf_open.h"

#define THREADS 6u
#define PERIOD_NS 1000000u

/* The kernel does not allow it here, whatever forbids that. */
static bool is_refusal(uint64_t off)
{
	return off == EVT_NATIVE_OFF_REFUSED || off == EVT_NATIVE_OFF_PARANOID ||
	       off == EVT_NATIVE_OFF_FILTERED || off == EVT_NATIVE_OFF_BARRED;
}

/* What the child tells of itself. */
static struct shared {
	_Atomic uint32_t tid[THREADS], late_tid, begins_late, ends;
} * shared;

static struct following following;

static void *spin(void *argument)
{
	_Atomic uint32_t *tid = argument;
	volatile uint64_t sink = 0;

	*tid = (uint32_t)syscall(SYS_gettid);
	while (!shared->ends)
		sink += *tid;
	return NULL;
}

/* The last one starts another thread when it is told to. */
static void *spin_and_start(void *argument)
{
	pthread_t late;

	*(_Atomic uint32_t *)argument = (uint32_t)syscall(SYS_gettid);
	while (!shared->begins_late)
		continue;
	pthread_create(&late, NULL, spin, &shared->late_tid);
	pthread_join(late, NULL);
	return NULL;
}

static pid_t child_start(void)
{
	pid_t pid = fork();
	pthread_t thread[THREADS];

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, i + 1 < THREADS ? spin : spin_and_start,
			       &shared->tid[i]);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (;;)
		pause();
}

struct seen {
	uint64_t samples[THREADS], late, ends, strangers;
};

static void seen_take(struct seen *seen, const struct perf_record *record, uint32_t pid)
{
	bool known = record->tid == shared->late_tid;

	if (record->kind == PERF_IS_END)
		seen->ends++;
	if (record->kind != PERF_IS_SAMPLE)
		return;
	assert_int_equal(record->pid, pid);
	assert_true(record->stack_bytes || !record->has_registers);
	seen->late += known;
	for (size_t i = 0; i < THREADS; i++) {
		seen->samples[i] += record->tid == shared->tid[i];
		known |= record->tid == shared->tid[i];
	}
	seen->strangers += !known;
}

static void rings_read(struct seen *seen, uint32_t pid)
{
	for (uint32_t i = 0; i < following.cpus; i++) {
		struct perf_ring *ring = &following.cpu[i].ring;
		struct perf_record record;
		uint32_t entry, root;

		if (ring->fd < 0)
			continue;
		perf_ring_look(ring);
		for (; perf_ring_next(ring, &record); perf_ring_pass(ring)) {
			struct followed *process = following_find(&following, record.id, &entry,
								  &root);

			if (!process)
				continue;
			assert_ptr_equal(process, &following.process[3]);
			assert_int_equal(entry, 3);
			seen_take(seen, &record, pid);
		}
	}
	usleep(2000); /* the clock that counts is the threads' own */
}

static bool all_seen(const struct seen *seen)
{
	for (size_t i = 0; i < THREADS; i++)
		if (seen->samples[i] < 5)
			return false;
	return true;
}

TEST(test_threads)
{
	pid_t pid = child_start();
	struct process process = { .number = 9, .pid = (uint32_t)pid };
	struct seen seen = { 0 };

	for (size_t i = 0; i < THREADS; i++)
		while (!shared->tid[i])
			usleep(1000);
	assert_int_equal(following_init(&following, PERIOD_NS), 0);
	following_begin(&following, 3, &process);
	if (following.process[3].now.off) {
		assert_true(is_refusal(following.process[3].now.off));
		assert_int_equal(following.process[3].fds, 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		following_release(&following);
		skip();
	}
	assert_int_equal(following.process[3].now.partial, 0);
	assert_true(following.process[3].fds >= THREADS + 1);
	assert_true(following.process[3].mappings.count > 1);
	while (!all_seen(&seen))
		rings_read(&seen, (uint32_t)pid);
	/* one that is started by one of them needs nothing of us */
	shared->begins_late = 1;
	while (seen.late < 5)
		rings_read(&seen, (uint32_t)pid);
	assert_int_equal(seen.ends, 0);
	shared->ends = 1;
	while (seen.ends < THREADS + 1)
		rings_read(&seen, (uint32_t)pid);
	/* another process has the entry: nothing of the first is left */
	following_begin(&following, 3,
			&(struct process){ .number = 10, .pid = (uint32_t)getpid() });
	assert_int_equal(following.process[3].number, 10);
	assert_int_equal(following.fds, following.process[3].fds);
	following_end(&following, 3);
	assert_int_equal(following.fds, 0);
	assert_int_equal(following.events, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	following_release(&following);
}

TEST(test_refused)
{
	struct process process = { .number = 1, .pid = 0x7ffffff0 };

	assert_int_equal(following_init(&following, PERIOD_NS), 0);
	/* no such process: no thread is followed, and that is no reason to be off for */
	following_begin(&following, 0, &process);
	assert_int_equal(following.process[0].fds, 0);
	process.moved = true;
	following_begin(&following, 0, &process);
	assert_int_equal(following.process[0].now.off, EVT_NATIVE_OFF_ELSEWHERE);
	/* no descriptor is left */
	following.fds_max = 0;
	following_begin(&following, 0, &(struct process){ .number = 2, .pid = (uint32_t)getpid() });
	assert_int_equal(following.process[0].now.off, EVT_NATIVE_OFF_ROOM);
	following_release(&following);
}

/* How a process ended that may lock little more memory: what it found. */
enum little { LITTLE_RIGHT, LITTLE_WRONG, LITTLE_REFUSED };

/* Others of the same user have what a user may have without RLIMIT_MEMLOCK. */
static bool budget_take(void)
{
	struct perf_ring ring;
	int error = 0;

	for (int i = 0; i < 1024 && !error; i++)
		error = perf_ring_open(&ring, 0, 64u << 10); /* stays open */
	return error == -ENOMEM;
}

static enum little rings_where_little_may_be_locked(uint64_t bytes_for_all)
{
	struct rlimit limit;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = 0;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || (!getuid() && setuid(65534)) ||
	    prctl(PR_SET_DUMPABLE, 1) || !budget_take())
		return LITTLE_REFUSED;
	limit.rlim_cur = bytes_for_all < limit.rlim_max ? bytes_for_all : limit.rlim_max;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || following_init(&following, PERIOD_NS))
		return LITTLE_REFUSED;
	following_begin(&following, 0, &(struct process){ .number = 1, .pid = (uint32_t)getpid() });
	if (is_refusal(following.process[0].now.off))
		return LITTLE_REFUSED;
	if (following.process[0].now.off)
		return LITTLE_WRONG;
	for (uint32_t i = 0; i < following.cpus; i++)
		if (!following.cpu[i].is_off &&
		    (following.cpu[i].ring.fd < 0 ||
		     following.cpu[i].ring.bytes != following.ring_bytes))
			return LITTLE_WRONG;
	return LITTLE_RIGHT;
}

/*
 * Each CPU has a ring, however small, and how large they are is known: from that follows how long
 * the collector may sleep.
 */
TEST(test_little_memory)
{
	uint32_t cpu[FOLLOWED_CPUS], cpus = perf_cpus(cpu, FOLLOWED_CPUS);
	int status;
	pid_t pid;

	for (uint64_t bytes = 80u << 10; bytes <= 320u << 10; bytes *= 2) {
		pid = fork();
		if (!pid)
			_exit((int)rings_where_little_may_be_locked(bytes * cpus));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == LITTLE_REFUSED)
			skip();
		assert_int_equal(WEXITSTATUS(status), LITTLE_RIGHT);
	}
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? 1 : unit_run();
}
