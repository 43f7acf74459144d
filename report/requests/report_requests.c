/* SPDX-License-Identifier: MIT */
/* Report `requests`: rows of request_events.h. */
#include <inttypes.h>

#include "report/core/report_kind.h"
#include "report/requests/request_events.h"
#include "report/table/cells.h"

#define NS_PER_S 1e9

struct requests_report {
	struct requests *requests;
	bool has_gc; /* collections were recorded */
};

static const struct requests *report_requests_of(const struct report *report)
{
	return ((const struct requests_report *)report->state)->requests;
}

static void report_requests_want(struct report *report)
{
	((struct requests_report *)report->state)->requests = requests_want(
		report->run, &(struct requests_options){ .by = report->request->options->by });
}

static const char *request_ending_text(uint32_t ending)
{
	static const char *const text[] = {
		[REQUEST_ANSWERED] = "answered",     [REQUEST_CLIENT_LEFT] = "client left",
		[REQUEST_UNANSWERED] = "unanswered", [REQUEST_UPGRADED] = "upgraded",
		[REQUEST_UNKNOWN] = "unknown",       [REQUEST_OPEN] = "open",
	};

	return text[ending];
}

static void report_requests_put_worker(const struct source *source, struct table *table,
				       uint32_t process)
{
	struct source_process *const *list;
	const struct source_name *command;

	if (process >= source_processes(source, &list))
		return;
	command = list[process]->command;
	table_put_pid(table, COLUMN_requests_worker, source, process);
	if (command)
		table_put_name(table, COLUMN_requests_name, source, command->index);
}

static void report_requests_put_key(const struct report *report, struct table *table,
				    const struct request_key *key)
{
	const struct source *source = run_source(report->run);
	struct source_thread *const *threads;
	enum key_id by = report->request->options->by;

	if (by == BY_requests_worker || by == BY_requests_request)
		report_requests_put_worker(source, table, key->worker);
	if (by == BY_requests_status || by == BY_requests_request) {
		if (key->status)
			table_set_number(table, COLUMN_requests_status, key->status);
	}
	if (by == BY_requests_endpoint || by == BY_requests_request) {
		table_put_name(table, COLUMN_requests_method, source, key->method);
		table_put_name(table, COLUMN_requests_endpoint, source, key->endpoint);
	}
	if (by == BY_requests_path)
		table_put_name(table, COLUMN_requests_method, source, key->method);
	if (by == BY_requests_path || by == BY_requests_request)
		table_put_name(table, COLUMN_requests_path, source, key->path);
	if (by != BY_requests_request)
		return;
	if (key->number != REQUEST_NUMBER_UNKNOWN)
		table_set_number(table, COLUMN_requests_request, key->number);
	table_set_number(table, COLUMN_requests_start_ns, key->start_ns);
	table_put_text(table, COLUMN_requests_ending, request_ending_text(key->ending));
	if (key->thread < source_threads(source, &threads))
		table_set_number(table, COLUMN_requests_thread, threads[key->thread]->tid);
}

static void report_requests_put_alone(const struct requests_report *mine, struct table *table,
				      const struct request_row *row)
{
	static const struct {
		enum look_of of;
		enum column_id column;
	} waits[] = {
		{ LOOK_GIL, COLUMN_requests_gil_ns },      { LOOK_LOCK, COLUMN_requests_lock_ns },
		{ LOOK_IO, COLUMN_requests_io_ns },        { LOOK_SLEEP, COLUMN_requests_sleep_ns },
		{ LOOK_AWAITS, COLUMN_requests_await_ns },
	};
	uint64_t cpu_ns, wait_ns;

	table_set_number(table, COLUMN_requests_alone, row->alone);
	if (!row->alone)
		return;
	if (cpu_span_value(&row->cpu, row->alone_ns, &cpu_ns))
		table_set_number(table, COLUMN_requests_cpu_ns, cpu_ns);
	if (mine->has_gc)
		table_set_number(table, COLUMN_requests_gc_ns, row->gc_ns);
	if (mine->requests->has_gpu_waits)
		table_set_number(table, COLUMN_requests_gpu_wait_ns, row->gpu_wait_ns);
	table_set_number(table, COLUMN_requests_samples, look_counts_all(&row->looks));
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (request_row_waited(row, waits[i].of, &wait_ns))
			table_set_number(table, waits[i].column, wait_ns);
}

