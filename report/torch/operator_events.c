/* SPDX-License-Identifier: MIT */
/* Makes operations of operators.h from events of family torch; also provides operators as a key. */
#include "report/torch/operator_events.h"

#include <string.h>

#include "report/scopes/async_scopes.h"
#include "report/core/key.h"
#include "report/deferred/deferred.h"
#include "report/core/work.h"
#include "report/scopes/scope_events.h"
#include "report/torch/drawn_ops.h"
#include "report/torch/operator_naming.h"
#include "report/torch/operator_sums.h"

#define NO_OPERATOR "(no operator)"
#define SCOPE_FORWARD 0u /* of at::RecordScope */
#define SCOPE_BACKWARD 1u

struct operator_state {
	struct operators operators; /* must be first: others see only this part */
	struct source *source;
	const struct detail *detail;
	const struct run *run;
	struct operator_naming *naming;
	struct operator_sums sums;
	struct drawn_ops drawn;
	uint64_t drawn_steps, drawn_ns; /* with detail, when the last window ended */
	struct async_scopes async;
	struct run_key key; /* of the caller, if rows are by that */
	bool is_placed, wants_memory;
	/* process, torch's thread and sequence number of a forward operator, to its place */
	struct map forward;
};

const struct run_key *operators_key(const struct operators *operators)
{
	return &((const struct operator_state *)operators)->key;
}

static uint64_t forward_hash(const struct source_event *event, uint64_t thread, uint64_t sequence)
{
	const uint64_t words[3] = { event->process->index, thread, sequence };

	return map_hash_bytes(words, sizeof(words), 0);
}

/*
 * Nested forward operators have one number. The place of the last one is kept; it is that of all,
 * except in Python functions that operators call. A backward function removes it, because it runs
 * once.
 */
static void operator_events_find_place(struct operator_state *mine,
				       const struct source_event *event,
				       struct operator_opening *opening)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	struct map_entry *entry;
	bool added;

	opening->caller = key_of(&mine->key, event);
	if (mine->key.kind && mine->key.kind->joins_backward)
		return;
	if (event->event.id == EVT_torch_begin || (int64_t)begin->sequence < 0)
		return;
	if (begin->scope == SCOPE_FORWARD && opening->caller) {
		map_put(&mine->forward, forward_hash(event, begin->thread, begin->sequence), &added)
			->value = opening->caller;
		return;
	}
	entry = begin->scope == SCOPE_BACKWARD
			? map_find(&mine->forward,
				   forward_hash(event, begin->forward_thread, begin->sequence))
			: NULL;
	if (!entry)
		return;
	opening->caller = entry->value;
	opening->is_placed_by_forward = true;
	map_remove(&mine->forward, entry);
}

/* Between windows of detail only labels are recorded, without what runs in them. */
static bool has_detail(const struct operator_state *mine, const struct source_event *event)
{
	return detail_covers(mine->detail, event->process->index, event->event.time_ns);
}

/* Sizes are steps, or the time of a process without steps. */
static void operator_events_end_window(struct operator_state *mine, uint32_t process,
				       uint64_t time_ns)
{
	struct detail_time time = detail_time_of(mine->detail, process, time_ns);
	uint64_t steps = mine->detail->detailed - mine->drawn_steps;
	uint64_t ns = time.on_ns - mine->drawn_ns;

	drawn_ops_take(&mine->drawn, mine->operators.row, mine->operators.row_count,
		       time.windows ? (double)ns : (double)steps);
	mine->drawn_steps += steps;
	mine->drawn_ns += ns;
}

static void operator_events_take_detail_stop(void *state, const struct source_event *event,
					     bool counts)
{
	struct operator_state *mine = state;

	(void)counts;
	operators_leave_out_open(&mine->operators, event_place(event));
	operator_events_end_window(mine, event->process->index, event->event.time_ns);
}

