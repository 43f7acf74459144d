/* SPDX-License-Identifier: MIT */
/*
 * Open requests are found by process, connection and number. A thread counts those that it has
 * begun and that are open; each begin that finds one there makes all of them shared.
 */
#include "report/requests/request_events.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/windows.h"
#include "report/core/work.h"
#include "report/gpu/wait_calls.h"
#include "report/requests/request_model.h"
#include "report/requests/request_routes.h"

#define ERRORS_FROM 500u /* statuses of faults of the server */

/* Codes of gRPC that say so: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL to DATA_LOSS. */
#define GRPC_ERRORS (1u << 2 | 1u << 4 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15)

struct open_request {
	struct request_key key;
	bool counts, used, has_model_ended;
	uint64_t waited_ns;      /* before it was received */
	uint64_t overlaps;       /* of its thread, at its begin */
	bool began_alone;        /* no other request was open on its thread */
	size_t next_unused;      /* likewise, of the next one */
	struct cpu_moment began; /* the thread's CPU time */
	struct work work;        /* the thread's, at its begin */
	size_t model;            /* its number there */
	uint64_t gpu_wait_ns;    /* the thread's, at its begin */
	uint64_t id;             /* its place in the map */
};

struct request_thread {
	uint64_t open;        /* requests that began on it */
	uint64_t overlaps;    /* begins that found another one open */
	uint64_t gpu_wait_ns; /* in calls that wait for the GPU */
	struct cpu_clock clock;
};

struct requests_state {
	struct requests requests; /* must be first: others see only this part */
	struct source *source;
	struct works *works;
	struct request_model *model;
	struct requests_options options;
	enum key_id by;
	struct map rows;  /* hash of a key to its row */
	struct map known; /* hash of process, connection, number to an open request + 1 */
	struct open_request *open;
	size_t open_count, open_room;
	size_t unused;                 /* first unused element of `open` + 1 */
	struct request_thread *thread; /* by index */
	size_t thread_room;
	uint64_t *numbers; /* requests that have begun, by process */
	size_t numbers_room;
	struct request_looks looks;
	struct request_routes routes;
	struct wait_calls waits;
};

static struct request_thread *request_thread_at(struct requests_state *mine, uint32_t thread)
{
	mine->thread = memory_room(mine->thread, thread, &mine->thread_room, sizeof(*mine->thread));
	return &mine->thread[thread];
}

/* --- rows --- */

static struct request_key request_row_key(const struct requests_state *mine,
					  const struct request_key *whole)
{
	switch (mine->by) {
	case BY_requests_status:
		return (struct request_key){ .status = whole->status };
	case BY_requests_worker:
		return (struct request_key){ .worker = whole->worker };
	case BY_requests_path:
		return (struct request_key){ .method = whole->method, .path = whole->path };
	case BY_requests_request:
		return *whole;
	default:
		return (struct request_key){ .method = whole->method, .endpoint = whole->endpoint };
	}
}

static struct request_row *request_row_of(struct requests_state *mine,
					  const struct request_key *whole)
{
	struct requests *requests = &mine->requests;
	struct request_key key = request_row_key(mine, whole);
	bool added;
	struct map_entry *entry = map_put(&mine->rows, map_hash_bytes(&key, sizeof(key), 0),
					  &added);

	if (added) {
		entry->value = requests->count;
		requests->row = memory_room(requests->row, requests->count, &requests->room,
					    sizeof(*requests->row));
		requests->row[requests->count++] = (struct request_row){ .key = key };
	}
	return &requests->row[entry->value];
}

/* --- begins --- */

static uint64_t request_waited_ns(const struct source_event *event,
				  const struct evt_request_begin *begin)
{
	return begin->waited_ns < event->event.time_ns ? begin->waited_ns : 0;
}

static uint64_t request_id_of(const struct source_event *event, uint64_t connection,
			      uint64_t number)
{
	uint64_t words[] = { event->process->index, connection, number };

	return map_hash_bytes(words, sizeof(words), 0);
}

static size_t open_request_new(struct requests_state *mine)
{
	size_t at = mine->unused;

	if (at) {
		mine->unused = mine->open[at - 1].next_unused;
		return at - 1;
	}
	mine->open = memory_room(mine->open, mine->open_count, &mine->open_room,
				 sizeof(*mine->open));
	return mine->open_count++;
}