static void report_requests_put_slowest(struct table *table, const struct request_row *row)
{
	static const enum column_id parts[TAIL_LIMIT] = {
		[TAIL_QUEUE] = COLUMN_requests_slow_queue_ns,
		[TAIL_CPU] = COLUMN_requests_slow_cpu_ns,
		[TAIL_GIL] = COLUMN_requests_slow_gil_ns,
		[TAIL_LOCKS] = COLUMN_requests_slow_lock_ns,
		[TAIL_IO] = COLUMN_requests_slow_io_ns,
		[TAIL_SLEEP] = COLUMN_requests_slow_sleep_ns,
		[TAIL_AWAITS] = COLUMN_requests_slow_await_ns,
		[TAIL_GC] = COLUMN_requests_slow_gc_ns,
		[TAIL_GPU] = COLUMN_requests_slow_gpu_ns,
	};
	static const char *const names[TAIL_LIMIT] = { "queue", "CPU",      "GIL", "locks", "I/O",
						       "sleep", "awaiting", "GC",  "GPU" };
	struct tail_slowest slowest;
	enum tail_part cause;

	if (!request_tail_slowest(&row->tail, &slowest))
		return;
	table_set_number(table, COLUMN_requests_slow_requests, slowest.count);
	table_set_number(table, COLUMN_requests_slow_ns, slowest.mean_ns);
	table_set_number(table, COLUMN_requests_slow_longer_ns, slowest.longer_ns);
	cause = tail_slowest_cause(&slowest);
	if (cause != TAIL_LIMIT)
		table_put_text(table, COLUMN_requests_slow_cause, names[cause]);
	for (int i = 0; i < TAIL_LIMIT; i++)
		if (tail_slowest_knows(&slowest, (enum tail_part)i))
			table_set_number(table, parts[i],
					 slowest.part_ns[i] > 0 ? (uint64_t)slowest.part_ns[i] : 0);
}

static void report_requests_put_times(struct table *table, const struct timing *time,
				      uint64_t all_ns)
{
	table_set_number(table, COLUMN_requests_total_ns, time->total_ns);
	table_set_percent(table, COLUMN_requests_percent, time->total_ns, all_ns);
	if (!time->count)
		return;
	table_set_number(table, COLUMN_requests_avg_ns, timing_average(time));
	table_set_number(table, COLUMN_requests_p50_ns, timing_percentile(time, 50));
	table_set_number(table, COLUMN_requests_p90_ns, timing_percentile(time, 90));
	table_set_number(table, COLUMN_requests_p99_ns, timing_percentile(time, 99));
	table_set_number(table, COLUMN_requests_max_ns, time->max_ns);
}

static void report_requests_put_body(struct table *table, const struct request_row *row)
{
	if (!row->first.count)
		return;
	table_set_number(table, COLUMN_requests_first_p50_ns, timing_percentile(&row->first, 50));
	table_set_number(table, COLUMN_requests_first_p99_ns, timing_percentile(&row->first, 99));
	table_set_number(table, COLUMN_requests_pieces, row->pieces);
	if (row->pieces > row->first.count)
		table_set_number(table, COLUMN_requests_piece_ns, request_row_piece_ns(row));
}

