/* SPDX-License-Identifier: MIT */
/*
 * A thread, and a process, has a sum that advances by each moment's share of one request; what a
 * request got is the difference between its begin and its end. So a request costs no more if others
 * are open. A launch keeps the set of the requests that were open then, because its work is
 * reported later; launches share the set until it changes.
 */
#include "report/requests/request_model.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/open_operators.h"
#include "report/deferred/deferred.h"
#include "report/gpu/gpu_work.h"
#include "report/helpers/helpers.h"
#include "report/scopes/scope_events.h"

#define FRACTION 1024u /* sums are in parts of a nanosecond */

/* What is open in a thread, or in a process on its threads without a request. */
struct model_place {
	uint64_t requests, operators; /* operators: open on the thread; threads in one */
	uint64_t since_ns, sum;
	uint32_t process;
	size_t set; /* of its requests, + 1; 0: to be made */
};

struct model_request {
	uint32_t thread, process;
	uint64_t thread_sum, process_sum; /* at its begin */
	size_t row;                       /* SIZE_MAX: not known yet, or none */
	uint64_t gpu_ns;
	uint32_t refs; /* sets that have it */
	bool is_open, is_used;
	size_t next_unused; /* + 1 */
};

struct model_set {
	size_t request[REQUEST_SHARERS_MAX];
	unsigned int count;
	uint64_t refs; /* launches, and the place whose set it is */
	size_t next_unused;
};

struct request_model {
	struct request_model_options options;
	struct source *source;
	const struct open_operators *open;
	bool *is_operator; /* by scope of these */
	size_t is_operator_room;
	struct model_place *thread, *process;
	size_t thread_room, process_room;
	struct model_request *request;
	size_t request_count, request_room, unused_request;
	struct model_set *set;
	size_t set_count, set_room, unused_set;
	bool has_operators, is_sampled, has_gpu;
};

/* --- places --- */

static struct model_place *model_thread_at(struct request_model *model, uint32_t thread,
					   uint32_t process)
{
	struct model_place *at;

	model->thread = memory_room(model->thread, thread, &model->thread_room,
				    sizeof(*model->thread));
	at = &model->thread[thread];
	at->process = process;
	return at;
}

static struct model_place *model_process_at(struct request_model *model, uint32_t process)
{
	model->process = memory_room(model->process, process, &model->process_room,
				     sizeof(*model->process));
	return &model->process[process];
}

/* Up to now. At most one operator for each request: no request has more than the moment. */
static void model_place_advance(struct model_place *place, uint64_t time_ns, uint64_t operators)
{
	uint64_t passed_ns = time_ns > place->since_ns ? time_ns - place->since_ns : 0;

	if (operators > place->requests)
		operators = place->requests;
	if (operators)
		place->sum += passed_ns * FRACTION * operators / place->requests;
	place->since_ns += passed_ns;
}

static void model_advance(struct request_model *model, uint32_t thread, uint32_t process,
			  uint64_t time_ns)
{
	struct model_place *of = model_thread_at(model, thread, process);
	struct model_place *all = model_process_at(model, process);

	model_place_advance(of, time_ns, of->operators != 0);
	model_place_advance(all, time_ns, all->operators);
}

/*
 * The same where an operator begins or ends. While there are no requests nobody gets that time:
 * a place is brought up to its time where one begins.
 */
static void model_advance_operators(struct request_model *model, uint32_t thread, uint32_t process,
				    uint64_t time_ns)
{
	(void)model_thread_at(model, thread, process);
	if (model_process_at(model, process)->requests)
		model_advance(model, thread, process, time_ns);
}

/* --- sets --- */

static void model_request_unused(struct request_model *model, size_t number)
{
	struct model_request *request = &model->request[number];

	if (request->is_open || request->refs || !request->is_used)
		return;
	request->is_used = false;
	request->next_unused = model->unused_request;
	model->unused_request = number + 1;
}

static void model_set_drop(struct request_model *model, size_t set)
{
	struct model_set *of = &model->set[set];

	if (--of->refs)
		return;
	for (unsigned int i = 0; i < of->count; i++) {
		model->request[of->request[i]].refs--;
		model_request_unused(model, of->request[i]);
	}
	of->next_unused = model->unused_set;
	model->unused_set = set + 1;
}

/* The requests of the place change. */
static void model_place_forget(struct request_model *model, struct model_place *place)
{
	if (place->set)
		model_set_drop(model, place->set - 1);
	place->set = 0;
}

static size_t model_set_new(struct request_model *model)
{
	size_t at = model->unused_set;

	if (at) {
		model->unused_set = model->set[at - 1].next_unused;
		return at - 1;
	}
	model->set = memory_room(model->set, model->set_count, &model->set_room,
				 sizeof(*model->set));
	return model->set_count++;
}

/* Returns the set of the requests that are open there, + 1. */
static size_t model_place_set(struct request_model *model, struct model_place *place,
			      uint32_t thread, uint32_t process)
{
	size_t at;
	struct model_set *set;

	if (place->set)
		return place->set;
	at = model_set_new(model);
	set = &model->set[at];
	set->count = 0;
	set->refs = 1;
	for (size_t i = 0; i < model->request_count && set->count < REQUEST_SHARERS_MAX; i++) {
		struct model_request *request = &model->request[i];

		if (!request->is_open || request->process != process ||
		    (thread != NEST_NONE && request->thread != thread))
			continue;
		set->request[set->count++] = i;
		request->refs++;
	}
	place->set = at + 1;
	return place->set;
}

/* --- requests --- */

static size_t model_request_new(struct request_model *model)
{
	size_t at = model->unused_request;

	if (at) {
		model->unused_request = model->request[at - 1].next_unused;
		return at - 1;
	}
	model->request = memory_room(model->request, model->request_count, &model->request_room,
				     sizeof(*model->request));
	return model->request_count++;
}

