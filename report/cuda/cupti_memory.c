/* SPDX-License-Identifier: MIT */
/*
 * Puts calls and CUPTI's records into one queue. The queue is sorted when it has doubled, and
 * applied up to DEFERRED_WAIT_NS before the present time. A block takes the key of the oldest open
 * call that returned its address.
 */
#include "report/cuda/cupti_memory.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/time_order.h"
#include "report/deferred/deferred.h"
#include "report/core/coverage.h"
#include "report/cuda/cuda_events.h"

#define TOLERANCE_NS 10000u /* CUPTI's clock may differ from ours by so much */
#define ASKED_MAX 4096u     /* calls that are kept; only a hostile file has more open calls */
#define QUEUE_SOME 1024u    /* with fewer changes, sorting is not worth it */

enum { GIVEN = 1, TAKEN = 2 }; /* CUpti_ActivityMemoryOperationType */
enum { POOL_DESTROYED = 2 };   /* CUpti_ActivityMemoryPoolOperationType */
enum { NODE_ALLOCATES = 10 };  /* CUgraphNodeType */

/* A change of memory, by its time (time_order.h). */
struct change {
	uint64_t time_ns;
	enum { CHANGE_ASKED, CHANGE_GIVEN, CHANGE_TAKEN, CHANGE_RESET, CHANGE_POOL } what;
	const struct source_process *process;
	uint64_t end_ns; /* of the call */
	uint64_t address, bytes, kind, key;
	int64_t device;
	uint64_t counts;
};

struct cupti_memory_state {
	struct cupti_memory told; /* must be first: others see only this part */
	struct run *run;
	const struct cuda *cuda;
	struct change *queue;
	size_t count, room, look_at;
	uint64_t done_ns; /* all up to this time has been applied */
	struct change
		*asked; /* calls that have begun and may still get their block, oldest first */
	size_t asked_count, asked_room;
};

/* --- input --- */

static void queue_put(struct cupti_memory_state *mine, const struct change *change)
{
	mine->queue = memory_room(mine->queue, mine->count, &mine->room, sizeof(*mine->queue));
	mine->queue[mine->count++] = *change;
}

/* CUpti_ActivityMemoryKind */
static uint64_t cupti_memory_kind_of(const struct evt_gpu_memory *memory)
{
	static const uint64_t kinds[] = {
		[1] = HOST_PAGEABLE,   [2] = EVT_CUDA_PINNED,  [3] = EVT_CUDA_DEVICE,
		[4] = EVT_CUDA_ARRAY,  [5] = EVT_CUDA_MANAGED, [6] = DEVICE_VARIABLES,
		[7] = DEVICE_VARIABLES
	};
	uint64_t kind = memory->memory < sizeof(kinds) / sizeof(kinds[0]) ? kinds[memory->memory]
									  : EVT_CUDA_ANY;

	return kind == EVT_CUDA_DEVICE && (memory->pool || memory->asynchronous) ? EVT_CUDA_POOL
										 : kind;
}

static uint64_t cupti_memory_time_of(const struct source_event *event, int64_t ago_ns)
{
	uint64_t now_ns = event->event.time_ns;

	return ago_ns > 0 && (uint64_t)ago_ns > now_ns ? 0 : now_ns - (uint64_t)ago_ns;
}

/*
 * A record that is reported late may be of a time before or after the end of --time. If it is
 * after, it does not count.
 */
static bool cupti_memory_is_beyond(const struct cupti_memory_state *mine, uint64_t time_ns)
{
	return time_ns >= run_filters(mine->run)->settings.to_ns;
}

static void put_pool(struct cupti_memory_state *mine, const struct change *pool)
{
	struct change change = *pool;

	change.what = CHANGE_POOL;
	queue_put(mine, &change);
}

static void cupti_memory_take_memory(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_memory *memory = EVENT_AS(gpu_memory, &event->event);
	struct cupti_memory_state *mine = state;
	struct change change = { .time_ns = cupti_memory_time_of(event, memory->ago_ns),
				 .what = memory->operation == TAKEN ? CHANGE_TAKEN : CHANGE_GIVEN,
				 .process = event->process,
				 .address = memory->address,
				 .bytes = memory->bytes,
				 .kind = cupti_memory_kind_of(memory) };

	(void)counts;
	if ((memory->operation != GIVEN && memory->operation != TAKEN) ||
	    cupti_memory_is_beyond(mine, change.time_ns))
		return;
	change.device = device_kind_is_host(change.kind) ? -1 : (int64_t)memory->device;
	mine->told.records++;
	mine->told.late += change.time_ns < mine->done_ns;
	queue_put(mine, &change);
	if (memory->pool_address)
		put_pool(mine, &(struct change){ .time_ns = change.time_ns,
						 .process = event->process,
						 .address = memory->pool_address,
						 .bytes = memory->pool_bytes,
						 .device = (int64_t)memory->device });
}