static uint64_t request_number_next(struct requests_state *mine, uint32_t process)
{
	mine->numbers = memory_room(mine->numbers, process, &mine->numbers_room,
				    sizeof(*mine->numbers));
	return mine->numbers[process]++;
}

/* It stands for requests of segments that are not read. */
static void take_request_sum(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;
	const struct evt_request_sum *sum = EVENT_AS(request_sum, &event->event);
	const struct source_process *process = source_process_of(event->file, sum->process);

	(void)counts;
	if (!process)
		return;
	mine->numbers = memory_room(mine->numbers, process->index, &mine->numbers_room,
				    sizeof(*mine->numbers));
	mine->numbers[process->index] += sum->count;
}

static uint32_t request_path_of(struct source *source, const struct source_event *event,
				const struct evt_request_begin *begin)
{
	uint32_t path = event_name(source, event, begin->path);
	size_t length;

	(void)name_text(source_name_at(source, path), &length);
	return length ? path : event_name(source, event, begin->endpoint);
}

static void take_request_begin(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;
	const struct evt_request_begin *begin = EVENT_AS(request_begin, &event->event);
	struct request_thread *thread = request_thread_at(mine, event->thread->index);
	size_t at = open_request_new(mine);
	bool added;
	struct open_request *open = &mine->open[at];

	*open = (struct open_request){
		.key = { .number = event->is_repeated
					   ? REQUEST_NUMBER_UNKNOWN
					   : request_number_next(mine, event->process->index),
			 .start_ns = event->event.time_ns,
			 .method = event_name(mine->source, event, begin->method),
			 .endpoint = event_name(mine->source, event, begin->endpoint),
			 .path = request_path_of(mine->source, event, begin),
			 .worker = event->process->index,
			 .thread = event->thread->index },
		.counts = counts,
		.used = true,
		.waited_ns = request_waited_ns(event, begin),
		.began_alone = thread->open == 0,
		.began = cpu_clock_at(&thread->clock, event->event.time_ns),
		.work = works_of_thread(mine->works, event->thread),
		.model = request_model_begin(mine->model, event),
		.gpu_wait_ns = thread->gpu_wait_ns,
		.id = request_id_of(event, begin->connection, begin->number),
	};
	thread->overlaps += thread->open != 0;
	open->overlaps = thread->overlaps;
	thread->open++;
	map_put(&mine->known, open->id, &added)->value = at + 1;
	if (counts && !mine->requests.first_ns)
		mine->requests.first_ns = event->event.time_ns;
	if (counts && begin->held_ns && begin->held_ns < event->event.time_ns) {
		mine->requests.held++;
		mine->requests.held_ns += begin->held_ns;
	}
}

static void take_request_route(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;
	const struct evt_request_route *route = EVENT_AS(request_route, &event->event);

	(void)counts;
	request_routes_take(&mine->routes,
			    &(struct request_routed){
				    .process = event->process->index,
				    .method = event_name(mine->source, event, route->method),
				    .endpoint = event_name(mine->source, event, route->endpoint),
			    },
			    event_name(mine->source, event, route->route));
}

/* A route is known before the first request that had it ends. */
static void request_name_route(struct requests_state *mine, struct request_key *key)
{
	key->endpoint = request_routes_find(
		&mine->routes, mine->source,
		&(struct request_routed){ key->worker, key->method, key->endpoint }, key->status);
}

/* --- looks --- */

static bool open_request_is_alone(const struct requests_state *mine,
				  const struct open_request *open)
{
	return open->began_alone && mine->thread[open->key.thread].overlaps == open->overlaps;
}

static void request_take_looks(void *state, const struct request_span *span,
			       const struct look_counts *counts)
{
	struct requests_state *mine = state;
	struct request_row *row = &mine->requests.row[span->row];
	struct look_counts *tail = mine->by == BY_requests_request
					   ? NULL
					   : &request_tail_at(&row->tail, span->bucket)->looks;

	for (int i = 0; i < LOOK_LIMIT; i++) {
		(span->is_alone ? &row->looks : &row->shared)->at[i] += counts->at[i];
		if (tail)
			tail->at[i] += counts->at[i];
	}
}