/* The same of a window of time. */
static void operator_events_take_window(void *state, const struct source_event *event, bool counts)
{
	const struct evt_detail_asked *asked = EVENT_AS(detail_asked, &event->event);
	const struct source_process *process = source_process_of(event->file, asked->process);

	struct operator_state *mine = state;

	(void)counts;
	if (!process || asked->on)
		return;
	operators_leave_out_open(
		&mine->operators,
		(struct nest_place){ .process = process->index, .time_ns = event->event.time_ns });
	operator_events_end_window(mine, process->index, event->event.time_ns);
}

/*
 * Only of one process, whose windows were drawn in one way: windows of several would mix. Captures
 * are no draw.
 */
static void operator_events_estimate(struct operator_state *mine)
{
	const struct detail *detail = mine->detail;
	struct source_process *const *process;
	struct detail_time time;
	uint64_t end_ns;

	if (!detail->until_ns || detail_is_of_captures(detail) || run_filters(mine->run)->any ||
	    source_processes(mine->source, &process) != 1)
		return;
	end_ns = process[0]->ended ? process[0]->end_ns : source_end_ns(mine->source);
	time = detail_time_of(detail, process[0]->index, end_ns);
	if (time.windows && detail->steps)
		return;
	if (detail_covers(detail, process[0]->index, end_ns))
		operator_events_end_window(mine, process[0]->index, end_ns);
	drawn_ops_finish(&mine->drawn, time.windows ? (double)time.all_ns : (double)detail->steps);
	if (drawn_ops_know(&mine->drawn))
		mine->operators.drawn = &mine->drawn;
}

static void operator_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct operator_state *mine = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	struct operator_opening opening = {
		.place = event_place(event),
		.name = mine->naming->name,
		.scope = event->event.id == EVT_torch_begin ? 0 : begin->scope,
		.hidden = mine->naming->is_hidden,
		.counts = counts && has_detail(mine, event),
	};

	if (mine->is_placed)
		operator_events_find_place(mine, event, &opening);
	operators_begin(&mine->operators, &opening);
}

static void operator_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct operator_state *mine = state;

	(void)counts;
	if (event_ends_named(event))
		operators_end_named(&mine->operators, event_place(event), mine->naming->name,
				    EVENT_AS(torch_end_ex, &event->event)->thread != 0);
	else
		operators_end(&mine->operators, event_place(event));
}

static void operator_events_take_inputs(void *state, const struct source_event *event, bool counts)
{
	struct operator_state *mine = state;
	const struct evt_torch_inputs *given = EVENT_AS(torch_inputs, &event->event);
	uint32_t thread = event->thread->index, name;
	struct operator_inputs inputs = {
		.shapes = event_name(mine->source, event, given->shapes),
		.integers = event_name(mine->source, event, given->integers),
	};

	(void)counts;
	inputs.shapes_text = operator_text_of(source_name_at(mine->source, inputs.shapes));
	inputs.integers_text = operator_text_of(source_name_at(mine->source, inputs.integers));
	if (operators_innermost(&mine->operators, thread, &name))
		operators_describe(&mine->operators, thread, inputs.shapes,
				   operator_flops_of(&mine->naming->names, name, &inputs));
}

static void operator_events_take_async_begin(void *state, const struct source_event *event,
					     bool counts)
{
	struct operator_state *mine = state;

	async_scopes_begin(&mine->async, EVENT_AS(torch_async_begin, &event->event)->function,
			   &(struct async_scope){ .place = event_place(event),
						  .key = mine->naming->name,
						  .is_hidden = mine->naming->is_hidden,
						  .counts = counts && has_detail(mine, event) });
}

static struct operator_opening operator_events_opening_of(const struct async_scope *scope)
{
	return (struct operator_opening){ .place = scope->place,
					  .name = scope->key,
					  .scope = EVT_SCOPE_USER,
					  .hidden = scope->is_hidden,
					  .counts = scope->counts };
}

static void operator_events_take_async_end(void *state, const struct source_event *event,
					   bool counts)
{
	struct operator_state *mine = state;
	struct operator_opening opening;
	struct async_scope scope;

	(void)counts;
	if (!async_scopes_end(&mine->async, event->process->index,
			      EVENT_AS(torch_async_end, &event->event)->function, &scope))
		return;
	opening = operator_events_opening_of(&scope);
	operators_add_apart(&mine->operators, &opening, event->event.time_ns);
}

