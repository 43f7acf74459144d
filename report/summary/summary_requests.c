/* SPDX-License-Identifier: MIT */
/*
 * What the first screen says of a server: how many requests, and for the endpoints with the most
 * time how long they took and where that time went.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/request_lines.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/summary/summary_screen.h"

#define ENDPOINTS_SHOWN 3u
#define ENDPOINT_SHOWN_BYTES 25u
#define METHOD_SHOWN_BYTES 9u
#define NS_PER_S 1e9

static double per_second(uint64_t count, uint64_t span_ns)
{
	return span_ns ? (double)count / ((double)span_ns / NS_PER_S) : 0;
}

/* How many processes have answered requests. */
static uint64_t workers_of(const struct summary *summary)
{
	struct source_process *const *process;
	size_t count = source_processes(summary->source, &process);
	uint64_t workers = 0;

	for (size_t i = 0; i < count; i++)
		workers += requests_answered_by(summary->requests, process[i]->index);
	return workers;
}

static void print_all(const struct summary *summary, const struct screen *screen)
{
	const struct requests *requests = summary->requests;
	uint64_t count = 0, errors = 0, unanswered = 0, workers = workers_of(summary);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];
	struct prose line;

	for (size_t i = 0; i < requests->count; i++) {
		count += requests->row[i].time.count;
		errors += requests->row[i].errors;
		unanswered += requests->row[i].unanswered;
	}
	screen_label_begin(&line, screen, "requests");
	fprintf(line.screen.out, "%s in %s", unit_format_count(a, count),
		unit_format_ns(b, requests_span_ns(requests)));
	if (requests->first_ns && !run_filters(summary->run)->any)
		fprintf(line.screen.out, " after %s of start-up",
			unit_format_ns(b, requests->first_ns));
	fprintf(line.screen.out, ", %.1f a second, by %s process%s",
		per_second(count, requests_span_ns(requests)), unit_format_count(c, workers),
		workers == 1 ? "" : "es");
	if (errors)
		fprintf(line.screen.out, "; failed by the server: %s",
			unit_format_count(a, errors));
	if (unanswered)
		fprintf(line.screen.out, "; without a whole answer: %s",
			unit_format_count(a, unanswered));
	fputs(" (prof-report requests)", line.screen.out);
	prose_end(&line, screen);
}

#define CALLED_BYTES (METHOD_SHOWN_BYTES + ENDPOINT_SHOWN_BYTES)

/* "GET /items/{number}" */
static const char *endpoint_called(const struct summary *summary, const struct request_row *row,
				   char text[CALLED_BYTES])
{
	char method[METHOD_SHOWN_BYTES], endpoint[ENDPOINT_SHOWN_BYTES];
	const char *name;
	size_t length;

	name = name_text(source_name_at(summary->source, row->key.method), &length);
	text_escape(method, sizeof(method), name, length);
	name = name_text(source_name_at(summary->source, row->key.endpoint), &length);
	text_escape(endpoint, sizeof(endpoint), name, length);
	snprintf(text, CALLED_BYTES, "%s %s", method, endpoint);
	return text;
}

