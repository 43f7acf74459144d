/* SPDX-License-Identifier: MIT */
/*
 * Open requests are found by process, connection and number. A thread counts those that it has
 * begun and that are open; each begin that finds one there makes all of them shared.
 */
#include "report/requests/request_events.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/work.h"

#define ERRORS_FROM 500u /* statuses of faults of the server */

struct open_request {
	struct request_key key;
	bool counts, used;
	uint64_t overlaps;       /* of its thread, at its begin */
	bool began_alone;        /* no other request was open on its thread */
	struct cpu_moment began; /* the thread's CPU time */
	struct work work;        /* the thread's, at its begin */
	uint64_t id;             /* its place in the map */
};

struct request_thread {
	uint64_t open;     /* requests that began on it */
	uint64_t overlaps; /* begins that found another one open */
	struct cpu_clock clock;
};

struct requests_state {
	struct requests requests; /* must be first: others see only this part */
	struct source *source;
	struct works *works;
	enum key_id by;
	struct map rows;  /* hash of a key to its row */
	struct map known; /* hash of process, connection, number to an open request + 1 */
	struct open_request *open;
	size_t open_count, open_room;
	struct request_thread *thread; /* by index */
	size_t thread_room;
	uint64_t numbers; /* requests that have begun */
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

static uint64_t request_id_of(const struct source_event *event, uint64_t connection,
			      uint64_t number)
{
	uint64_t words[] = { event->process->index, connection, number };

	return map_hash_bytes(words, sizeof(words), 0);
}

static size_t open_request_new(struct requests_state *mine)
{
	for (size_t i = 0; i < mine->open_count; i++)
		if (!mine->open[i].used)
			return i;
	mine->open = memory_room(mine->open, mine->open_count, &mine->open_room,
				 sizeof(*mine->open));
	return mine->open_count++;
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
		.key = { .number = mine->numbers++,
			 .start_ns = event->event.time_ns,
			 .method = event_name(mine->source, event, begin->method),
			 .endpoint = event_name(mine->source, event, begin->endpoint),
			 .worker = event->process->index,
			 .thread = event->thread->index },
		.counts = counts,
		.used = true,
		.began_alone = thread->open == 0,
		.began = cpu_clock_at(&thread->clock, event->event.time_ns),
		.work = works_of_thread(mine->works, event->thread),
		.id = request_id_of(event, begin->connection, begin->number),
	};
	thread->overlaps += thread->open != 0;
	open->overlaps = thread->overlaps;
	thread->open++;
	map_put(&mine->known, open->id, &added)->value = at + 1;
	if (counts && !mine->requests.first_ns)
		mine->requests.first_ns = event->event.time_ns;
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
}

/* The thread that ends it is the one that began it, and had no other one in between. */
static bool request_was_alone(const struct requests_state *mine, const struct open_request *open,
			      const struct source_event *event)
{
	return open->began_alone && open->key.thread == event->thread->index &&
	       mine->thread[open->key.thread].overlaps == open->overlaps;
}

static void request_count(struct requests_state *mine, struct open_request *open,
			  const struct source_event *event)
{
	const struct evt_request_end *end = EVENT_AS(request_end, &event->event);
	uint64_t now_ns = event->event.time_ns, end_ns = now_ns - end->duration;
	struct request_row *row;

	if (end->duration > now_ns || end_ns < open->key.start_ns)
		end_ns = open->key.start_ns;
	open->key.status = (uint32_t)end->status;
	open->key.ending = end->ending < REQUEST_OPEN ? (uint32_t)end->ending : REQUEST_UNKNOWN;
	row = request_row_of(mine, &open->key);
	timing_add(&row->time, end_ns - open->key.start_ns);
	if (end->answer >= end->duration)
		timing_add(&row->answer, end->answer - end->duration);
	row->errors += end->status >= ERRORS_FROM;
	row->unanswered += end->ending == REQUEST_CLIENT_LEFT || end->ending == REQUEST_UNANSWERED;
	row->bytes_in += end->bytes_in;
	row->bytes_out += end->bytes_out;
	if (request_was_alone(mine, open, event))
		request_put_alone(mine, row, open, event, end_ns);
	if (end_ns > mine->requests.last_ns)
		mine->requests.last_ns = end_ns;
}

static void request_forget(struct requests_state *mine, struct open_request *open)
{
	struct map_entry *entry = map_find(&mine->known, open->id);
	struct request_thread *thread = request_thread_at(mine, open->key.thread);

	if (entry)
		map_remove(&mine->known, entry);
	thread->open -= thread->open != 0;
	open->used = false;
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
	request_forget(mine, open);
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
	if (open->counts)
		request_row_of(mine, &open->key)->open++;
	request_forget(mine, open);
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
	requests_close(state, NULL);
}

static void requests_start(void *state, struct run *run, const void *options)
{
	struct requests_state *mine = state;

	mine->by = ((const struct requests_options *)options)->by;
	mine->source = run_source(run);
	mine->works = works_want(run, WORK_BIT(gc_ns));
	map_init(&mine->rows);
	map_init(&mine->known);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, take_request_clock, mine);
	run_reads(run, EVT_request_begin, FIELDS_ALL, take_request_begin, mine);
	run_reads(run, EVT_request_end, FIELDS_ALL, take_request_end, mine);
}

static void requests_release(void *state)
{
	struct requests_state *mine = state;

	for (size_t i = 0; i < mine->requests.count; i++) {
		timing_release(&mine->requests.row[i].time);
		timing_release(&mine->requests.row[i].answer);
	}
	free(mine->requests.row);
	free(mine->open);
	free(mine->thread);
	map_release(&mine->rows);
	map_release(&mine->known);
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
