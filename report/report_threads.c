/* SPDX-License-Identifier: MIT */
/* Report `threads`: when they lived and what they did. */
#include "report/absence.h"
#include "report/report.h"
#include "report/rows_threads.h"
#include "report/scope.h"

static int threads_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct threads_totals totals;
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	int status;

	model_init(&model, request->source, &options);
	request_read(request, &model);
	totals = threads_fill_table(&model, table);
	{
		const struct fact facts[] = {
			FACT_NUMBER("threads", UNIT_COUNT, totals.threads),
			FACT_NUMBER("events", UNIT_COUNT, totals.events),
			FACT_NUMBER("allocations", UNIT_COUNT, totals.allocations),
			FACT_NUMBER("bytes_allocated", UNIT_BYTES, totals.bytes_allocated),
			FACT_NUMBER("cuda_calls", UNIT_COUNT, totals.cuda_calls),
			FACT_NUMBER("cuda_ns", UNIT_NS, totals.cuda_ns),
			FACT_NUMBER("launches", UNIT_COUNT, totals.launches),
			FACT_NUMBER("nvtx_ranges", UNIT_COUNT, totals.nvtx_ranges),
			FACT_NUMBER("operators", UNIT_COUNT, totals.operators),
		};
		struct document document = { .fact = facts,
					     .fact_count = sizeof(facts) / sizeof(facts[0]),
					     .scope = scope_recorded(&model, &recorded),
					     .empty = absence_explain(&model, EVT_FAMILY_system,
								      &absence) };

		status = request_write(request, &document, table);
	}
	model_release(&model);
	return status;
}

int report_threads(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "threads", NULL);
	status = request_prepare(request, &table);
	if (!status)
		status = threads_write(request, &table);
	table_release(&table);
	return status;
}