/* Looks belong to requests that have ended since the sample before, or end later. */
static void take_request_sample(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;
	struct look_event look;

	(void)counts;
	if (request_looks_read(&mine->looks, event, &look))
		request_looks_add(&mine->looks, event->thread->index, &look);
	request_looks_settle(&mine->looks, event->thread->index, request_take_looks, mine);
}

/* A call of CUDA that waits. The thread's events come in the order of their ends. */
static void take_request_wait(struct requests_state *mine, const struct source_event *event,
			      uint64_t function, uint64_t duration_ns)
{
	uint32_t name = event_name(mine->source, event, function);
	enum wait_call_kind kind = wait_calls_kind_of(&mine->waits, name);
	struct request_thread *thread = request_thread_at(mine, event->thread->index);
	uint64_t now_ns = event->event.time_ns;

	if (kind == WAIT_CALL_NONE || kind == WAIT_CALL_STREAM_FOR_EVENT || duration_ns > now_ns)
		return;
	mine->requests.has_gpu_waits = true;
	thread->gpu_wait_ns += duration_ns;
	request_looks_wait(&mine->looks, event->thread->index,
			   (struct look_wait){ now_ns - duration_ns, now_ns });
}

static void take_request_cuda(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);

	(void)counts;
	if (!(call->flags & EVT_CUDA_NESTED))
		take_request_wait(state, event, call->function, call->duration_ns);
}

static void take_request_hidden(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);

	(void)counts;
	take_request_wait(state, event, call->function, call->duration_ns);
}

bool request_row_waited(const struct request_row *row, enum look_of of, uint64_t *ret_ns)
{
	uint64_t all = look_counts_all(&row->looks);

	if (all < REQUEST_LOOKS_MIN)
		return false;
	*ret_ns = (uint64_t)((double)row->alone_ns * (double)row->looks.at[of] / (double)all);
	return true;
}

bool request_row_shared(const struct request_row *row, uint64_t *ret_awaited_ns,
			uint64_t *ret_busy_ns)
{
	uint64_t all = look_counts_all(&row->shared), alone_ns = row->queue_ns + row->alone_ns;
	uint64_t shared_ns = row->time.total_ns > alone_ns ? row->time.total_ns - alone_ns : 0;

	if (all < REQUEST_LOOKS_MIN)
		return false;
	*ret_awaited_ns = (uint64_t)((double)shared_ns * (double)row->shared.at[LOOK_AWAITS] /
				     (double)all);
	*ret_busy_ns = shared_ns - *ret_awaited_ns;
	return true;
}

uint64_t request_row_computed(const struct request_row *row, uint64_t cpu_ns)
{
	uint64_t runs = row->looks.at[LOOK_RUNS], spins = row->looks.at[LOOK_GPU_SPINS];

	if (spins)
		return (uint64_t)((double)cpu_ns * (double)runs / (double)(runs + spins));
	if (look_counts_all(&row->looks) || cpu_ns + row->gpu_wait_ns <= row->alone_ns)
		return cpu_ns;
	/* no samples: it ran in at least so much of its waits */
	return row->alone_ns > row->gpu_wait_ns ? row->alone_ns - row->gpu_wait_ns : 0;
}

struct timing requests_time(const struct requests *requests)
{
	struct timing time = { 0 };

	for (size_t i = 0; i < requests->count; i++)
		timing_merge(&time, &requests->row[i].time);
	return time;
}

uint64_t requests_ended(const struct requests *requests)
{
	uint64_t count = 0;

	for (size_t i = 0; i < requests->count; i++)
		count += requests->row[i].time.count;
	return count;
}

uint64_t requests_total_ns(const struct requests *requests)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < requests->count; i++)
		total_ns += requests->row[i].time.total_ns;
	return total_ns;
}

uint64_t requests_span_ns(const struct requests *requests)
{
	return requests->last_ns > requests->first_ns ? requests->last_ns - requests->first_ns : 0;
}

/* --- bodies --- */

#define STREAM_SHARE 0.2 /* of the time of requests, at least */

/* Two calls, for head and body or for a large one, are no stream. */
bool request_row_streams(const struct request_row *row)
{
	return row->pieces > 2 * row->first.count &&
	       (double)row->pieces_ns > STREAM_SHARE * (double)row->time.total_ns;
}

uint64_t request_row_piece_ns(const struct request_row *row)
{
	uint64_t gaps = row->pieces > row->first.count ? row->pieces - row->first.count : 0;

	return gaps ? row->pieces_ns / gaps : 0;
}

