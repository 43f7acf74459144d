/* SPDX-License-Identifier: MIT */
/*
 * One thread at a time switches kinds and callbacks. A thread that opens the gates waits for its
 * turn, so that CUPTI reports the whole range. Kinds of work are first in the list: when CUPTI
 * becomes idle, those are switched off, and no others.
 */
#include "preload/gpu/gpu_asked.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/base/clock.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_share.h"
#include "preload/gpu/gpu_turn.h"
#include "preload/gpu/gpu_windows.h"
#include "preload/record/correlation.h"
#include "preload/settings/settings.h"

static struct gpu_turn turn;
static _Atomic bool is_resting, is_to_stay;
static _Atomic uint32_t calls_unseen; /* callbacks since the gates were shut */
static _Atomic uint64_t rests_since_ns;
static _Atomic bool is_detaching;

/*
 * Kinds of work first, and among them kernels. GRAPH_TRACE only if the user chose it, because CUPTI
 * then reports nothing about the inside of a graph. On an H200 a launch-bound step of PyTorch took
 * 1.11 times as long with kernels, 1.33 with SYNCHRONIZATION as well and 1.20 with OVERHEAD: these
 * are the user's choice, too (docs/BENCHMARKS.md).
 */
static const int kinds[] = { CUPTI_CONCURRENT_KERNEL,
			     CUPTI_MEMCPY,
			     CUPTI_MEMCPY_PEER,
			     CUPTI_MEMSET,
			     CUPTI_OVERHEAD,
			     CUPTI_SYNCHRONIZATION,
			     CUPTI_GRAPH_TRACE,
			     CUPTI_DEVICE,
			     CUPTI_MEMORY,
			     CUPTI_MEMORY_POOL };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define KINDS_OF_WORK 7u
#define LOOK_CALLS 64u /* callbacks from one look at the clock to the next */

static bool kind_is_wanted(int kind)
{
	if (kind == CUPTI_SYNCHRONIZATION || kind == CUPTI_OVERHEAD)
		return settings.gpu_waits;
	return kind != CUPTI_GRAPH_TRACE || settings.graphs == SETTINGS_GRAPHS_WHOLE;
}

/* Fails if kernels cannot be switched on. Other kinds may fail. */
static cupti_result kinds_switch(bool on, size_t from, size_t to)
{
	cupti_result result = CUPTI_OK;

	for (size_t i = from; i < to && !result; i++) {
		cupti_result one = kind_is_wanted(kinds[i]) ? gpu_share_kind(GPU_US, on, kinds[i])
							    : CUPTI_OK;

		if (on && kinds[i] == CUPTI_CONCURRENT_KERNEL)
			result = one;
	}
	return result;
}

/*
 * If this CUPTI does not know a function, the function cannot be called either, so errors are
 * ignored.
 */
static void calls_switch(bool on)
{
#define RUNTIME(id, name, constant) (void)gpu_share_callback(GPU_US, on, CUPTI_RUNTIME_API, id);
#define DRIVER(id, name) (void)gpu_share_callback(GPU_US, on, CUPTI_DRIVER_API, id);
#include "preload/gpu/callbacks.def"
}

static void nodes_enable(void)
{
	if (!gpu_cupti.cuptiGetGraphNodeId || settings.graphs == SETTINGS_GRAPHS_WHOLE)
		return;
	(void)gpu_share_callback(GPU_US, true, CUPTI_RESOURCE, CUPTI_NODE_CREATED);
	(void)gpu_share_callback(GPU_US, true, CUPTI_RESOURCE, CUPTI_NODE_CLONED);
}

static void correlation_want(bool wanted)
{
	__atomic_store_n(&correlation_wanted, wanted, __ATOMIC_RELAXED);
}

/* If CUPTI may be detached, callbacks stay on: it is detached from within one. They cost little. */
static void work_end(void)
{
	(void)kinds_switch(false, 0, KINDS_OF_WORK);
	correlation_want(false);
	if (!gpu_can_detach())
		calls_switch(false);
	atomic_store(&rests_since_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&is_resting, true);
}

