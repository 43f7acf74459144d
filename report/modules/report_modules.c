/* SPDX-License-Identifier: MIT */
/* Report `modules`: the time of calls of PyTorch's modules, by name or by nesting. */
#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/modules/module_events.h"
#include "report/modules/rows_modules.h"

struct modules_state {
	struct modules *modules;
	struct modules_totals totals;
};

/*
 * A filter may drop begins but keep their ends, which then seem unmatched. So the count is not
 * shown with a filter.
 */
static uint64_t modules_unmatched(const struct report *report)
{
	const struct modules_state *state = report->state;

	return run_filters(report->run)->any ? 0 : state->modules->scopes.unmatched;
}

static void modules_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	unmatched_print_ends(screen, modules_unmatched(report), "call");
}

static void modules_prepare(struct report *report)
{
	((struct modules_state *)report->state)->modules = modules_want(
		report->run, &(struct modules_options){ .work = work_bits_of("modules") });
}

static void modules_fill(struct report *report, struct table *table)
{
	const struct options *options = report->request->options;
	struct modules_state *state = report->state;

	state->totals = modules_fill_table(state->modules, report->run, table, options->tree);
	if (options->tree && !options->sort) /* rows are in the order of their first calls */
		report->request->arrangement.sort = -1;
}

static void modules_total(const struct report *report, struct facts *facts)
{
	const struct modules_state *state = report->state;
	const struct modules_totals *totals = &state->totals;
	const struct module_scopes *scopes = &state->modules->scopes;

	facts_number(facts, "calls", UNIT_COUNT, totals->calls);
	facts_number(facts, "recomputed_calls", UNIT_COUNT, totals->recomputed_calls);
	facts_number(facts, "total_ns", UNIT_NS, totals->total_ns);
	facts_number(facts, "total_forward_ns", UNIT_NS, totals->phase_ns[MODULE_FORWARD]);
	facts_number(facts, "total_backward_ns", UNIT_NS, totals->phase_ns[MODULE_BACKWARD]);
	facts_number(facts, "total_recomputed_ns", UNIT_NS, totals->phase_ns[MODULE_RECOMPUTED]);
	facts_number(facts, "backward_elsewhere_ns", UNIT_NS, scopes->elsewhere_ns);
	facts_number(facts, "open", UNIT_COUNT, totals->open);
	facts_number(facts, "unmatched", UNIT_COUNT, modules_unmatched(report));
}

const struct report_kind report_kind_modules = {
	.state_bytes = sizeof(struct modules_state),
	.family = EVT_FAMILY_modules,
	.want = modules_prepare,
	.fill = modules_fill,
	.total = modules_total,
	.foot = modules_foot,
};