static void request_put_body(struct request_row *row, const struct open_request *open,
			     const struct source_event *event)
{
	const struct evt_request_end *end = EVENT_AS(request_end, &event->event);
	uint64_t now_ns = event->event.time_ns;

	if (!end->pieces || end->body < end->duration || end->body > now_ns ||
	    now_ns - end->body < open->key.start_ns)
		return;
	timing_add(&row->first, now_ns - end->body - open->key.start_ns + open->waited_ns);
	row->pieces += end->pieces;
	if (end->pieces > 1)
		row->pieces_ns += end->body - end->duration;
}

/* --- ends --- */

static void request_put_alone(struct requests_state *mine, struct request_row *row,
			      const struct open_request *open, const struct source_event *event,
			      uint64_t end_ns)
{
	struct request_thread *thread = request_thread_at(mine, event->thread->index);
	struct work now = works_of_thread(mine->works, event->thread);
	uint64_t wall_ns = end_ns - open->key.start_ns;

	row->alone++;
	row->alone_ns += wall_ns;
	cpu_span_add_between(&row->cpu, open->began, cpu_clock_at(&thread->clock, end_ns), wall_ns);
	row->gc_ns += work_between(&open->work, &now).gc_ns;
	row->gpu_wait_ns += thread->gpu_wait_ns - open->gpu_wait_ns;
}

/* The thread that received it, of which nothing is known once that has ended. */
static void request_put_tail(struct requests_state *mine, struct request_row *row,
			     const struct open_request *open, uint64_t end_ns)
{
	const struct request_thread *thread = request_thread_at(mine, open->key.thread);
	uint64_t total_ns = end_ns - open->key.start_ns + open->waited_ns;
	struct source_thread *const *threads;
	struct work now;
	struct tail_sum *sum;

	if (mine->by == BY_requests_request ||
	    open->key.thread >= source_threads(mine->source, &threads))
		return;
	now = works_of_thread(mine->works, threads[open->key.thread]);
	sum = request_tail_at(&row->tail, request_bucket_of(total_ns));
	sum->count++;
	sum->total_ns += total_ns;
	sum->queue_ns += open->waited_ns;
	sum->gc_ns += work_between(&open->work, &now).gc_ns;
	sum->gpu_wait_ns += thread->gpu_wait_ns - open->gpu_wait_ns;
}

static void request_keep_looks(struct requests_state *mine, const struct request_row *row,
			       const struct open_request *open, uint64_t end_ns, bool is_alone)
{
	uint64_t total_ns = end_ns - open->key.start_ns + open->waited_ns;

	request_looks_keep(&mine->looks, open->key.thread,
			   &(struct request_span){ .from_ns = open->key.start_ns,
						   .to_ns = end_ns,
						   .row = (size_t)(row - mine->requests.row),
						   .bucket = request_bucket_of(total_ns),
						   .is_alone = is_alone });
}

/* The thread that ends it is the one that began it, and had no other one in between. */
static bool request_was_alone(const struct requests_state *mine, const struct open_request *open,
			      const struct source_event *event)
{
	return open->key.thread == event->thread->index && open_request_is_alone(mine, open);
}

static void request_put_model(struct request_row *row, struct request_model_sum sum,
			      uint64_t wall_ns)
{
	row->model_ns += sum.model_ns < wall_ns ? sum.model_ns : wall_ns;
	row->model_shared_ns += sum.shared_ns < wall_ns ? sum.shared_ns : wall_ns;
	row->gpu_ns += sum.gpu_ns;
}

static bool request_is_error(uint64_t status)
{
	if (status < REQUEST_GRPC_STATUS)
		return status >= ERRORS_FROM;
	return status < REQUEST_GRPC_STATUS + 32 &&
	       GRPC_ERRORS >> (status - REQUEST_GRPC_STATUS) & 1;
}

/* Work of the GPU is reported after the request has ended. */
static void take_request_gpu(void *state, size_t row, uint64_t gpu_ns)
{
	struct requests_state *mine = state;

	mine->requests.row[row].gpu_ns += gpu_ns;
}

