/* SPDX-License-Identifier: MIT */
/* Report `actions`: the table of Lightning's SimpleProfiler, also of programs without Lightning. */
#include <string.h>

#include "report/core/report_kind.h"
#include "report/lightning/rows_actions.h"

static const struct {
	const char *name, *title;
} action_sources[ACTION_SOURCES] = {
	[ACTIONS_LIGHTNING] = { "lightning", "actions of Lightning's Trainer" },
	[ACTIONS_SCOPES] = { "scopes", "user scopes of PyTorch (no actions of Lightning's "
				       "default profiler)" },
	[ACTIONS_RANGES] = { "nvtx", "NVTX ranges (no actions of Lightning's default profiler, "
				     "no user scopes)" },
};

/* With a filter, ends whose begins it has left out look the same: none are told then. */
static uint64_t actions_unmatched(const struct report *report)
{
	const struct actions_totals *totals = report->state;
	const struct model *model = &report->model;

	if (run_filters(model->run)->any)
		return 0;
	switch (totals->source) {
	case ACTIONS_LIGHTNING:
		return model->actions.unmatched;
	case ACTIONS_SCOPES:
		return model->operators.unmatched;
	default:
		return model->ranges.unbalanced;
	}
}

static void actions_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct actions_totals *totals = report->state;
	char number[UNIT_TEXT_BYTES];
	uint64_t unmatched = actions_unmatched(report);

	if (totals->calls)
		screen_print(screen, SCREEN_BOLD, "%s\n", action_sources[totals->source].title);
	if (unmatched)
		fprintf(screen->out, "%s end%s without a begin\n",
			unit_format_count(number, unmatched), unmatched == 1 ? "" : "s");
}

static void actions_want(struct report *report, struct model_options *options)
{
	(void)report;
	options->wants_actions = true;
	options->skips_work = options->skips_memory = true;
	options->wants_operators = true;
	options->wants_ranges = true;
}

static void actions_fill(struct report *report, struct table *table)
{
	enum export_format format = report->request->options->format;
	struct actions_totals *totals = report->state;

	*totals = actions_fill_table(&report->model, table,
				     format == FORMAT_TABLE || format == FORMAT_MARKDOWN);
}

static void actions_total(const struct report *report, struct facts *facts)
{
	const struct actions_totals *totals = report->state;
	const char *source = totals->calls ? action_sources[totals->source].name : "none";

	facts_text(facts, "source", source, strlen(source));
	facts_number(facts, "calls", UNIT_COUNT, totals->calls);
	facts_number(facts, "wall_ns", UNIT_NS, totals->wall_ns);
	facts_number(facts, "open", UNIT_COUNT, totals->open);
	facts_number(facts, "unmatched", UNIT_COUNT, actions_unmatched(report));
}

const struct report_kind report_kind_actions = {
	.state_bytes = sizeof(struct actions_totals),
	.form = REPORT_PART,
	.family = EVT_FAMILY_torch,
	.want = actions_want,
	.fill = actions_fill,
	.total = actions_total,
	.head = actions_head,
};
