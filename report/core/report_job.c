/* SPDX-License-Identifier: MIT */
/*
 * Runs the functions of a report's kind in their order, and keeps the state, the table and the
 * document.
 */
#include "report/core/report_job.h"

#include <stdlib.h>

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

void report_job_init(struct report_job *job, const struct report_kind *kind,
		     struct report_request *request)
{
	const struct report_info *info = &report_infos[request->options->report];

	*job = (struct report_job){ .report = { .kind = kind, .request = request } };
	if (info->takes & TAKES_BY)
		key_init_table(&job->table, request->options->by);
	else
		table_init(&job->table, info->id, NULL);
}

int report_job_open(struct report_job *job, const struct report_kind *kind,
		    struct report_request *request)
{
	report_job_init(job, kind, request);
	if (kind->form == REPORT_TABLE)
		job->table.plan = &request->arrangement;
	return request_prepare(request, &job->table);
}

void report_job_want(struct report_job *job, struct run *run)
{
	struct report *report = &job->report;

	report->state = memory_zero(report->kind->state_bytes + 1, 1);
	report->run = run;
	if (report->kind->want)
		report->kind->want(report);
}

static const char *report_job_explain(struct report *report, struct why_empty *absence)
{
	const struct report_kind *kind = report->kind;
	const char *text = NULL;

	if (kind->form != REPORT_TABLE && kind->form != REPORT_PART)
		return NULL;
	if (kind->explain)
		text = kind->explain(report, absence);
	return text ? text : why_empty_explain(report->run, kind->family, absence);
}

static struct document make_document(struct report *report, const struct facts *facts,
				     struct why_empty *absence, struct coverage_text *recorded)
{
	const struct report_kind *kind = report->kind;
	struct document document = {
		.fact = facts->fact,
		.fact_count = facts->count,
		.head = kind->head,
		.foot = kind->foot,
		.draw = kind->draw,
		.context = report,
		.head_only = kind->form == REPORT_TEXT,
		.says_losses = kind->says_losses && kind->says_losses(report),
		.families = run_families(report->run),
		.empty = report_job_explain(report, absence),
	};

	if (kind->form == REPORT_TABLE ||
	    (kind->form == REPORT_PART &&
	     (run_detail(report->run)->until_ns || run_gpu_windows(report->run)->until_ns ||
	      detail_is_of_captures(run_detail(report->run)))) ||
	    (kind->form != REPORT_TEXT && source_gave_back(run_source(report->run))))
		document.scope = coverage_said(report->run, recorded);
	return document;
}

/* Blocks of the time that was given back are no errors when they are freed. */
static void report_job_tell_kept(const struct run *run, struct facts *facts)
{
	struct source *source = run_source(run);
	uint64_t older = 0;
	bool frees = false;

	if (!source_gave_back(source))
		return;
	facts_number(facts, "kept_from_ns", UNIT_NS, source_kept_from_ns(source));
	facts_number(facts, "kept_to_ns", UNIT_NS, source_end_ns(source));
	for (size_t i = 0; i < facts->count; i++) {
		struct fact *fact = &facts->fact[i];

		if (strcmp(fact->name, "frees_unmatched") != 0 || fact->cell.kind != CELL_NUMBER)
			continue;
		frees = true;
		older = fact->cell.number;
		fact->cell.number = 0;
	}
	if (frees)
		facts_number(facts, "frees_before_kept", UNIT_COUNT, older);
}

void report_job_fill(struct report_job *job)
{
	struct report *report = &job->report;
	const struct report_kind *kind = report->kind;

	kind->fill(report, &job->table);
	if (kind->total)
		kind->total(report, &job->facts);
	if (job->table.stacks.total)
		job->table.stacks.total(job->table.stacks.state, &job->facts);
	report_job_tell_kept(report->run, &job->facts);
	job->document = make_document(report, &job->facts, &job->absence, &job->recorded);
}

int report_job_write(struct report_job *job)
{
	struct report_request *request = job->report.request;

	if (job->report.kind->form == REPORT_TEXT)
		request->arrangement.limit = 0;
	return request_write(request, &job->document, &job->table);
}

void report_job_release(struct report_job *job)
{
	if (job->report.state && job->report.kind->release)
		job->report.kind->release(&job->report);
	facts_release(&job->facts);
	free(job->report.state);
	table_release(&job->table);
	*job = (struct report_job){ .report = { .kind = NULL } };
}
