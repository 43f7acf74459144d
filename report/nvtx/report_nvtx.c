/* SPDX-License-Identifier: MIT */
/* Report `nvtx`: what the program's ranges took, as a list or by nesting. */
#include "report/core/report_kind.h"
#include "report/nvtx/rows_ranges.h"

/* With a filter, closings whose openings it has left out look the same: none are told then. */
static uint64_t nvtx_unbalanced(const struct model *model)
{
	return run_filters(model->run)->any ? 0 : model->ranges.unbalanced;
}

static void nvtx_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;
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

static void nvtx_want(struct report *report, struct model_options *options)
{
	options->wants_ranges = true;
	options->ranges_by_path = report->request->options->tree;
}

static void nvtx_fill(struct report *report, struct table *table)
{
	ranges_fill_table(&report->model, table);
}

static void nvtx_total(const struct report *report, struct facts *facts)
{
	const struct model *model = &report->model;

	facts_number(facts, "count", UNIT_COUNT, nvtx_sum_count(model));
	facts_number(facts, "open", UNIT_COUNT, nvtx_sum_open(model));
	facts_number(facts, "marks", UNIT_COUNT, model->ranges.marks);
	facts_number(facts, "unbalanced", UNIT_COUNT, nvtx_unbalanced(model));
}

const struct report_kind report_kind_nvtx = {
	.family = EVT_FAMILY_nvtx,
	.want = nvtx_want,
	.fill = nvtx_fill,
	.total = nvtx_total,
	.head = nvtx_head,
};
