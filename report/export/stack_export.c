/* SPDX-License-Identifier: MIT */
/* What the exporters of stacks share: reads the source, names the stacks, and opens the file. */
#include "report/export/stack_export.h"

#include <stdlib.h>

#include "report/base/memory.h"

/* Prints how to get more than callers, and which files had no symbols. */
static void stack_export_print_notes(void *rows, const struct screen *screen)
{
	stack_rows_print_notes(rows, screen);
}

static int say_nothing(struct stack_export *it)
{
	struct why_empty absence;
	const char *text = stack_report_explain(&it->state, &it->report, &absence);

	snprintf(it->report.request->message, sizeof(it->report.request->message), "%s",
		 text ? text : "no stack of this kind was recorded; nothing is written");
	return STATUS_INPUT;
}

int stack_export_begin(struct stack_export *it, struct report_request *request,
		       enum tree_identity identity, bool zips)
{
	*it = (struct stack_export){ .report = { .kind = &report_kind_export,
						 .request = request } };
	it->report.run = run_new(request->source, &request->scope);
	run_set_options(it->report.run, request->options);
	stack_report_want(&it->state, &it->report);
	request_read(request, it->report.run);
	stack_report_read(&it->state, &it->report);
	stack_report_tree(&it->state, &it->tree, false, identity);
	it->order = stack_tree_order(&it->tree);
	if (!it->state.all)
		return say_nothing(it);
	it->sink = memory_zero(1, sizeof(*it->sink));
	if (!sink_open(it->sink, request, request->options->output, zips))
		return STATUS_OK;
	free(it->sink);
	it->sink = NULL;
	return STATUS_INPUT;
}

int stack_export_end(struct stack_export *it, int status)
{
	struct report_request *request = it->report.request;

	if (it->sink && sink_close(it->sink, request))
		status = STATUS_INPUT;
	if (!status) {
		export_say(it->report.request, stack_export_print_notes, &it->state.rows);
		export_say_written(request->options->output, it->state.rows.place_count, "stack",
				   it->sink->bytes);
	}
	free(it->sink);
	free(it->order);
	stack_tree_release(&it->tree);
	stack_report_release(&it->state);
	run_free(it->report.run);
	return status;
}

const char *stack_export_unit(const struct stack_export *it)
{
	enum unit unit = stack_report_unit(&it->state);

	return unit == UNIT_NS ? "nanoseconds" : unit == UNIT_BYTES ? "bytes" : "count";
}
