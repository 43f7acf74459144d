/* SPDX-License-Identifier: MIT */
/* Report `threads`: their lifetimes and what they did. */
#include "report/core/report_kind.h"
#include "report/process/rows_threads.h"

struct threads_state {
	struct works *works;
	struct threads_totals totals;
};

static void threads_prepare(struct report *report)
{
	((struct threads_state *)report->state)->works = threads_want(report->run);
}

static void threads_fill(struct report *report, struct table *table)
{
	struct threads_state *state = report->state;

	state->totals = threads_fill_table(report->run, state->works, table);
}

static void threads_total(const struct report *report, struct facts *facts)
{
	const struct threads_totals *totals = &((struct threads_state *)report->state)->totals;
	uint64_t cpu_ns, sampled;

	facts_number(facts, "threads", UNIT_COUNT, totals->threads);
	facts_number(facts, "events", UNIT_COUNT, totals->events);
	facts_number(facts, "allocations", UNIT_COUNT, totals->work.allocations);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, totals->work.bytes_allocated);
	facts_number(facts, "cuda_calls", UNIT_COUNT, totals->work.cuda_calls);
	facts_number(facts, "cuda_ns", UNIT_NS, totals->work.cuda_ns);
	facts_number(facts, "launches", UNIT_COUNT, totals->work.launches);
	facts_number(facts, "nvtx_ranges", UNIT_COUNT, totals->work.nvtx_ranges);
	facts_number(facts, "operators", UNIT_COUNT, totals->work.operators);
	if (threads_rest(report->run, &cpu_ns, &sampled))
		facts_number(facts, "other_threads_cpu_ns", UNIT_NS, cpu_ns);
}

static void threads_foot(const struct document *document, const struct screen *screen)
{
	threads_print_rest(((const struct report *)document->context)->run, screen);
}

const struct report_kind report_kind_threads = {
	.state_bytes = sizeof(struct threads_state),
	.family = EVT_FAMILY_system,
	.want = threads_prepare,
	.fill = threads_fill,
	.total = threads_total,
	.foot = threads_foot,
};
