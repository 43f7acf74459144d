/* SPDX-License-Identifier: MIT */
/* See process.h. The entry's state says who may touch it: region.h, enum region_process_state. */
#include "preload/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/format/events.h"
#include "preload/clock.h"
#include "preload/futex.h"
#include "preload/init.h"
#include "preload/recorder.h"

#define PROCESS_EXIT_WAIT_NS 1000000000u /* the longest that we hold up an exit */
#define PROCESS_NAP_NS 200000000u        /* of that wait, between two looks at the collector */
#define PROCESS_NONE UINT32_MAX

static struct region_header *header;
static struct region_process *table;
static uint32_t process_self = PROCESS_NONE;
static pthread_key_t thread_key;
static bool thread_key_made;

/* The entry that this thread's fork() has claimed for its child. */
static __thread uint32_t pending_child __attribute__((tls_model("initial-exec"))) = PROCESS_NONE;

static uint32_t own_pid(void)
{
	return (uint32_t)syscall(SYS_getpid); /* not getpid(): old glibc caches it over clone() */
}

/* A free entry, moved to `state`; PROCESS_NONE when all are in use. */
static uint32_t entry_claim(uint32_t state)
{
	for (uint32_t i = 0; i < REGION_PROCESSES; i++) {
		uint32_t expected = REGION_PROCESS_FREE;
		uint32_t limit = atomic_load(&header->process_limit);

		while (limit <= i &&
		       !atomic_compare_exchange_weak(&header->process_limit, &limit, i + 1))
			;
		if (atomic_load_explicit(&table[i].state, memory_order_relaxed) != expected ||
		    !atomic_compare_exchange_strong(&table[i].state, &expected,
						    REGION_PROCESS_FILLING))
			continue;
		atomic_fetch_add(&table[i].serial, 1);
		table[i].parent = process_self;
		table[i].parent_pid = 0;
		table[i].pid = 0;
		table[i].start_tsc = clock_ticks();
		atomic_store_explicit(&table[i].state, state, memory_order_release);
		return i;
	}
	atomic_fetch_add(&header->lost_no_process, 1);
	return PROCESS_NONE;
}

static void entry_fill(uint32_t entry)
{
	struct region_process *p = &table[entry];

	p->pid = own_pid();
	p->parent_pid = (uint32_t)syscall(SYS_getppid);
	p->start_tsc = clock_ticks();
	atomic_store(&p->exit_status, REGION_STATUS_UNKNOWN);
	atomic_store(&p->exit_how, EVT_END_UNKNOWN);
	atomic_store(&p->exit_cpu_ns, 0);
	atomic_store(&p->lost_no_ring, 0);
	atomic_store(&p->lost_nested, 0);
	atomic_store(&p->lost_early, 0);
	atomic_store(&p->waits, 0);
	atomic_store_explicit(&p->state, REGION_PROCESS_LIVE, memory_order_release);
}

int process_begin(struct region_header *h, const struct region_shape *shape, uint32_t *ret_entry)
{
	uint32_t entry;

	header = h;
	table = region_processes(h, shape);
	process_self = PROCESS_NONE;
	entry = entry_claim(REGION_PROCESS_FILLING);
	if (entry == PROCESS_NONE)
		return -ENOSPC;
	entry_fill(entry);
	process_self = entry;
	*ret_entry = entry;
	return 0;
}

/* --- fork --- */

static void fork_prepare(void)
{
	pending_child = PROCESS_NONE;
	if (recorder_is_open() && process_self != PROCESS_NONE)
		pending_child = entry_claim(REGION_PROCESS_PENDING);
}

static uint32_t entry_take_pending(void)
{
	uint32_t expected = REGION_PROCESS_PENDING;

	if (pending_child == PROCESS_NONE)
		return PROCESS_NONE;
	if (!atomic_compare_exchange_strong(&table[pending_child].state, &expected,
					    REGION_PROCESS_FILLING))
		return PROCESS_NONE; /* the collector gave us up: this child was stopped for long */
	return pending_child;
}

void process_adopt(void)
{
	uint32_t entry;

	if (atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED) {
		recorder_close();
		if (atomic_load(&header->collector_state) == REGION_COLLECTOR_FINISHED)
			init_start_anew(); /* one that failed would fail again */
		return;
	}
	entry = entry_take_pending();
	if (entry == PROCESS_NONE)
		entry = entry_claim(REGION_PROCESS_FILLING);
	pending_child = PROCESS_NONE;
	if (entry == PROCESS_NONE) {
		recorder_close();
		return;
	}
	entry_fill(entry);
	process_self = entry;
	recorder_reopen(entry);
}

