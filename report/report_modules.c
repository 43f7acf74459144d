/* SPDX-License-Identifier: MIT */
/* Report `modules`: what calls of PyTorch's modules took, by name or by nesting. */
#include "report/absence.h"
#include "report/report.h"
#include "report/rows_modules.h"
#include "report/scope.h"

/* With a filter, ends whose begins it has left out look the same: none are told then. */
static uint64_t modules_unmatched(const struct model *model)
{
	return model->filters.any ? 0 : model->modules.unbalanced;
}

static void modules_foot(const struct document *document, const struct screen *screen)
{
	uint64_t unmatched = modules_unmatched(document->context);
	char number[UNIT_TEXT_BYTES];

	if (unmatched)
		fprintf(screen->out, "%s call%s began while nothing was recorded\n",
			unit_format_count(number, unmatched), unmatched == 1 ? "" : "s");
}

static int modules_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct modules_totals totals;
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	int status;

	options.wants_modules = true;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	totals = modules_fill_table(&model, table, request->options->tree);
	{
		const struct fact facts[] = {
			FACT_NUMBER("calls", UNIT_COUNT, totals.calls),
			FACT_NUMBER("total_ns", UNIT_NS, totals.total_ns),
			FACT_NUMBER("open", UNIT_COUNT, totals.open),
			FACT_NUMBER("unmatched", UNIT_COUNT, modules_unmatched(&model)),
		};
		struct document document = {
			.fact = facts,
			.fact_count = sizeof(facts) / sizeof(facts[0]),
			.foot = modules_foot,
			.context = &model,
			.scope = scope_recorded(&model, &recorded),
			.empty = absence_explain(&model, EVT_FAMILY_modules, &absence),
		};

		status = request_write(request, &document, table);
	}
	model_release(&model);
	return status;
}

int report_modules(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "modules", NULL);
	status = request_prepare(request, &table);
	if (request->options->tree && !request->options->sort)
		request->arrangement.sort = -1; /* rows are in the order of their first calls */
	if (!status)
		status = modules_write(request, &table);
	table_release(&table);
	return status;
}
