/* SPDX-License-Identifier: MIT */
/* Makes operations of cuda.h from events of family cuda. */
#include "report/cuda/cuda_events.h"

#include "report/deferred/deferred.h"
#include "report/core/work.h"

struct cuda_state {
	struct cuda cuda; /* must be first: others see only this part */
	struct source *source;
	struct run_key key;
};

const struct run_key *cuda_key(const struct cuda *cuda)
{
	return &((const struct cuda_state *)cuda)->key;
}

static struct cuda_call cuda_events_call_of(struct cuda_state *mine,
					    const struct source_event *event, bool counts)
{
	const struct event *inner = &event->event;
	struct cuda_call call = { .event = inner,
				  .process = event->process->index,
				  .holder = event->process,
				  .thread = event->thread->index,
				  .counts = counts };

	call.function = event_name(mine->source, event, EVENT_AS(cuda_call, inner)->function);
	if (inner->id == EVT_cuda_launch) {
		call.is_named = EVENT_AS(cuda_launch, inner)->kernel != 0;
		call.kernel = event_name(mine->source, event, EVENT_AS(cuda_launch, inner)->kernel);
	}
	/* whether the call has a stack is counted for the calls of the wanted table only */
	if (mine->cuda.keyed != CUDA_MEMORY || inner->id == EVT_cuda_alloc)
		call.key = key_of(&mine->key, event);
	return call;
}

static void cuda_events_take(void *state, const struct source_event *event, bool counts)
{
	struct cuda_state *mine = state;
	struct cuda_call call;

	if (event_is_nested_call(&event->event))
		return;
	call = cuda_events_call_of(mine, event, counts);
	mine->cuda.last_key = call.key;
	cuda_take(&mine->cuda, &call);
}

/* --- GPU work of a call --- */

static uint64_t cuda_events_place_of(void *state, const struct source_event *event, bool counts)
{
	struct cuda_state *mine = state;
	uint32_t id = event->event.id;
	struct cuda_call call;

	if ((id != EVT_cuda_launch && id != EVT_cuda_copy) || !counts ||
	    event_is_nested_call(&event->event))
		return DEFERRED_NOTHING;
	call = cuda_events_call_of(mine, event, counts);
	return cuda_place(&mine->cuda, &call);
}

static void cuda_events_take_late(void *state, uint64_t place, const struct deferred_work *work)
{
	if (work->is_on_device)
		cuda_take_deferred(&((struct cuda_state *)state)->cuda, place, work->duration_ns);
}

static const struct deferred_listener listener = { .place = cuda_events_place_of,
						   .take = cuda_events_take_late };

static void cuda_events_start(void *state, struct run *run, const void *options)
{
	const struct cuda_options *asked = options;
	struct cuda_state *mine = state;

	mine->source = run_source(run);
	mine->key = run_key(run, asked->by);
	cuda_init(&mine->cuda, mine->source, asked->by, mine->key.kind != NULL);
	if (cuda_wants_deferred(&mine->cuda))
		deferred_listen(deferred_want(run), &listener, mine);
	run_reads_calls(run, EVT_FAMILY_cuda, FIELDS_ALL, cuda_events_take, mine);
}

static void cuda_events_finish(void *state)
{
	device_memory_finish(&((struct cuda_state *)state)->cuda.memory);
}

static void cuda_events_release(void *state)
{
	cuda_release(&((struct cuda_state *)state)->cuda);
}

const struct analysis_kind analysis_cuda = {
	.name = "cuda",
	.state_bytes = sizeof(struct cuda_state),
	.options_bytes = sizeof(struct cuda_options),
	.start = cuda_events_start,
	.finish = cuda_events_finish,
	.release = cuda_events_release,
};

/* --- calls of threads --- */

static void cuda_events_count_call(void *state, const struct source_event *event, bool counts)
{
	struct work work;

	if (event_is_nested_call(&event->event))
		return;
	work = cuda_work_of(&event->event);
	works_put(((struct work_provider *)state)->works, event, counts, &work);
}

static void cuda_events_work_start(void *state, struct run *run, const void *options)
{
	uint32_t head = FIELD_BIT(cuda_call, duration_ns) | FIELD_BIT(cuda_call, result) |
			FIELD_BIT(cuda_call, flags);

	(void)options;
	((struct work_provider *)state)->works = works_provide(run);
	run_reads(run, EVT_cuda_call, head, cuda_events_count_call, state);
	run_reads(run, EVT_cuda_launch, head, cuda_events_count_call, state);
	run_reads(run, EVT_cuda_copy, head | FIELD_BIT(cuda_copy, bytes), cuda_events_count_call,
		  state);
	run_reads(run, EVT_cuda_alloc,
		  head | FIELD_BIT(cuda_alloc, bytes) | FIELD_BIT(cuda_alloc, kind),
		  cuda_events_count_call, state);
	run_reads(run, EVT_cuda_free, head, cuda_events_count_call, state);
	run_reads(run, EVT_cuda_unfinished, head, cuda_events_count_call, state);
	run_follows(run, state);
	run_enters(run, state);
	run_leaves(run, state);
}

const struct analysis_kind analysis_cuda_work = {
	.name = "cuda work",
	.state_bytes = sizeof(struct work_provider),
	.start = cuda_events_work_start,
};
