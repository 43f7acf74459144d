/* SPDX-License-Identifier: MIT */
/*
 * Rules about what requests come and go by: connections, the end of answers in the kernel, threads
 * that they start.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/request_lines.h"
#include "report/advice/serving_tally.h"
#include "report/advice/wait_text.h"
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/requests/request_events.h"

/* --- the ends of answers --- */

#define HELD_MIN 5u /* answers */

bool advice_held_answers(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct requests *requests = bottleneck->request_lines->requests;
	uint64_t all_ns = requests_total_ns(requests) + requests->held_ns;
	uint64_t span_ns = requests_span_ns(requests);
	double at_once = span_ns ? (double)all_ns / (double)span_ns : 1;
	char each[UNIT_TEXT_BYTES];

	if (requests->held < HELD_MIN ||
	    !advice_exceeds(advice, 100.0 * (double)requests->held_ns / (double)all_ns))
		return false;
	advice->of = bottleneck->serving.is_server ? ADVICE_OF_SERVING : ADVICE_OF_RUN;
	advice->gain_ns = (uint64_t)((double)requests->held_ns / (at_once > 1 ? at_once : 1));
	advice_say(
		advice,
		"the kernel kept back the end of %" PRIu64 " of %" PRIu64
		" answers, for at least %s on average. They were sent in small pieces by several "
		"calls, and the last piece waited until the client had acknowledged those before "
		"it (Nagle's algorithm). The times of requests do not contain that: they end "
		"with the last call.",
		requests->held, requests_ended(requests),
		unit_format_ns(each, requests->held_ns / requests->held));
	return true;
}

/* --- connections --- */

#define CONNECTIONS_MIN 100u
#define PER_SECOND_MIN 10.0 /* with fewer, a connection for each costs nothing */

bool advice_new_connections(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct requests *requests = bottleneck->request_lines->requests;
	uint64_t ended = requests_ended(requests), span_ns = requests_span_ns(requests);

	if (requests->connections < CONNECTIONS_MIN || !span_ns ||
	    (double)requests->connections < PER_SECOND_MIN * (double)span_ns / 1e9 ||
	    !advice_exceeds(advice, 100.0 * (double)requests->connections / (double)ended))
		return false;
	advice_say(advice,
		   "%" PRIu64 " requests came on %" PRIu64
		   " connections: %s was used again. Each costs a handshake, and in some servers a "
		   "thread or a process; the client waits for it before the request begins, which "
		   "the times of requests do not contain.",
		   ended, requests->connections,
		   requests->connections == ended ? "none" : "hardly any");
	return true;
}

/* --- threads --- */

#define STARTED_MIN 0.5 /* threads for each request */
#define ANSWERED_MIN 20u

/* What threads were started while requests were answered, that received none themselves. */
struct started {
	uint64_t count;
	uint64_t peak; /* at once */
};

struct started_edge {
	uint64_t time_ns;
	int change;
};

/* Ends come before starts of the same moment. */
static int compare_edges(const void *left, const void *right)
{
	const struct started_edge *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->change - b->change;
}

static bool is_started(const struct bottleneck *bottleneck, const struct source_thread *thread)
{
	const struct serving *serving = &bottleneck->serving;

	return thread->given_name && !thread->pool_threads &&
	       thread->start_ns >= serving->since_ns &&
	       !request_lines_receives(bottleneck->request_lines, thread->index) &&
	       (thread->index >= serving->thread_count || !serving->thread[thread->index].pool_ns);
}

/* Of one process. */
static struct started started_look(const struct bottleneck *bottleneck,
				   const struct source_process *process)
{
	struct started_edge *edge = NULL;
	struct started started = { 0 };
	size_t room = 0, count = 0;
	int64_t at_once = 0;

	for (const struct source_thread *thread = process->first_thread; thread;
	     thread = thread->next) {
		if (!is_started(bottleneck, thread))
			continue;
		edge = memory_room(edge, count + 1, &room, sizeof(*edge));
		edge[count++] = (struct started_edge){ thread->start_ns, 1 };
		edge[count++] = (struct started_edge){ thread->end_ns, -1 };
		started.count++;
	}
	if (count)
		qsort(edge, count, sizeof(*edge), compare_edges);
	for (size_t i = 0; i < count; i++) {
		at_once += edge[i].change;
		if (at_once > (int64_t)started.peak)
			started.peak = (uint64_t)at_once;
	}
	free(edge);
	return started;
}

static bool is_of_started(const struct bottleneck *bottleneck, size_t row)
{
	const struct source_thread
		*thread = bottleneck->waits->thread[bottleneck->waits->row[row].look.thread];

	return thread && is_started(bottleneck, thread);
}

static void say_where(const struct bottleneck *bottleneck, struct advice *advice)
{
	char time[UNIT_TEXT_BYTES];
	struct serving_tally tally;

	serving_tally_make(&tally, bottleneck, is_of_started);
	if (tally.ns) {
		advice_add(advice, " Added up, samples saw them for %s.",
			   unit_format_ns(time, tally.ns));
		wait_say_line_of(bottleneck, &tally.lines, tally.ns, tally.looks, advice);
	}
	serving_tally_release(&tally);
}

bool advice_threads_without_bound(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct request_lines *lines = bottleneck->request_lines;
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	struct started most = { 0 };
	uint64_t answered = 0;

	for (size_t i = 0; bottleneck->serving.is_server && i < count; i++) {
		struct started started;

		if (!request_lines_answers(lines, process[i]->index))
			continue;
		started = started_look(bottleneck, process[i]);
		if (started.peak <= most.peak)
			continue;
		most = started;
		answered = lines->answered[process[i]->index];
	}
	if (answered < ANSWERED_MIN || (double)most.count < STARTED_MIN * (double)answered ||
	    !advice_exceeds(advice, (double)most.peak))
		return false;
	advice_say(advice,
		   "at least %" PRIu64
		   " threads that received no request were started while %" PRIu64
		   " requests were answered (%.1f for each), and up to %" PRIu64
		   " of them were there at once.",
		   most.count, answered, (double)most.count / (double)answered, most.peak);
	say_where(bottleneck, advice);
	return true;
}
