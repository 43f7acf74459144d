/* SPDX-License-Identifier: MIT */
/* Report `nvtx`: what the program's ranges took, as a list or by nesting. */
#include "report/absence.h"
#include "report/report.h"
#include "report/rows_ranges.h"
#include "report/scope.h"

/* With a filter, closings whose openings it has left out look the same: none are told then. */
static uint64_t nvtx_unbalanced(const struct model *model)
{
	return model->filters.any ? 0 : model->ranges.unbalanced;
}

static void nvtx_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;
	char number[UNIT_TEXT_BYTES];

	if (model->ranges.marks)
		fprintf(screen->out, "%s mark%s\n", unit_format_count(number, model->ranges.marks),
			model->ranges.marks == 1 ? "" : "s");
	if (nvtx_unbalanced(model))
		fprintf(screen->out, "%s pops or ends without an open range\n",
			unit_format_count(number, nvtx_unbalanced(model)));
}

static uint64_t nvtx_sum_open(const struct model *model)
{
	uint64_t open = 0;

	for (size_t i = 0; i < model->ranges.row_count; i++)
		open += model->ranges.row[i].open;
	return open;
}

static uint64_t nvtx_sum_count(const struct model *model)
{
	uint64_t count = 0;

	for (size_t i = 0; i < model->ranges.row_count; i++)
		count += model->ranges.row[i].count;
	return count;
}

static int nvtx_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	int status;

	options.wants_ranges = true;
	options.ranges_by_path = request->options->tree;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	{
		const struct fact facts[] = {
			FACT_NUMBER("count", UNIT_COUNT, nvtx_sum_count(&model)),
			FACT_NUMBER("open", UNIT_COUNT, nvtx_sum_open(&model)),
			FACT_NUMBER("marks", UNIT_COUNT, model.ranges.marks),
			FACT_NUMBER("unbalanced", UNIT_COUNT, nvtx_unbalanced(&model)),
		};
		struct document document = {
			.fact = facts,
			.fact_count = sizeof(facts) / sizeof(facts[0]),
			.head = nvtx_head,
			.context = &model,
			.scope = scope_recorded(&model, &recorded),
			.empty = absence_explain(&model, EVT_FAMILY_nvtx, &absence),
		};

		ranges_fill_table(&model, table);
		status = request_write(request, &document, table);
	}
	model_release(&model);
	return status;
}

int report_nvtx(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "nvtx", NULL);
	status = request_prepare(request, &table);
	if (!status)
		status = nvtx_write(request, &table);
	table_release(&table);
	return status;
}
