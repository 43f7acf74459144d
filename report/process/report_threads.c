/* SPDX-License-Identifier: MIT */
/* Report `threads`: when they lived and what they did. */
#include "report/core/report_kind.h"
#include "report/process/rows_threads.h"

static void threads_want(struct report *report, struct model_options *options)
{
	(void)report;
	(void)options;
}

static void threads_fill(struct report *report, struct table *table)
{
	*(struct threads_totals *)report->state = threads_fill_table(&report->model, table);
}

static void threads_total(const struct report *report, struct facts *facts)
{
	const struct threads_totals *totals = report->state;

	facts_number(facts, "threads", UNIT_COUNT, totals->threads);
	facts_number(facts, "events", UNIT_COUNT, totals->events);
	facts_number(facts, "allocations", UNIT_COUNT, totals->allocations);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, totals->bytes_allocated);
	facts_number(facts, "cuda_calls", UNIT_COUNT, totals->cuda_calls);
	facts_number(facts, "cuda_ns", UNIT_NS, totals->cuda_ns);
	facts_number(facts, "launches", UNIT_COUNT, totals->launches);
	facts_number(facts, "nvtx_ranges", UNIT_COUNT, totals->nvtx_ranges);
	facts_number(facts, "operators", UNIT_COUNT, totals->operators);
}

const struct report_kind report_kind_threads = {
	.state_bytes = sizeof(struct threads_totals),
	.family = EVT_FAMILY_system,
	.want = threads_want,
	.fill = threads_fill,
	.total = threads_total,
};