void process_flee(void)
{
	struct region_header *moved = recorder_flee();

	if (!moved)
		return;
	table = (struct region_process *)((char *)moved + ((char *)table - (char *)header));
	header = moved;
	init_region_moved(moved);
}

static void fork_child(void)
{
	/* an older handler that allocated has brought us in already */
	if (!recorder_is_open() || table[process_self].pid == own_pid())
		return;
	process_flee();
	recorder_orphan();
	process_adopt();
}

/* --- threads --- */

static void thread_ends(void *unused)
{
	(void)unused;
	recorder_retire();
}

void process_watch_thread(void)
{
	if (thread_key_made)
		(void)pthread_setspecific(thread_key, &thread_key);
}

/* --- the end --- */

/* Its heart has stood still during a nap, and there is no such process any more. */
static bool collector_has_died(uint64_t heartbeat)
{
	uint32_t pid = atomic_load(&header->collector_pid);

	return atomic_load(&header->heartbeat) == heartbeat && pid && kill((pid_t)pid, 0) != 0 &&
	       errno == ESRCH;
}

/* False when the collector has not moved at all meanwhile. */
static bool wait_for_flush(struct region_process *self)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t heartbeat = atomic_load(&header->heartbeat);

	for (;;) {
		uint64_t beat = atomic_load(&header->heartbeat);
		uint32_t flushed = atomic_load(&header->flushed);
		uint64_t passed = clock_ns(CLOCK_MONOTONIC) - start;

		if (atomic_load(&self->state) != REGION_PROCESS_EXITING ||
		    passed >= PROCESS_EXIT_WAIT_NS ||
		    atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED)
			break;
		futex_wait(&header->flushed, flushed,
			   PROCESS_EXIT_WAIT_NS - passed < PROCESS_NAP_NS
				   ? PROCESS_EXIT_WAIT_NS - passed
				   : PROCESS_NAP_NS);
		if (collector_has_died(beat))
			break;
	}
	return atomic_load(&self->state) != REGION_PROCESS_EXITING ||
	       atomic_load(&header->heartbeat) != heartbeat ||
	       atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED;
}

bool process_end(int status, uint32_t how, bool wait)
{
	struct region_process *self;
	uint32_t live = REGION_PROCESS_LIVE;

	if (!recorder_is_open() || process_self == PROCESS_NONE)
		return true;
	self = &table[process_self];
	if (self->pid != own_pid() || !recorder_gates->generation)
		return true; /* a vfork() child, or one that never recorded anything */
	atomic_store(&self->exit_status, status & 0xff);
	atomic_store(&self->exit_how, how);
	atomic_store(&self->exit_cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	recorder_close();
	if (!atomic_compare_exchange_strong(&self->state, &live, REGION_PROCESS_EXITING))
		return true;
	recorder_ring_bell();
	return !wait || wait_for_flush(self);
}

static void exit_handler(int status, void *unused)
{
	(void)unused;
	init_report(process_end(status, EVT_END_EXIT, true));
}

void process_install_handlers(void)
{
	(void)pthread_atfork(fork_prepare, NULL, fork_child);
	thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0;
	(void)on_exit(exit_handler, NULL);
}

/* --- counters --- */

uint32_t process_serial(uint32_t entry)
{
	return atomic_load_explicit(&table[entry].serial, memory_order_relaxed);
}

void process_count_lost(enum process_lost what)
{
	struct region_process *p;

	if (process_self == PROCESS_NONE)
		return;
	p = &table[process_self];
	if (what == PROCESS_LOST_NO_RING)
		atomic_fetch_add_explicit(&p->lost_no_ring, 1, memory_order_relaxed);
	else if (what == PROCESS_LOST_NESTED)
		atomic_fetch_add_explicit(&p->lost_nested, 1, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&p->lost_early, 1, memory_order_relaxed);
}

void process_count_wait(void)
{
	if (process_self != PROCESS_NONE)
		atomic_fetch_add_explicit(&table[process_self].waits, 1, memory_order_relaxed);
}