static void take_pool(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_pool *pool = EVENT_AS(gpu_pool, &event->event);
	uint64_t time_ns = cupti_memory_time_of(event, pool->ago_ns);

	(void)counts;
	if (cupti_memory_is_beyond(state, time_ns))
		return;
	put_pool(state,
		 &(struct change){ .time_ns = time_ns,
				   .process = event->process,
				   .address = pool->address,
				   .bytes = pool->operation == POOL_DESTROYED ? 0 : pool->bytes,
				   .device = (int64_t)pool->device });
}

static void cupti_memory_take_captured(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_captured *node = EVENT_AS(gpu_captured, &event->event);

	((struct cupti_memory_state *)state)->told.graph_nodes += counts &&
								  node->kind == NODE_ALLOCATES &&
								  !node->of;
}

/* A call of family cuda. Its time is that of its begin: before what happens inside. */
static void take_allocation(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_alloc *call = EVENT_AS(cuda_alloc, &event->event);
	struct cupti_memory_state *mine = state;
	uint64_t time_ns = event->event.time_ns;
	uint64_t lasted_ns = call->duration_ns + TOLERANCE_NS;

	if (event_is_nested_call(&event->event) || call->result || !call->address)
		return;
	queue_put(mine, &(struct change){ .time_ns = time_ns > lasted_ns ? time_ns - lasted_ns : 0,
					  .what = CHANGE_ASKED,
					  .process = event->process,
					  .end_ns = time_ns + TOLERANCE_NS,
					  .address = call->address,
					  .kind = device_kind_of_event(call->kind),
					  .key = mine->cuda->last_key,
					  .counts = counts });
}

/*
 * cudaDeviceReset() ends all blocks that are left on the device: it is not documented that CUPTI
 * reports each of them.
 */
static void cupti_memory_take_free(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_free *call = EVENT_AS(cuda_free, &event->event);

	(void)counts;
	if (call->kind != EVT_CUDA_ALL || call->result || event_is_nested_call(&event->event))
		return;
	queue_put(state, &(struct change){ .time_ns = event->event.time_ns,
					   .what = CHANGE_RESET,
					   .process = event->process,
					   .device = call->device });
}

static void cupti_memory_take_lost(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	((struct cupti_memory_state *)state)->told.lost += EVENT_AS(gpu_lost, &event->event)->count;
}

static void cupti_memory_take_cupti(void *state, const struct source_event *event, bool counts)
{
	uint64_t what = EVENT_AS(gpu_cupti, &event->event)->state;

	(void)counts;
	if (what == EVT_GPU_DETACHED || what == EVT_GPU_AWAY)
		((struct cupti_memory_state *)state)->told.detached++;
}

/* --- in order of time --- */

/*
 * Removes calls that have ended by that time. If the table is still more than half full, it also
 * removes the oldest, so that this is done rarely.
 */
static void asked_forget(struct cupti_memory_state *mine, uint64_t now_ns)
{
	size_t kept = 0, many;

	for (size_t i = 0; i < mine->asked_count; i++)
		if (mine->asked[i].end_ns >= now_ns)
			mine->asked[kept++] = mine->asked[i];
	many = kept > ASKED_MAX / 2 ? kept - ASKED_MAX / 2 : 0;
	mine->asked_count = kept - many;
	if (many)
		memmove(mine->asked, mine->asked + many, mine->asked_count * sizeof(*mine->asked));
}

static void asked_put(struct cupti_memory_state *mine, const struct change *call)
{
	if (mine->asked_count == ASKED_MAX)
		asked_forget(mine, call->time_ns);
	mine->asked = memory_room(mine->asked, mine->asked_count, &mine->asked_room,
				  sizeof(*mine->asked));
	mine->asked[mine->asked_count++] = *call;
}

/* Takes the oldest open call that returned the address, and removes calls that have ended. */
static bool asked_take(struct cupti_memory_state *mine, const struct change *given,
		       struct change *ret_call)
{
	size_t kept = 0;
	bool is_found = false;

	for (size_t i = 0; i < mine->asked_count; i++) {
		const struct change *call = &mine->asked[i];

		if (call->end_ns < given->time_ns)
			continue;
		if (!is_found && call->address == given->address &&
		    call->process == given->process) {
			*ret_call = *call;
			is_found = true;
			continue;
		}
		mine->asked[kept++] = *call;
	}
	mine->asked_count = kept;
	return is_found;
}

