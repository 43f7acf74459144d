/* SPDX-License-Identifier: MIT */
/*
 * Entries are claimed by compare-and-swap, beginning with the first, because the collector looks
 * only at the lowest ones.
 */
#include "preload/record/entry.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/format/events.h"
#include "preload/base/clock.h"

static struct region_header *header;
static struct region_process *table;
static uint32_t self = ENTRY_NONE;
static uint64_t rank;
static _Atomic uint64_t limitations; /* forked children inherit them */

static uint32_t own_pid(void)
{
	/* getpid() of old glibc caches its result across clone() */
	return (uint32_t)syscall(SYS_getpid);
}

uint32_t entry_claim(uint32_t state)
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
		table[i].parent = self;
		table[i].parent_pid = 0;
		table[i].pid = 0;
		table[i].start_tsc = clock_ticks();
		atomic_store_explicit(&table[i].rank, rank, memory_order_relaxed);
		atomic_store_explicit(&table[i].state, state, memory_order_release);
		return i;
	}
	atomic_fetch_add(&header->lost_no_process, 1);
	return ENTRY_NONE;
}

bool entry_confirm(uint32_t entry)
{
	uint32_t expected = REGION_PROCESS_PENDING;

	return atomic_compare_exchange_strong(&table[entry].state, &expected,
					      REGION_PROCESS_FILLING);
}

/* CPU time of the children that were waited for. The kernel keeps it across an exec. */
static uint64_t children_ns(void)
{
	struct rusage usage = { 0 };

	if (syscall(SYS_getrusage, RUSAGE_CHILDREN, &usage) != 0)
		return 0;
	return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
	       ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
}

static void take(uint32_t entry, uint64_t children_before_ns)
{
	struct region_process *p = &table[entry];

	p->pid = own_pid();
	p->parent_pid = (uint32_t)syscall(SYS_getppid);
	p->start_tsc = clock_ticks();
	p->children_before_ns = children_before_ns;
	atomic_store(&p->exit_status, REGION_STATUS_UNKNOWN);
	atomic_store(&p->exit_how, EVT_END_UNKNOWN);
	atomic_store(&p->exit_cpu_ns, 0);
	atomic_store(&p->exit_tsc, 0);
	atomic_store(&p->exec_tsc, 0);
	atomic_store(&p->lost_no_ring, 0);
	atomic_store(&p->lost_nested, 0);
	atomic_store(&p->lost_early, 0);
	atomic_store(&p->lost_stacks, 0);
	atomic_store(&p->lost_sampled, 0);
	atomic_store(&p->waits, 0);
	atomic_store(&p->detail_share, 0);
	atomic_store(&p->detail_asked, 0);
	atomic_store(&p->limitations, atomic_load(&limitations));
	atomic_store(&p->python, 0);
	atomic_store(&p->python_threads, 0);
	atomic_store(&p->capture_open, 0);
	atomic_store(&p->capture_done, 0);
	atomic_store(&p->capture_begin_tsc, 0);
	atomic_store(&p->capture_end_tsc, 0);
	atomic_store(&p->steps, 0);
	atomic_store(&p->step_tsc, 0);
	atomic_store_explicit(&p->state, REGION_PROCESS_LIVE, memory_order_release);
	self = entry;
}

void entry_take(uint32_t entry)
{
	take(entry, 0);
}

int entry_begin(struct region_header *h, const struct region_shape *shape, uint64_t own_rank,
		uint32_t *ret_entry)
{
	uint32_t entry;

	rank = own_rank;
	header = h;
	table = region_processes(h, shape);
	self = ENTRY_NONE;
	entry = entry_claim(REGION_PROCESS_FILLING);
	if (entry == ENTRY_NONE)
		return -ENOSPC;
	take(entry, children_ns());
	*ret_entry = entry;
	return 0;
}

struct region_header *entry_region(void)
{
	return header;
}

void entry_region_moved(struct region_header *moved)
{
	table = (struct region_process *)((char *)moved + ((char *)table - (char *)header));
	header = moved;
}

void entry_take_rank(uint64_t own_rank)
{
	struct region_process *own = entry_own();

	rank = own_rank;
	if (own)
		atomic_store_explicit(&own->rank, own_rank, memory_order_relaxed);
}

struct region_process *entry_own(void)
{
	return self == ENTRY_NONE ? NULL : &table[self];
}

bool entry_is_own(void)
{
	const struct region_process *own = entry_own();

	return own && own->pid == own_pid();
}

/* --- counters --- */

uint32_t entry_serial(uint32_t entry)
{
	return atomic_load_explicit(&table[entry].serial, memory_order_relaxed);
}

void entry_count_lost(enum entry_lost what)
{
	struct region_process *p = entry_own();

	if (!p)
		return;
	if (what == ENTRY_LOST_NO_RING)
		atomic_fetch_add_explicit(&p->lost_no_ring, 1, memory_order_relaxed);
	else if (what == ENTRY_LOST_NESTED)
		atomic_fetch_add_explicit(&p->lost_nested, 1, memory_order_relaxed);
	else if (what == ENTRY_LOST_SAMPLED)
		atomic_fetch_add_explicit(&p->lost_sampled, 1, memory_order_relaxed);
	else if (what == ENTRY_LOST_STACK)
		atomic_fetch_add_explicit(&p->lost_stacks, 1, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&p->lost_early, 1, memory_order_relaxed);
}

void entry_count_wait(void)
{
	struct region_process *p = entry_own();

	if (p)
		atomic_fetch_add_explicit(&p->waits, 1, memory_order_relaxed);
}

void entry_add_limitation(unsigned int what)
{
	struct region_process *p = entry_own();

	atomic_fetch_or(&limitations, 1ull << what);
	if (p)
		atomic_fetch_or(&p->limitations, 1ull << what);
}