static void operator_events_take_sampling(void *state, const struct source_event *event,
					  bool counts)
{
	struct operator_state *mine = state;
	uint64_t one_in = EVENT_AS(torch_sampling, &event->event)->one_in;

	(void)counts;
	if (one_in > mine->operators.one_in)
		mine->operators.one_in = one_in;
}

/* Memory is the sum of changes inside; calls are those that count. */
static void operator_events_take_work(void *state, const struct source_event *event, bool counts,
				      const struct work *work)
{
	struct operator_state *mine = state;
	bool is_memory = event->event.id == EVT_tensor_alloc || event->event.id == EVT_tensor_free;
	struct operator_work done = { .cpu_bytes = work->tensor_cpu_growth,
				      .device_bytes = work->tensor_device_growth,
				      .cuda_calls = work->cuda_calls,
				      .cuda_ns = work->cuda_ns,
				      .launches = work->launches };

	(void)counts; /* the operator decides whether it counts, with all that was done in it */
	mine->operators.has_memory |= is_memory;
	operators_note(&mine->operators, event->thread->index, &done);
}

/* --- GPU work of operators --- */

static uint64_t operator_events_place_of(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	return operators_place(&((struct operator_state *)state)->operators, event->thread->index);
}

static void operator_events_take_late(void *state, uint64_t place, const struct deferred_work *work)
{
	struct operators *operators = &((struct operator_state *)state)->operators;

	operators->has_gpu = true;
	deferred_scopes_add(&operators->deferred, (uint32_t)place, work);
}

static void operator_events_drop_late(void *state, uint64_t place, bool had_work)
{
	(void)had_work;
	deferred_scopes_drop(&((struct operator_state *)state)->operators.deferred,
			     (uint32_t)place);
}

static const struct deferred_listener listener = { .place = operator_events_place_of,
						   .take = operator_events_take_late,
						   .drop = operator_events_drop_late,
						   .takes_uncounted = true };

static void operator_events_start(void *state, struct run *run, const void *options)
{
	const struct operators_options *asked = options;
	struct operator_state *mine = state;

	mine->run = run;
	mine->source = run_source(run);
	mine->detail = run_detail(run);
	operator_sums_init(&mine->sums);
	mine->naming = operator_naming_want(run, NULL);
	operators_init(&mine->operators, asked->by_shapes != 0);
	mine->operators.kept = OPERATORS_FOLLOWED;
	mine->operators.by_process = asked->by_process != 0;
	async_scopes_init(&mine->async);
	map_init(&mine->forward);
	mine->is_placed = asked->is_placed;
	if (mine->is_placed)
		mine->key = run_key(run, asked->by);
	if (asked->is_full) {
		works_listen(works_want(run, WORK_BIT(tensor_cpu_growth) | WORK_BIT(cuda_calls)),
			     operator_events_take_work, mine);
		run_reads(run, EVT_torch_inputs, FIELDS_ALL, operator_events_take_inputs, mine);
		mine->wants_memory = true;
	}
	if (asked->is_full || asked->with_gpu) {
		deferred_listen(deferred_want(run), &listener, mine);
		operator_sums_want(&mine->sums, run, mine->naming);
	}
	run_reads(run, EVT_detail_stop, 0, operator_events_take_detail_stop, mine);
	run_reads(run, EVT_detail_asked, FIELDS_ALL, operator_events_take_window, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator,
			 mine->is_placed ? FIELDS_ALL : FIELD_BIT(torch_begin_ex, scope),
			 operator_events_take_begin, operator_events_take_end, mine);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, operator_events_take_async_begin, mine);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, operator_events_take_async_end, mine);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, operator_events_take_sampling, mine);
	if (!mine->is_placed) /* a backward function asks for the place of a forward one */
		run_enters(run, mine);
	run_leaves(run, mine);
}

struct async_cut {
	struct operator_state *of;
	const struct cut *cut;
};