bool summary_requests_verdict(const struct summary *summary, char *text, size_t room)
{
	const struct requests *requests = summary->requests;
	const struct request_row *most = NULL;
	char called[CALLED_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	uint64_t all_ns = 0;

	for (size_t i = 0; i < requests->count; i++) {
		const struct request_row *row = &requests->row[i];

		all_ns += row->time.total_ns;
		if (row->time.count && (!most || row->time.total_ns > most->time.total_ns))
			most = row;
	}
	if (!all_ns || !most)
		return false;
	snprintf(text, room, "%.0f %% of the requests' time: %s, p50 %s, p99 %s.",
		 100.0 * (double)most->time.total_ns / (double)all_ns,
		 endpoint_called(summary, most, called),
		 unit_format_ns(a, timing_percentile(&most->time, 50)),
		 unit_format_ns(b, timing_percentile(&most->time, 99)));
	return true;
}

/* "GET /items/{number}: 38.9/s, p50 1.2 ms, p99 8.5 ms" */
static void put_endpoint(const struct summary *summary, const struct request_row *row, char *text,
			 size_t room)
{
	char called[CALLED_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];

	snprintf(text, room, "%s: %.1f/s, p50 %s, p99 %s", endpoint_called(summary, row, called),
		 per_second(row->time.count, requests_span_ns(summary->requests)),
		 unit_format_ns(a, timing_percentile(&row->time, 50)),
		 unit_format_ns(b, timing_percentile(&row->time, 99)));
}

/* Whether each thread that received requests runs an event loop. */
static bool loops_receive(const struct summary *summary)
{
	const struct serving *serving = &summary->bottleneck.serving;
	const struct request_lines *lines = summary->bottleneck.request_lines;

	for (uint32_t i = 0; serving->is_server && i < serving->thread_count; i++)
		if (request_lines_receives(lines, i) && !serving->thread[i].is_loop)
			return false;
	return serving->is_server;
}

/* What is known of where the time went; the rest is that of no part. */
static void request_times(const struct request_row *row, bool by_loops,
			  uint64_t ns[REQUEST_PART_LIMIT])
{
	static const enum look_of waits[REQUEST_PART_LIMIT] = {
		[REQUEST_PART_GIL] = LOOK_GIL,       [REQUEST_PART_LOCKS] = LOOK_LOCK,
		[REQUEST_PART_IO] = LOOK_IO,         [REQUEST_PART_SLEEP] = LOOK_SLEEP,
		[REQUEST_PART_AWAITS] = LOOK_AWAITS,
	};
	uint64_t known_ns = row->queue_ns, awaited_ns, busy_ns;

	memset(ns, 0, REQUEST_PART_LIMIT * sizeof(*ns));
	ns[REQUEST_PART_QUEUE] = row->queue_ns;
	if (row->alone && cpu_span_value(&row->cpu, row->alone_ns, &ns[REQUEST_PART_CPU])) {
		ns[REQUEST_PART_CPU] = request_row_computed(row, ns[REQUEST_PART_CPU]);
		known_ns += ns[REQUEST_PART_CPU];
	}
	ns[REQUEST_PART_GPU] = row->gpu_wait_ns;
	known_ns += row->gpu_wait_ns;
	for (int i = REQUEST_PART_GIL; i <= REQUEST_PART_AWAITS; i++)
		if (request_row_waited(row, waits[i], &ns[i]))
			known_ns += ns[i];
	if (request_row_shared(row, &awaited_ns, &busy_ns)) {
		ns[REQUEST_PART_AWAITS] += awaited_ns;
		ns[REQUEST_PART_LOOP] = by_loops ? busy_ns : 0;
		known_ns += awaited_ns + ns[REQUEST_PART_LOOP];
	}
	if (known_ns < row->time.total_ns)
		ns[REQUEST_PART_OTHER] = row->time.total_ns - known_ns;
}

/* What the slowest requests take longer, and where: what has most of that, and the second. */
static void print_slowest(const struct summary *summary, const struct request_row *row,
			  const struct screen *screen)
{
	static const char *const text[TAIL_LIMIT] = {
		[TAIL_QUEUE] = "before the program received them",
		[TAIL_CPU] = "their thread on a CPU or ready for one",
		[TAIL_GIL] = "waiting for the GIL",
		[TAIL_LOCKS] = "waiting for locks",
		[TAIL_IO] = "waiting for I/O",
		[TAIL_SLEEP] = "sleeping",
		[TAIL_AWAITS] = "waiting for other threads, servers or timers",
		[TAIL_GC] = "collecting garbage",
		[TAIL_GPU] = "waiting for the GPU",
	};
	char called[CALLED_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES],
		d[UNIT_TEXT_BYTES];
	struct tail_slowest slowest;
	enum tail_part most;
	struct prose line;

	if (!request_tail_slowest(&row->tail, &slowest))
		return;
	most = tail_slowest_cause(&slowest);
	if (most == TAIL_LIMIT)
		return;
	screen_label_begin(&line, screen, "slowest");
	fprintf(line.screen.out,
		"%s of %s requests of %s took %s or more, on average %s longer than the faster "
		"half: %.0f %% of that is %s",
		unit_format_count(a, slowest.count), unit_format_count(b, slowest.of),
		endpoint_called(summary, row, called), unit_format_ns(c, slowest.from_ns),
		unit_format_ns(d, slowest.longer_ns),
		slowest.part_ns[most] < (double)slowest.longer_ns
			? 100.0 * slowest.part_ns[most] / (double)slowest.longer_ns
			: 100.0,
		text[most]);
	prose_end(&line, screen);
}

/* Of answers that come in pieces, their users wait for the first one. */
static void print_stream(const struct request_row *row, const struct screen *screen)
{
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];
	struct prose line;

	if (!request_row_streams(row))
		return;
	screen_label_begin(&line, screen, "stream");
	fprintf(line.screen.out,
		"first byte of the body after p50 %s, p99 %s; then a piece every %s, %.1f an "
		"answer",
		unit_format_ns(a, timing_percentile(&row->first, 50)),
		unit_format_ns(b, timing_percentile(&row->first, 99)),
		unit_format_ns(c, request_row_piece_ns(row)),
		(double)row->pieces / (double)row->first.count);
	prose_end(&line, screen);
}

static int compare_total(const void *left, const void *right)
{
	uint64_t a = (*(const struct request_row *const *)left)->time.total_ns,
		 b = (*(const struct request_row *const *)right)->time.total_ns;

	return (a < b) - (a > b);
}

void summary_print_requests(const struct summary *summary, const struct screen *screen)
{
	const struct requests *requests = summary->requests;
	const struct request_row **row = memory_grow(NULL, requests->count + 1, sizeof(*row));
	bool by_loops = loops_receive(summary);
	size_t count = 0;

	for (size_t i = 0; i < requests->count; i++)
		if (requests->row[i].time.count)
			row[count++] = &requests->row[i];
	qsort(row, count, sizeof(*row), compare_total);
	if (count)
		print_all(summary, screen);
	for (size_t i = 0; i < count && i < ENDPOINTS_SHOWN; i++) {
		struct request_bar bar;

		put_endpoint(summary, row[i], bar.tail, sizeof(bar.tail));
		request_times(row[i], by_loops, bar.ns);
		summary_print_request_bar(&bar, screen);
		print_stream(row[i], screen);
		print_slowest(summary, row[i], screen);
	}
	free(row);
}