static void request_count(struct requests_state *mine, struct open_request *open,
			  const struct source_event *event)
{
	const struct evt_request_end *end = EVENT_AS(request_end, &event->event);
	uint64_t now_ns = event->event.time_ns, end_ns = now_ns - end->duration;
	struct request_row *row;
	bool is_alone;

	if (end->duration > now_ns || end_ns < open->key.start_ns)
		end_ns = open->key.start_ns;
	open->key.status = (uint32_t)end->status;
	open->key.ending = end->ending < REQUEST_OPEN ? (uint32_t)end->ending : REQUEST_UNKNOWN;
	request_name_route(mine, &open->key);
	row = request_row_of(mine, &open->key);
	timing_add(&row->time, end_ns - open->key.start_ns + open->waited_ns);
	row->queue_ns += open->waited_ns;
	mine->requests.answered = memory_room(mine->requests.answered, open->key.worker,
					      &mine->requests.answered_room,
					      sizeof(*mine->requests.answered));
	mine->requests.answered[open->key.worker]++;
	if (end->answer >= end->duration)
		timing_add(&row->answer, end->answer - end->duration);
	request_put_body(row, open, event);
	mine->requests.connections += !end->number && end->status;
	row->errors += request_is_error(end->status);
	row->unanswered += end->ending == REQUEST_CLIENT_LEFT || end->ending == REQUEST_UNANSWERED;
	row->bytes_in += end->bytes_in;
	row->bytes_out += end->bytes_out;
	is_alone = request_was_alone(mine, open, event);
	if (is_alone)
		request_put_alone(mine, row, open, event, end_ns);
	request_put_tail(mine, row, open, end_ns);
	request_keep_looks(mine, row, open, end_ns, is_alone);
	request_put_model(row,
			  request_model_end(mine->model, open->model, now_ns,
					    (size_t)(row - mine->requests.row)),
			  end_ns - open->key.start_ns);
	open->has_model_ended = true;
	if (end_ns > mine->requests.last_ns)
		mine->requests.last_ns = end_ns;
	if (mine->options.take)
		mine->options.take(mine->options.context, &open->key, event->thread, end_ns);
}

static void request_forget(struct requests_state *mine, struct open_request *open, uint64_t time_ns)
{
	struct map_entry *entry = map_find(&mine->known, open->id);
	struct request_thread *thread = request_thread_at(mine, open->key.thread);

	if (entry)
		map_remove(&mine->known, entry);
	if (!open->has_model_ended)
		(void)request_model_end(mine->model, open->model, time_ns, SIZE_MAX);
	thread->open -= thread->open != 0;
	open->used = false;
	open->next_unused = mine->unused;
	mine->unused = (size_t)(open - mine->open) + 1;
}

/* An end without a known begin is not counted: recording began in between, or events were lost. */
static void take_request_end(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;
	const struct evt_request_end *end = EVENT_AS(request_end, &event->event);
	struct map_entry *entry = map_find(&mine->known,
					   request_id_of(event, end->connection, end->number));
	struct open_request *open = entry ? &mine->open[entry->value - 1] : NULL;

	(void)counts;
	if (!open)
		return;
	if (open->counts)
		request_count(mine, open, event);
	request_forget(mine, open, event->event.time_ns);
}

static void take_request_clock(void *state, const struct source_event *event, bool counts)
{
	struct requests_state *mine = state;

	(void)counts;
	request_thread_at(mine, event->thread->index)->clock = (struct cpu_clock){
		.is_read = true,
		.time_ns = event->event.time_ns,
		.cpu_ns = EVENT_AS(thread_clock, &event->event)->cpu_ns
	};
}

static void request_count_open(struct requests_state *mine, struct open_request *open)
{
	open->key.ending = REQUEST_OPEN;
	request_name_route(mine, &open->key);
	if (open->counts)
		request_row_of(mine, &open->key)->open++;
	request_forget(mine, open, open->key.start_ns);
}

/* Of a process, or of all. */
static void requests_close(struct requests_state *mine, const struct source_process *process)
{
	for (size_t i = 0; i < mine->open_count; i++)
		if (mine->open[i].used && (!process || mine->open[i].key.worker == process->index))
			request_count_open(mine, &mine->open[i]);
}

/* A request may end on another thread than it began on, so only the process's end cuts it. */
static void requests_cut(void *state, const struct cut *cut)
{
	if (!cut->thread)
		requests_close(state, cut->process);
}

