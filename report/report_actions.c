/* SPDX-License-Identifier: MIT */
/* Report `actions`: the table of Lightning's SimpleProfiler, also of programs without Lightning. */
#include <string.h>

#include "report/absence.h"
#include "report/report.h"
#include "report/rows_actions.h"

struct actions_context {
	const struct model *model;
	struct actions_totals totals;
};

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
static uint64_t actions_unmatched(const struct actions_context *context)
{
	const struct model *model = context->model;

	if (model->filters.any)
		return 0;
	switch (context->totals.source) {
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
	const struct actions_context *context = document->context;
	char number[UNIT_TEXT_BYTES];
	uint64_t unmatched = actions_unmatched(context);

	if (context->totals.calls)
		screen_print(screen, SCREEN_BOLD, "%s\n",
			     action_sources[context->totals.source].title);
	if (unmatched)
		fprintf(screen->out, "%s end%s without a begin\n",
			unit_format_count(number, unmatched), unmatched == 1 ? "" : "s");
}

static int actions_document(struct report_request *request, struct table *table,
			    const struct actions_context *context)
{
	const char *source = context->totals.calls ? action_sources[context->totals.source].name
						   : "none";
	const struct fact facts[] = {
		{ "source",
		  UNIT_TEXT,
		  { .text = source, .length = (uint32_t)strlen(source), .kind = CELL_TEXT } },
		FACT_NUMBER("calls", UNIT_COUNT, context->totals.calls),
		FACT_NUMBER("wall_ns", UNIT_NS, context->totals.wall_ns),
		FACT_NUMBER("open", UNIT_COUNT, context->totals.open),
		FACT_NUMBER("unmatched", UNIT_COUNT, actions_unmatched(context)),
	};
	struct absence absence;
	struct document document = {
		.fact = facts,
		.fact_count = sizeof(facts) / sizeof(facts[0]),
		.head = actions_head,
		.context = context,
		.empty = absence_explain(context->model, EVT_FAMILY_torch, &absence),
	};

	return request_write(request, &document, table);
}

static int actions_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct actions_context context;
	struct model model;
	bool for_people = request->options->format == FORMAT_TABLE ||
			  request->options->format == FORMAT_MARKDOWN;
	int status;

	options.wants_actions = true;
	options.wants_operators = true;
	options.wants_ranges = true;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	context = (struct actions_context){ &model, actions_fill_table(&model, table, for_people) };
	status = actions_document(request, table, &context);
	model_release(&model);
	return status;
}

int report_actions(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "actions", NULL);
	status = request_prepare(request, &table);
	if (!status)
		status = actions_write(request, &table);
	table_release(&table);
	return status;
}