/*
 * Calls are switched on before work, so that no work is reported without its call while other
 * threads are already making calls.
 */
static cupti_result work_begin(void)
{
	cupti_result result;

	atomic_store(&is_resting, false);
	atomic_store(&is_detaching, false);
	calls_switch(true);
	correlation_want(gpu_windows_count());
	result = kinds_switch(true, 0, KINDS_OF_WORK);
	if (result)
		work_end();
	return result;
}

cupti_result gpu_asked_begin(void)
{
	cupti_result result = CUPTI_OK;

	gpu_turn_take(&turn);
	atomic_store(&calls_unseen, 0);
	atomic_store(&rests_since_ns, 0);
	atomic_store(&is_detaching, false);
	atomic_store(&is_resting, true);
	nodes_enable();
	if (gpu_is_wanted() || atomic_load(&is_to_stay))
		result = work_begin();
	if (!result)
		(void)kinds_switch(true, KINDS_OF_WORK, KINDS);
	gpu_turn_end(&turn);
	return result;
}

void gpu_asked_end(void)
{
	gpu_turn_take(&turn);
	correlation_want(false);
	(void)kinds_switch(false, 0, KINDS);
	gpu_turn_end(&turn);
}

/* --- idle --- */

bool gpu_asked_count(void)
{
	uint32_t count;

	if (atomic_load_explicit(&is_to_stay, memory_order_relaxed))
		return false;
	count = atomic_fetch_add_explicit(&calls_unseen, 1, memory_order_relaxed) + 1;
	if (!atomic_load_explicit(&is_resting, memory_order_relaxed))
		return count >= GPU_REST_CALLS;
	return count % LOOK_CALLS == 0 && gpu_asked_may_detach();
}

bool gpu_asked_may_detach(void)
{
	uint64_t least_ns = atomic_load(&gpu_stage) == GPU_STAGE_OFF ? 0 : GPU_DETACH_NS;

	return atomic_load(&is_resting) && atomic_load(&rests_since_ns) && !gpu_is_wanted() &&
	       gpu_can_detach() &&
	       clock_ns(CLOCK_MONOTONIC) - atomic_load(&rests_since_ns) >= least_ns;
}

void gpu_asked_detach_soon(void)
{
	atomic_store(&is_detaching, true);
}

bool gpu_asked_is_detaching(void)
{
	return atomic_load_explicit(&is_detaching, memory_order_relaxed);
}

static bool may_rest(void)
{
	return gpu_is_on() && !gpu_is_wanted() && !atomic_load(&is_to_stay);
}

static bool may_rest_by_now(void)
{
	return may_rest() && atomic_load(&calls_unseen) >= GPU_REST_CALLS;
}

/* A thread that opens the gates meanwhile waits for its turn, and then wakes CUPTI. */
void gpu_asked_rest(void)
{
	if (may_rest_by_now())
		gpu_asked_rest_now();
}

void gpu_asked_rest_now(void)
{
	gpu_turn_take(&turn);
	if (may_rest() && !atomic_load(&is_resting))
		work_end();
	gpu_turn_end(&turn);
}

void gpu_asked_correlate(void)
{
	gpu_turn_take(&turn);
	correlation_want(!atomic_load(&is_resting) && gpu_windows_count());
	gpu_turn_end(&turn);
}

cupti_result gpu_asked_wake(void)
{
	cupti_result result = CUPTI_OK;

	atomic_store_explicit(&calls_unseen, 0, memory_order_relaxed);
	if (!gpu_is_on())
		return CUPTI_OK;
	gpu_turn_take(&turn);
	if (atomic_load(&is_resting) && gpu_is_on())
		result = work_begin();
	gpu_turn_end(&turn);
	return result;
}

void gpu_asked_stay(void)
{
	if (!atomic_exchange(&is_to_stay, true))
		(void)gpu_asked_wake();
}

void gpu_asked_forked(void)
{
	gpu_turn_forked(&turn);
	correlation_want(false);
}