static void requests_finish(void *state)
{
	struct requests_state *mine = state;

	requests_close(mine, NULL);
	for (uint32_t i = 0; i < mine->looks.room; i++)
		request_looks_settle(&mine->looks, i, request_take_looks, mine);
	mine->requests.has_model = request_model_has_operators(mine->model);
	mine->requests.has_gpu = request_model_has_gpu(mine->model);
}

static void requests_start(void *state, struct run *run, const void *options)
{
	struct requests_state *mine = state;

	mine->options = *(const struct requests_options *)options;
	mine->by = mine->options.by;
	mine->source = run_source(run);
	mine->works = works_want(run, WORK_BIT(gc_ns));
	mine->model = request_model_want(
		run, &(struct request_model_options){ .late = take_request_gpu, .state = mine });
	map_init(&mine->rows);
	map_init(&mine->known);
	request_routes_init(&mine->routes);
	wait_calls_init(&mine->waits, mine->source);
	run_reads(run, EVT_cuda_call,
		  FIELD_BIT(cuda_call, function) | FIELD_BIT(cuda_call, duration_ns) |
			  FIELD_BIT(cuda_call, flags),
		  take_request_cuda, mine);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, take_request_hidden, mine);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, take_request_clock, mine);
	run_reads(run, EVT_python_sample,
		  FIELD_BIT(python_sample, state) | FIELD_BIT(python_sample, looks) |
			  FIELD_BIT(python_sample, call) | FIELD_BIT(python_sample, unclear),
		  take_request_sample, mine);
	run_reads(run, EVT_request_sum, FIELDS_ALL, take_request_sum, mine);
	run_reads(run, EVT_request_begin, FIELDS_ALL, take_request_begin, mine);
	run_reads(run, EVT_request_end, FIELDS_ALL, take_request_end, mine);
	run_reads(run, EVT_request_route, FIELDS_ALL, take_request_route, mine);
	run_follows(run, mine);
	run_seeks(run, mine);
}

static void requests_release(void *state)
{
	struct requests_state *mine = state;

	for (size_t i = 0; i < mine->requests.count; i++) {
		timing_release(&mine->requests.row[i].time);
		timing_release(&mine->requests.row[i].answer);
		timing_release(&mine->requests.row[i].first);
		request_tail_release(&mine->requests.row[i].tail);
	}
	free(mine->requests.row);
	free(mine->requests.answered);
	free(mine->open);
	free(mine->numbers);
	request_looks_release(&mine->looks);
	free(mine->thread);
	map_release(&mine->rows);
	map_release(&mine->known);
	request_routes_release(&mine->routes);
	wait_calls_release(&mine->waits);
}

const struct analysis_kind analysis_requests = {
	.name = "requests",
	.state_bytes = sizeof(struct requests_state),
	.options_bytes = sizeof(struct requests_options),
	.start = requests_start,
	.cut = requests_cut,
	.finish = requests_finish,
	.release = requests_release,
};

/* --- the option --request of all reports --- */

/* Digests of segments have no requests: `by_marks` is never asked for. */
static const void *requests_window_start(struct run *run, bool by_marks)
{
	(void)by_marks;
	return requests_want(run, &(struct requests_options){ .by = BY_requests_request });
}

/* What the thread did is the request's if it was alone; else all of the process at that time. */
static void requests_window_put(const void *state, const struct run *run, struct windows *windows)
{
	const struct requests *requests = state;
	struct source_process *const *process;
	struct source_thread *const *thread;

	(void)source_processes(run_source(run), &process);
	(void)source_threads(run_source(run), &thread);
	for (size_t i = 0; i < requests->count; i++) {
		const struct request_row *row = &requests->row[i];
		const struct source_process *worker = process[row->key.worker];

		if (!row->time.count || row->key.number == REQUEST_NUMBER_UNKNOWN)
			continue;
		windows_add(
			windows,
			&(struct window){ .file = worker->file->index,
					  .process = worker->number,
					  .pid = worker->pid,
					  .thread = row->alone ? thread[row->key.thread]->tid : 0,
					  .number = row->key.number,
					  .from_ns = row->key.start_ns,
					  .to_ns = row->key.start_ns + row->time.total_ns -
						   row->queue_ns + 1 });
	}
}

const struct window_kind window_kind_request = {
	.name = "request",
	.start = requests_window_start,
	.put = requests_window_put,
};
