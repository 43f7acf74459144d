/* SPDX-License-Identifier: MIT */
/* Report `waits`: in which calls of the operating system threads waited, for what, held by whom. */
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/core/report_kind.h"
#include "report/osrt/waits.h"
#include "report/table/cells.h"

#include <inttypes.h>

struct waits_state {
	struct waits *waits;
	struct text_store texts; /* names of objects */
};

static struct waits *waits_of(const struct report *report)
{
	return ((const struct waits_state *)report->state)->waits;
}

/* Rows by stack, or by a part of one, show that part only. */
static bool waits_wants_line(enum key_id by)
{
	return by != BY_osrt_sum_stack && by != BY_osrt_sum_caller_function &&
	       by != BY_osrt_sum_line && by != BY_osrt_sum_module && by != BY_osrt_sum_python;
}

static void waits_want_run(struct report *report)
{
	enum key_id by = report->request->options->by;
	struct waits_options options = { by, waits_wants_line(by) ? BY_osrt_sum_line : by };

	((struct waits_state *)report->state)->waits = waits_want(report->run, &options);
}

/* --- rows --- */

static void waits_put_function(struct table *table, const struct waits *waits, uint64_t function)
{
	if (function)
		table_put_name(table, COLUMN_osrt_sum_function, waits->events.source,
			       (uint32_t)function);
}

static void waits_put_object(struct table *table, struct waits_state *state, uint64_t number)
{
	const struct waits *waits = state->waits;
	const struct wait_objects *objects = &waits->events.objects;
	char room[WAIT_OBJECT_BYTES];
	const char *text;
	size_t length;

	if (!number)
		return;
	text = wait_object_text(objects, waits->events.source, (uint32_t)number, room, &length);
	if (text == room)
		text = text_store_put(&state->texts, room, length);
	table_set_text(table, COLUMN_osrt_sum_object, text, length);
	table_put_text(table, COLUMN_osrt_sum_kind,
		       wait_object_word(objects->object[number - 1].kind));
}

