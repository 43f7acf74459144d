/* SPDX-License-Identifier: MIT */
/*
 * Report `actions`: the table of Lightning's SimpleProfiler. It also works for programs without
 * Lightning.
 */
#include <string.h>

#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/lightning/action_events.h"
#include "report/lightning/rows_actions.h"
#include "report/nvtx/range_events.h"
#include "report/torch/operator_events.h"

static const struct {
	const char *name, *title;
} action_sources[ACTION_SOURCES] = {
	[ACTIONS_LIGHTNING] = { "lightning", "actions of Lightning's Trainer" },
	[ACTIONS_SCOPES] = { "scopes", "user scopes of PyTorch (no actions of Lightning's "
				       "default profiler)" },
	[ACTIONS_RANGES] = { "nvtx", "NVTX ranges (no actions of Lightning's default profiler, "
				     "no user scopes)" },
};

struct actions_state {
	struct actions_sources from;
	struct actions_totals totals;
};

/*
 * A filter may drop begins but keep their ends, which then seem to have no begin. So with a filter
 * the count is not shown.
 */
static uint64_t actions_unmatched(const struct report *report)
{
	const struct actions_state *state = report->state;

	if (run_filters(report->run)->any)
		return 0;
	switch (state->totals.source) {
	case ACTIONS_LIGHTNING:
		return state->from.actions->unmatched;
	case ACTIONS_SCOPES:
		return state->from.operators->unmatched;
	default:
		return state->from.ranges->unbalanced;
	}
}

static void actions_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct actions_totals *totals = &((const struct actions_state *)report->state)
						       ->totals;

	if (totals->calls)
		screen_print(screen, SCREEN_BOLD, "%s\n", action_sources[totals->source].title);
}

static void actions_foot(const struct document *document, const struct screen *screen)
{
	unmatched_print_ends(screen, actions_unmatched(document->context), "action");
}

static void actions_prepare(struct report *report)
{
	((struct actions_state *)report->state)->from = (struct actions_sources){
		.actions = actions_want(report->run, NULL),
		.operators = operators_want_rows(
			report->run,
			&(struct operators_options){ .with_gpu = true, .by_process = true },
			OPERATORS_OF_USER),
		.ranges = ranges_want(report->run,
				      &(struct ranges_options){ .work = WORK_BIT(gpu_ns) }),
		.source = run_source(report->run),
	};
}

static void actions_fill(struct report *report, struct table *table)
{
	enum export_format format = report->request->options->format;
	struct actions_state *state = report->state;

	state->from.has_gpu = works_have_deferred(report->run);
	state->totals = actions_fill_table(&state->from, table,
					   format == FORMAT_TABLE || format == FORMAT_MARKDOWN);
}

static void actions_total(const struct report *report, struct facts *facts)
{
	const struct actions_totals *totals = &((const struct actions_state *)report->state)
						       ->totals;
	const char *source = totals->calls ? action_sources[totals->source].name : "none";

	facts_text(facts, "source", source, strlen(source));
	facts_number(facts, "calls", UNIT_COUNT, totals->calls);
	facts_number(facts, "wall_ns", UNIT_NS, totals->wall_ns);
	facts_number(facts, "open", UNIT_COUNT, totals->open);
	facts_number(facts, "unmatched", UNIT_COUNT, actions_unmatched(report));
}

const struct report_kind report_kind_actions = {
	.state_bytes = sizeof(struct actions_state),
	.form = REPORT_PART,
	.family = EVT_FAMILY_torch,
	.want = actions_prepare,
	.fill = actions_fill,
	.total = actions_total,
	.head = actions_head,
	.foot = actions_foot,
};
