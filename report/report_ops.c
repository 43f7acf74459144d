/* SPDX-License-Identifier: MIT */
/* Report `ops`: PyTorch's operators as torch.profiler's key_averages() shows them. */
#include "report/absence.h"
#include "report/report.h"
#include "report/rows_ops.h"
#include "report/scope.h"

struct ops_context {
	const struct model *model;
	struct ops_totals totals;
};

/* With a filter, ends whose begins it has left out look the same: none are told then. */
static uint64_t ops_unmatched(const struct model *model)
{
	return model->filters.any ? 0 : model->operators.unmatched;
}

static void ops_foot(const struct document *document, const struct screen *screen)
{
	const struct ops_context *context = document->context;
	char number[UNIT_TEXT_BYTES];
	uint64_t unmatched = ops_unmatched(context->model);

	if (ops_are_sampled(context->model)) {
		screen_print_prose(screen,
				   "1 in %s operators was recorded (INTERCEPT_OPERATORS), and all "
				   "labels: calls and totals are of those. No self times, shares "
				   "and memory: what an operator has inside is sampled "
				   "independently of it",
				   unit_format_count(number, context->model->operators.one_in));
	} else {
		screen_print(screen, SCREEN_BOLD, "Self CPU time total: %s",
			     unit_format_ns(number, context->totals.self_cpu_ns));
		putc('\n', screen->out);
	}
	if (unmatched)
		fprintf(screen->out, "%s operator%s began while nothing was recorded\n",
			unit_format_count(number, unmatched), unmatched == 1 ? "" : "s");
}

/* No error: the table is shown, by name. */
static void ops_warn_of_shapes(struct report_request *request, const struct model *model)
{
	if (!model->by_id[EVT_torch_inputs] && model->operators.row_count && !request->message[0])
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

static struct fact ops_fact_self(const struct model *model, uint64_t self_ns)
{
	struct fact fact = FACT_NUMBER("self_cpu_ns", UNIT_NS, self_ns);

	if (ops_are_sampled(model))
		fact.cell.kind = CELL_NONE;
	return fact;
}

static int ops_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct ops_context context;
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	int status;

	options.wants_operators = true;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	context = (struct ops_context){ &model, ops_fill_table(&model, table) };
	if (ops_are_sampled(&model))
		ops_sort_sampled(request, table);
	if (options.operators_by_shapes)
		ops_warn_of_shapes(request, &model);
	{
		const struct fact facts[] = {
			FACT_NUMBER("calls", UNIT_COUNT, context.totals.calls),
			ops_fact_self(&model, context.totals.self_cpu_ns),
			FACT_NUMBER("open", UNIT_COUNT, context.totals.open),
			FACT_NUMBER("unmatched", UNIT_COUNT, ops_unmatched(&model)),
			FACT_NUMBER("one_in", UNIT_COUNT,
				    model.operators.one_in ? model.operators.one_in : 1),
		};
		struct document document = {
			.fact = facts,
			.fact_count = sizeof(facts) / sizeof(facts[0]),
			.foot = ops_foot,
			.context = &context,
			.scope = scope_recorded(&model, &recorded),
			.empty = absence_explain(&model, EVT_FAMILY_torch, &absence),
		};

		status = request_write(request, &document, table);
	}
	model_release(&model);
	return status;
}

int report_ops(struct report_request *request)
{
	struct table table;
	int status;

	key_init_table(&table, request->options->by);
	status = request_prepare(request, &table);
	if (!status)
		status = ops_write(request, &table);
	table_release(&table);
	return status;
}