static const struct source_thread *holder_thread(const struct source_process *process, uint32_t tid)
{
	const struct source_thread *thread = process->first_thread;

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

static void waits_put_holder(struct table *table, const struct waits *waits, uint64_t holder)
{
	struct source_process *const *process;
	const struct source_thread *thread;
	size_t length = 0;
	const char *name;

	if (!holder)
		return;
	source_processes(waits->events.source, &process);
	table_set_number(table, COLUMN_osrt_sum_held_by, (uint32_t)holder);
	thread = holder_thread(process[holder >> 32], (uint32_t)holder);
	if (thread)
		thread_name(thread, &name, &length);
	if (length)
		table_set_text(table, COLUMN_osrt_sum_holder_name, name, length);
	if (waits->by == BY_osrt_sum_holder)
		table_set_number(table, COLUMN_osrt_sum_pid, process[holder >> 32]->pid);
}

/* The key's own columns come last, so that they win over what the row has most of. */
static void waits_put_key(struct table *table, const struct waits *waits, uint64_t key)
{
	switch (waits->by) {
	case BY_osrt_sum_function:
	case BY_osrt_sum_object:
	case BY_osrt_sum_holder:
		break;
	case BY_osrt_sum_kind:
		table_put_text(table, COLUMN_osrt_sum_kind, wait_object_word(key));
		break;
	default:
		key_put(&waits->key, key, table);
		break;
	}
}

static void waits_put_most(struct table *table, struct waits_state *state, size_t row)
{
	const struct waits *waits = state->waits;
	uint64_t key = waits->groups.group[row].key[WAITS_ROW_KEY];
	uint64_t line = waits_most_of(waits, row, WAITS_LINE);

	waits_put_function(table, waits,
			   waits->by == BY_osrt_sum_function
				   ? key
				   : waits_most_of(waits, row, WAITS_FUNCTION));
	waits_put_object(table, state,
			 waits->by == BY_osrt_sum_object ? key
							 : waits_most_of(waits, row, WAITS_OBJECT));
	waits_put_holder(table, waits,
			 waits->by == BY_osrt_sum_holder ? key
							 : waits_most_of(waits, row, WAITS_HOLDER));
	if (line)
		key_put(&waits->line, line, table);
}

static void waits_put_short(struct table *table, const struct waits *waits, const double *sum)
{
	if (!waits->has_short ||
	    (waits->by != BY_osrt_sum_function && waits->by != BY_osrt_sum_thread &&
	     waits->by != BY_osrt_sum_process))
		return;
	table_set_number(table, COLUMN_osrt_sum_short_calls,
			 sum ? (uint64_t)sum[WAITS_SHORT_CALLS] : 0);
	table_set_number(table, COLUMN_osrt_sum_short_ns, sum ? (uint64_t)sum[WAITS_SHORT_NS] : 0);
}

static void waits_put_row(struct table *table, struct waits_state *state, size_t row,
			  uint64_t total_ns)
{
	const struct waits *waits = state->waits;
	const struct group *group = &waits->groups.group[row];
	const struct timing *time = &group->time;

	table_add_row(table);
	waits_put_most(table, state, row);
	waits_put_key(table, waits, group->key[WAITS_ROW_KEY]);
	table_set_number(table, COLUMN_osrt_sum_calls, time->count);
	table_set_number(table, COLUMN_osrt_sum_total_ns, time->total_ns);
	if (total_ns)
		table_set_real(table, COLUMN_osrt_sum_percent,
			       100.0 * (double)time->total_ns / (double)total_ns);
	if (time->count) {
		table_set_number(table, COLUMN_osrt_sum_avg_ns, timing_average(time));
		table_set_number(table, COLUMN_osrt_sum_min_ns, time->min_ns);
		table_set_number(table, COLUMN_osrt_sum_max_ns, time->max_ns);
		table_set_number(table, COLUMN_osrt_sum_stddev_ns, timing_stddev(time));
		table_set_number(table, COLUMN_osrt_sum_p50_ns, timing_percentile(time, 50));
		table_set_number(table, COLUMN_osrt_sum_p90_ns, timing_percentile(time, 90));
		table_set_number(table, COLUMN_osrt_sum_p99_ns, timing_percentile(time, 99));
	}
	table_set_number(table, COLUMN_osrt_sum_errors, group->errors);
	table_set_number(table, COLUMN_osrt_sum_open,
			 group->sum ? (uint64_t)group->sum[WAITS_OPEN] : 0);
	waits_put_short(table, waits, group->sum);
}

static void report_waits_fill(struct report *report, struct table *table)
{
	struct waits *waits = waits_of(report);
	uint64_t total_ns;

	waits_settle(waits);
	total_ns = groups_total(&waits->groups).time.total_ns;
	for (size_t i = 0; i < waits->groups.count; i++)
		if (waits->groups.group[i].time.count || waits->groups.group[i].sum)
			waits_put_row(table, report->state, i, total_ns);
}

/* --- totals --- */

static void report_waits_total(const struct report *report, struct facts *facts)
{
	const struct waits *waits = waits_of(report);
	struct group total = groups_total(&waits->groups);

	facts_number(facts, "calls", UNIT_COUNT, total.time.count);
	facts_number(facts, "total_ns", UNIT_NS, total.time.total_ns);
	facts_number(facts, "max_ns", UNIT_NS, total.time.max_ns);
	facts_number(facts, "errors", UNIT_COUNT, total.errors);
	facts_number(facts, "open", UNIT_COUNT, waits->open);
	if (waits->has_short) {
		facts_number(facts, "short_calls", UNIT_COUNT, waits->short_calls);
		facts_number(facts, "short_ns", UNIT_NS, waits->short_ns);
	}
}

static void waits_foot(const struct document *document, const struct screen *screen)
{
	const struct waits *waits = waits_of(document->context);
	char calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (waits->has_short && waits->short_calls)
		screen_print_prose(screen,
				   "%s call%s took less than INTERCEPT_OSRT_MIN, %s in all "
				   "(--columns function,short_calls,short_ns). A row with 0 calls "
				   "has only such calls.",
				   unit_format_count(calls, waits->short_calls),
				   waits->short_calls == 1 ? "" : "s",
				   unit_format_ns(time, waits->short_ns));
	if (waits->open)
		screen_print_prose(screen,
				   "%" PRIu64 " wait%s had not ended when the process did, or at "
				   "the end of what is recorded: the time is until then",
				   waits->open, waits->open == 1 ? "" : "s");
	if (!waits->has_short)
		screen_print_prose(screen,
				   "calls below INTERCEPT_OSRT_MIN are not shown: they are counted "
				   "without a time, so that no filter can choose them");
}

static void waits_free(struct report *report)
{
	text_store_release(&((struct waits_state *)report->state)->texts);
}

const struct report_kind report_kind_osrt_sum = {
	.state_bytes = sizeof(struct waits_state),
	.family = EVT_FAMILY_osrt,
	.want = waits_want_run,
	.fill = report_waits_fill,
	.total = report_waits_total,
	.foot = waits_foot,
	.release = waits_free,
};