size_t request_model_begin(struct request_model *model, const struct source_event *event)
{
	uint32_t thread = event->thread->index, process = event->process->index;
	size_t number = model_request_new(model);
	struct model_place *of, *all;

	model_advance(model, thread, process, event->event.time_ns);
	of = &model->thread[thread];
	all = &model->process[process];
	model_place_forget(model, of);
	model_place_forget(model, all);
	if (!of->requests && of->operators)
		all->operators--;
	of->requests++;
	all->requests++;
	model->request[number] = (struct model_request){ .thread = thread,
							 .process = process,
							 .thread_sum = of->sum,
							 .process_sum = all->sum,
							 .row = SIZE_MAX,
							 .is_open = true,
							 .is_used = true };
	return number;
}

struct request_model_sum request_model_end(struct request_model *model, size_t number,
					   uint64_t time_ns, size_t row)
{
	struct model_request *request = &model->request[number];
	struct model_place *of, *all;
	struct request_model_sum sum;

	model_advance(model, request->thread, request->process, time_ns);
	of = &model->thread[request->thread];
	all = &model->process[request->process];
	sum = (struct request_model_sum){
		.shared_ns = (all->sum - request->process_sum) / FRACTION,
		.gpu_ns = request->gpu_ns,
	};
	sum.model_ns = (of->sum - request->thread_sum) / FRACTION + sum.shared_ns;
	model_place_forget(model, of);
	model_place_forget(model, all);
	of->requests--;
	all->requests--;
	if (!of->requests && of->operators)
		all->operators++;
	request->row = row;
	request->is_open = false;
	model_request_unused(model, number);
	return sum;
}

/* --- operators --- */

static void model_operator_ends(void *state, const struct nest_end *end)
{
	struct request_model *model = state;
	struct model_place *of;

	if (!model->is_operator[end->scope])
		return;
	model_advance_operators(model, end->thread, model->thread[end->thread].process,
				end->time_ns);
	of = &model->thread[end->thread];
	if (!--of->operators && !of->requests)
		model->process[of->process].operators--;
}

static void model_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct request_model *model = state;
	bool is_operator = event_record_scope(event) != EVT_SCOPE_USER;
	struct model_place *of;
	uint32_t scope = nest_top(&model->open->nest, event->thread->index);

	(void)counts;
	model->is_operator = memory_room(model->is_operator, scope, &model->is_operator_room,
					 sizeof(*model->is_operator));
	model->is_operator[scope] = is_operator;
	if (!is_operator)
		return;
	model->has_operators = true;
	model_advance_operators(model, event->thread->index, event->process->index,
				event->event.time_ns);
	of = &model->thread[event->thread->index];
	if (!of->operators++ && !of->requests)
		model->process[event->process->index].operators++;
}

static void request_model_take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct request_model *model = state;

	(void)counts;
	model->is_sampled |= EVENT_AS(torch_sampling, &event->event)->one_in > 1;
}

/* --- the GPU --- */

static uint64_t request_model_place(void *state, const struct source_event *event, bool counts)
{
	struct request_model *model = state;
	uint32_t thread = event->thread->index, process = event->process->index;
	struct model_place *of = model_thread_at(model, thread, process);
	struct model_place *all = model_process_at(model, process);
	size_t set = 0;

	(void)counts;
	if (of->requests && of->requests <= REQUEST_SHARERS_MAX)
		set = model_place_set(model, of, thread, process);
	else if (!of->requests && all->requests && all->requests <= REQUEST_SHARERS_MAX)
		set = model_place_set(model, all, NEST_NONE, process);
	if (set)
		model->set[set - 1].refs++;
	return set;
}

static void request_model_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	struct request_model *model = state;
	const struct model_set *set;

	if (!work->is_on_device)
		return;
	model->has_gpu = true;
	if (!place)
		return;
	set = &model->set[place - 1];
	for (unsigned int i = 0; i < set->count; i++) {
		struct model_request *request = &model->request[set->request[i]];
		uint64_t ns = work->duration_ns / set->count;

		if (request->is_open)
			request->gpu_ns += ns;
		else if (request->row != SIZE_MAX)
			model->options.late(model->options.state, request->row, ns);
	}
}

static void request_model_drop(void *state, uint64_t place, bool had_work)
{
	(void)had_work;
	if (place)
		model_set_drop(state, place - 1);
}

/* --- the whole --- */

static void request_model_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = request_model_place,
							   .take = request_model_take_work,
							   .drop = request_model_drop,
							   .takes_uncounted = true };
	struct request_model *model = state;
	struct open_operators *open;

	model->options = *(const struct request_model_options *)options;
	model->source = run_source(run);
	open = open_operators_want(run, NULL);
	open_operators_listen(open, model_operator_ends, model);
	model->open = open;
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, model_take_begin, NULL, model);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, request_model_take_sampling, model);
	deferred_listen(deferred_want(run), &listener, model);
	run_follows(run, model);
	run_seeks(run, model);
}

static void request_model_release(void *state)
{
	struct request_model *model = state;

	free(model->is_operator);
	free(model->thread);
	free(model->process);
	free(model->request);
	free(model->set);
}

const struct analysis_kind analysis_request_model = {
	.name = "request_model",
	.state_bytes = sizeof(struct request_model),
	.options_bytes = sizeof(struct request_model_options),
	.start = request_model_start,
	.release = request_model_release,
};

bool request_model_has_operators(const struct request_model *model)
{
	bool passed = source_families_passed(model->source) >> EVT_FAMILY_torch & 1;

	return (model->has_operators || passed) && !model->is_sampled;
}

bool request_model_has_gpu(const struct request_model *model)
{
	return model->has_gpu;
}