static void cupti_memory_give(struct cupti_memory_state *mine, const struct change *given)
{
	struct device_op op = { .time_ns = given->time_ns,
				.begin_ns = given->time_ns,
				.address = given->address,
				.bytes = given->bytes,
				.kind = given->kind,
				.device = given->device,
				.process = given->process->index,
				.holder = given->process };
	struct coverage_text text;
	struct change call;

	if (asked_take(mine, given, &call)) {
		op.key = call.key;
		op.counts = call.counts != 0;
		op.kind = call.kind; /* CUPTI has fewer kinds */
		op.device = device_kind_is_host(op.kind) ? -1 : op.device;
	} else {
		op.counts = !run_filters(mine->run)->any && !coverage_recorded(mine->run, &text);
		mine->told.without_call += op.counts;
	}
	device_memory_allocate(&mine->told.memory, &op);
}

static void change_apply(struct cupti_memory_state *mine, const struct change *change)
{
	struct device_op op = { .time_ns = change->time_ns,
				.begin_ns = change->time_ns,
				.address = change->address,
				.kind = change->what == CHANGE_RESET ? EVT_CUDA_ALL : EVT_CUDA_ANY,
				.device = change->device,
				.process = change->process->index,
				.holder = change->process,
				.counts = !run_filters(mine->run)->any };

	if (change->what == CHANGE_ASKED)
		asked_put(mine, change);
	else if (change->what == CHANGE_GIVEN)
		cupti_memory_give(mine, change);
	else if (change->what == CHANGE_POOL)
		cupti_pools_take(&mine->told.pools, change->process, change->time_ns,
				 change->device, change->address, change->bytes);
	else
		device_memory_free(&mine->told.memory, &op);
}

/* Sorting is worth it when the queue is twice as long as what the last sorting left. */
static void cupti_memory_settle(void *state, uint64_t upto_ns)
{
	struct cupti_memory_state *mine = state;
	bool is_last = upto_ns == UINT64_MAX;
	uint64_t until_ns = is_last                      ? upto_ns
			    : upto_ns > DEFERRED_WAIT_NS ? upto_ns - DEFERRED_WAIT_NS
							 : 0;
	size_t done = 0;

	if (!is_last && mine->count < mine->look_at)
		return;
	time_order_sort(mine->queue, mine->count, sizeof(*mine->queue));
	while (done < mine->count && mine->queue[done].time_ns <= until_ns)
		change_apply(mine, &mine->queue[done++]);
	mine->count -= done;
	if (done)
		memmove(mine->queue, &mine->queue[done], mine->count * sizeof(*mine->queue));
	mine->done_ns = until_ns;
	mine->look_at = 2 * mine->count + QUEUE_SOME;
}

/* --- life --- */

static void cupti_memory_start(void *state, struct run *run, const void *options)
{
	const struct cupti_memory_options *asked = options;
	struct cupti_memory_state *mine = state;

	mine->run = run;
	mine->cuda = cuda_want(run, &(struct cuda_options){ .by = asked->by });
	mine->look_at = QUEUE_SOME;
	device_memory_init(&mine->told.memory, device_rows_of(asked->by), run_source(run));
	mine->told.memory.has_addresses_only = true;
	cupti_pools_init(&mine->told.pools, run_source(run));
	run_reads(run, EVT_gpu_memory, FIELDS_ALL, cupti_memory_take_memory, mine);
	run_reads(run, EVT_gpu_pool, FIELDS_ALL, take_pool, mine);
	run_reads(run, EVT_gpu_captured, FIELDS_ALL, cupti_memory_take_captured, mine);
	run_reads(run, EVT_cuda_alloc, FIELDS_ALL, take_allocation, mine);
	run_reads(run, EVT_cuda_free, FIELDS_ALL, cupti_memory_take_free, mine);
	run_reads(run, EVT_gpu_lost, FIELDS_ALL, cupti_memory_take_lost, mine);
	run_reads(run, EVT_gpu_cupti, FIELD_BIT(gpu_cupti, state), cupti_memory_take_cupti, mine);
}

static void cupti_memory_finish(void *state)
{
	device_memory_finish(&((struct cupti_memory_state *)state)->told.memory);
}

static void cupti_memory_release(void *state)
{
	struct cupti_memory_state *mine = state;

	device_memory_release(&mine->told.memory);
	cupti_pools_release(&mine->told.pools);
	free(mine->queue);
	free(mine->asked);
}

const struct analysis_kind analysis_cupti_memory = {
	.name = "cupti memory",
	.state_bytes = sizeof(struct cupti_memory_state),
	.options_bytes = sizeof(struct cupti_memory_options),
	.start = cupti_memory_start,
	.settle = cupti_memory_settle,
	.finish = cupti_memory_finish,
	.release = cupti_memory_release,
};