static void report_requests_put_row(const struct report *report, struct table *table,
				    const struct request_row *row, uint64_t all_ns)
{
	const struct requests_report *mine = report->state;
	uint64_t span_ns = requests_span_ns(mine->requests);

	table_add_row(table);
	report_requests_put_key(report, table, &row->key);
	table_set_number(table, COLUMN_requests_requests, row->time.count);
	if (span_ns)
		table_set_real(table, COLUMN_requests_per_second,
			       (double)row->time.count / ((double)span_ns / NS_PER_S));
	table_set_number(table, COLUMN_requests_errors, row->errors);
	table_set_number(table, COLUMN_requests_unanswered, row->unanswered);
	table_set_number(table, COLUMN_requests_open, row->open);
	report_requests_put_times(table, &row->time, all_ns);
	table_set_number(table, COLUMN_requests_queue_ns, row->queue_ns);
	if (row->answer.count)
		table_set_number(table, COLUMN_requests_answer_ns, timing_average(&row->answer));
	report_requests_put_body(table, row);
	report_requests_put_alone(mine, table, row);
	report_requests_put_slowest(table, row);
	if (mine->requests->has_model) {
		table_set_number(table, COLUMN_requests_model_ns, row->model_ns);
		table_set_number(table, COLUMN_requests_shared_ns, row->model_shared_ns);
	}
	if (mine->requests->has_gpu)
		table_set_number(table, COLUMN_requests_gpu_ns, row->gpu_ns);
	table_set_number(table, COLUMN_requests_bytes_in, row->bytes_in);
	table_set_number(table, COLUMN_requests_bytes_out, row->bytes_out);
}

static struct request_row requests_sum(const struct requests *requests)
{
	struct request_row sum = { 0 };

	for (size_t i = 0; i < requests->count; i++) {
		const struct request_row *row = &requests->row[i];

		timing_merge(&sum.time, &row->time);
		sum.errors += row->errors;
		sum.unanswered += row->unanswered;
		sum.open += row->open;
		sum.queue_ns += row->queue_ns;
		sum.bytes_in += row->bytes_in;
		sum.bytes_out += row->bytes_out;
	}
	return sum;
}

static void report_requests_fill(struct report *report, struct table *table)
{
	struct requests_report *mine = report->state;
	uint64_t all_ns = 0;

	mine->has_gc = !why_empty_is_off(report->run, EVT_FAMILY_gc);
	for (size_t i = 0; i < mine->requests->count; i++)
		all_ns += mine->requests->row[i].time.total_ns;
	for (size_t i = 0; i < mine->requests->count; i++)
		report_requests_put_row(report, table, &mine->requests->row[i], all_ns);
}

static void report_requests_total(const struct report *report, struct facts *facts)
{
	const struct requests *requests = report_requests_of(report);
	struct request_row sum = requests_sum(requests);

	facts_number(facts, "requests", UNIT_COUNT, sum.time.count);
	facts_number(facts, "total_ns", UNIT_NS, sum.time.total_ns);
	facts_number(facts, "span_ns", UNIT_NS, requests_span_ns(requests));
	facts_number(facts, "p50_ns", UNIT_NS, timing_percentile(&sum.time, 50));
	facts_number(facts, "p99_ns", UNIT_NS, timing_percentile(&sum.time, 99));
	facts_number(facts, "errors", UNIT_COUNT, sum.errors);
	facts_number(facts, "unanswered", UNIT_COUNT, sum.unanswered);
	facts_number(facts, "open", UNIT_COUNT, sum.open);
	facts_number(facts, "queue_ns", UNIT_NS, sum.queue_ns);
	facts_number(facts, "bytes_in", UNIT_BYTES, sum.bytes_in);
	facts_number(facts, "bytes_out", UNIT_BYTES, sum.bytes_out);
	timing_release(&sum.time);
}

static void report_requests_foot(const struct document *document, const struct screen *screen)
{
	const struct requests *requests = report_requests_of(document->context);
	uint64_t open = 0;

	for (size_t i = 0; i < requests->count; i++)
		open += requests->row[i].open;
	if (open)
		screen_print(screen, "",
			     "%" PRIu64 " request%s had not ended when recording stopped or the "
			     "process ended: no time of %s counts\n",
			     open, open == 1 ? "" : "s", open == 1 ? "it" : "theirs");
}

const struct report_kind report_kind_requests = {
	.state_bytes = sizeof(struct requests_report),
	.family = EVT_FAMILY_requests,
	.want = report_requests_want,
	.fill = report_requests_fill,
	.total = report_requests_total,
	.foot = report_requests_foot,
};
