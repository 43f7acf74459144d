/* SPDX-License-Identifier: MIT */
/*
 * Each flush is a detached thread of its own with a number, with all signals blocked. The caller
 * waits on a futex for its number while buffers still arrive, and at most GPU_FLUSH_MAX_NS.
 */
#include "preload/gpu/gpu_flusher.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/format/events.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/gpu/cupti_api.h"
#include "preload/gpu/gpu_share.h"
#include "preload/record/recorder.h"

static _Atomic uint32_t asked, begun, flushed; /* counts of flushes */

static bool is_done(uint32_t done, uint32_t wanted)
{
	return (int32_t)(done - wanted) >= 0;
}

/* Of several flushes at once, the last one covers what the others were asked for. */
static void *flusher_run(void *number)
{
	uint32_t mine = (uint32_t)(uintptr_t)number, done = atomic_load(&flushed);

	atomic_fetch_add(&begun, 1);
	(void)gpu_cupti.cuptiActivityFlushAll(CUPTI_FLUSH_FORCED);
	while (!is_done(done, mine) && !atomic_compare_exchange_weak(&flushed, &done, mine))
		;
	futex_wake(&flushed);
	return NULL;
}

/* The thread, and what libc allocates for it, are ours and are not recorded. */
static int flusher_start(uint32_t number)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	sigset_t all, old;
	pthread_t thread;
	int error;

	sigfillset(&all); /* the program's handlers must not run on it */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, flusher_run, (void *)(uintptr_t)number);
	if (!error)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (lane)
		recorder_leave(lane);
	return -error;
}

/*
 * Counts arriving buffers, and the start of the thread: on a busy machine the thread may wait for a
 * CPU, which does not mean that CUPTI hangs.
 */
static uint32_t progress(const _Atomic uint32_t *moves)
{
	return atomic_load(moves) + atomic_load(&begun);
}

int gpu_flusher_flush(const _Atomic uint32_t *moves)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + GPU_FLUSH_MAX_NS, now;
	uint32_t wanted = atomic_fetch_add(&asked, 1) + 1, done;
	int error = flusher_start(wanted);

	if (error) {
		atomic_fetch_add(&begun, 1); /* later callers count from here */
		return error;
	}
	while (!is_done(done = atomic_load(&flushed), wanted) &&
	       (now = clock_ns(CLOCK_MONOTONIC)) < until) {
		uint32_t before = progress(moves);
		uint64_t left = until - now;

		futex_wait(&flushed, done, left < GPU_FLUSH_NS ? left : GPU_FLUSH_NS);
		if (before == progress(moves) && is_done(atomic_load(&begun), wanted) &&
		    clock_ns(CLOCK_MONOTONIC) - now >= GPU_FLUSH_NS)
			break;
	}
	return is_done(atomic_load(&flushed), wanted) ? 0 : -ETIMEDOUT;
}
