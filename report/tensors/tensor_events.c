/* SPDX-License-Identifier: MIT */
/* Makes operations of tensors.h from events of family tensors. */
#include "report/tensors/tensor_events.h"

#include "report/base/text.h"

#include "report/core/work.h"

struct tensor_state {
	struct tensors tensors; /* must be first: others see only this part */
	struct run_key key;
	const struct detail *detail;
	uint64_t bytes; /* of the latest block */
};

_Static_assert(offsetof(struct evt_tensor_alloc, ptr) == offsetof(struct evt_tensor_free, ptr) &&
		       offsetof(struct evt_tensor_alloc, bytes) ==
			       offsetof(struct evt_tensor_free, bytes) &&
		       offsetof(struct evt_tensor_alloc, device) ==
			       offsetof(struct evt_tensor_free, device),
	       "both are read as the first");

const struct run_key *tensors_key(const struct tensors *tensors)
{
	return &((const struct tensor_state *)tensors)->key;
}

/*
 * Returns whether the operator only allocates: then the enclosing operator has asked for the
 * memory.
 */
static bool name_only_allocates(const struct run_key *key, uint64_t inner)
{
	static const char *const names[] = { "aten::empty", "aten::empty_strided" };
	size_t length;
	const char *text = key->kind->text(key->state, inner, &length);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_is(text, length, names[i]))
			return true;
	return false;
}

/* Finds the innermost key, and those of the enclosing operators. */
static void find_nested_key(const struct tensor_state *mine, const struct source_event *event,
			    struct tensor_op *op, uint64_t keys[TENSOR_OUTER_MAX])
{
	unsigned int count = mine->key.kind->around(mine->key.state, event, keys, TENSOR_OUTER_MAX);

	if (!count)
		return;
	op->key = keys[0];
	if (count > 1 && name_only_allocates(&mine->key, keys[0]))
		op->key |= keys[1] << 32;
	op->outer = &keys[1];
	op->outer_count = count - 1;
}

static void take_block(void *state, const struct source_event *event, bool counts)
{
	struct tensor_state *mine = state;
	const struct evt_tensor_alloc *fields = EVENT_AS(tensor_alloc, &event->event);
	uint64_t keys[TENSOR_OUTER_MAX];
	struct tensor_op op = {
		.time_ns = event->event.time_ns,
		.address = fields->ptr,
		.bytes = fields->bytes,
		.device = fields->device,
		.process = event->process->index,
		.thread = event->thread->index,
		.counts = counts,
	};

	if (mine->key.kind && mine->key.kind->around)
		find_nested_key(mine, event, &op, keys);
	else
		op.key = key_of(&mine->key, event);
	mine->bytes = op.bytes;
	if (!detail_is_unbroken(mine->detail, op.process))
		return; /* which blocks live is not known any more */
	if (event->event.id == EVT_tensor_alloc)
		tensors_allocate(&mine->tensors, &op);
	else
		mine->bytes = tensors_free(&mine->tensors, &op);
}

static void take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);

	(void)counts;
	tensors_reserve(&((struct tensor_state *)state)->tensors, event->process,
			event->event.time_ns, totals->device, totals->reserved);
}

/* Before the allocator gave up, it freed all that it could. */
static void take_failure(void *state, const struct source_event *event, bool counts)
{
	struct tensors *tensors = &((struct tensor_state *)state)->tensors;
	const struct evt_tensor_oom *oom = EVENT_AS(tensor_oom, &event->event);

	if (oom->device)
		tensors_reserve(tensors, event->process, event->event.time_ns, oom->device,
				oom->reserved);
	if (counts)
		tensors_fail(tensors, oom->device);
}

static void take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct tensors *tensors = &((struct tensor_state *)state)->tensors;
	uint64_t one_in = EVENT_AS(torch_sampling, &event->event)->one_in;

	(void)counts;
	if (one_in > tensors->operators_one_in)
		tensors->operators_one_in = one_in;
}