static void operator_events_cut_async(void *state, const struct async_scope *scope)
{
	struct async_cut *mine = state;
	struct operator_opening opening = operator_events_opening_of(scope);

	operators_cut_apart(&mine->of->operators, &opening, mine->cut->time_ns,
			    cut_ending(mine->cut));
}

static void operator_events_cut(void *state, const struct cut *cut)
{
	struct operator_state *mine = state;

	if (cut->thread)
		operators_cut(&mine->operators, cut_place(cut), cut_ending(cut));
	else
		async_scopes_cut(&mine->async, cut->process->index, operator_events_cut_async,
				 &(struct async_cut){ mine, cut });
}

/* Memory is known if tensors were recorded at any time. */
static void operator_events_finish(void *state)
{
	struct operator_state *mine = state;

	mine->operators.has_gpu_windows = run_gpu_windows(mine->run)->until_ns != 0;
	mine->operators.has_memory |= mine->wants_memory &&
				      source_families_passed(mine->source) >> EVT_FAMILY_tensors &
					      1;
	operator_sums_settle(&mine->sums, &mine->operators,
			     run_filters(mine->run)->any || mine->operators.by_shapes ||
				     mine->is_placed);
	operator_events_estimate(mine);
}

static void operator_events_release(void *state)
{
	struct operator_state *mine = state;

	operator_sums_release(&mine->sums);
	drawn_ops_release(&mine->drawn);
	operators_release(&mine->operators);
	async_scopes_release(&mine->async);
	map_release(&mine->forward);
}

const struct analysis_kind analysis_operators = {
	.name = "operators",
	.state_bytes = sizeof(struct operator_state),
	.options_bytes = sizeof(struct operators_options),
	.start = operator_events_start,
	.cut = operator_events_cut,
	.finish = operator_events_finish,
	.release = operator_events_release,
};

/* --- the key: name + 1 --- */

static const void *operator_events_key_start(struct run *run)
{
	return operators_want(run, NULL);
}

static uint64_t operator_events_key_of_event(const void *state, const struct source_event *event)
{
	const struct operator_state *mine = state;
	uint32_t name;

	if (!operators_innermost(&mine->operators, event->thread->index, &name))
		return 0;
	return (uint64_t)name + 1;
}

static unsigned int keys_around(const void *state, const struct source_event *event,
				uint64_t *ret_keys, unsigned int room)
{
	const struct operator_state *mine = state;
	const struct nest *nest = &mine->operators.nest;
	uint32_t at = nest_innermost(nest, event->thread->index);
	unsigned int count = 0;

	for (; at != NEST_NONE && count < room; at = nest_outer(nest, at))
		ret_keys[count++] = nest->scope[at].key + 1;
	return count;
}

static const char *key_text(const void *state, uint64_t key, size_t *ret_length)
{
	const struct operator_state *mine = state;
	struct operator_text text;

	text.text = name_text(source_name_at(mine->source, (uint32_t)key - 1), &text.length);
	text = operator_text_shown(text);
	*ret_length = text.length;
	return text.text;
}

static void key_put_operator(const void *state, uint64_t key, struct table *table,
			     const enum column_id *column)
{
	size_t length = strlen(NO_OPERATOR);
	const char *text = key ? key_text(state, key, &length) : NO_OPERATOR;

	table_set_text(table, column[0], text, length);
}

const struct key_kind key_kind_op = {
	.name = "op",
	.start = operator_events_key_start,
	.of = operator_events_key_of_event,
	.put = key_put_operator,
	.around = keys_around,
	.text = key_text,
};

/* --- the key of PyTorch's own operators: name + 1, without user scopes --- */

static uint64_t own_key_of_event(const void *state, const struct source_event *event)
{
	const struct operator_state *mine = state;
	uint32_t name;

	if (!operators_innermost_own(&mine->operators, event->thread->index, &name))
		return 0;
	return (uint64_t)name + 1;
}

const struct key_kind key_kind_native = {
	.name = "native",
	.start = operator_events_key_start,
	.of = own_key_of_event,
	.put = key_put_operator,
	.text = key_text,
};
