/* SPDX-License-Identifier: MIT */
/*
 * Claims an entry before fork(), so that the child starts with one, and reports the end of the
 * process. entry.h handles the table of entries.
 */
#include "preload/life/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/format/events.h"
#include "collector/region/python_layout.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/glibc.h"
#include "preload/base/interpreter.h"
#include "preload/base/symbols.h"
#include "preload/life/families.h"
#include "preload/record/capture.h"
#include "preload/record/entry.h"
#include "preload/record/last_name.h"
#include "preload/record/recorder.h"
#include "preload/record/trouble.h"

#define PROCESS_EXIT_WAIT_NS 1000000000u /* an exit is delayed by at most this */
/* part of that wait: time between two checks of the collector */
#define PROCESS_NAP_NS 200000000u
#define PROCESS_START_NAP_NS 5000000u /* the same before the collector has opened its file */

static void (*process_left)(void);
static void (*process_ended)(bool collector_moves);

/* The entry that this thread's fork() has claimed for its child. */
static __thread uint32_t pending_child __attribute__((tls_model("initial-exec"))) = ENTRY_NONE;

/* --- fork --- */

static void fork_prepare(void)
{
	pending_child = ENTRY_NONE;
	if (recorder_is_open() && entry_own())
		pending_child = entry_claim(REGION_PROCESS_PENDING);
}

/*
 * No entry: fork() did not call our handler, or the collector gave the entry up because this child
 * was stopped for long.
 */
static uint32_t take_pending(void)
{
	uint32_t entry = pending_child;

	pending_child = ENTRY_NONE;
	return entry != ENTRY_NONE && entry_confirm(entry) ? entry : ENTRY_NONE;
}

bool process_adopt(void)
{
	struct region_header *header = entry_region();
	uint32_t entry;

	if (atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED) {
		recorder_close();
		/* a collector that failed would fail again */
		return atomic_load(&header->collector_state) != REGION_COLLECTOR_FINISHED;
	}
	entry = take_pending();
	if (entry == ENTRY_NONE)
		entry = entry_claim(REGION_PROCESS_FILLING);
	if (entry == ENTRY_NONE) {
		recorder_close();
		return true;
	}
	entry_take(entry);
	capture_forked();
	families_forked();
	recorder_reopen(entry);
	return true;
}

static void fork_child(void)
{
	/* an older handler has allocated memory, which has brought us in already */
	if (!recorder_is_open() || entry_is_own())
		return;
	recorder_leave_parents_region();
	recorder_shut_in_child();
	if (!process_adopt())
		process_left();
}

/* --- the end --- */

/* The heartbeat has not moved during a nap, and the process does not exist any more. */
static bool process_collector_has_died(const struct region_header *header, uint64_t heartbeat)
{
	return atomic_load(&header->heartbeat) == heartbeat && trouble_collector_is_gone(header);
}

/* Returns false if the collector has not made any progress meanwhile. */
static bool wait_for_flush(struct region_process *self)
{
	struct region_header *header = entry_region();
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t heartbeat = atomic_load(&header->heartbeat);

	for (;;) {
		uint64_t beat = atomic_load(&header->heartbeat);
		uint32_t flushed = atomic_load(&header->flushed);
		uint64_t passed = clock_ns(CLOCK_MONOTONIC) - start;
		uint64_t nap;

		if (atomic_load(&self->state) != REGION_PROCESS_EXITING ||
		    passed >= PROCESS_EXIT_WAIT_NS ||
		    atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED)
			break;
		/* a collector that never started is noticed soon */
		nap = atomic_load(&header->collector_state) ? PROCESS_NAP_NS : PROCESS_START_NAP_NS;
		futex_wait(&header->flushed, flushed,
			   PROCESS_EXIT_WAIT_NS - passed < nap ? PROCESS_EXIT_WAIT_NS - passed
							       : nap);
		if (process_collector_has_died(header, beat))
			break;
	}
	return atomic_load(&self->state) != REGION_PROCESS_EXITING ||
	       atomic_load(&header->heartbeat) != heartbeat ||
	       atomic_load(&header->collector_state) >= REGION_COLLECTOR_FINISHED;
}

bool process_end(int status, uint32_t how, bool wait)
{
	struct region_process *self = entry_own();
	uint32_t live = REGION_PROCESS_LIVE;

	if (!recorder_is_open() || !entry_is_own() || !recorder_gates->generation)
		return true; /* a vfork() child, or a process that never recorded anything */
	atomic_store(&self->exit_status, status & 0xff);
	atomic_store(&self->exit_how, how);
	atomic_store(&self->exit_cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	atomic_store(&self->exit_tsc, clock_ticks());
	recorder_close();
	if (!atomic_compare_exchange_strong(&self->state, &live, REGION_PROCESS_EXITING))
		return true;
	recorder_ring_bell();
	return !wait || wait_for_flush(self);
}

void process_note_exec(bool begins)
{
	if (recorder_is_open() && entry_is_own() && recorder_gates->generation)
		atomic_store(&entry_own()->exec_tsc, begins ? clock_ticks() : 0);
}

/*
 * True if the program has had more than one thread since it began, or if glibc cannot tell (before
 * 2.32). Takes ld.so's lock, as exit() does.
 */
static bool there_were_threads(void)
{
	const char *single = symbols_find_loaded("__libc_single_threaded");

	return !single || !*single;
}

/*
 * CPython 3.10 has already been finalised here, and a daemon thread that is still computing crashes
 * when it takes the GIL. Waiting would give it time to do so. Without the wait, the file is
 * complete a moment after the program ends. The number of Python threads is known if the collector
 * has looked; else any thread may be one. When PID 1 ends, the collector is killed with it.
 */
static bool wait_does_harm(const struct region_process *self)
{
	unsigned int minor = python_word_of(atomic_load(&self->python)).minor;
	uint32_t threads = atomic_load(&self->python_threads);

	if (!minor)
		minor = interpreter_minor();
	return minor == 10 && (threads ? threads > 1 : there_were_threads()) &&
	       syscall(SYS_getpid) != 1;
}

static void exit_handler(int status, void *unused)
{
	bool records = recorder_is_open() && entry_is_own() && recorder_gates->generation;

	(void)unused;
	if (records) {
		families_flush();
		last_name_note();
	}
	process_ended(process_end(status, EVT_END_EXIT, records && !wait_does_harm(entry_own())));
}

void process_install_handlers(void (*left)(void), void (*ended)(bool collector_moves))
{
	process_left = left;
	process_ended = ended;
	(void)__register_atfork(fork_prepare, NULL, fork_child, &__dso_handle);
	recorder_watch_threads();
	(void)on_exit(exit_handler, NULL);
}
