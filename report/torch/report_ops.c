/* SPDX-License-Identifier: MIT */
/* Report `ops`: PyTorch's operators as torch.profiler's key_averages() shows them. */
#include "report/core/report_kind.h"
#include "report/torch/rows_ops.h"

/* With a filter, ends whose begins it has left out look the same: none are told then. */
static uint64_t ops_unmatched(const struct model *model)
{
	return run_filters(model->run)->any ? 0 : model->operators.unmatched;
}

static void ops_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;
	const struct ops_totals *totals = report->state;
	char number[UNIT_TEXT_BYTES];
	uint64_t unmatched = ops_unmatched(model);

	if (ops_are_sampled(model)) {
		screen_print_prose(screen,
				   "1 in %s operators was recorded (INTERCEPT_OPERATORS), and all "
				   "labels: calls and totals are of those. No self times, shares "
				   "and memory: what an operator has inside is sampled "
				   "independently of it",
				   unit_format_count(number, model->operators.one_in));
	} else {
		screen_print(screen, SCREEN_BOLD, "Self CPU time total: %s",
			     unit_format_ns(number, totals->self_cpu_ns));
		putc('\n', screen->out);
	}
	if (unmatched)
		fprintf(screen->out, "%s operator%s began while nothing was recorded\n",
			unit_format_count(number, unmatched), unmatched == 1 ? "" : "s");
}

/* No error: the table is shown, by name. */
static void ops_warn_of_shapes(struct report_request *request, const struct model *model)
{
	if (!run_events(model->run, EVT_torch_inputs) && model->operators.row_count &&
	    !request->message[0])
		snprintf(request->message, sizeof(request->message),
			 "--by shape: shapes were not recorded: INTERCEPT_TRACE=+shapes records "
			 "them");
}

/* Without self times the default order is by total. */
static void ops_sort_sampled(struct report_request *request, const struct table *table)
{
	if (request->options->sort)
		return;
	request->arrangement.sort = columns_find(table->column, table->column_count, "total_cpu_ns",
						 12);
}

static void ops_want(struct report *report, struct model_options *options)
{
	(void)report;
	options->wants_operators = true;
	options->skips_work = true;
}

static void ops_fill(struct report *report, struct table *table)
{
	struct ops_totals *totals = report->state;

	*totals = ops_fill_table(&report->model, table);
	if (ops_are_sampled(&report->model))
		ops_sort_sampled(report->request, table);
	if (report->model.options.operators_by_shapes)
		ops_warn_of_shapes(report->request, &report->model);
}

static void ops_total(const struct report *report, struct facts *facts)
{
	const struct ops_totals *totals = report->state;
	uint64_t one_in = report->model.operators.one_in;

	facts_number(facts, "calls", UNIT_COUNT, totals->calls);
	if (ops_are_sampled(&report->model))
		facts_none(facts, "self_cpu_ns", UNIT_NS);
	else
		facts_number(facts, "self_cpu_ns", UNIT_NS, totals->self_cpu_ns);
	facts_number(facts, "open", UNIT_COUNT, totals->open);
	facts_number(facts, "unmatched", UNIT_COUNT, ops_unmatched(&report->model));
	facts_number(facts, "one_in", UNIT_COUNT, one_in ? one_in : 1);
}

const struct report_kind report_kind_ops = {
	.state_bytes = sizeof(struct ops_totals),
	.family = EVT_FAMILY_torch,
	.want = ops_want,
	.fill = ops_fill,
	.total = ops_total,
	.foot = ops_foot,
};
