/* SPDX-License-Identifier: MIT */
/* Report `ops`: PyTorch's operators, as torch.profiler's key_averages() shows them. */
#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/stacks/stack_rows.h"
#include "report/torch/operator_events.h"
#include "report/torch/rows_ops.h"

struct ops_state {
	struct operators *operators;
	struct ops_totals totals;
};

/*
 * A filter may drop begins but keep their ends, which then seem to have no begin. So with a filter
 * the count is not shown.
 */
static uint64_t ops_unmatched(const struct report *report)
{
	const struct ops_state *state = report->state;

	return run_filters(report->run)->any ? 0 : state->operators->unmatched;
}

/* For operators of tasks or generators that take turns on a thread. */
static void ops_print_crossed(const struct screen *screen, uint64_t crossed)
{
	char number[UNIT_TEXT_BYTES];

	if (!crossed)
		return;
	screen_print_prose(screen,
			   "crossed: %s call%s ended before a call that began later on the same "
			   "thread, as where tasks or generators take turns. Counts and totals are "
			   "right. Which call was inside which is not known: each moment is self "
			   "time of the call that began last.",
			   unit_format_count(number, crossed), crossed == 1 ? "" : "s");
}

/* Work outside of operators is in no row, sums or not. */
static void ops_print_left_out(const struct screen *screen, uint64_t pieces)
{
	char number[UNIT_TEXT_BYTES];

	if (pieces)
		screen_print_prose(
			screen,
			"%s kernels, copies and memsets of operators were recorded as "
			"sums (INTERCEPT_GPU=sums), which this table cannot divide: they "
			"are left out",
			unit_format_count(number, pieces));
}

static void ops_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct ops_state *state = report->state;
	char number[UNIT_TEXT_BYTES];

	if (ops_are_sampled(state->operators)) {
		screen_print_prose(screen,
				   "1 in %s operators was recorded (INTERCEPT_OPERATORS), and all "
				   "labels. Columns with ~ are estimates for all operators, +- is "
				   "the standard error of ~calls; the other columns are of what "
				   "was recorded. No self times, shares and memory: what an "
				   "operator has inside is sampled independently of it",
				   unit_format_count(number, state->operators->one_in));
	} else {
		screen_print(screen, SCREEN_BOLD, "Self CPU time total: %s",
			     unit_format_ns(number, state->totals.self_cpu_ns));
		putc('\n', screen->out);
		if (state->operators->has_gpu)
			fprintf(screen->out, "Self CUDA time total: %s\n",
				unit_format_ns(number, state->totals.self_cuda_ns));
	}
	ops_print_left_out(screen, state->operators->gpu_left_out);
	unmatched_print_ends(screen, ops_unmatched(report), "operator");
	ops_print_crossed(screen, state->operators->crossed);
}

/* This is no error: the table is shown, by name. */
static void ops_warn_of_shapes(const struct report *report, const struct operators *operators)
{
	struct report_request *request = report->request;

	if (!run_events(report->run, EVT_torch_inputs) && operators->row_count &&
	    !request->message[0])
		snprintf(request->message, sizeof(request->message),
			 "--by shape: shapes were not recorded: INTERCEPT_TRACE=+shapes records "
			 "them; the rows are by name");
}

/* Without self times, the default order is by the estimated total. */
static void ops_sort_sampled(struct report_request *request, const struct table *table)
{
	if (request->options->sort)
		return;
	request->arrangement.sort = columns_find(table->column, table->column_count,
						 "estimated_cpu_ns", 16);
}

static void report_ops_ops_want(struct report *report)
{
	enum key_id by = report->request->options->by;

	((struct ops_state *)report->state)->operators = operators_want_rows(
		report->run,
		&(struct operators_options){
			.by_shapes = by == BY_ops_shape,
			.is_full = true,
			.is_placed = stack_by_of(by) != STACK_BY_LIMIT,
			.by = by,
		},
		OPERATORS_ALL);
}

static void ops_fill(struct report *report, struct table *table)
{
	struct ops_state *state = report->state;

	ops_settle(state->operators);
	state->totals = ops_fill_table(state->operators, run_source(report->run), table);
	if (ops_are_sampled(state->operators))
		ops_sort_sampled(report->request, table);
	if (state->operators->by_shapes)
		ops_warn_of_shapes(report, state->operators);
}

static void ops_total(const struct report *report, struct facts *facts)
{
	const struct ops_state *state = report->state;
	uint64_t one_in = state->operators->one_in;

	facts_number(facts, "calls", UNIT_COUNT, state->totals.calls);
	if (ops_are_sampled(state->operators))
		facts_number(facts, "estimated_calls", UNIT_COUNT, state->totals.estimated_calls);
	if (ops_are_sampled(state->operators))
		facts_none(facts, "self_cpu_ns", UNIT_NS);
	else
		facts_number(facts, "self_cpu_ns", UNIT_NS, state->totals.self_cpu_ns);
	if (state->operators->has_gpu && !ops_are_sampled(state->operators))
		facts_number(facts, "self_cuda_ns", UNIT_NS, state->totals.self_cuda_ns);
	if (state->operators->gpu_left_out)
		facts_number(facts, "gpu_left_out", UNIT_COUNT, state->operators->gpu_left_out);
	facts_number(facts, "open", UNIT_COUNT, state->totals.open);
	facts_number(facts, "unmatched", UNIT_COUNT, ops_unmatched(report));
	facts_number(facts, "crossed", UNIT_COUNT, state->operators->crossed);
	facts_number(facts, "one_in", UNIT_COUNT, one_in ? one_in : 1);
}

const struct report_kind report_kind_ops = {
	.state_bytes = sizeof(struct ops_state),
	.family = EVT_FAMILY_torch,
	.want = report_ops_ops_want,
	.fill = ops_fill,
	.total = ops_total,
	.foot = ops_foot,
};