static void tensor_events_take_end(void *state, const struct source_event *event, bool counts)
{
	const struct source_process *process = source_process_of(
		event->file, EVENT_AS(process_end, &event->event)->process);

	(void)counts;
	if (process)
		tensors_end_process(&((struct tensor_state *)state)->tensors, process->index,
				    event->event.time_ns);
}

static void tensor_events_start(void *state, struct run *run, const void *options)
{
	const struct tensors_options *asked = options;
	struct tensor_state *mine = state;

	mine->key = run_key(run, asked->by);
	mine->detail = run_detail(run);
	tensors_init(&mine->tensors,
		     asked->by == BY_tensors_size ? TENSORS_BY_SIZE : TENSORS_BY_KEY,
		     run_source(run));
	run_reads(run, EVT_tensor_alloc, FIELDS_ALL, take_block, mine);
	run_reads(run, EVT_tensor_free, FIELDS_ALL, take_block, mine);
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, take_totals, mine);
	run_reads(run, EVT_tensor_oom, FIELDS_ALL, take_failure, mine);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, take_sampling, mine);
	run_reads(run, EVT_process_end, FIELD_BIT(process_end, process), tensor_events_take_end,
		  mine);
	if (asked->follows)
		run_follows(run, mine);
	/* blocks from before do not count, only how large they are where they are freed */
	run_seeks(run, mine);
}

static void tensor_events_finish(void *state)
{
	tensors_finish(&((struct tensor_state *)state)->tensors);
}

static void tensor_events_release(void *state)
{
	tensors_release(&((struct tensor_state *)state)->tensors);
}

const struct analysis_kind analysis_tensors = {
	.name = "tensors",
	.state_bytes = sizeof(struct tensor_state),
	.options_bytes = sizeof(struct tensors_options),
	.start = tensor_events_start,
	.finish = tensor_events_finish,
	.release = tensor_events_release,
};

/* --- bytes that threads allocate --- */

static void count_bytes(void *state, const struct source_event *event, bool counts)
{
	uint64_t bytes = EVENT_AS(tensor_alloc, &event->event)->bytes;

	works_put_one(((struct work_provider *)state)->works, event, counts, WORK_tensor_bytes,
		      bytes);
}

static void work_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct work_provider *)state)->works = works_provide(run);
	run_reads(run, EVT_tensor_alloc, FIELD_BIT(tensor_alloc, bytes), count_bytes, state);
	run_follows(run, state);
	run_enters(run, state);
	run_leaves(run, state);
}

const struct analysis_kind analysis_tensor_work = {
	.name = "tensor work",
	.state_bytes = sizeof(struct work_provider),
	.start = work_start,
};

/*
 * --- bytes allocated minus bytes freed, modulo 2^64; the free of a CPU block does not have its
 * bytes ---
 */

struct growth_state {
	struct works *works;
	const struct tensor_state *blocks;
};

static void count_growth(void *state, const struct source_event *event, bool counts)
{
	const struct growth_state *mine = state;
	uint64_t bytes = mine->blocks->bytes;
	uint64_t growth = event->event.id == EVT_tensor_alloc ? bytes : 0 - bytes;
	bool is_device = EVENT_AS(tensor_alloc, &event->event)->device != 0;

	if (!detail_is_unbroken(mine->blocks->detail, event->process->index))
		return; /* how large a freed block is may not be known */
	works_put_one(mine->works, event, counts,
		      is_device ? WORK_tensor_device_growth : WORK_tensor_cpu_growth, growth);
}

static void tensor_events_growth_start(void *state, struct run *run, const void *options)
{
	struct growth_state *mine = state;

	(void)options;
	mine->works = works_provide(run);
	mine->blocks = (const struct tensor_state *)tensors_want(
		run, &(struct tensors_options){ .by = BY_tensors_device,
						.follows = run_filters(run)->any });
	run_reads(run, EVT_tensor_alloc, 0, count_growth, mine);
	run_reads(run, EVT_tensor_free, 0, count_growth, mine);
	run_follows(run, mine);
	run_enters(run, mine);
	run_leaves(run, mine);
}

const struct analysis_kind analysis_tensor_growth = {
	.name = "tensor growth",
	.state_bytes = sizeof(struct growth_state),
	.start = tensor_events_growth_start,
};
