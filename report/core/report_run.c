/* SPDX-License-Identifier: MIT */
/* The one driver of all reports: see report_kind.h. The command line is checked before anything is read. */
#include "report/core/report_kind.h"

#include <stdlib.h>

#include "report/core/lookahead.h"
#include "report/core/scope.h"

static void facts_add(struct facts *facts, struct fact fact)
{
	facts->fact = memory_room(facts->fact, facts->count, &facts->room, sizeof(*facts->fact));
	facts->fact[facts->count++] = fact;
}

void facts_number(struct facts *facts, const char *name, enum unit unit, uint64_t value)
{
	facts_add(facts, (struct fact){ name, unit, { .number = value, .kind = CELL_NUMBER } });
}

void facts_text(struct facts *facts, const char *name, const char *text, size_t length)
{
	struct fact fact = { name, UNIT_TEXT, { .kind = CELL_NONE } };

	if (text)
		fact.cell = (struct cell){ .text = text,
					   .length = (uint32_t)length,
					   .kind = CELL_TEXT };
	facts_add(facts, fact);
}

void facts_none(struct facts *facts, const char *name, enum unit unit)
{
	facts_add(facts, (struct fact){ name, unit, { .kind = CELL_NONE } });
}

void facts_release(struct facts *facts)
{
	free(facts->fact);
	text_store_release(&facts->texts);
}

static const char *report_explain(const struct report *report, struct why_empty *absence)
{
	const char *text = NULL;

	if (report->kind->form != REPORT_TABLE && report->kind->form != REPORT_PART)
		return NULL;
	if (report->kind->explain)
		text = report->kind->explain(report, absence);
	return text ? text : why_empty_explain(report->run, report->kind->family, absence);
}

static int report_write(struct report *report, struct table *table, const struct facts *facts)
{
	const struct report_kind *kind = report->kind;
	struct scope_text recorded;
	struct why_empty absence;
	struct document document = {
		.fact = facts->fact,
		.fact_count = facts->count,
		.head = kind->head,
		.foot = kind->foot,
		.draw = kind->draw,
		.context = report,
		.head_only = kind->form == REPORT_TEXT,
		.empty = report_explain(report, &absence),
	};

	if (kind->form == REPORT_TABLE)
		document.scope = scope_recorded(report->run, &recorded);
	if (kind->form == REPORT_TEXT)
		report->request->arrangement.limit = 0;
	return request_write(report->request, &document, table);
}

static int report_read(struct report *report, struct table *table)
{
	const struct report_kind *kind = report->kind;
	struct facts facts = { .count = 0 };
	int status;

	if (kind->read_source)
		return kind->read_source(report->request);
	report->state = memory_zero(kind->state_bytes + 1, 1);
	report->run = run_new(report->request->source, &report->request->scope);
	run_set_options(report->run, report->request->options);
	if (kind->want)
		kind->want(report);
	request_read(report->request, report->run);
	kind->fill(report, table);
	if (kind->total)
		kind->total(report, &facts);
	status = report_write(report, table, &facts);
	if (kind->release)
		kind->release(report);
	facts_release(&facts);
	run_free(report->run);
	free(report->state);
	return status;
}

/* Also what of the options only a first reading tells; before the report's own. */
static int report_read_ahead(struct report *report, struct table *table)
{
	struct report_request *request = report->request;
	const struct options *options = request->options;
	struct windows windows = { .count = 0 };
	int status = STATUS_USAGE;

	request->scope = options->scope;
	if (!lookahead_is_needed(&request->scope) ||
	    !lookahead_complete(&request->scope, &windows, request->source, options->file,
				options->file_count, request->message, sizeof(request->message)))
		status = report_read(report, table);
	windows_release(&windows);
	return status;
}

int report_run(const struct report_kind *kind, struct report_request *request)
{
	const struct report_info *info = &report_infos[request->options->report];
	struct report report = { .kind = kind, .request = request };
	struct table table;
	int status;

	if (kind->read_files)
		return kind->read_files(request);
	if (info->takes & TAKES_BY)
		key_init_table(&table, request->options->by);
	else
		table_init(&table, info->id, NULL);
	status = request_prepare(request, &table);
	if (kind->form == REPORT_TABLE)
		table.plan = &request->arrangement;
	if (!status)
		status = report_read_ahead(&report, &table);
	table_release(&table);
	return status;
}
