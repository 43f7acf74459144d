/* SPDX-License-Identifier: MIT */
/* Report `io`: what was read and written, where, and how long the calls took. */
#include "report/core/report_kind.h"
#include "report/io/rows_io.h"

struct io_state {
	struct io_reading *reading;
};

static const struct io_reading *reading_of(const struct report *report)
{
	return ((const struct io_state *)report->state)->reading;
}

static void io_want_run(struct report *report)
{
	struct io_options options = { report->request->options->by };

	((struct io_state *)report->state)->reading = io_want(report->run, &options);
}

static void io_fill(struct report *report, struct table *table)
{
	io_fill_table(((struct io_state *)report->state)->reading, table);
}

static void io_total_facts(const struct report *report, struct facts *facts)
{
	struct io_row total = io_total(&reading_of(report)->io);
	struct io_disk disk = io_disk(report->run, reading_of(report)->source);

	facts_number(facts, "calls", UNIT_COUNT, total.calls);
	facts_number(facts, "opens", UNIT_COUNT, total.opens);
	facts_number(facts, "reads", UNIT_COUNT, total.reads);
	facts_number(facts, "bytes_read", UNIT_BYTES, total.bytes_read);
	facts_number(facts, "writes", UNIT_COUNT, total.writes);
	facts_number(facts, "bytes_written", UNIT_BYTES, total.bytes_written);
	facts_number(facts, "total_ns", UNIT_NS, total.total_ns);
	facts_number(facts, "errors", UNIT_COUNT, total.errors);
	facts_number(facts, "unfinished", UNIT_COUNT, reading_of(report)->unfinished);
	if (reading_of(report)->short_calls) {
		facts_number(facts, "short_calls", UNIT_COUNT, reading_of(report)->short_calls);
		facts_number(facts, "short_ns", UNIT_NS, reading_of(report)->short_ns);
	}
	if (disk.is_known) {
		facts_number(facts, "disk_read_bytes", UNIT_BYTES, disk.read_bytes);
		facts_number(facts, "disk_written_bytes", UNIT_BYTES, disk.written_bytes);
	}
}

static const char *io_explain(const struct report *report, struct why_empty *absence)
{
	if (reading_of(report)->short_calls)
		return "every call took less than INTERCEPT_IO_MIN";
	return why_empty_explain(report->run, EVT_FAMILY_io, absence);
}

static void io_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	struct io_row total = io_total(&reading_of(report)->io);
	struct io_disk disk = io_disk(report->run, reading_of(report)->source);

	if (total.calls)
		io_print_totals(&total, &disk, reading_of(report)->unfinished, screen);
}

static void io_foot(const struct document *document, const struct screen *screen)
{
	const struct io_reading *reading = reading_of(document->context);

	if (reading->short_calls)
		io_print_short(reading, screen);
}

const struct report_kind report_kind_io = {
	.state_bytes = sizeof(struct io_state),
	.family = EVT_FAMILY_io,
	.want = io_want_run,
	.fill = io_fill,
	.total = io_total_facts,
	.explain = io_explain,
	.head = io_head,
	.foot = io_foot,
};
